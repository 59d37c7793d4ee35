"""The filter around the hosts of a play in an installed collection, where no callback of ours is loaded."""

from __future__ import annotations

from typing import Any

import pytest
from ansible import context
from ansible.errors import AnsibleFilterError

from plugins.filter import kraft_guard

GROUPS = {"kafka": ["k1"], "web": []}


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "CLIARGS", {})
    monkeypatch.setattr(kraft_guard, "constants", _Constants)


class _Constants:
    DEFAULT_STRATEGY, INJECT_FACTS_AS_VARS, CONFIG_FILE = "linear", False, ""


@pytest.mark.parametrize("hosts", ["kafka", "localhost", [], ["k1"]])
def test_hosts_that_there_are_stay_as_they_are(hosts: Any) -> None:
    assert kraft_guard.kraft_guard(hosts, groups=GROUPS) == hosts


@pytest.mark.parametrize("hosts", ["ec2", "web"])
def test_a_group_that_has_no_host_ends_the_run(hosts: str) -> None:
    with pytest.raises(AnsibleFilterError, match=f"no host in the group {hosts}"):
        kraft_guard.kraft_guard(hosts, groups=GROUPS)


def test_a_look_at_a_playbook_needs_no_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "CLIARGS", {"syntax": True})
    assert kraft_guard.kraft_guard("ec2", groups=GROUPS) == "ec2"


def test_an_import_has_no_hosts() -> None:
    assert kraft_guard.kraft_guard("verify_cluster.yml", proves=True) == "verify_cluster.yml"
