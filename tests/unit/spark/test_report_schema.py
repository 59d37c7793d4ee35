"""The examples that the page is built on have the shape that the job writes."""

from __future__ import annotations

from typing import Any

import pytest

from spark_jobs.report_check import schema_errors
from tests.unit.page.reports import OUTCOMES, example


@pytest.mark.parametrize("name", OUTCOMES)
def test_the_example_has_the_shape(name: str) -> None:
    assert schema_errors(example(name)) == []


def test_there_is_an_example_of_each_outcome() -> None:
    assert {example(name)["verdict"]["outcome"] for name in OUTCOMES} == {"proven", "failed", "unreachable"}


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
    found = schema_errors({**example("failed"), **change})
    assert any(problem.startswith(line) for problem in found), found
