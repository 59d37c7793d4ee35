"""Client impact of leader moves: ``python -m benchmarks.leaders`` prints a table.

Three warm combined nodes under a client that writes to every partition (acks=all, idempotent). Repeatedly, the leaders
of some partitions move to another replica in sync. The figure is the longest time for which any partition acknowledged
nothing: once with Kafka's own times for its replica fetchers, once with Kraftwright's.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence

from ansible.module_utils.kraft.cluster.snapshot import Partition, Snapshot
from kafka import KafkaAdminClient, TopicPartition

from benchmarks.figures import Promise, Series, table
from benchmarks.lab import Lab
from benchmarks.machine import busy_cores, described, say
from benchmarks.traffic import PARTITIONS, Cluster, Traffic

TIMES: Mapping[str, Mapping[str, str]] = {
    "Kafka's own": {"replica.fetch.backoff.ms": "1000", "replica.fetch.wait.max.ms": "500"},
    "Kraftwright's": {},
}
MOVED = range(PARTITIONS // 3)
PREFERRED = 0
FELT = 3.0  # seconds after a move that belong to it
PROMISE = Promise(0.5)


def move(admin: KafkaAdminClient, cluster: Cluster, topic: str) -> None:
    """Make another replica of each partition the preferred leader, and then the leader."""

    def partitions(snapshot: Snapshot) -> list[Partition]:
        found = [one for known in snapshot.topics or () if known.name == topic for one in known.partitions]
        return [one for one in found if one.partition in MOVED]

    now = partitions(cluster.wait_for("the topic", lambda snapshot: bool(partitions(snapshot)), "topics"))
    wanted = {one.partition: (*one.replicas[1:], one.replicas[0]) for one in now}
    admin.alter_partition_reassignments({TopicPartition(topic, number): [*to] for number, to in wanted.items()})
    cluster.wait_for(
        "the new order of replicas",
        lambda snapshot: {one.partition: one.replicas for one in partitions(snapshot)} == wanted,
        "topics",
    )
    admin.elect_leaders(PREFERRED, {topic: list(MOVED)})
    cluster.wait_for(
        "the new leaders",
        lambda snapshot: all(one.leader == wanted[one.partition][0] for one in partitions(snapshot)),
        "topics",
    )


def felt(lab: Lab, moves: int, name: str) -> list[float]:
    """Return the seconds without an acknowledgement on the worst partition, for each move."""
    cluster, stalls = Cluster(lab), []
    cluster.make_topic(name)
    traffic = Traffic(",".join(cluster.servers()), name)
    with traffic.flowing(), KafkaAdminClient(bootstrap_servers=cluster.servers()) as admin:
        for _ in range(moves):
            traffic.wait(time.monotonic() + FELT)
            began = time.monotonic()
            move(admin, cluster, name)
            traffic.wait(time.monotonic() + FELT)
            stalls.append(traffic.longest_silence(began))
    return stalls


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.leaders", description=(__doc__ or "").splitlines()[0])
    made.add_argument("--moves", type=int, default=10, help="how often leaders are moved (default: 10)")
    return made


def main(arguments: Sequence[str]) -> int:
    given, before = parser().parse_args(arguments), busy_cores()
    lab, stalls = Lab("leaders"), dict[str, list[float]]()
    try:
        lab.make()
        for number, (whose, times) in enumerate(TIMES.items()):
            lab.deploy("--extra-vars", json.dumps({"kafka_config": times}))
            stalls[whose] = felt(lab, given.moves, f"leaders-{number}")
            say(f"{whose}: {', '.join(f'{one:.2f}' for one in stalls[whose])} s")
    finally:
        lab.remove()
    rows = [
        [whose, Series(tuple(found)).text("s", digits=2), f"{max(found):.2f} s", str(sum(one > 1 for one in found))]
        for whose, found in stalls.items()
    ]
    theirs, ours = (max(found) for found in stalls.values())
    sys.stdout.write(f"{described('benchmarks.leaders', before, given.moves)}\n")
    sys.stdout.write(f"{table(['times', 'stall of a move', 'longest', 'over 1 s'], rows)}\n")
    sys.stdout.write(f"longest: {theirs / ours:.1f} times less; promise {PROMISE.text()} s: {PROMISE.verdict(ours)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
