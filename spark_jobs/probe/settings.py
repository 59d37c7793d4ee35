"""The configuration file of a probe: JSON, checked as a whole, every problem in one message.

Required: ``bootstrap_servers``, ``partitions``, ``rate`` (records a second, all partitions together), ``cluster`` (its
name). Optional: ``cluster_id`` (which the cluster must have), ``run_id`` (drawn from the time), ``record_bytes``,
``producers``, ``consumers``, ``client_options`` (``kafka.*``), ``replication_factor`` (the most; a cluster with fewer
brokers gets fewer), ``longest_seconds`` (then the probe ends itself), ``ready_seconds`` (until every partition has
acknowledged), ``drain_seconds`` (of a stop), ``part_seconds``, ``moved_servers`` (where the brokers will be after the
operation, if that is elsewhere: the clients find it out by themselves, who connects afterwards does not).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from spark_jobs import json_file
from spark_jobs.probe.records import HEAD_LENGTH, MAX_PARTITIONS
from spark_jobs.record_format import RUN_ID_PATTERN

FILE = "probe.json"
TOPIC = "kraftwright-probe-"
REQUIRED = ("bootstrap_servers", "cluster", "partitions", "rate")
LIMITS = {
    "partitions": (1, MAX_PARTITIONS),
    "rate": (1, 20_000),
    "record_bytes": (HEAD_LENGTH, 100_000),
    "producers": (1, 16),
    "consumers": (1, 16),
    "replication_factor": (1, 10),
    "longest_seconds": (1, 7 * 24 * 3600),
    "ready_seconds": (1, 600),
    "drain_seconds": (1, 600),
    "part_seconds": (0.2, 60),
}
WHOLE = ("partitions", "record_bytes", "producers", "consumers", "replication_factor")
PATTERNS = {
    "bootstrap_servers": (r"[^\s,]+:\d+(,[^\s,]+:\d+)*", "host:port,host:port"),
    "moved_servers": (r"([^\s,]+:\d+(,[^\s,]+:\d+)*)?", "host:port,host:port"),
    "cluster": (r"[A-Za-z0-9._-]+", "a cluster's name"),
    "cluster_id": (r"[A-Za-z0-9_-]*", "a cluster's id"),
    "run_id": (RUN_ID_PATTERN, "1 to 16 letters, digits, dots, dashes or underscores"),
}


@dataclass(frozen=True)
class ProbeSettings:
    """One probe, as configured in the file."""

    bootstrap_servers: str
    cluster: str
    partitions: int
    rate: float
    cluster_id: str = ""
    run_id: str = ""
    record_bytes: int = 100
    producers: int = 2
    consumers: int = 2
    replication_factor: int = 3
    longest_seconds: float = 14_400
    ready_seconds: float = 60
    drain_seconds: float = 60
    part_seconds: float = 2
    client_options: Mapping[str, str] = field(default_factory=dict)
    moved_servers: str = ""

    @property
    def everywhere(self) -> str:
        """Return the addresses of the cluster before, in or after the operation."""
        listed = [*self.bootstrap_servers.split(","), *self.moved_servers.split(",")]
        return ",".join(dict.fromkeys(filter(None, listed)))

    @property
    def topic(self) -> str:
        return TOPIC + self.run_id


def drawn_run_id() -> str:
    """Return the moment, UTC, to the second."""
    return time.strftime("%Y%m%dT%H%M%S", time.gmtime())


def load(path: Path) -> ProbeSettings:
    """Load the settings in ``path``, or raise a ``UsageError`` with all their faults."""
    content = json_file.load(path, probe_config_errors)
    return ProbeSettings(**{**content, "run_id": content.get("run_id") or drawn_run_id()})


def save(settings: ProbeSettings, directory: Path) -> Path:
    """Save the settings as a file of their run; readable by its owner alone, for client options may be secret."""
    path = directory / FILE
    path.touch(mode=0o600)
    path.write_text(json.dumps(asdict(settings), indent=2) + "\n")
    return path


def probe_config_errors(content: object) -> list[str]:
    """Return one line for each fault: name, value, allowed values."""
    if not isinstance(content, dict):
        return [f"must be an object with the names {', '.join(REQUIRED)}"]
    known = ProbeSettings.__dataclass_fields__
    found = [f"{name}: is missing" for name in REQUIRED if name not in content]
    found += [f"{name}: unknown name; known are {', '.join(known)}" for name in content if name not in known]
    return found + [line for name in content if name in known for line in _value_problems(name, content[name])]


def _value_problems(name: str, value: Any) -> list[str]:
    if name in LIMITS:
        low, high = LIMITS[name]
        fits = isinstance(value, int if name in WHOLE else (int, float)) and not isinstance(value, bool)
        kind = "a whole number" if name in WHOLE else "a number"
        return [] if fits and low <= value <= high else [f"{name}: {value!r} must be {kind} from {low} to {high}"]
    if name in PATTERNS:
        pattern, allowed = PATTERNS[name]
        fits = isinstance(value, str) and bool(re.fullmatch(pattern, value) or (name == "run_id" and not value))
        return [] if fits else [f"{name}: {value!r} must be {allowed}"]
    fits = isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
    return [] if fits else [f"{name}: must be an object whose values are texts"]
