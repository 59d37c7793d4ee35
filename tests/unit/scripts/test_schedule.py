"""When a part may start beside others."""

from __future__ import annotations

import itertools
import threading

import pytest

from scripts.parts.schedule import HEAVY_MEMORY, Machine, next_part, run_all
from scripts.parts.targets import TARGETS, Part

SCENARIO, OTHER, LINT = Part("a", "", heavy=True), Part("b", "", heavy=True), Part("lint", "")
QUIET = Machine(cores=2, memory=24 * 1024**3, load=1.0)
BUSY = Machine(cores=2, memory=24 * 1024**3, load=33.0)


@pytest.mark.parametrize(
    ("cores", "gigabytes", "slots"),
    [(1, 24, 2), (2, 24, 3), (4, 24, 4), (16, 24, 4), (16, 64, 12), (4, 6, 1), (4, 2, 1)],
)
def test_slots_follow_from_cores_and_memory(cores: int, gigabytes: int, slots: int) -> None:
    assert Machine(cores, gigabytes * 1024**3, 0.0).slots == slots


def test_second_scenario_starts_beside_the_first_on_a_quiet_machine() -> None:
    assert next_part([OTHER, LINT], [SCENARIO], QUIET) == OTHER


def test_second_scenario_waits_while_the_machine_is_busy_and_a_light_part_does_not() -> None:
    assert next_part([OTHER, LINT], [SCENARIO], BUSY) == LINT
    assert next_part([OTHER], [SCENARIO], BUSY) is None


def test_busy_machine_does_not_keep_the_only_scenario_waiting() -> None:
    assert next_part([OTHER], [], BUSY) == OTHER
    assert next_part([OTHER], [LINT], BUSY) == OTHER


def test_second_scenario_waits_until_the_load_tells_of_the_first() -> None:
    assert next_part([OTHER, LINT], [SCENARIO], QUIET, settled=False) == LINT
    assert next_part([OTHER], [], QUIET, settled=False) == OTHER


def test_nothing_starts_without_a_slot() -> None:
    assert next_part([LINT], [SCENARIO, OTHER, OTHER], QUIET) is None


def test_every_part_runs_once_and_two_run_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=10)
    ran: list[str] = []

    def run(part: Part) -> str:
        if part.heavy:
            both.wait()
        ran.append(part.name)
        return part.name

    parts = [SCENARIO, OTHER, LINT]
    hours = itertools.count(0, 3600)
    ran_in_order = run_all(parts, run, lambda: Machine(2, 10 * HEAVY_MEMORY, 0.0), lambda: float(next(hours)))
    assert sorted(ran_in_order) == ["a", "b", "lint"]
    assert sorted(ran) == ["a", "b", "lint"]


def test_parts_of_a_target_have_names_of_their_own() -> None:
    for parts in TARGETS.values():
        assert len({part.name for part in parts}) == len(parts)
