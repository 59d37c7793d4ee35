"""Record the classes that Kafka loads at a start, for `kafka_appcds_archive`: run it once for each release of Kafka.

    python scripts/record_classes.py <unpacked release> roles/kafka/files/classes-<version>.gz

Formats a one-node cluster in a temporary directory with the release's own tool, starts it on loopback, creates, writes
and reads one topic, and keeps the names that the JVM noted. The list may be older than the release that uses it: the
JVM leaves out missing classes.
"""

from __future__ import annotations

import gzip
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jinja2
import kafka
from kafka.admin import NewTopic

ROOT = Path(__file__).resolve().parents[1]
DEADLINE = 120.0
CLUSTER_ID = "AAAAAAAAQACAAAAAAAAAAQ"
PROPERTIES = """
node.id=1
process.roles=broker,controller
listeners=CLIENT://127.0.0.1:{client},CONTROLLER://127.0.0.1:{controller}
listener.security.protocol.map=CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=CLIENT
controller.quorum.bootstrap.servers=127.0.0.1:{controller}
log.dirs={directory}/logs
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
share.coordinator.state.topic.replication.factor=1
"""


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def logging_options(directory: Path) -> str:
    """Return the role's own logging, so that its classes are in the list."""
    template = (ROOT / "roles/kafka/templates/log4j2.yaml.j2").read_text(encoding="utf-8")
    path = directory / "log4j2.yaml"
    path.write_text(jinja2.Template(template).render(kafka_log4j_dir=str(directory)), encoding="utf-8")
    return f"-Dlog4j2.configurationFile={path}"


def java(release: Path, classes: Path, *words: str) -> list[str]:
    jars = ":".join(sorted(str(jar) for jar in release.glob("libs/*.jar")))
    return ["java", f"-XX:DumpLoadedClassList={classes}", "-Xmx512m", "-cp", jars, *words]


def wait_until_ready(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + DEADLINE
    while process.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("Kafka did not start; see its output above")


def use(port: int) -> None:
    """Do the first steps of clients with a new cluster."""
    address = f"127.0.0.1:{port}"
    admin = kafka.KafkaAdminClient(bootstrap_servers=address)
    admin.create_topics([NewTopic("classes", 1, 1)])
    producer = kafka.KafkaProducer(bootstrap_servers=address, acks="all")
    producer.send("classes", b"value").get(timeout=DEADLINE)
    options = {"auto_offset_reset": "earliest", "group_id": "classes", "consumer_timeout_ms": 10_000}
    consumer = kafka.KafkaConsumer("classes", bootstrap_servers=address, **options)
    if next(iter(consumer)).value != b"value":
        raise SystemExit("what was written was not read back")
    admin.describe_metadata_quorum()
    for client in (consumer, producer, admin):
        client.close()


def record(release: Path, directory: Path) -> list[str]:
    """Return the lines of both lists, those of the server first, each once."""
    ports = {"client": free_port(), "controller": free_port()}
    config = directory / "server.properties"
    config.write_text(PROPERTIES.format(directory=directory, **ports), encoding="utf-8")
    tool, server = directory / "tool.classes", directory / "server.classes"
    format_words = ["format", f"--cluster-id={CLUSTER_ID}", f"--config={config}", "--standalone"]
    subprocess.run(java(release, tool, "kafka.tools.StorageTool", *format_words), check=True)  # noqa: S603
    command = java(release, server, "-XX:+UseG1GC", logging_options(directory), "kafka.Kafka", str(config))
    process = subprocess.Popen(command)  # noqa: S603
    try:
        wait_until_ready(process, ports["client"])
        use(ports["client"])
    finally:
        process.terminate()
        process.wait(timeout=DEADLINE)
    lines = (line for path in (server, tool) for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in dict.fromkeys(lines) if line and not line.startswith("#")]


def main() -> None:
    release, output = (Path(word).resolve() for word in sys.argv[1:3])
    directory = Path(tempfile.mkdtemp(prefix="kraftwright-classes-"))
    try:
        lines = record(release, directory)
    finally:
        shutil.rmtree(directory)
    output.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))
    sys.stderr.write(f"{len(lines)} lines in {output}\n")


if __name__ == "__main__":
    main()
