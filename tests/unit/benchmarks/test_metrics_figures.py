"""The table of what metrics cost: differences and ratios are those of the same round."""

from __future__ import annotations

import pytest

from benchmarks.metrics import WITH, WITHOUT, Values, rows

OURS = {
    "series, no topic": [500.0],
    "series": [500.0],
    "series of a topic": [3.0],
    "scrape": [0.1],
    "topic scrape": [0.4],
}
PLAIN = {"start": [9.0, 8.0], "memory": [400.0, 410.0], "cold": [20.0, 30.0], "re-run": [5.0, 6.0], "stall": [0.2, 0.4]}


def values(**more: float) -> Values:
    """With metrics, everything takes 0.1 more than without, but for what is given."""
    later = {name: [value + more.get(name, 0.1) for value in each] for name, each in PLAIN.items()}
    return {WITHOUT: PLAIN, WITH: {**OURS, **later, "stall": [value * 1.05 for value in PLAIN["stall"]]}}


def told(found: Values, tasks: int = 2) -> dict[str, list[str]]:
    return {name: cells for name, *cells in rows(found, {WITHOUT: 18, WITH: 18 + tasks})}


def test_what_is_more_is_more_than_in_the_same_round() -> None:
    said = told(values(cold=1.0))
    assert said["cold deployment, more"] == ["1.0 s (1.0 to 1.0)", "≤ 1.5: kept"]
    assert said["longest stall of a roll, ratio"] == ["1.05 (1.05 to 1.05)", "≤ 1.1: kept"]
    assert said["tasks more on the busiest host"] == ["2", "≤ 3: kept"]
    assert "missed" not in str(said)


@pytest.mark.parametrize(
    ("name", "by", "line"),
    [
        ("start", 0.7, "start of the JVM, more processor time"),
        ("memory", 41, "its memory, more"),
        ("cold", 1.6, "cold deployment, more"),
        ("re-run", 0.6, "re-run, more"),
    ],
)
def test_a_cost_above_its_limit_is_a_missed_promise(name: str, by: float, line: str) -> None:
    assert [each for each, cells in told(values(**{name: by})).items() if "missed" in cells[-1]] == [line]


def test_tasks_count_as_well() -> None:
    assert "missed" in told(values(), tasks=4)["tasks more on the busiest host"][-1]
