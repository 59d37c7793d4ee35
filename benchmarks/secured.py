"""A secured cluster against one in plaintext: ``python -m benchmarks.secured --rounds 2`` prints a Markdown table.

Secured is ``kafka_security: tls_scram``: certificates between the nodes, a login with SCRAM and TLS for clients. Each
round creates three hosts for each of the two. *Cold* is a deployment, *re-run* one that has nothing to do (secured:
with 50 users and 50 topics), the median of five. *All started at once* takes all nodes down and up, until each
partition of a topic has all replicas in sync. The tools are Kafka's own; Spark's session is warm. *Renewal* replaces
every node's certificate.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.client_config import ClientConfig, java, librdkafka
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from benchmarks import native
from benchmarks.figures import Promise, Series, paired, table
from benchmarks.lab import FailedError, Lab, Run
from benchmarks.machine import busy_cores, described, log_progress
from benchmarks.spark import counted, end_spark, timed
from spark_jobs import records
from spark_jobs.kafka_io import TopicIo, Window
from spark_jobs.native import NativeAdmin
from spark_jobs.record_format import Workload
from spark_jobs.session import open_session

TOPIC, PARTITIONS, REPLICAS, VALUE_BYTES = "measured", 6, 3, 100
RECORDS, NUMBER = 500_000, 50
SECONDS = 180.0  #: until a started cluster must be whole
USER, PASSWORD = "measurer", "of-a-lab-that-ends-soon"
SECURED: dict[str, Any] = {
    "kafka_security": "tls_scram",
    "kafka_tls": {"passphrase": "only-for-this-benchmark"},
    "kafka_client_user": USER,
    "kafka_users": [
        {"name": USER, "password": PASSWORD},
        *({"name": f"user-{number}", "password": f"{PASSWORD}-{number}"} for number in range(NUMBER - 1)),
    ],
    "kafka_acls": [
        {"principal": f"User:{USER}", "topic": "*", "operations": ["all"]},
        {"principal": f"User:{USER}", "group": "*", "operations": ["all"]},
        {"principal": f"User:{USER}", "cluster": True, "operations": ["all"]},
    ],
    "kafka_topics": [{"name": f"topic-{number}", "partitions": 1} for number in range(NUMBER)],
}
KINDS: dict[str, dict[str, Any]] = {"plaintext": {}, "secured": SECURED}
DEPLOY, APPLY = "playbooks/deploy_cluster.yml", "playbooks/apply_resources.yml"
COLD, COLD_TASKS, RERUN, STARTED, RENEWAL = Promise(1.25), Promise(6), Promise(2.0), Promise(1.5), Promise(15)
RERUNS = 5  #: one after the other; the median counts, as the first ones meet brokers that have just made topics
Values = dict[str, dict[str, list[float]]]


@dataclass(frozen=True)
class Cluster:
    """A cluster of the lab, with the options of its clients."""

    lab: Lab
    config: ClientConfig

    @property
    def options(self) -> dict[str, str]:
        """Return Java's options, without the addresses."""
        return {name: value for name, value in java(self.config).items() if name != "bootstrap.servers"}

    def create(self, name: str) -> None:
        admin = AdminClient({**librdkafka(self.config), "log_level": 0})
        admin.create_topics([NewTopic(name, PARTITIONS, REPLICAS)])[name].result(30)

    def wait_until_whole(self, name: str) -> None:
        """Wait until each partition of a topic has all replicas in sync. Raises TimeoutError after SECONDS."""
        admin = AdminClient({**librdkafka(self.config), "log_level": 0})
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            try:
                found = admin.list_topics(name, timeout=1).topics[name].partitions.values()
                if len(found) == PARTITIONS and all(len(each.isrs) == REPLICAS for each in found):
                    return
            except KafkaException:
                pass
            time.sleep(0.05)
        raise TimeoutError(f"{name} is not whole")

    def failed_logins(self) -> int:
        """Return the failed logins in the brokers' logs so far."""
        said = self.lab.on_hosts('grep -c "Failed authentication" /var/log/kafka/server.log || true')
        return sum(int(each or 0) for each in said)

    def started_at_once(self) -> tuple[float, int]:
        """Return the seconds until the cluster is whole after all its nodes were down, and failed logins after that."""
        self.lab.on_hosts("systemctl stop kafka")
        began = time.monotonic()
        self.lab.on_hosts("systemctl start --no-block kafka")
        self.wait_until_whole(TOPIC)
        seconds, before = time.monotonic() - began, self.failed_logins()
        self.wait_until_whole(TOPIC)
        return seconds, self.failed_logins() - before


