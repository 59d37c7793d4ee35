"""The files that a run leaves for clients: each is used as it is by its client, outside of the cluster."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.spec.desired.client_files import client_files
from pyspark.sql import SparkSession

from spark_jobs import session
from tests.integration import dialects
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.spark_topic import create

TOPIC = "files-for-clients"


@pytest.fixture(scope="module")
def files(kafka_cluster: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that they lie in; the topic is made."""
    path = tmp_path_factory.mktemp("files")
    listener = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "security.protocol": "PLAINTEXT"}
    for name, content in client_files("demo", {"CLIENT": listener}, {}).items():
        (path / name).write_text(content)
    create(kafka_cluster.bootstrap_servers, TOPIC, 3)
    return path


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    opened = session.open_session("client-files")
    yield opened
    opened.stop()


def given(files: Path, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((files / f"CLIENT.{kind}.json").read_text())
    return found


def kcat(files: Path, *arguments: str, text: str = "") -> set[str]:
    command = ["kcat", "-F", str(files / "CLIENT.kcat.conf"), *arguments, "-t", TOPIC]
    return set(
        subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=True).stdout.split()
    )


def test_each_client_reads_what_all_the_others_sent(
    kafka_cluster: KafkaCluster, files: Path, spark: SparkSession
) -> None:
    node, sent = kafka_cluster.nodes[1], {"java", "kcat", "librdkafka", "kafka_python", "airflow", "spark"}
    native, python, frames = given(files, "librdkafka"), given(files, "kafka_python"), given(files, "spark")
    airflow = {name: json.loads(one["extra"]) for name, one in given(files, "airflow").items()}
    dialects.java_sends(node, files / "CLIENT.producer.properties", TOPIC, "java")
    kcat(files, "-P", text="kcat")
    dialects.librdkafka_sends(native["producer"], TOPIC, "librdkafka")
    dialects.librdkafka_sends(airflow["kafka_demo_client_producer"], TOPIC, "airflow")
    dialects.kafka_python_sends(python["producer"], TOPIC, "kafka_python")
    record = spark.createDataFrame([("spark",)], "value string")
    record.write.format("kafka").options(**frames["write"]).option("topic", TOPIC).save()
    count = len(sent)
    assert dialects.java_reads(node, files / "CLIENT.properties", TOPIC, count) == sent
    assert kcat(files, "-C", "-e", "-q") == sent
    assert dialects.librdkafka_reads(native["consumer"], TOPIC, count) == sent
    assert dialects.librdkafka_reads(airflow["kafka_demo_client_consumer"], TOPIC, count) == sent
    assert dialects.kafka_python_reads(python["consumer"], TOPIC, count) == sent
    read = spark.read.format("kafka").options(**frames["read"]).option("subscribe", TOPIC).load()
    assert {bytes(row.value).decode() for row in read.select("value").collect()} == sent
