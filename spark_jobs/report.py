"""Puts ``report.json`` together and writes it; the shape is ``report_schema``'s."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from spark_jobs import private_file
from spark_jobs.config import SmokeConfig
from spark_jobs.errors import UsageError
from spark_jobs.progress import Progress
from spark_jobs.record_format import Workload as RecordWorkload
from spark_jobs.report_check import schema_errors
from spark_jobs.report_schema import SCHEMA_VERSION, Report, TimelineEntry, Topic, Workload
from spark_jobs.verdict import NOT_CHECKED, unreachable

FILE = "report.json"


def begun(config: SmokeConfig, progress: Progress) -> Report:
    """Return the report of a run that has nothing yet but its configuration."""
    return Report(
        schema=SCHEMA_VERSION,
        run_id=config.run_id,
        started=iso(progress.started),
        finished=iso(progress.started),
        seconds=0.0,
        verdict=unreachable("it was interrupted."),
        topic=_topic(config),
        workload=Workload(
            records=config.records, record_bytes=config.record_bytes, writers=config.writers or 0, keys=0
        ),
        counts=None,
        first_missing=[],
        first_faults=[],
        changes=None,
        per_partition=[],
        per_broker=[],
        steady=None,
        latency=None,
        throughput=None,
        stream=None,
        native_smoke=None,
        spark=None,
        cluster=dict(config.cluster),
        versions=dict(config.versions),
        settings={node: dict(properties) for node, properties in config.settings.items()},
        timeline=timeline(config.timeline),
        not_checked=list(NOT_CHECKED),
    )


def of_run(config: SmokeConfig) -> Report | None:
    """Return the report of the same run id in ``output_dir``, if there is one."""
    try:
        found: Any = json.loads((config.output_dir / FILE).read_text())
    except (OSError, ValueError):
        return None
    return found if not schema_errors(found) and found["run_id"] == config.run_id else None


def require_unused(config: SmokeConfig) -> None:
    """Raise UsageError if ``output_dir`` holds an account of the same run id."""
    path, last = config.output_dir / FILE, of_run(config)
    if last and last["counts"]:
        raise UsageError([f"run_id: {config.run_id} was used before, and {path} is its account: give a new run_id"])


def workload_of(workload: RecordWorkload) -> Workload:
    """Return the workload in the report's form."""
    return Workload(
        records=workload.records, record_bytes=workload.record_bytes, writers=workload.tasks, keys=workload.keys
    )


def write(report: Any, progress: Progress, directory: Path, shape: Any = Report) -> Path:
    """Stamp the end, check the shape, write in one step; return the path."""
    report["seconds"] = round(progress.seconds, 1)
    report["finished"] = iso(datetime.now(timezone.utc))
    wrong = schema_errors(report, shape)
    if wrong:
        raise AssertionError("the report has not the shape of report_schema:\n" + "\n".join(wrong))
    path = directory / FILE
    partial = path.with_suffix(".partial")
    private_file.write(partial, json.dumps(report, indent=2) + "\n")
    os.replace(partial, path)
    return path


def timeline(path: Path | None) -> list[TimelineEntry]:
    """Read the callback's JSON lines; a line still being written and lines of another shape are left out."""
    if path is None or not path.is_file():
        return []
    entries = [_entry(line) for line in path.read_text().splitlines()]
    return [entry for entry in entries if entry is not None]


def _entry(line: str) -> TimelineEntry | None:
    try:
        found: dict[str, Any] = json.loads(line)
        return TimelineEntry(
            host=str(found["host"]),
            phase=str(found["phase"]),
            task=str(found["task"]),
            start=float(found["start"]),
            end=float(found["end"]),
            changed=bool(found["changed"]),
            ok=bool(found["ok"]),
        )
    except (ValueError, KeyError, TypeError):
        return None


def _topic(config: SmokeConfig) -> Topic:
    """Return the topic, with its data in the cluster snapshot."""
    described: list[Mapping[str, Any]] = [
        topic for topic in (config.cluster.get("topics") or []) if topic.get("name") == config.topic
    ]
    replicas = [len(partition["replicas"]) for topic in described for partition in topic["partitions"]]
    minimum = (config.cluster.get("min_insync") or {}).get(config.topic)
    return Topic(
        name=config.topic,
        partitions=config.partitions,
        replication_factor=min(replicas, default=None),
        min_insync_replicas=None if minimum is None else int(minimum),
    )


def iso(moment: datetime) -> str:
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
