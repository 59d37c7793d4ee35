"""Accounts that are there already: used as they are or refused, by what was found on the host."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.spec import host_rules

from tests.unit.spec.host_rules.scene import Scene

#: An account that a package, or an earlier run, has made for Kafka.
SERVICE = {"exists": True, "uid": 998, "group": "kafka", "groups": ["kafka"], "shell": "/usr/sbin/nologin"}


def said(user: dict[str, Any] | None = None, group: dict[str, Any] | None = None) -> list[tuple[str, str, str]]:
    scene = Scene()
    scene.facts_of("k1")["user"].update(user or {})
    scene.facts_of("k1")["group"].update(group or {})
    found = host_rules.check(scene.subject(), ())
    assert all(each.host == "k1" and each.remedy for each in found)
    return [(each.severity, each.rule, each.variable) for each in found]


@pytest.mark.parametrize(
    "user",
    [
        {"exists": False, "uid": None, "group": None, "groups": [], "shell": None},
        SERVICE,
        {**SERVICE, "home": "/var/lib/kafka", "shell": "/bin/false"},
        {**SERVICE, "group": "services", "groups": ["kafka", "services"]},
    ],
)
def test_an_account_that_is_missing_or_a_service_is_fine(user: dict[str, Any]) -> None:
    assert said(user) == []


def test_the_account_that_logged_in_is_refused_whatever_the_inventory_calls_it() -> None:
    assert said({**SERVICE, "uid": 1000, "shell": "/bin/bash"}) == [("error", "account", "kafka_user")]


def test_root_by_another_name_is_refused() -> None:
    assert said({**SERVICE, "uid": 0}) == [("error", "account", "kafka_user")]
    assert said(SERVICE, {"exists": True, "gid": 0}) == [("error", "account", "kafka_group")]


def test_an_account_that_can_log_in_is_used_and_told() -> None:
    assert said({**SERVICE, "shell": "/bin/bash"}) == [("warning", "account_shell", "kafka_user")]


def test_the_group_of_who_logged_in_is_refused() -> None:
    assert said(SERVICE, {"exists": True, "gid": 1000}) == [("error", "account", "kafka_group")]


@pytest.mark.parametrize("group", [{"exists": True, "gid": 998}, {"exists": False, "gid": None}])
def test_an_existing_user_must_be_in_the_group(group: dict[str, Any]) -> None:
    other = {**SERVICE, "group": "hadoop", "groups": ["hadoop"]}
    assert said(other, group) == [("error", "account_group", "kafka_group")]
