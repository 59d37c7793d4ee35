"""The cost of metrics: ``python -m benchmarks.metrics --rounds 2`` prints a Markdown table.

Each round creates three hosts again, once without metrics and once with ``kafka_metrics``. *Start* is the processor
time of the first node's JVM until its cluster is whole again after a restart, *memory* its memory then. *Roll* is
``playbooks/restart_cluster.yml`` under the probe. The scrapes come one after the other, warm, from the control machine,
while each node has a replica of every partition.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence

from kafka import KafkaAdminClient, KafkaProducer
from kafka.admin import NewTopic

from benchmarks.deploy import settle
from benchmarks.figures import Promise, Series, paired, table
from benchmarks.lab import FailedError, Lab, Run
from benchmarks.machine import busy_cores, described, say
from benchmarks.roll import roll
from benchmarks.traffic import Cluster
from tests.integration.metrics_nodes import scrape

WITHOUT, WITH = "without", "with"
PORT, TOPICS, PARTITIONS, REPLICAS, SCRAPES = 9404, 100, 10, 3, 40
TOPIC_LEVEL = ("--extra-vars", "kafka_metrics_level=topic")
LOAD_SECONDS = 30.0  #: until the agent has read another level
#: Series, scrapes in seconds, start in CPU seconds, memory in MB, runs in seconds more, a ratio of stalls.
SERIES, OF_TOPIC, SCRAPE, TOPIC_SCRAPE = Promise(600), Promise(6), Promise(0.3), Promise(1)
START, MEMORY, COLD, RERUN, TASKS, STALL = (
    Promise(0.6),
    Promise(40),
    Promise(1.5),
    Promise(0.5),
    Promise(3),
    Promise(1.1),
)
#: Clock ticks and kB of the JVM, from ``/proc``.
COST = """pid=$(systemctl show --value --property=MainPID kafka)
cut -d ")" -f 2 /proc/$pid/stat | cut -d " " -f 13,14
getconf CLK_TCK
grep VmRSS /proc/$pid/status | tr -dc 0-9"""
Values = dict[str, dict[str, list[float]]]


def cost(lab: Lab) -> tuple[float, float]:
    """Return the CPU seconds of the first node's JVM since its start, and its memory in MB."""
    user, system, ticks, memory = lab.on_hosts(COST)[0].split()
    return (int(user) + int(system)) / int(ticks), int(memory) / 1024


def restarted(lab: Lab) -> tuple[float, float]:
    """Return the cost of a start: all nodes at once, until the cluster is whole."""
    lab.on_hosts("systemctl restart kafka")
    Cluster(lab).wait_until_whole()
    return cost(lab)


def fill(lab: Lab) -> None:
    """Create topics with replicas on each node, and a record in each partition: a broker has no figures before."""
    cluster, names = Cluster(lab), [f"topic-{at}" for at in range(TOPICS)]
    with KafkaAdminClient(bootstrap_servers=cluster.servers()) as admin:
        admin.create_topics([NewTopic(name, PARTITIONS, REPLICAS) for name in names], timeout_ms=60_000)
    cluster.wait_until_whole()
    with KafkaProducer(bootstrap_servers=cluster.servers(), acks="all") as producer:
        for name in names:
            for partition in range(PARTITIONS):
                producer.send(name, b"measured", partition=partition)
        producer.flush(60)


def scraped(address: str) -> tuple[int, float]:
    """Return the number of series of an agent, and the time of a scrape that 95 of 100 do not exceed, in seconds."""
    found, times = len(scrape(address)), []
    for _ in range(SCRAPES):
        began = time.monotonic()
        scrape(address)
        times.append(time.monotonic() - began)
    return found, statistics.quantiles(times, n=20)[-1]


def wait_for_topics(address: str) -> None:
    """Wait until the agent publishes series of topics. Raises TimeoutError."""
    deadline = time.monotonic() + LOAD_SECONDS
    while not any(each.name.startswith("kafka_topic_") for each in scrape(address)):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{address} publishes nothing of topics")


