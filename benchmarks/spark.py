"""Spark against Kafka's own tools: ``python -m benchmarks.spark --rounds 3`` prints a Markdown table.

One cluster of three nodes on this machine, topics of six partitions and three replicas, values of 100 bytes. In each
round: the producer's tool, Spark's writing, the consumer's tool, Spark's plain reading (it only counts and adds up
lengths) and the audit, the last three on Spark's records; then a plain read and the proof of those and their copy; then
the producer's tool and Spark's writing to one topic of 1,000 partitions.
The first round is *cold* (Spark's JVM has just started); all later ones are *warm*. Spark's records carry a key
besides, the tool's do not.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]
from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from benchmarks import native
from benchmarks.figures import Promise, Series, paired, table
from benchmarks.lab import Lab
from benchmarks.machine import busy_cores, described, log_progress
from spark_jobs import audit, reading, records
from spark_jobs.kafka_io import TopicIo, Window
from spark_jobs.native import NativeAdmin
from spark_jobs.proof import topics
from spark_jobs.proof.comparison import Comparison
from spark_jobs.proof.config import Address, ProofConfig
from spark_jobs.proof.report_schema import Topic
from spark_jobs.record_format import Workload
from spark_jobs.session import open_session

PARTITIONS, REPLICAS, VALUE_BYTES = 6, 3, 100
MANY_PARTITIONS = 1000
NATIVE_MANY, MANY = (f"{name} write to {MANY_PARTITIONS:,} partitions" for name in ("native", "Spark"))
TOPIC_CONFIG = {"min.insync.replicas": "2", "message.timestamp.type": "LogAppendTime"}
PROMISES = {
    ("Spark write", "native write"): Promise(1.0, at_least=True),
    ("Spark read", "native read"): Promise(0.8, at_least=True),
    ("audit", "Spark read"): Promise(0.75, at_least=True),
    ("proof", "Spark read of both"): Promise(0.85, at_least=True),
    (MANY, NATIVE_MANY): Promise(0.8, at_least=True),
}
JVM_SECONDS = 30.0
OPENING_SECONDS = 240.0
Rates = dict[str, list[float]]


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=(__doc__ or "").splitlines()[0])
    made.add_argument("--rounds", type=int, default=3, help="warm rounds after the cold one (default: 3)")
    made.add_argument("--records", type=int, default=2_000_000, help="records of each pass (default: 2000000)")
    made.add_argument("--minutes", type=float, default=3.5, help="begin no round after this time (default: 3.5)")
    made.add_argument("--bootstrap", help="measure on this cluster (host:port,…) instead of one of its own")
    return made


@dataclass(frozen=True)
class Bench:
    """Place and amount of the measurements."""

    bootstrap: str
    count: int
    home: Path
    admin: AdminClient

    def topic(self, name: str, partitions: int = PARTITIONS) -> str:
        made = self.admin.create_topics([NewTopic(name, partitions, REPLICAS, config=TOPIC_CONFIG)])
        made[name].result(30)
        return name

    def drop(self, *names: str) -> None:
        for done in self.admin.delete_topics(list(names)).values():
            done.result(30)


def timed(count: int, work: Callable[[], object]) -> float:
    """Return the records a second of one pass over `count` records."""
    began = time.monotonic()
    work()
    return count / (time.monotonic() - began)


def one_round(bench: Bench, number: int, rates: Rates) -> None:
    """Measure every kind once, on topics of this round."""
    spark = open_session("benchmark")
    run = f"b{int(time.time())}-{number}"
    tools, ours = bench.topic(f"{run}-native"), bench.topic(f"{run}-spark")
    writers = spark.sparkContext.defaultParallelism
    workload = Workload(run, bench.count, VALUE_BYTES, PARTITIONS, writers)
    topic = TopicIo(spark, bench.bootstrap, ours, {})
    found = {"native write": native.write(bench.home, bench.bootstrap, tools, bench.count, VALUE_BYTES)}
    found["Spark write"] = timed(bench.count, lambda: topic.write(records.generate(spark, workload)))
    partitions = list(range(PARTITIONS))
    ends = NativeAdmin(bench.bootstrap, {}, 10.0).end_offsets(ours, partitions)
    window = Window(dict.fromkeys(partitions, 0), ends)
    rows = topic.read(window)
    found["native read"] = native.read(bench.home, bench.bootstrap, ours, bench.count)
    found["Spark read"] = timed(bench.count, lambda: counted(rows).collect())
    found["audit"] = timed(bench.count, lambda: audit.account(rows, workload, reading.EVER, window.spans))
    copy = bench.topic(f"{run}-copy")
    found |= proof_of_a_copy(bench, spark, rows, ours, copy)
    log_progress("; ".join(f"{kind} {rate:,.0f}/s" for kind, rate in found.items()))
    found |= writes_to_many(bench, spark, run)
    for kind, rate in found.items():
        rates.setdefault(kind, []).append(rate)
    bench.drop(tools, ours, copy)
    log_progress("; ".join(f"{kind} {found[kind]:,.0f}/s" for kind in (NATIVE_MANY, MANY)))


def writes_to_many(bench: Bench, spark: SparkSession, run: str) -> dict[str, float]:
    """Return the rates of both writers to a topic of many partitions; brokers that open its logs are not measured."""
    name = bench.topic(f"{run}-many", MANY_PARTITIONS)
    warm_up(bench, name, MANY_PARTITIONS)
    tool = native.write(bench.home, bench.bootstrap, name, bench.count, VALUE_BYTES)
    workload = Workload(run, bench.count, VALUE_BYTES, MANY_PARTITIONS, spark.sparkContext.defaultParallelism)
    topic = TopicIo(spark, bench.bootstrap, name, {}, workload.filled_at_once)
    ours = timed(bench.count, lambda: topic.write(records.generate(spark, workload)))
    bench.drop(name)
    return {NATIVE_MANY: tool, MANY: ours}


def warm_up(bench: Bench, name: str, partitions: int) -> None:
    """Write one record to each partition. Brokers need up to half a minute to open the 3,000 logs of a new topic."""
    producer, began = Producer({"bootstrap.servers": bench.bootstrap, "acks": "all", "log_level": 0}), time.monotonic()
    for number in range(partitions):
        producer.produce(name, value=b"", partition=number)
    if left := producer.flush(OPENING_SECONDS):
        raise RuntimeError(f"{left} of {partitions} partitions of {name} took no record in {OPENING_SECONDS:.0f} s")
    log_progress(f"{partitions:,} partitions took a record each after {time.monotonic() - began:.1f} s")


def counted(rows: DataFrame) -> DataFrame:
    """Return the plain read: it only counts and adds up lengths."""
    return rows.agg(F.count("*"), F.sum(F.length("key")), F.sum(F.length("value")))


def proof_of_a_copy(bench: Bench, spark: SparkSession, rows: DataFrame, ours: str, copy: str) -> dict[str, float]:
    """Return the rates of a plain read of a topic and its copy, and of their proof; records of both sides."""
    TopicIo(spark, bench.bootstrap, copy, {}).write(rows.select("key", "value", "partition"))
    address = Address(bench.bootstrap)
    clusters = [topics.Cluster.at(spark, address, frozenset({name})) for name in (ours, copy)]
    pairs = topics.found(ProofConfig("benchmark", address, address, {ours: copy}, bench.home), clusters)
    sides = [clusters[0].rows({side.name: side.window}) for side in pairs[0].sides]
    found = {"Spark read of both": timed(2 * bench.count, lambda: counted(sides[0].union(sides[1])).collect())}
    results: list[Topic] = []
    found["proof"] = timed(2 * bench.count, lambda: results.extend(Comparison(clusters, pairs, log_progress).compare()))
    if results[0]["paired"] != bench.count:
        raise RuntimeError(f"the copy is not proven: {results}")
    return found


def rows(rates: Rates) -> list[list[str]]:
    """Return the table: cold is the first value of each kind, warm all others."""
    out = []
    for kind, values in rates.items():
        base = next((below for above, below in PROMISES if above == kind), "")
        line = [kind, f"{values[0]:,.0f}/s", Series(tuple(values[1:])).text(digits=0)]
        if not base:
            out.append([*line, "-", "-", "-"])
            continue
        cold, warm = (paired(values[part], rates[base][part]) for part in (slice(0, 1), slice(1, None)))
        promise = PROMISES[kind, base]
        verdict = promise.verdict(warm.median) if warm.values else "not measured"
        out.append([*line, cold.text(digits=2), warm.text(digits=2), f"{promise.text()} of {base}: {verdict}"])
    return out


def measure(bench: Bench, rounds: int, minutes: float) -> Rates:
    rates: Rates = {}
    end = time.monotonic() + 60 * minutes
    for number in range(rounds + 1):
        if number > 1 and time.monotonic() > end:
            log_progress(f"the time is over: {number - 1} warm rounds were measured")
            break
        one_round(bench, number, rates)
    return rates


def end_spark() -> None:
    """Stop Spark and wait until its JVM is gone.

    Spark keeps its producers until the JVM ends, and they never stop connecting to their brokers. Once the lab's hosts
    are gone, any answer at their addresses is read as Kafka: "HTTP" is a length of 1.2 GB, and ends as an
    OutOfMemoryError.
    """
    session, gateway = SparkSession.getActiveSession(), SparkContext._gateway
    if session:
        session.stop()
    if gateway is None:
        return
    gateway.shutdown()
    gateway.proc.stdin.close()  # the JVM ends when no process can write to it any more
    gateway.proc.wait(JVM_SECONDS)
    SparkContext._gateway = SparkContext._jvm = None


def measured(lab: Lab, given: argparse.Namespace) -> Rates:
    """Run all rounds; when it returns, no client of the cluster is left."""
    if not given.bootstrap:
        log_progress("a cluster is made")
        lab.make()
        lab.deploy()
        lab.await_archives()
    addresses = given.bootstrap or ",".join(f"{each['ansible_host']}:9092" for each in lab.addresses().values())
    lab.directory.mkdir(parents=True, exist_ok=True)
    admin = AdminClient({"bootstrap.servers": addresses, "log_level": 0})
    bench = Bench(addresses, given.records, native.unpacked(lab.directory), admin)
    try:
        return measure(bench, given.rounds, given.minutes)
    finally:
        end_spark()


def main(arguments: Sequence[str]) -> int:
    given, before = parser().parse_args(arguments), busy_cores()
    lab = Lab("spark")
    try:
        rates = measured(lab, given)
    finally:
        if not given.bootstrap:
            lab.remove()
    heading = ["pass", "cold", "records a second, warm", "ratio, cold", "ratio, warm", "promise (warm)"]
    sys.stdout.write(
        f"{described('benchmarks.spark', before, len(rates['native write']))}\n{table(heading, rows(rates))}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
