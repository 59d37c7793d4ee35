"""The service of a copy against MirrorMaker run by hand: ``python -m benchmarks.mirror`` prints a table.

Two clusters of one broker each, on loopback. The service is the command of its unit, with its priority. By hand it is
Kafka's own script, with the same ``mirror.properties``. Each copies a separate topic in each round.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from ansible.module_utils.kraft.node import mirror
from ansible.module_utils.kraft.operations.mirror import files
from ansible.module_utils.kraft.spec.desired.mirror import Wanted
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from benchmarks.figures import Promise, Series, paired, table
from benchmarks.machine import busy_cores, described, say
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_home import MIRROR_VERSION, kafka_home
from tests.integration.kafka_node import LEASH
from tests.integration.secured_cluster import ONE_COPY

RECORDS, BYTES, PARTITIONS = 400_000, 200, 6
MEMORY_MB = 8192  #: of a host, which determines the heap
RATE = Promise(0.95, at_least=True)
KINDS = ("service", "by hand")
#: Settings of Apache's ``connect-mirror-maker.sh`` and ``kafka-run-class.sh``.
BY_HAND = {
    "KAFKA_HEAP_OPTS": "-Xms256M -Xmx2G",
    "KAFKA_JVM_PERFORMANCE_OPTS": "-server -XX:+UseG1GC -XX:MaxGCPauseMillis=20 "
    "-XX:InitiatingHeapOccupancyPercent=35 -XX:+ExplicitGCInvokesConcurrent",
}
SECONDS = 300.0


def write(cluster: KafkaCluster, topic: str) -> None:
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    admin.create_topics([NewTopic(topic, PARTITIONS, 1)])[topic].result(30)
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "queue.buffering.max.messages": RECORDS})
    for number in range(RECORDS):
        producer.produce(topic, os.urandom(BYTES // 2) + bytes(BYTES // 2), partition=number % PARTITIONS)
    if producer.flush(SECONDS):
        raise TimeoutError(f"{topic} is not written")


def settings(source: KafkaCluster, target: KafkaCluster, place: Path, topic: str) -> mirror.Settings:
    """Return the settings of a deployment on a lone host."""
    wanted = Wanted("old", tuple(source.bootstrap_servers.split(",")), topics=(topic,))
    size = files.size(PARTITIONS, 1, os.cpu_count() or 1, MEMORY_MB)
    (place / "mirror").mkdir(parents=True, exist_ok=True)
    release = place / "releases" / MIRROR_VERSION
    if not release.exists():
        release.parent.mkdir()
        release.symlink_to(kafka_home(MIRROR_VERSION))
    made = mirror.Settings(
        install_dir=str(place),
        release=MIRROR_VERSION,
        java="java",
        properties=files.properties(wanted, size, 1),
        listener="",
        protocol="PLAINTEXT",
        servers=tuple(target.bootstrap_servers.split(",")),
        address="127.0.0.1",
        port=8083,
        hosts=1,
        heap_mb=size.heap_mb,
    )
    (place / "mirror/mirror.properties").write_text(mirror.lines(mirror.properties(made, {})[0]))
    (place / "mirror/log4j2.yaml").write_text(mirror.LOG4J)
    return made


def command(kind: str, made: mirror.Settings) -> list[str]:
    """Return the command line of the unit with its priority, or Kafka's script."""
    if kind == "by hand":
        script = f"{made.install_dir}/releases/{made.release}/bin/connect-mirror-maker.sh"
        return [script, f"{made.home}/mirror.properties", "--clusters", mirror.TARGET]
    unit = mirror.unit(made, {}).replace("\\\n", " ")
    lines = dict(line.split("=", 1) for line in unit.splitlines() if line.startswith(("ExecStart=", "Nice=")))
    return ["nice", "-n", lines["Nice"], *shlex.split(lines["ExecStart"])]


def copied(consumer: Consumer, topic: str) -> int:
    """Return the sum of the copy's end offsets, with markers of transactions."""
    try:
        return sum(
            consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=10)[1] for number in range(PARTITIONS)
        )
    except KafkaException:  # it is not there yet
        return 0


def rate(kind: str, source: KafkaCluster, target: KafkaCluster, place: Path, topic: str) -> float:
    """Return the records a second, from the first arrivals until the last one: a start is not counted."""
    write(source, topic)
    made = settings(source, target, place, topic)
    consumer = Consumer({"bootstrap.servers": target.bootstrap_servers, "group.id": "witness"})
    with (place / "mirror.log").open("ab") as log:
        environment = {**os.environ, **BY_HAND, "LOG_DIR": str(place)}
        process = subprocess.Popen([*LEASH, *command(kind, made)], env=environment, stdout=log, stderr=log)  # noqa: S603
    began, first, deadline = 0.0, 0, time.monotonic() + SECONDS
    try:
        while (count := copied(consumer, topic)) < RECORDS:
            if count and not first:
                began, first = time.monotonic(), count
            if time.monotonic() > deadline or process.poll() is not None:
                raise TimeoutError(f"{kind}: {count} of {RECORDS} are copied; see {place}/mirror.log")
            time.sleep(0.05)
        return (RECORDS - first) / (time.monotonic() - began)
    finally:
        consumer.close()
        process.terminate()
        process.wait(60)


def main(arguments: Sequence[str]) -> int:
    made = argparse.ArgumentParser(prog="python -m benchmarks.mirror", description=(__doc__ or "").splitlines()[0])
    made.add_argument("--rounds", type=int, default=3, help="how many rounds (default: 3)")
    given, before = made.parse_args(arguments), busy_cores()
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory() as directory:
        clusters: list[KafkaCluster] = []
        try:
            clusters += [KafkaCluster.start(Path(directory) / name, 1, ONE_COPY) for name in ("source", "target")]
            for number in range(given.rounds):
                for kind in KINDS if number % 2 else reversed(KINDS):
                    topic = f"round-{number}-{kind.replace(' ', '-')}"
                    found[kind].append(rate(kind, clusters[0], clusters[1], Path(directory), topic))
                    say(f"round {number + 1}, {kind}: {found[kind][-1]:,.0f} records/s")
        finally:
            for cluster in clusters:
                cluster.stop()
    ratio = paired(found["service"], found["by hand"])
    rows = [
        ["by hand", Series(tuple(found["by hand"])).text(digits=0), "-", "-"],
        ["service", Series(tuple(found["service"])).text(digits=0), ratio.text(digits=2), verdict(ratio)],
    ]
    sys.stdout.write(f"{described('benchmarks.mirror', before, given.rounds)}\n")
    sys.stdout.write(f"{table(['MirrorMaker', 'records a second', 'ratio', 'promise'], rows)}\n")
    return 0


def verdict(ratio: Series) -> str:
    return f"{RATE.text()}: {RATE.verdict(ratio.median)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
