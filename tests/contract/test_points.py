"""The points at which molecule `interrupted` kills runs are those of the present tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from sweeps import SWEEPS, taken

ROOT = Path(__file__).resolve().parents[2]
POINTS: list[dict[str, Any]] = yaml.safe_load((ROOT / "molecule/interrupted/vars/points.yml").read_text())["points"]
TASKS = "\n".join(
    path.read_text() for top in ("roles", "playbooks") for path in sorted((ROOT / top).rglob("*.yml"))
).splitlines()


@pytest.mark.parametrize("point", [one for one in POINTS if "task" in one], ids=lambda one: str(one["name"]))
def test_a_point_names_a_task_that_there_is(point: dict[str, Any]) -> None:
    assert any(line.strip() == f"- name: {point['task']}" for line in TASKS)
    assert point["when"] in ("start", "end")


def test_points_are_told_apart_by_their_names() -> None:
    assert len({point["name"] for point in POINTS}) == len(POINTS)


def test_long_sweep_has_what_was_promised_and_the_short_one_both_beginnings() -> None:
    sweeps = {name: taken(POINTS, name) for name in SWEEPS}
    assert len(sweeps["all"]) == len(POINTS) >= len(sweeps["long"]) >= 15
    assert {point["from"] for point in sweeps["short"]} == {"empty", "changed"}
    assert {point["from"] for point in sweeps["long"] if "random" in point} == {"empty", "changed"}
    for name in ("long", "all"):
        assert {point.get("signal", "KILL") for point in sweeps[name]} == {"KILL", "INT", "TERM"}
        assert any("strike" in point for point in sweeps[name])


@pytest.mark.parametrize("point", POINTS, ids=lambda one: str(one["name"]))
def test_a_point_has_one_moment(point: dict[str, Any]) -> None:
    assert sum(word in point for word in ("task", "until", "random")) == 1
    assert ("until" in point) == ("host" in point)
    assert "pgrep -f k" not in point.get("until", ""), "the question would find itself"


def test_a_point_goes_on_from_one_with_the_same_beginning() -> None:
    for before, point in zip(POINTS, POINTS[1:]):
        assert not point.get("goes_on") or point["from"] == before["from"]
    assert not POINTS[0].get("goes_on")
