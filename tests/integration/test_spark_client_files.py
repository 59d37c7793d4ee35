"""The files that a run leaves for clients: each is used as it is by its client, outside of the cluster."""

from __future__ import annotations

import configparser
import dataclasses
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.control.files import text_of
from ansible.module_utils.kraft.operations.certificates import users as certificates
from ansible.module_utils.kraft.operations.resources.user_admin import Credential, UserAdmin
from ansible.module_utils.kraft.spec.desired import java_properties
from ansible.module_utils.kraft.spec.desired.client_files import client_files, user_files
from confluent_kafka import Producer
from pyspark.sql import SparkSession

from plugins.action.kafka_client_files import put
from spark_jobs.errors import UnreachableError
from spark_jobs.progress import Progress
from spark_jobs.proof.command import begun, prove
from spark_jobs.proof.config import load
from tests.integration import dialects
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_node import KafkaNode, random_id
from tests.integration.secured_cluster import AWKWARD, CLUSTER, SECURED, own_authority, start_secured
from tests.integration.spark_topic import create

TOPIC = "files-for-clients"


@dataclasses.dataclass(frozen=True)
class Clients:
    """A cluster and the directory of the files for its clients; the topic is made."""

    node: KafkaNode
    files: Path
    topic: str = TOPIC
    kcat: bool = True


@pytest.fixture(scope="module")
def everybody(kafka_cluster: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> Clients:
    """Return the files of a listener without login."""
    path = tmp_path_factory.mktemp("files")
    listener = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "security.protocol": "PLAINTEXT"}
    for name, content in client_files("demo", {"CLIENT": listener}, {}, text_of).items():
        if content:
            (path / name).write_text(content)
    create(kafka_cluster.bootstrap_servers, TOPIC, 3)
    return Clients(kafka_cluster.nodes[1], path)


@pytest.fixture(scope="module")
def secured_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    cluster = start_secured(tmp_path_factory.mktemp("secured"))
    yield cluster
    cluster.stop()


@pytest.fixture
def one_user(secured_cluster: KafkaCluster) -> Clients:
    """A user with a password that each dialect must quote, on a listener with TLS.

    Debian's kcat does not take part: librdkafka before 2.6.1 cannot log in to Kafka 4 with SCRAM (edenhill/kcat#462).
    """
    secured = write_files(secured_cluster, "LOGIN", {"name": "u.1", "password": AWKWARD})
    credential = Credential("u.1", "SCRAM-SHA-512")
    with Client({"bootstrap_servers": [secured_cluster.bootstrap_servers]}) as client:
        UserAdmin(client, {credential: AWKWARD}, {}, awaited=False).put({credential: True})
    return dataclasses.replace(secured, kcat=False)


@pytest.fixture
def one_certificate(secured_cluster: KafkaCluster) -> Clients:
    """A user with a certificate that the cluster's own authority issued."""
    user = {"name": "u.2", "authentication": "tls"}
    place = own_authority(secured_cluster.directory)
    for step in certificates.steps(place.directory, CLUSTER, [user], 1):
        certificates.carry_out(place, step, days=2)
    return write_files(secured_cluster, "USERS", user)


def write_files(cluster: KafkaCluster, listener: str, user: dict[str, str]) -> Clients:
    """The files of one user for `listener`, and an empty topic."""
    authority = cluster.directory / "tls"
    (authority / "nodes.pem").write_text((cluster.directory / "ca.pem").read_text())  # the broker shows this one
    used = {"bootstrap.servers": f"127.0.0.1:{cluster.properties[listener]}", "security.protocol": SECURED[listener]}
    plain = {"bootstrap.servers": cluster.bootstrap_servers, "security.protocol": "PLAINTEXT"}
    found = {
        "name": CLUSTER,
        "clients": {"CLIENT": used, "PLAIN": plain},
        "login_mechanisms": {"CLIENT": ["SCRAM-SHA-512"]},
        "mutual_listeners": ["CLIENT"],
    }
    desired = {"cluster": found, "nodes": {"k1": {"certificate": {"authority": str(authority)}}}}
    files = {name: content for name, content in user_files(desired, [user], text_of).items() if content}
    assert {Path(name).name.split(".")[0] for name in files} - {"nodes", "own"} == {"CLIENT"}
    assert not [name for name, content in files.items() if str(cluster.directory) in content]
    for name, content in files.items():
        put(cluster.directory / name, content, 0o600)
    topic = f"{TOPIC}-{user['name']}-{random_id()}"
    create(cluster.bootstrap_servers, topic, 3, replicas=1)
    return Clients(cluster.nodes[1], cluster.directory / user["name"], topic)


