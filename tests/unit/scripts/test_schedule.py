"""Conditions for a part to start beside others."""

from __future__ import annotations

import threading

from scripts.parts.schedule import HEAVY_MEMORY, Machine, next_part, run_all
from scripts.parts.targets import TARGETS, Part

SCENARIO, OTHER, LINT = Part("a", "", heavy=True), Part("b", "", heavy=True), Part("lint", "")
BOTH = Part("both", "", heavy=True, cores=2)
MACHINE = Machine(cores=2, memory=24 * 1024**3)
SMALL = Machine(cores=2, memory=2 * HEAVY_MEMORY - 1)


def test_parts_start_beside_each_other_as_long_as_there_is_a_core_for_each() -> None:
    assert next_part([OTHER, LINT], [SCENARIO], MACHINE) == OTHER
    assert next_part([LINT], [SCENARIO, OTHER], MACHINE) is None


def test_a_part_that_keeps_two_cores_busy_waits_for_both_and_others_go_first() -> None:
    assert next_part([BOTH, LINT], [SCENARIO], MACHINE) == LINT
    assert next_part([BOTH], [SCENARIO], MACHINE) is None
    assert next_part([LINT], [BOTH], MACHINE) is None


def test_without_memory_for_both_a_scenario_waits_for_another_and_a_light_part_does_not() -> None:
    assert next_part([OTHER, LINT], [SCENARIO], SMALL) == LINT
    assert next_part([OTHER], [LINT], SMALL) == OTHER


def test_with_nothing_running_every_part_may_start() -> None:
    assert next_part([BOTH], [], Machine(cores=1, memory=1)) == BOTH


def test_every_part_runs_once_and_two_run_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=10)
    ran: list[str] = []

    def run(part: Part) -> str:
        if part.heavy:
            both.wait()
        ran.append(part.name)
        return part.name

    parts = [SCENARIO, OTHER, LINT]
    assert sorted(run_all(parts, run, MACHINE)) == ["a", "b", "lint"]
    assert sorted(ran) == ["a", "b", "lint"]


def test_parts_of_a_target_have_names_of_their_own() -> None:
    for parts in TARGETS.values():
        assert len({part.name for part in parts}) == len(parts)