def reached(lab: Lab, kind: str) -> Cluster:
    servers = tuple(f"{each['ansible_host']}:9092" for each in lab.addresses().values())
    if kind == "plaintext":
        return Cluster(lab, ClientConfig(servers))
    trusted = str(lab.home / "tls/nodes.pem")
    login = ClientConfig(servers, "SASL_SSL", trusted, sasl_mechanism="SCRAM-SHA-512", username=USER, password=PASSWORD)
    return Cluster(lab, login)


def clients(cluster: Cluster, home: Path, count: int) -> dict[str, float]:
    """Return the records a second of Kafka's own tools, and of Spark."""
    options = cluster.lab.directory / "client.properties"
    options.touch(mode=0o600)
    options.write_text("".join(f"{name}={value}\n" for name, value in cluster.options.items()))
    servers = cluster.config.servers
    found = {
        "native write": native.write(home, servers, TOPIC, count, VALUE_BYTES, options),
        "native read": native.read(home, servers, TOPIC, count, options),
    }
    spark = open_session("benchmark")
    run = f"s{int(time.time())}"
    cluster.create(run)
    workload = Workload(run, count, VALUE_BYTES, PARTITIONS, spark.sparkContext.defaultParallelism)
    topic = TopicIo(spark, servers, run, cluster.options)
    topic.write(records.generate(spark, workload))
    found["Spark write"] = timed(count, lambda: topic.write(records.generate(spark, workload)))
    partitions = list(range(PARTITIONS))
    ends = NativeAdmin(servers, cluster.options, 10.0).end_offsets(run, partitions)
    plain = counted(topic.read(Window(dict.fromkeys(partitions, 0), ends)))
    found["Spark read"] = timed(2 * count, plain.collect)
    return found