def given(files: Path, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((files / f"CLIENT.{kind}.json").read_text())
    return found


def section(path: Path) -> dict[str, str]:
    """Read kaskade's file as kaskade does."""
    parser = configparser.RawConfigParser(delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(path.read_text())
    return dict(parser["kafka"])


def of_kafbat(files: Path) -> Path:
    """Write the properties that kafbat hands to Kafka's Java client into a file."""
    [cluster] = yaml.safe_load((files / "CLIENT.kafbat.yaml").read_text())["kafka"]["clusters"]
    path = files / "kafbat.properties"
    path.write_text(
        java_properties.text_of({"bootstrap.servers": cluster["bootstrapServers"], **cluster["properties"]})
    )
    return path


def kcat(clients: Clients, *arguments: str, text: str = "") -> set[str]:
    command = ["kcat", "-F", str(clients.files / "CLIENT.kcat.conf"), *arguments, "-t", clients.topic]
    return set(
        subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=True).stdout.split()
    )


@pytest.mark.parametrize("clients", ["everybody", "one_user", "one_certificate"])
def test_each_client_reads_what_all_the_others_sent(
    request: pytest.FixtureRequest, clients: str, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """kcat and kafka-python are started in the directory of the files; the others need no file but their own."""
    found: Clients = request.getfixturevalue(clients)
    monkeypatch.chdir(found.files)
    node, files, topic = found.node, found.files, found.topic
    sent = {"java", "librdkafka", "kafka_python", "airflow", "spark", "kaskade", *(["kcat"] if found.kcat else [])}
    native, python, frames = given(files, "librdkafka"), given(files, "kafka_python"), given(files, "spark")
    airflow = {name: json.loads(one["extra"]) for name, one in given(files, "airflow").items()}
    dialects.java_sends(node, files / "CLIENT.producer.properties", topic, "java")
    if found.kcat:
        kcat(found, "-P", text="kcat")
    dialects.librdkafka_sends(native["producer"], topic, "librdkafka")
    dialects.librdkafka_sends(airflow["kafka_demo_client_producer"], topic, "airflow")
    dialects.librdkafka_sends(section(files / "CLIENT.kaskade.ini"), topic, "kaskade")
    dialects.kafka_python_sends(python["producer"], topic, "kafka_python")
    record = spark.createDataFrame([("spark",)], "value string")
    record.write.format("kafka").mode("append").options(**frames["write"]).option("topic", topic).save()
    count = len(sent)
    assert dialects.java_reads(node, files / "CLIENT.properties", topic, count) == sent
    if (files / "CLIENT.kafbat.yaml").exists():  # none for a password that Spring would change
        assert dialects.java_reads(node, of_kafbat(files), topic, count) == sent
    assert not found.kcat or kcat(found, "-C", "-e", "-q") == sent
    assert dialects.librdkafka_reads(native["consumer"], topic, count) == sent
    assert dialects.librdkafka_reads(airflow["kafka_demo_client_consumer"], topic, count) == sent
    assert dialects.kafka_python_reads(python["consumer"], topic, count) == sent
    read = spark.read.format("kafka").options(**frames["read"]).option("subscribe", topic).load()
    assert {bytes(row.value).decode() for row in read.select("value").collect()} == sent


def test_a_proof_reaches_both_sides_by_their_client_files(
    secured_cluster: KafkaCluster, one_user: Clients, one_certificate: Clients, spark: SparkSession, tmp_path: Path
) -> None:
    """One side wants a login, the other one a certificate: the configuration itself holds no secret."""
    producer = Producer({"bootstrap.servers": secured_cluster.bootstrap_servers})
    for clients in (one_user, one_certificate):
        producer.produce(clients.topic, b"same", partition=0)
    assert producer.flush(30) == 0
    sides = {
        name: {
            "bootstrap_servers": f"127.0.0.1:{secured_cluster.properties[listener]}",
            "client_file": str(clients.files / "CLIENT.properties"),
        }
        for name, listener, clients in (("source", "LOGIN", one_user), ("target", "USERS", one_certificate))
    }
    told = {"run_id": "secured", "topics": {one_user.topic: one_certificate.topic}, "output_dir": str(tmp_path)}
    path = tmp_path / "proof.json"
    path.write_text(json.dumps({**told, **sides}))
    config = load(path)
    report = begun(config, Progress(tmp_path))
    prove(spark, config, report, Progress(tmp_path))
    (topic,) = report["topics"]
    assert (report["verdict"]["outcome"], topic["paired"]) == ("proven", 1)
    sides["source"]["client_file"] = sides["target"]["client_file"]
    path.write_text(json.dumps({**told, **sides}))
    config = load(path)
    with pytest.raises(UnreachableError):
        prove(spark, config, begun(config, Progress(tmp_path)), Progress(tmp_path))
