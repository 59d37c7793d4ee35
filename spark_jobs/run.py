"""One smoke run on an open session: each step measures itself and fills its part of the report."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep, time
from typing import Any, cast

from pyspark.sql import DataFrame, SparkSession

from spark_jobs import aggregate, audit, changes, kafka_io, reading, records, report, steady, verdict
from spark_jobs.config import SmokeConfig
from spark_jobs.native import NativeAdmin
from spark_jobs.native_smoke import NativeSmoke
from spark_jobs.progress import CHECKPOINT, Progress
from spark_jobs.record_format import KEY_LENGTH, Workload, own_id
from spark_jobs.report_schema import FIRST_LIMIT, Counts, Fault, Missing, Rate, Report, Stream, Throughput

ADMIN_SECONDS = 10.0
TRANSACTION_SECONDS = 10.0
POLL_SECONDS = 0.2
CLOCKS_MS = 1000  # a clock that is set while the run lasts
CLOCKS_ELSEWHERE_MS = 600_000
WRITE = "write"  #: job group
STREAM_METRICS = "stream"


@dataclass(frozen=True)
class Bench:
    """Shared state of all steps."""

    spark: SparkSession
    workload: Workload
    topic: kafka_io.TopicIo
    admin: NativeAdmin
    progress: Progress


def smoke(spark: SparkSession, config: SmokeConfig, native: NativeSmoke, draft: Report, progress: Progress) -> None:
    """Write, read twice, audit; fills and saves ``draft`` as it goes. Kafka's and Spark's errors pass through."""
    bench = _bench(spark, config, progress)
    draft["workload"] = report.workload_of(bench.workload)
    draft["steady"] = steady.finished(config)
    starts = bench.admin.written_offsets(config.topic, list(range(config.partitions)))
    began_ms = _now_ms()
    draft["throughput"] = passes = Throughput(write=_write(bench), batch_read=None, stream_read=None)
    times = _times(spark, began_ms)
    report.write(draft, progress, config.output_dir)
    retried = changes.failed_tasks(spark.sparkContext, WRITE)
    view = bench.admin.describe_topic(config.topic)
    draft["topic"]["replication_factor"] = view.replication_factor
    draft["changes"] = changed = changes.between([native.view, view], retried)
    window, behind = _decided(bench, starts)
    stored = bench.topic.read(window)
    rows, passes["batch_read"] = _account(bench, stored, times, window)
    draft["per_partition"] = aggregate.per_partition(rows, bench.workload, window.spans, view.leaders, behind)
    draft["counts"] = counts = aggregate.counts(draft["per_partition"], rows, bench.workload.records)
    draft["per_broker"] = aggregate.per_broker(draft["per_partition"], view.brokers)
    draft["latency"] = aggregate.latency(rows)
    if draft["latency"] is None:
        draft["not_checked"].append(verdict.NO_APPEND_TIME)
    report.write(draft, progress, config.output_dir)
    judged = reading.judge(stored, bench.workload, times)
    needed = _name_faults(bench, draft, counts, judged, view.leaders)
    draft["stream"], passes["stream_read"] = _stream(bench, window, rows)
    last = bench.admin.describe_topic(config.topic)
    draft["changes"] = changed = changes.between([native.view, view, last], retried)
    account = verdict.Account(counts, draft["stream"], changed, view.brokers, needed)
    draft["verdict"] = verdict.of_run(draft, account)


def _now_ms() -> int:
    return int(time() * 1000)


def _times(spark: SparkSession, began_ms: int) -> tuple[int, int]:
    """Return the bounds of this run's timestamps; executors elsewhere have separate clocks."""
    slack = CLOCKS_MS if str(spark.sparkContext.master).startswith("local") else CLOCKS_ELSEWHERE_MS
    return began_ms - slack, _now_ms() + slack


def _decided(bench: Bench, starts: Mapping[int, int]) -> tuple[kafka_io.Window, dict[int, int]]:
    """Return the readable part of the written records, and the offsets of each partition behind open transactions.

    Transactions of others end by themselves, as a rule: they get some seconds.
    """
    partitions = sorted(starts)
    written = bench.admin.written_offsets(bench.topic.topic, partitions)
    deadline = monotonic() + TRANSACTION_SECONDS
    stable = bench.admin.end_offsets(bench.topic.topic, partitions)
    while any(stable[one] < written[one] for one in partitions) and monotonic() < deadline:
        sleep(POLL_SECONDS)
        stable = bench.admin.end_offsets(bench.topic.topic, partitions)
    ends = {one: max(starts[one], min(stable[one], written[one])) for one in partitions}
    return kafka_io.Window(starts, ends), {one: written[one] - ends[one] for one in partitions}


