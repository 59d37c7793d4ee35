"""A copy in progress, as reported by ``kafka_mirror_info``, and a proof that failed before."""

from __future__ import annotations

from typing import Any

from spark_jobs.proof.report_schema import Report

LONG = "payments.of-a-department-with-a-very-long-name.and-of-another-one.which-nobody-can-remember"
HISTORY = [(1000.0, 90_000.0), (1060.0, 40_000.0), (5000.0, 1200.0)]


def progress(**changed: Any) -> dict[str, Any]:
    lag = {"orders": 1200, LONG: 0}
    records = {"source": {"orders": 61_200, LONG: 9}, "target": {"orders": 60_020, LONG: 9}}
    ends = {"source": {"orders": {"0": 30_000, "1": 31_200}, LONG: {"0": 9}}, "target": {}}
    return {
        "begun": True,
        "back": False,
        "failed": {},
        "changed": [],
        "lag": lag,
        "lag_records": sum(lag.values()),
        "records": records,
        "ends": ends,
        "groups": {"billing": {"source": 7, "target": 40, "untranslated": 1}},
        "catch_up": "Caught up in about 12 s",
        "screen": ["2 topics, 1200 records are not copied yet"],
        **changed,
    }


def status(**changed: Any) -> dict[str, Any]:
    found = progress(**changed)
    headline = found["screen"][0]
    return {"source": "old", "headline": headline, "catch_up": found["catch_up"], "progress": found}


def failed_proof() -> Report:
    fault: Any = {"kind": "missing", "partition": 1, "source_offset": 123_456, "target_offset": None, "fields": []}
    kinds = ("missing", "extra", "changed", "reordered", "duplicated", "deleted")
    topic: Any = {
        "source": "orders",
        "target": "orders",
        "partitions": 2,
        "source_records": 61_200,
        "target_records": 61_199,
        "paired": 61_199,
        "newest": "2026-11-22T10:00:00Z",
        "faults": {**dict.fromkeys(kinds, 0), "missing": 1},
        "excused": {"deleted_on_source": {"records": 3, "at_most": 5}},
        "rules": [],
        "examples": [fault],
    }
    return {
        "schema": 3,
        "run_id": "before",
        "started": "2026-11-01T10:00:00+00:00",
        "finished": "2026-11-01T10:01:00+00:00",
        "seconds": 60.0,
        "verdict": {"outcome": "failed", "sentences": ["1 record is missing on the target."]},
        "source": "old1:9092",
        "target": "new1:9092",
        "topics": [topic],
        "groups": [],
        "undecided": [],
        "pace": None,
        "spark": None,
    }
