"""The files that a run leaves for clients: each is used as it is by its client, outside of the cluster."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.operations.resources.user_admin import Credential, UserAdmin
from ansible.module_utils.kraft.spec.desired.client_files import client_files, user_files
from pyspark.sql import SparkSession

from plugins.action.kafka_client_files import put
from spark_jobs import session
from tests.integration import dialects
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_node import KafkaNode
from tests.integration.secured_cluster import AWKWARD, start_secured
from tests.integration.spark_topic import create

TOPIC = "files-for-clients"


@dataclasses.dataclass(frozen=True)
class Clients:
    """A cluster and the directory of the files for its clients; the topic is made."""

    node: KafkaNode
    files: Path
    kcat: bool = True


@pytest.fixture(scope="module")
def everybody(kafka_cluster: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> Clients:
    """Nobody logs in."""
    path = tmp_path_factory.mktemp("files")
    listener = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "security.protocol": "PLAINTEXT"}
    for name, content in client_files("demo", {"CLIENT": listener}, {}).items():
        (path / name).write_text(content)
    create(kafka_cluster.bootstrap_servers, TOPIC, 3)
    return Clients(kafka_cluster.nodes[1], path)


@pytest.fixture(scope="module")
def one_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clients]:
    """A user with a password that each dialect must quote, on a listener with TLS.

    Debian's kcat does not take part: librdkafka before 2.6.1 cannot log in to Kafka 4 with SCRAM (edenhill/kcat#462).
    """
    path = tmp_path_factory.mktemp("user")
    cluster = start_secured(path)
    (path / "nodes.pem").write_text((path / "ca.pem").read_text())
    address = f"127.0.0.1:{cluster.properties['LOGIN']}"
    desired = {
        "cluster": {
            "name": "demo",
            "clients": {
                "CLIENT": {"bootstrap.servers": address, "security.protocol": "SASL_SSL"},
                "PLAIN": {"bootstrap.servers": cluster.bootstrap_servers, "security.protocol": "PLAINTEXT"},
            },
        },
        "nodes": {"k1": {"certificate": {"authority": str(path)}}},
    }
    files = user_files(desired, [{"name": "u.1", "password": AWKWARD}])
    assert {name.split(".")[1].split("/")[1] for name in files} == {"CLIENT"}
    for name, content in files.items():
        put(path / name, content, 0o600)
    credential = Credential("u.1", "SCRAM-SHA-512")
    with Client({"bootstrap_servers": [cluster.bootstrap_servers]}) as client:
        UserAdmin(client, {credential: AWKWARD}, None, awaited=False).put({credential: True})
    create(cluster.bootstrap_servers, TOPIC, 3, replicas=1)
    yield Clients(cluster.nodes[1], path / "u.1", kcat=False)
    cluster.stop()


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


@pytest.mark.parametrize("clients", ["everybody", "one_user"])
def test_each_client_reads_what_all_the_others_sent(
    request: pytest.FixtureRequest, clients: str, spark: SparkSession
) -> None:
    found: Clients = request.getfixturevalue(clients)
    node, files = found.node, found.files
    sent = {"java", "librdkafka", "kafka_python", "airflow", "spark", *(["kcat"] if found.kcat else [])}
    native, python, frames = given(files, "librdkafka"), given(files, "kafka_python"), given(files, "spark")
    airflow = {name: json.loads(one["extra"]) for name, one in given(files, "airflow").items()}
    dialects.java_sends(node, files / "CLIENT.producer.properties", TOPIC, "java")
    if found.kcat:
        kcat(files, "-P", text="kcat")
    dialects.librdkafka_sends(native["producer"], TOPIC, "librdkafka")
    dialects.librdkafka_sends(airflow["kafka_demo_client_producer"], TOPIC, "airflow")
    dialects.kafka_python_sends(python["producer"], TOPIC, "kafka_python")
    record = spark.createDataFrame([("spark",)], "value string")
    record.write.format("kafka").options(**frames["write"]).option("topic", TOPIC).save()
    count = len(sent)
    assert dialects.java_reads(node, files / "CLIENT.properties", TOPIC, count) == sent
    assert not found.kcat or kcat(files, "-C", "-e", "-q") == sent
    assert dialects.librdkafka_reads(native["consumer"], TOPIC, count) == sent
    assert dialects.librdkafka_reads(airflow["kafka_demo_client_consumer"], TOPIC, count) == sent
    assert dialects.kafka_python_reads(python["consumer"], TOPIC, count) == sent
    read = spark.read.format("kafka").options(**frames["read"]).option("subscribe", TOPIC).load()
    assert {bytes(row.value).decode() for row in read.select("value").collect()} == sent
