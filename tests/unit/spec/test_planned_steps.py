"""The plan names for each host the steps that have something to do."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.spec import steps

QUESTIONS = ("kernel", "directories", "release", "appcds_archive", "client", "storage")


THERE = {"java": {"version": 17}, "user": {"exists": True}, "group": {"exists": True}, "disks": {}}


def looked(*changed: str) -> dict[str, Any]:
    return {**THERE, "steps": {name: {"changed": name in changed} for name in QUESTIONS}}


def test_a_host_with_nothing_to_do_has_no_step() -> None:
    assert steps.due(looked()) == []


def test_a_host_that_no_one_looked_at_does_every_step() -> None:
    assert steps.due(None) == steps.due({}) == ["host", "kernel", "install", "format"]


@pytest.mark.parametrize(
    ("changed", "step"),
    [
        ("kernel", "kernel"),
        ("directories", "install"),
        ("release", "install"),
        ("appcds_archive", "appcds_archive"),
        ("client", "install"),
        ("storage", "format"),
    ],
)
def test_each_question_decides_over_one_step(changed: str, step: str) -> None:
    assert steps.due(looked(changed)) == (["host", step] if step == "kernel" else [step])


@pytest.mark.parametrize(
    "lacks",
    [{"java": None}, {"user": {"exists": False}}, {"group": {"exists": False}}, {"disks": {"/dev/sdb": {}}}],
    ids=["java", "user", "group", "disks"],
)
def test_a_host_that_lacks_something_is_prepared(lacks: dict[str, Any]) -> None:
    assert steps.due({**looked(), **lacks}) == ["host"]


def test_a_step_that_was_not_asked_for_looks_for_itself() -> None:
    found = looked()
    del found["steps"]["kernel"]
    assert steps.due(found) == ["host", "kernel"]


def test_appcds_archive_may_be_switched_off() -> None:
    found = looked()
    del found["steps"]["appcds_archive"]
    assert steps.due(found) == []
