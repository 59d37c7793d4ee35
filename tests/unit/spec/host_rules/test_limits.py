"""Limits that a killed run of moves has left are said before nodes restart and fetch under them."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.problem import WARNING
from ansible.module_utils.kraft.spec import host_rules

from tests.unit.spec.host_rules.scene import Scene


def limits(looks: dict[str, dict[str, Any] | None], rule: str = "throttle_left") -> list[tuple[str, Any]]:
    scene = Scene()
    for name, look in looks.items():
        scene.facts_of(name)["health"] = look
    return [(one.severity, one.value) for one in host_rules.check(scene.subject()) if one.rule == rule]


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ({"k1": {"rate_left": 2000417}, "k3": {"rate_left": 3000417}}, [(WARNING, [1, 3])]),
        ({"k1": {"rate_left": 0}, "k2": None, "k3": {}}, []),
    ],
)
def test_a_limit_of_a_killed_run_is_a_warning_with_its_brokers(
    looks: dict[str, dict[str, Any] | None], expected: list[tuple[str, Any]]
) -> None:
    assert limits(looks) == expected


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ({"k1": {"rate_left": None}, "k2": {"rate_left": 0}, "k3": {"rate_left": None}}, [(WARNING, [1, 3])]),
        ({"k1": {"rate_left": 0}, "k2": None, "k3": {}}, []),
    ],
)
def test_a_limit_that_a_broker_does_not_tell_is_unknown(
    looks: dict[str, dict[str, Any] | None], expected: list[tuple[str, Any]]
) -> None:
    assert limits(looks, "throttle_unknown") == expected
