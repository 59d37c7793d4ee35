"""The examples that the page is built on have the shape that the job writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark_jobs.report_check import schema_errors

EXAMPLES = sorted(Path(__file__).parent.glob("example_*.json"))


def load(path: Path) -> Any:
    return json.loads(path.read_text())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_has_the_shape(path: Path) -> None:
    assert schema_errors(load(path)) == []


def test_there_is_an_example_of_each_outcome() -> None:
    assert {load(path)["verdict"]["outcome"] for path in EXAMPLES} == {"proven", "failed", "unreachable"}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"extra": 1}, "report: unknown name 'extra'"),
        ({"seconds": None}, "report.seconds: None is not float"),
        ({"seconds": True}, "report.seconds: True is not float"),
        ({"verdict": {"outcome": "ok", "sentences": []}}, "report.verdict.outcome: 'ok' is none of"),
        ({"counts": {}}, "report.counts: lost is missing"),
        ({"not_checked": [1]}, "report.not_checked[0]: 1 is not str"),
        ({"versions": {"kafka": 4}}, "report.versions.kafka: 4 is not str"),
        ({"topic": []}, "report.topic: [] is not a Topic"),
    ],
)
def test_a_wrong_shape_is_named(change: dict[str, Any], line: str) -> None:
    found = schema_errors({**load(EXAMPLES[0]), **change})
    assert any(problem.startswith(line) for problem in found), found
