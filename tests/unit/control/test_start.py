"""Runs that must not begin, and their messages."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.control.start import Start, nowhere, objection

OURS = Start(config_file="/srv/kraftwright/ansible.cfg", root="/srv/kraftwright")


def test_a_whole_run_with_the_projects_settings_begins() -> None:
    assert objection(OURS) == ""


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"tags": ("config",)}, "--tags config"),
        ({"tags": ("all", "never")}, "--tags all,never"),
        ({"skip_tags": ("always", "b")}, "--skip-tags always"),
        ({"skip_tags": ("a",), "play_tags": (frozenset({"a"}), frozenset())}, "--skip-tags a"),
        ({"tags": ("a",), "play_tags": (frozenset({"a"}), frozenset())}, "--tags a"),
        ({"start_at_task": "Format the log dirs"}, "--start-at-task 'Format the log dirs'"),
        ({"step": True}, "--step"),
        ({"tags": ("x",), "step": True}, "--tags x and --step"),
    ],
)
def test_a_part_of_a_playbook_is_refused_by_name(options: dict[str, Any], named: str) -> None:
    assert objection(dataclasses.replace(OURS, **options)).startswith(f"{named} cannot be used")


@pytest.mark.parametrize(
    ("limit", "proves", "refused"), [("a", True, True), ("a", False, False), ("all", True, False), ("", True, False)]
)
def test_a_part_of_a_cluster_is_not_proven(limit: str, proves: bool, refused: bool) -> None:
    found = objection(dataclasses.replace(OURS, limit=limit, proves=proves))
    assert found.startswith(f"--limit {limit} cannot be used") == refused
    assert bool(found) == refused


@pytest.mark.parametrize(("limit", "refused"), [("kafka", True), ("all", False), ("", False)])
def test_a_copy_is_proven_as_a_whole_before_clients_switch(limit: str, refused: bool) -> None:
    found = objection(dataclasses.replace(OURS, limit=limit, switches=True))
    assert found.startswith(f"--limit {limit} cannot be used") == refused
    assert bool(found) == refused
    assert "deploy_cluster" not in found


@pytest.mark.parametrize(
    "options",
    [
        {"skip_tags": ("molecule-notest", "notest")},
        {"tags": ("a", "b"), "play_tags": (frozenset({"a"}), frozenset({"b", "c"}))},
    ],
)
def test_tags_that_leave_nothing_out_are_fine(options: dict[str, Any]) -> None:
    assert objection(dataclasses.replace(OURS, **options)) == ""


@pytest.mark.parametrize("strategy", ["linear", "ansible.builtin.linear"])
def test_an_ansible_cfg_of_ones_own_is_fine_with_what_plays_rely_on(strategy: str) -> None:
    assert objection(dataclasses.replace(OURS, strategy=strategy, config_file="/etc/ansible/ansible.cfg")) == ""


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"config_file": "", "injects_facts": True}, "reads no ansible.cfg, not /srv/kraftwright/ansible.cfg"),
        ({"config_file": "/etc/ansible/ansible.cfg", "strategy": "free"}, "and lacks `strategy = linear`"),
        ({"config_file": "", "injects_facts": True, "root_is_open": True}, "chmod o-w /srv/kraftwright"),
        ({"strategy": "ansible.builtin.host_pinned"}, "Unset ANSIBLE_STRATEGY."),
        ({"injects_facts": True}, "Unset ANSIBLE_INJECT_FACT_VARS."),
    ],
)
def test_missing_settings_are_named_with_their_remedy(settings: dict[str, Any], said: str) -> None:
    assert said in objection(dataclasses.replace(OURS, **settings))


@pytest.mark.parametrize(
    ("patterns", "limit", "alone", "said"),
    [
        (["kafka"], "", False, "The inventory has no host in the group kafka."),
        (["kafka"], "all", False, "The inventory has no host in the group kafka."),
        (["ec2"], "web1", False, "--limit web1 leaves no host of the group ec2."),
        (["localhost"], "kafka1", True, "--limit kafka1 leaves out localhost"),
        (["localhost"], "kafka1", False, ""),
        ([], "", False, ""),
    ],
)
def test_a_play_without_hosts_ends_the_run_unless_it_has_nothing_to_do(
    patterns: list[str], limit: str, alone: bool, said: str
) -> None:
    found = nowhere(patterns, limit, alone)
    assert found.startswith(said)
    assert bool(found) == bool(said)
