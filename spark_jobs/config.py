"""The configuration file of a smoke run: JSON, checked as a whole, every problem in one message.

Required: ``run_id`` (1 to 16 of ``A-Z a-z 0-9 . _ -``, new for each run), ``bootstrap_servers`` (``host:port,…``),
``topic`` (exists already, with ``partitions`` partitions), ``partitions``, ``records``, ``record_bytes`` (of a value),
``output_dir`` (for ``report.json``). Optional: ``writers`` (parallel producers, at most one for each partition; unset:
as many as Spark has cores), ``client_options`` (``kafka.*``), ``native_smoke_seconds`` (deadline of the native smoke
test), and for the report ``cluster``, ``versions``, ``timeline`` (path of the callback's JSON lines), ``settings``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spark_jobs import json_file
from spark_jobs.record_format import (
    MAX_PARTITIONS,
    MAX_RECORDS,
    MAX_WRITERS,
    MIN_RECORD_BYTES,
    RUN_ID_PATTERN,
)

REQUIRED = ("run_id", "bootstrap_servers", "topic", "partitions", "records", "record_bytes", "output_dir")
LIMITS = {
    "partitions": (1, MAX_PARTITIONS),
    "records": (1, MAX_RECORDS),
    "record_bytes": (MIN_RECORD_BYTES, 1_000_000),
    "writers": (1, MAX_WRITERS),
    "native_smoke_seconds": (1, 600),
}
ADDRESS = r"(\[[^\s,\[\]]+\]|[^\s,:]+):\d+"
PATTERNS = {
    "run_id": (RUN_ID_PATTERN, "1 to 16 letters, digits, dots, dashes or underscores"),
    "bootstrap_servers": (rf"{ADDRESS}(,{ADDRESS})*", "host:port,host:port"),
    "topic": (r"[A-Za-z0-9._-]{1,249}", "a Kafka topic name"),
    "output_dir": (r"(?s).+", "a directory"),
    "timeline": (r"(?s).+", "a file"),
}
NATIVE_SECONDS, NATIVE_SECONDS_OF_PARTITION = 10.0, 0.05  # 1,000 partitions took a minute on a busy machine
DICTIONARIES = ("client_options", "cluster", "versions", "settings")
FIXED_OPTIONS = {
    "kafka.bootstrap.servers": "it comes from bootstrap_servers",
    "kafka.acks": "what is not acknowledged by all cannot be called lost",
    "kafka.enable.idempotence": "the order within a key depends on it",
    "kafka.isolation.level": "aborted transactions would be read",
}


@dataclass(frozen=True)
class SmokeConfig:
    """One run, as configured in the file."""

    run_id: str
    bootstrap_servers: str
    topic: str
    partitions: int
    records: int
    record_bytes: int
    output_dir: Path
    writers: int | None = None
    native_smoke_seconds: float | None = None
    timeline: Path | None = None
    client_options: Mapping[str, str] = field(default_factory=dict)
    cluster: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def native_seconds(self) -> float:
        """Return the deadline of the native smoke test: the given one, or 10 s and 50 ms for each partition."""
        return self.native_smoke_seconds or NATIVE_SECONDS + NATIVE_SECONDS_OF_PARTITION * self.partitions


def load(path: Path) -> SmokeConfig:
    """Load the configuration in ``path``, or raise a ``UsageError`` with all its faults."""
    content = json_file.load(path, smoke_config_errors)
    paths = {name: Path(content[name]) for name in ("output_dir", "timeline") if content.get(name)}
    return SmokeConfig(**{**content, **paths})


def smoke_config_errors(content: object) -> list[str]:
    """Return one line for each fault: name, value, allowed values."""
    if not isinstance(content, dict):
        return [f"must be an object with the names {', '.join(REQUIRED)}"]
    known = SmokeConfig.__dataclass_fields__.keys()
    found = [f"{name}: is missing" for name in REQUIRED if name not in content]
    found += [f"{name}: unknown name; known are {', '.join(known)}" for name in content if name not in known]
    present = {name: value for name, value in content.items() if name in known}
    return found + [line for name, value in present.items() for line in _value_problems(name, value)]


def _value_problems(name: str, value: Any) -> list[str]:
    optional = name not in REQUIRED
    if value is None and optional and name not in DICTIONARIES:
        return []
    if name in LIMITS:
        low, high = LIMITS[name]
        whole = isinstance(value, int) or (name == "native_smoke_seconds" and isinstance(value, float))
        fits = whole and not isinstance(value, bool) and low <= value <= high
        return [] if fits else [f"{name}: {value!r} must be a number from {low} to {high}"]
    if name in PATTERNS:
        pattern, allowed = PATTERNS[name]
        return (
            [] if isinstance(value, str) and re.fullmatch(pattern, value) else [f"{name}: {value!r} must be {allowed}"]
        )
    if not isinstance(value, dict):
        return [f"{name}: {value!r} must be an object"]
    return option_problems(value) if name == "client_options" else []


def option_problems(options: dict[str, Any]) -> list[str]:
    """Return forbidden ``client_options``; values are not shown, they may be secret."""
    found = []
    for name, text in options.items():
        if name in FIXED_OPTIONS:
            found.append(f"client_options: {name} cannot be set: {FIXED_OPTIONS[name]}")
        if not name.startswith("kafka."):
            found.append(f"client_options: {name} must begin with kafka.")
        if not isinstance(text, str):
            found.append(f"client_options: {name} must be a text")
    return found
