"""A roll is read from the probe's account and from the steps of its run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.lab import FailedError
from benchmarks.roll import Roll, read, row

STEPS = [
    {"phase": "preflight", "start": 1.0, "end": 5.0},
    {"phase": "roll", "start": 10.0, "end": 12.0},
    {"phase": "roll", "start": 12.0, "end": 40.5},
    {"phase": "health", "start": 41.0, "end": 99.0},
]


def account(directory: Path, **more: Any) -> Path:
    found = {
        "outcome": "proven",
        "sentences": [],
        "counts": {"acked": 1000},
        "stalls": [{"length_us": 210_000}, {"length_us": 470_000}],
        "errors": [{"count": 3}, {"count": 4}],
        **more,
    }
    (directory / "audit.json").write_text(json.dumps(found))
    (directory / "steps.jsonl").write_text("".join(json.dumps(step) + "\n" for step in STEPS))
    return directory / "audit.json"


def test_it_lasts_from_the_first_step_of_the_roll_to_its_last(tmp_path: Path) -> None:
    assert read(account(tmp_path)) == Roll(seconds=30.5, stall=0.47, errors=7, acknowledged=1000)


def test_a_record_that_is_gone_is_no_figure(tmp_path: Path) -> None:
    with pytest.raises(FailedError, match="1 lost"):
        read(account(tmp_path, outcome="failed", sentences=["1 lost"]))


def test_a_promise_is_held_against_the_median() -> None:
    slow = Roll(61.0, 0.6, 1, 10)
    assert [cell for cell in row("both", [slow, slow, Roll(59.0, 0.4, 1, 10)]) if "≤" in cell] == [
        "≤ 60 s: **missed**",
        "≤ 0.5 s: **missed**",
    ]
