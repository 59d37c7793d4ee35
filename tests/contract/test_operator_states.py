"""Molecule `refusals` runs playbooks in unusual states: each state is complete, with its expected results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
READ: dict[str, Any] = yaml.safe_load((ROOT / "molecule/refusals/vars/operators.yml").read_text())
STATES: list[dict[str, Any]] = [*READ["states_before"], *READ["states"]]
#: They change nothing, so each state tries them.
LOOKING = {"status", "bundle", "validate", "check"}


def test_every_state_that_operators_meet_is_there() -> None:
    names = " ".join(one["name"] for one in STATES)
    for word in (
        *("never deployed", "down", "systemd restarted", "full disk", "still in the group", "no longer in the group"),
        *("data stay", "data are deleted", "without work"),
    ):
        assert word in names, word
    assert len({one["name"] for one in STATES}) == len(STATES)
    assert {"restart", "site"} <= {name for one in STATES for name in one["ends"]}
    assert {one["follow"] for one in STATES if "follow" in one} == {"status"}


def test_each_playbook_is_there_and_what_only_looks_is_marked() -> None:
    assert {name for name, one in READ["playbooks"].items() if one.get("looks")} == LOOKING
    for one in READ["playbooks"].values():
        assert (ROOT / one["words"][0]).is_file()


@pytest.mark.parametrize("state", STATES, ids=lambda one: str(one["name"]))
def test_a_state_expects_an_exit_code_and_a_sentence_of_each_failure(state: dict[str, Any]) -> None:
    assert set(state["ends"]) >= LOOKING
    assert set(state["ends"]) | set(state.get("lines", {})) <= set(READ["playbooks"])
    for name, (code, *said) in state["ends"].items():
        assert isinstance(code, int), name
        assert not code or said, f"{name} fails without a sentence"