def _bench(spark: SparkSession, config: SmokeConfig, progress: Progress) -> Bench:
    writers = config.writers or spark.sparkContext.defaultParallelism
    workload = Workload(own_id(config.run_id), config.records, config.record_bytes, config.partitions, writers)
    at_once = workload.filled_at_once
    topic = kafka_io.TopicIo(spark, config.bootstrap_servers, config.topic, config.client_options, at_once)
    admin = NativeAdmin(config.bootstrap_servers, config.client_options, ADMIN_SECONDS)
    return Bench(spark, workload, topic, admin, progress)


def _write(bench: Bench) -> Rate:
    """Write with Spark's sink, which returns when every record is acknowledged, and raises otherwise."""
    workload = bench.workload
    bench.spark.sparkContext.setJobGroup(WRITE, "write the records")
    began = monotonic()
    bench.topic.write(records.generate(bench.spark, workload))
    size = workload.records * (KEY_LENGTH + workload.record_bytes)
    result = rate(workload.records, size, monotonic() - began)
    bench.progress.report(f"wrote {in_words(result)}")
    return result


def _account(
    bench: Bench, stored: DataFrame, times: tuple[int, int], window: kafka_io.Window
) -> tuple[list[dict[str, Any]], Rate]:
    """Return the audit's rows; the rate is that of reading and auditing, in one pass if nothing is wrong."""
    began = monotonic()
    rows = audit.account(stored, bench.workload, times, window.spans)
    result = rate(_total(rows, "records"), _total(rows, "bytes"), monotonic() - began)
    bench.progress.report(f"read back and audited {in_words(result)}")
    return rows, result


def _stream(bench: Bench, window: kafka_io.Window, rows: list[dict[str, Any]]) -> tuple[Stream, Rate]:
    """Read a second time; its counts and its fingerprint must be those of the first reading."""
    judged = reading.judge(bench.topic.stream(window), bench.workload)
    with tempfile.TemporaryDirectory(prefix=CHECKPOINT, dir=bench.progress.directory) as checkpoint:
        began = monotonic()
        # Without a scheme it would be of Hadoop's default file system.
        query = kafka_io.drain(judged.observe(STREAM_METRICS, *audit.counters()), Path(checkpoint).absolute().as_uri())
        seconds = monotonic() - began
    # Spark reports once, without metrics, even if there was nothing to read.
    seen = [batch.observedMetrics.get(STREAM_METRICS) for batch in query.recentProgress]
    batches = [metrics.asDict() for metrics in seen if metrics]
    records_seen = _total(batches, "records")
    result = rate(records_seen, _total(batches, "bytes"), seconds)
    bench.progress.report(f"streamed {in_words(result)}, {len(batches)} batches")
    stream = Stream(
        batches=len(batches),
        records=records_seen,
        corrupt=_total(batches, "corrupt"),
        misplaced=_total(batches, "misplaced"),
        unexpected=_total(batches, "visible") - records_seen,
        same_as_batch=records_seen == _total(rows, "records") and _fingerprint(batches) == _fingerprint(rows),
    )
    return stream, result


def _name_faults(
    bench: Bench, draft: Report, counts: Counts, judged: DataFrame, leaders: Mapping[int, int | None]
) -> int:
    """Fill the lists of the first lost and faulty records; how many retries of the writer explain the duplicates."""
    if not any(counts[name] for name in verdict.NAMED):  # type: ignore[literal-required]
        return 0
    bench.progress.report("records are missing or have faults: naming the first of them")
    if counts["lost"]:
        lost = [result["partition"] for result in draft["per_partition"] if result["lost"]]
        rows = audit.first_missing(bench.spark, judged, bench.workload, FIRST_LIMIT, lost).collect()
        draft["first_missing"] = [
            cast("Missing", {**row.asDict(), "leader": leaders.get(row["partition"])}) for row in rows
        ]
    rows = audit.first_faults(judged, FIRST_LIMIT).collect()
    draft["first_faults"] = [cast("Fault", {**row.asDict(), "leader": leaders.get(row["partition"])}) for row in rows]
    if not counts["duplicated"]:
        return 0
    return int(audit.retries_needed(judged, bench.workload).collect()[0]["retries"])


def rate(count: int, size: int, seconds: float) -> Rate:
    """Return the rate of `count` records in `seconds`. Each pass is the first of its kind in its JVM, hence cold."""
    return Rate(
        records=count,
        bytes=size,
        seconds=round(seconds, 2),
        records_per_s=round(count / seconds, 1),
        mb_per_s=round(size / seconds / 1e6, 2),
        state="cold",
    )


def in_words(result: Rate) -> str:
    """Format ``200,000 records in 6.9 s (28,986/s, 3.4 MB/s)``."""
    speed = f"{result['records_per_s']:,.0f}/s, {result['mb_per_s']:.1f} MB/s"
    return f"{result['records']:,} records in {result['seconds']:.1f} s ({speed})"


def _total(rows: Iterable[dict[str, Any]], name: str) -> int:
    return sum(row[name] for row in rows)


def _fingerprint(rows: Iterable[dict[str, Any]]) -> int:
    combined = 0
    for row in rows:
        combined ^= row["fingerprint"]
    return combined
