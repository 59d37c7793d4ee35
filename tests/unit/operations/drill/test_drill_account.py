"""Result of a drill, from a probe's account."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from ansible.module_utils.kraft.operations.drill import account

ROOT = Path(__file__).resolve().parents[4]
NODES: dict[str, Any] = {f"k{one}": {"node_id": one, "properties": {}} for one in (1, 2, 3)}


def step(task: str, host: str, start: float, end: float) -> dict[str, Any]:
    return {"task": task, "host": host, "start": start, "end": end}


def stall(begin: float, end: float) -> dict[str, Any]:
    return {"from_us": begin * 1e6, "to_us": end * 1e6, "length_us": (end - begin) * 1e6}


AUDIT: dict[str, Any] = {
    "steps": [
        step(account.CHOSEN, "k1", 100, 100.1),
        step("Inject the fault", "k3", 101, 103),
        step(account.WHOLE, "k1", 103, 104),
        step(account.WHOLE, "k3", 103, 112),
        step(account.CHOSEN, "k1", 120, 120.1),
        step("Inject the fault", "k1", 121, 123),
        step("Inject the fault", "k2", 121.5, 123),
        step(account.WHOLE, "k1", 123, 141),
    ],
    "views": [
        {"at_us": 99e6, "led": {"1": 2, "2": 2}},
        {"at_us": 102e6, "led": {"1": 2, "2": 2, "3": 2}},
        {"at_us": 110e6, "led": {"1": 3, "2": 3}},
        {"at_us": 150e6, "led": {"3": 6}},
    ],
    "stalls": [stall(101.4, 110.5), stall(90, 95)],
    "long_stalls": [stall(122, 139), stall(145, 199)],
    "counts": {"acked": 9, "lost": 0},
}


def test_each_fault_has_its_own_stalls_and_leaders() -> None:
    first, second = account.rows(AUDIT, ["broker_killed", "controller_killed"], NODES, 30)
    assert (first.hosts, first.leaders, first.stall, first.bound, first.whole) == (("k3",), 9.0, 9.1, 12.0, 11.0)
    assert (second.hosts, second.leaders, second.stall, second.whole) == (("k1", "k2"), None, 17.0, 20.0)
    assert (first.kept, second.kept) == (True, False)


def test_without_a_bound_nothing_is_missed() -> None:
    assert account.rows(AUDIT, ["all_killed"], NODES, 30)[0].kept


def test_a_fault_that_was_chosen_and_not_done_has_no_row() -> None:
    begun = {**AUDIT, "steps": [*AUDIT["steps"], step(account.CHOSEN, "k1", 200, 201)]}
    assert len(account.rows(begun, ["broker_killed", "controller_killed", "node_frozen"], NODES, 30)) == 2
    unfinished = {**AUDIT, "steps": AUDIT["steps"][:2]}
    assert account.rows(unfinished, ["broker_killed"], NODES, 30) == []


def test_the_table_has_a_line_for_each_fault() -> None:
    lines = account.lines(account.rows(AUDIT, ["broker_killed", "controller_killed"], NODES, 30))
    assert lines[1].split() == ["broker_killed", "k3", "9.0", "s", "9.10", "s", "12.0", "s", "11.0", "s", "kept"]
    assert lines[2].split()[-1] == "MISSED"


def test_the_steps_have_the_names_of_the_tasks() -> None:
    files = [
        yaml.safe_load((ROOT / f"roles/kafka/tasks/{name}.yml").read_text())
        for name in ("steps/drill_fault", "steps/reboot", "health")
    ]
    tasks = {task["name"] for one in files for each in one for task in each.get("block", [each])}
    assert {account.CHOSEN, account.WHOLE, *account.BROKEN} <= tasks