def one_kind(kind: str, lab: Lab, home: Path, count: int) -> tuple[dict[str, float], dict[str, Run]]:
    """Measure one kind on separate hosts: values, and the runs among them."""
    lab.make()
    runs = {"cold": lab.run(DEPLOY)}
    lab.await_archives()
    lab.run(APPLY)
    reruns = sorted((lab.run(DEPLOY, APPLY) for _ in range(RERUNS)), key=lambda run: run.seconds)
    if changed := sum(run.changed for run in reruns):
        raise FailedError(f"{RERUNS} re-runs changed {changed} things")
    runs["re-run"] = reruns[RERUNS // 2]
    cluster = reached(lab, kind)
    cluster.create(TOPIC)
    values = clients(cluster, home, count)
    values["all started at once"], values["failed logins after that"] = cluster.started_at_once()
    if kind != "plaintext":
        pids = lab.on_hosts("systemctl show --value -p MainPID kafka")
        runs["renewal"] = lab.run("--extra-vars", "kafka_renew_all=true", "playbooks/rotate_certificates.yml")
        values["restarts in a renewal"] = pids != lab.on_hosts("systemctl show --value -p MainPID kafka")
    return values, runs


def rows(values: Values, runs: dict[str, dict[str, list[Run]]]) -> list[list[str]]:
    """Return the table: each figure of both kinds, their ratio or difference, and the promise."""
    seconds = {
        kind: {name: [run.seconds for run in each] for name, each in found.items()} for kind, found in runs.items()
    }
    plain, ours = ({**seconds[kind], **values[kind]} for kind in KINDS)
    more = max(run.tasks for run in runs["secured"]["cold"]) - max(run.tasks for run in runs["plaintext"]["cold"])
    cold, started = (paired(ours[name], plain[name]) for name in ("cold", "all started at once"))
    later = Series(tuple(a - b for a, b in zip(ours["re-run"], plain["re-run"], strict=True)))
    renewal, failed = Series(tuple(ours["renewal"])), sum(ours["failed logins after that"])
    restarts = sum(ours["restarts in a renewal"])
    out = [
        row("cold deployment, s", plain["cold"], ours["cold"], cold.text(digits=2), COLD, cold.median),
        ["tasks more on the busiest host", "-", "-", str(more), f"{COLD_TASKS.text()}: {COLD_TASKS.verdict(more)}"],
        row("re-run, s", plain["re-run"], ours["re-run"], f"+{later.text('s')}", RERUN, later.median),
        row(
            "all nodes started at once, s",
            plain["all started at once"],
            ours["all started at once"],
            started.text(digits=2),
            STARTED,
            started.median,
        ),
        ["failed logins after that", "-", f"{failed:.0f}", "-", f"0: {Promise(0).verdict(failed)}"],
        ["renewal, s", "-", renewal.text(), "-", f"{RENEWAL.text()}: {RENEWAL.verdict(renewal.median)}"],
        ["restarts in it", "-", f"{restarts:.0f}", "-", f"0: {Promise(0).verdict(restarts)}"],
    ]
    for name in ("native write", "native read", "Spark write", "Spark read"):
        cells = [Series(tuple(each[name])).text(digits=0) for each in (plain, ours)]
        out.append([f"{name}, records/s", *cells, paired(ours[name], plain[name]).text(digits=2), "-"])
    return out


def row(  # noqa: PLR0913, PLR0917 - the cells of a line
    name: str, plain: Sequence[float], ours: Sequence[float], text: str, promise: Promise, value: float
) -> list[str]:
    cells = [Series(tuple(each)).text() for each in (plain, ours)]
    return [name, *cells, text, f"{promise.text()}: {promise.verdict(value)}"]


def main(arguments: Sequence[str]) -> int:
    made = argparse.ArgumentParser(prog="python -m benchmarks.secured", description=(__doc__ or "").splitlines()[0])
    made.add_argument("--rounds", type=int, default=2, help="how often each kind is measured (default: 2)")
    made.add_argument("--records", type=int, default=RECORDS, help=f"of each pass (default: {RECORDS})")
    given, before = made.parse_args(arguments), busy_cores()
    values: Values = {kind: defaultdict(list) for kind in KINDS}
    runs: dict[str, dict[str, list[Run]]] = {kind: defaultdict(list) for kind in KINDS}
    labs = {kind: Lab("secured", settings=settings) for kind, settings in KINDS.items()}
    lab = labs["plaintext"]
    try:
        home = native.unpacked(lab.directory)
        for number in range(1, given.rounds + 1):
            for kind in KINDS if number % 2 else reversed(KINDS):
                found, done = one_kind(kind, labs[kind], home, given.records)
                for name, value in found.items():
                    values[kind][name].append(value)
                for name, run in done.items():
                    runs[kind][name].append(run)
                log_progress(
                    f"round {number}, {kind}: " + "; ".join(f"{name} {run.seconds:.1f} s" for name, run in done.items())
                )
                end_spark()
    finally:
        end_spark()
        lab.remove()
    heading = ["what", *KINDS, "ratio or difference", "promise"]
    sys.stdout.write(f"{described('benchmarks.secured', before, given.rounds)}\n{table(heading, rows(values, runs))}")
    return 0


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main(sys.argv[1:]))