def of_series(lab: Lab) -> dict[str, float]:
    """Measure the first node's series at each level, and the time of a scrape."""
    address = f"{next(iter(lab.addresses().values()))['ansible_host']}:{PORT}"
    empty, _ = scraped(address)
    fill(lab)
    series, seconds = scraped(address)
    lab.deploy(*TOPIC_LEVEL)
    wait_for_topics(address)
    more, later = scraped(address)
    found = {"series, no topic": empty, "series": series, "series of a topic": (more - series) / TOPICS}
    return {**found, "scrape": seconds, "topic scrape": later}


def one_kind(kind: str, lab: Lab) -> tuple[dict[str, float], dict[str, Run]]:
    """Measure one kind on separate hosts: values, and the runs among them. Raises FailedError if a re-run changed."""
    lab.make()
    runs = {"cold": lab.deploy()}
    settle(lab)
    runs["re-run"] = lab.deploy()
    if runs["re-run"].changed:
        raise FailedError(f"a re-run changed {runs['re-run'].changed} things")
    values = {"stall": roll(lab, []).stall}
    values["start"], values["memory"] = restarted(lab)
    return {**values, **(of_series(lab) if kind == WITH else {})}, runs


def more(values: Mapping[str, Mapping[str, Sequence[float]]], name: str) -> Series:
    """Return the difference with metrics, round by round."""
    return Series(tuple(a - b for a, b in zip(values[WITH][name], values[WITHOUT][name], strict=True)))


def rows(values: Values, tasks: Mapping[str, int]) -> list[list[str]]:
    """Return the table of measurements and promises."""
    stall, ours = paired(values[WITH]["stall"], values[WITHOUT]["stall"]), values[WITH]
    partitions = f"{TOPICS * PARTITIONS:,} partitions"
    entries = [
        (f"series of a node, {TOPICS} topics", Series(tuple(ours["series"])), "", SERIES, 0),
        ("the same without a topic", Series(tuple(ours["series, no topic"])), "", SERIES, 0),
        ("series more for each topic, level `topic`", Series(tuple(ours["series of a topic"])), "", OF_TOPIC, 2),
        (f"scrape, p95, {partitions}, `node`", Series(tuple(ours["scrape"])), "s", SCRAPE, 3),
        (f"scrape, p95, {partitions}, `topic`", Series(tuple(ours["topic scrape"])), "s", TOPIC_SCRAPE, 3),
        ("start of the JVM, more processor time", more(values, "start"), "s", START, 2),
        ("its memory, more", more(values, "memory"), "MB", MEMORY, 0),
        ("cold deployment, more", more(values, "cold"), "s", COLD, 1),
        ("re-run, more", more(values, "re-run"), "s", RERUN, 1),
        ("tasks more on the busiest host", Series((float(tasks[WITH] - tasks[WITHOUT]),)), "", TASKS, 0),
        ("longest stall of a roll, ratio", stall, "", STALL, 2),
    ]
    return [
        [name, found.text(unit, digits=digits), f"{promise.text()}: {promise.verdict(found.median)}"]
        for name, found, unit, promise, digits in entries
    ]


def main(arguments: Sequence[str]) -> int:
    made = argparse.ArgumentParser(prog="python -m benchmarks.metrics", description=(__doc__ or "").splitlines()[0])
    made.add_argument("--rounds", type=int, default=2, help="how often each kind is measured (default: 2)")
    given, before = made.parse_args(arguments), busy_cores()
    labs = {WITHOUT: Lab("metrics"), WITH: Lab("metrics", settings={"kafka_metrics": True})}
    values: Values = {kind: defaultdict(list) for kind in labs}
    tasks = dict.fromkeys(labs, 0)
    try:
        for number in range(1, given.rounds + 1):
            for kind in labs if number % 2 else reversed(labs):
                found, runs = one_kind(kind, labs[kind])
                for name, value in {**found, **{name: run.seconds for name, run in runs.items()}}.items():
                    values[kind][name].append(value)
                tasks[kind] = max(tasks[kind], runs["cold"].tasks)
                say(f"round {number}, {kind}: " + "; ".join(f"{name} {value:.2f}" for name, value in found.items()))
    finally:
        labs[WITH].remove()
    heading = ["what metrics cost", "value", "promise"]
    sys.stdout.write(f"{described('benchmarks.metrics', before, given.rounds)}\n{table(heading, rows(values, tasks))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
