"""The audit: reads the probe's log and its topic with Spark, accounts for every record, writes ``audit.json``."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_jobs import private_file
from spark_jobs.errors import EXIT_FAILED, EXIT_PROVEN, UsageError
from spark_jobs.kafka_io import TopicIo, Window
from spark_jobs.native import NativeAdmin
from spark_jobs.probe import client, reconcile, series, settings, stalls, steps, verdict
from spark_jobs.probe.events import SPARK_SCHEMA
from spark_jobs.probe.settings import ProbeSettings

FILE = "audit.json"
DRAWN_BUCKETS = 400
NARROWEST_US = 100_000
SHOWN_STALL_US = 200_000
#: A drill judges each fault by these stalls: there must be room for one of each partition and fault.
MOST_STALLS = 10_000
MOST_ERRORS, MOST_LOST, MOST_VIEWS = 50, 20, 1000
ASK_SECONDS = 20.0


def audit(spark: SparkSession, directory: Path) -> dict[str, Any]:
    """Account for the probe in ``directory``; returns the content of ``audit.json``."""
    wanted = settings.load(directory / settings.FILE)
    events = read_events(spark, directory).cache()
    found = reconcile.content(read_topic(spark, wanted), wanted.run_id, wanted.record_bytes).cache()
    result = judged(events, found, steps.load(directory / steps.STEPS))
    end = directory / client.END
    result |= {"cluster": wanted.cluster, "run_id": wanted.run_id, "topic": wanted.topic, "rate": wanted.rate}
    result |= {"whole": end.is_file(), "end": json.loads(end.read_text()) if end.is_file() else None}
    result |= {"outcome": verdict.overall(result), "sentences": verdict.sentences(result)}
    private_file.write(directory / FILE, json.dumps(result, indent=1) + "\n")
    return result


def is_undecided(directory: Path) -> bool:
    """Check the account that was written in ``directory``."""
    return bool(json.loads((directory / FILE).read_text())["outcome"] == verdict.UNDECIDED)


def exit_code(result: dict[str, Any]) -> int:
    return EXIT_PROVEN if result["outcome"] == verdict.PROVEN else EXIT_FAILED


def read_events(spark: SparkSession, directory: Path) -> DataFrame:
    """Read the log's parts as one; a ``UsageError`` if there is none. A damaged part has no events."""
    if any((directory / client.EVENTS).glob("part-*.parquet")):
        reader = spark.read.schema(SPARK_SCHEMA).option("ignoreCorruptFiles", "true")
        events = reader.parquet(str(directory / client.EVENTS))
        if not events.isEmpty():
            return events
    raise UsageError([f"{directory / client.EVENTS}: the probe has left no log there"])


def read_topic(spark: SparkSession, wanted: ProbeSettings) -> DataFrame:
    """Read everything that the probe's topic holds now."""
    admin = NativeAdmin(wanted.everywhere, wanted.client_options, ASK_SECONDS)
    partitions = sorted(admin.describe_topic(wanted.topic).leaders)
    window = Window(dict.fromkeys(partitions, 0), admin.end_offsets(wanted.topic, partitions))
    return TopicIo(spark, wanted.everywhere, wanted.topic, wanted.client_options).read(window)


def judged(events: DataFrame, found: DataFrame, timeline: list[Any]) -> dict[str, Any]:
    """Log and content to the account; all that is collected has a row for each partition or a limit."""
    span = rows(series.span(events))[0]
    begin_us, end_us = span["begin_us"], span["end_us"]
    sent = reconcile.records(events).cache()
    outcomes = reconcile.outcomes(sent, found, reconcile.epochs(events)).cache()
    partitions = _joined(rows(reconcile.by_partition(outcomes)), rows(reconcile.reordered(found)))
    counts = verdict.totals(partitions)
    stretches = stalls.stalls(sent, end_us).cache()
    return {
        "outcome": verdict.outcome(counts),
        "begin_us": begin_us,
        "end_us": end_us,
        "seconds": round((end_us - begin_us) / 1e6, 3),
        "late_ms": round(span["late_us"] / 1000, 1),
        "events": span["events"],
        "counts": counts,
        "partitions": partitions,
        "lost": rows(reconcile.lost_examples(outcomes, MOST_LOST)),
        "latency": _latency(sent, "acked_us"),
        "end_to_end": _latency(sent, "received_us"),
        "stalls": steps.attributed(rows(stalls.longest(stretches)), timeline),
        "long_stalls": steps.attributed(rows(stalls.longer_than(stretches, SHOWN_STALL_US, MOST_STALLS)), timeline),
        "errors": rows(series.errors(events, MOST_ERRORS)),
        "series": _series(sent, begin_us, end_us),
        "views": [
            {"at_us": row["at_us"], **json.loads(row["detail"])} for row in rows(series.views(events, MOST_VIEWS))
        ],
        "steps": steps.merged(timeline, begin_us, end_us),
    }


def rows(frame: DataFrame) -> list[dict[str, Any]]:
    """Return a small frame's rows."""
    return [row.asDict() for row in frame.collect()]


def _joined(partitions: list[dict[str, Any]], orders: list[dict[str, Any]]) -> list[dict[str, Any]]:
    behind = {row["partition"]: row["reordered"] for row in orders}
    joined = [{**row, "reordered": behind.get(row["partition"], 0)} for row in partitions]
    return sorted(joined, key=lambda row: row["partition"])


def _latency(sent: DataFrame, until: str) -> dict[str, Any]:
    row = rows(series.latency(sent, until))[0]
    names = [*series.PERCENTILES, "most"]
    return {f"{name}_ms": None if row[name] is None else round(row[name] / 1000, 2) for name in names}


def _series(sent: DataFrame, begin_us: int, end_us: int) -> dict[str, Any]:
    """Return acknowledgements a second and latency over time, in at most ``DRAWN_BUCKETS`` steps."""
    width = max(NARROWEST_US, math.ceil((end_us - begin_us) / DRAWN_BUCKETS / NARROWEST_US) * NARROWEST_US)
    filled = {row["bucket"]: row for row in rows(series.buckets(sent, begin_us, width))}
    number = max(1, math.ceil((end_us - begin_us) / width))
    drawn = [filled.get(bucket) for bucket in range(number)]
    return {
        "width_us": width,
        "acks": [row["acks"] if row else 0 for row in drawn],
        **{
            f"{name}_ms": [round(row[name] / 1000, 2) if row else None for row in drawn]
            for name in ("p50", "p99", "most")
        },
    }
