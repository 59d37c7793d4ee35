"""The collector's load on a broker's host: ``python -m benchmarks.collector`` prints a table.

One broker, so that it coordinates every group: a hundred, each with an offset in each of ten partitions. The collector
is the program that a deployment installs, as a separate process, with the interval of a deployment.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from ansible.module_utils.kraft.monitoring import collector as published
from ansible.module_utils.kraft.monitoring.catalogue import COLLECTOR, TOPIC, at_level
from ansible.module_utils.kraft.node import collector as service
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from benchmarks.figures import Promise, Series, table
from benchmarks.machine import busy_cores, described, say
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_node import LEASH
from tests.integration.secured_cluster import ONE_COPY

GROUPS, PARTITIONS, INTERVAL = 100, 10, 15
MEMORY, CORE = Promise(80), Promise(3)
STARTED = 5.0  #: seconds for Python to load it, which are not counted


def fill(cluster: KafkaCluster) -> None:
    """Create the groups and their committed offsets."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    admin.create_topics([NewTopic("read", PARTITIONS, 1)])["read"].result(30)
    for number in range(GROUPS):
        offsets = [TopicPartition("read", each, 0) for each in range(PARTITIONS)]
        given = ConsumerGroupTopicPartitions(f"group-{number}", offsets)
        deadline, refused = time.monotonic() + 30, True
        while refused:  # a broker without the topic takes no offsets of it
            taken = admin.alter_consumer_group_offsets([given])[given.group_id].result(30).topic_partitions or []
            refused = any(one.error for one in taken)
            if time.monotonic() > deadline:
                raise TimeoutError(f"{given.group_id}: {taken}")


def seconds(pid: int) -> float:
    """Return the processor time of a process with one thread; ticks would be too coarse."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def megabytes(pid: int) -> float:
    """Return the peak memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmHWM")).split()[1]) / 1024


def measured(settings: Mapping[str, object], place: Path, rounds: int) -> tuple[list[float], float]:
    """Return the percent of a core for each interval, and the memory at the end."""
    (place / "collector.pyz").write_bytes(service.program())
    (place / "settings.json").write_text(json.dumps(settings))
    command = [*LEASH, sys.executable, str(place / "collector.pyz"), str(place / "settings.json")]
    process = subprocess.Popen(command)  # noqa: S603 - our own program
    try:
        time.sleep(STARTED)
        shares = []
        for _ in range(rounds):
            before = seconds(process.pid)
            time.sleep(INTERVAL)
            shares.append((seconds(process.pid) - before) / INTERVAL * 100)
        return shares, megabytes(process.pid)
    finally:
        process.kill()
        process.wait(10)


def main(arguments: Sequence[str]) -> int:
    made = argparse.ArgumentParser(prog="python -m benchmarks.collector", description=(__doc__ or "").splitlines()[0])
    made.add_argument("--rounds", type=int, default=4, help="how many intervals (default: 4)")
    given, before = made.parse_args(arguments), busy_cores()
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        cluster = KafkaCluster.start(place / "kafka", 1, ONE_COPY)
        try:
            fill(cluster)
            client = {"bootstrap_servers": [f"127.0.0.1:{cluster.nodes[1].internal_port}"]}
            metrics = {each.name: [each.type, each.help] for each in at_level(TOPIC, COLLECTOR)}
            asked = {"client": client, "directory": directory, "interval": INTERVAL, "metrics": metrics}
            shares, memory = measured(asked, place, given.rounds)
            groups = (place / published.NAME).read_text().count("kafka_group_lag_records{")
        finally:
            cluster.stop()
    say(f"{groups} groups were published")
    rows = [
        ["processor, % of a core", Series(tuple(shares)).text(digits=2), CORE.text(), CORE.verdict(max(shares))],
        ["memory, MB", f"{memory:.0f}", MEMORY.text(), MEMORY.verdict(memory)],
    ]
    sys.stdout.write(f"{described('benchmarks.collector', before, given.rounds)}\n")
    sys.stdout.write(f"{table([f'{groups} groups, every {INTERVAL} s', 'value', 'promise', 'kept'], rows)}\n")
    return 0 if groups == GROUPS else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
