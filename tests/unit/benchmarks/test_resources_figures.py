"""Figures of the benchmark of resources about a run."""

from __future__ import annotations

import pytest

from benchmarks.resources import SETTINGS, kept


def test_there_are_as_many_resources_as_the_page_says() -> None:
    acls = [operation for user in SETTINGS["kafka_users"] for one in user["allow"] for operation in one["operations"]]
    assert (len(SETTINGS["kafka_users"]), len(acls), len(SETTINGS["kafka_topics"])) == (1000, 3000, 500)


@pytest.mark.parametrize(
    ("name", "seconds", "text"),
    [("first", 60.0, "-"), ("plan", 4.9, "≤ 5: kept"), ("plan", 5.1, "≤ 5: **missed**"), ("re-run", 9.9, "≤ 10: kept")],
)
def test_a_run_without_a_promise_has_none(name: str, seconds: float, text: str) -> None:
    assert kept(name, seconds) == text
