"""Accounts that Kafka must not run as, as far as the inventory has them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest

from tests.unit.spec.inventory import hosts, problems_of

NOWHERE: Mapping[str, Any] = {}


def said(connection: Mapping[str, Any] = NOWHERE, /, **given: Any) -> list[tuple[str, str, str]]:
    made = [dataclasses.replace(each, connection=connection) for each in hosts(1, **given)]
    found = [each for each in problems_of(made) if each.rule.startswith("account")]
    assert all(each.host == "k1" and each.remedy for each in found)
    return [(each.severity, each.rule, each.variable) for each in found]


@pytest.mark.parametrize("variable", ["kafka_user", "kafka_group"])
@pytest.mark.parametrize("name", ["root", "kafka user", "Kafka", "7kafka"])
def test_root_and_what_is_no_name_are_refused(variable: str, name: str) -> None:
    assert said(**{variable: name}) == [("error", "account", variable)]


@pytest.mark.parametrize("variable", ["kafka_user", "kafka_group"])
@pytest.mark.parametrize("name", ["kafka-collector", "kafka-metrics", "kafka-mirror"])
def test_the_accounts_of_services_beside_kafka_are_refused(variable: str, name: str) -> None:
    assert said(**{variable: name}) == [("error", "account", variable)]


@pytest.mark.parametrize("name", ["sudo", "wheel", "docker", "disk", "shadow"])
def test_a_group_that_leads_to_root_is_refused(name: str) -> None:
    assert said(kafka_group=name) == [("error", "account", "kafka_group")]


@pytest.mark.parametrize("variable", ["kafka_user", "kafka_group"])
@pytest.mark.parametrize("by", ["ansible_user", "ansible_ssh_user", "remote_user"])
def test_the_login_of_ansible_is_refused(variable: str, by: str) -> None:
    assert said({by: "ubuntu"}, **{variable: "ubuntu"}) == [("error", "account", variable)]


def test_the_stronger_variable_says_who_logs_in() -> None:
    connection = {"ansible_user": "admin", "ansible_ssh_user": "ubuntu", "remote_user": "ubuntu"}
    assert said(connection, kafka_user="ubuntu") == []


@pytest.mark.parametrize(
    ("variable", "follower"), [("kafka_user", "kafka_host_user"), ("kafka_group", "kafka_host_group")]
)
def test_the_two_roles_speak_of_one_account(variable: str, follower: str) -> None:
    assert said(**{variable: "kafka", follower: "broker"}) == [("error", "account_differs", follower)]
    assert said(**{variable: "broker", follower: "broker"}) == []
