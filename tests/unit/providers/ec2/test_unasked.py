"""Machines that the inventory lacks: a missing answer of AWS is not a dead cluster."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.problem import WARNING
from ansible.module_utils.kraft.providers.ec2 import account, unasked
from botocore.exceptions import NoCredentialsError

VARIABLES = {"kafka_ec2_region": "eu-central-1", "kafka_cluster_name": "orders"}


class Silent:
    """A client that cannot ask."""

    def can_paginate(self, _: str) -> bool:
        return False

    def describe_instances(self, **_: Any) -> Any:
        raise NoCredentialsError


class Answering(Silent):
    def __init__(self, count: int) -> None:
        self.count = count

    def describe_instances(self, **_: Any) -> Any:
        return {"Reservations": [{"Instances": [{}] * self.count}]}


def asked(monkeypatch: pytest.MonkeyPatch, client: Silent) -> list[str]:
    monkeypatch.setattr(account, "client", lambda *_: client)
    found = unasked.missing_instances(["k1", "k2"], [], VARIABLES)
    assert [(each.rule, each.host) for each in found] == [("ec2_unasked", "k1"), ("ec2_unasked", "k2")]
    return [found[0].message, found[0].remedy]


def test_aws_that_was_not_asked_is_said_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    message, remedy = asked(monkeypatch, Silent())
    assert "AWS was not asked, because" in message
    assert "AWS_PROFILE" in remedy


@pytest.mark.parametrize(("count", "remedy"), [(0, "provision_ec2.yml"), (3, "aws_ec2.yml")])
def test_machines_that_aws_has_or_has_not_are_said(monkeypatch: pytest.MonkeyPatch, count: int, remedy: str) -> None:
    message, told = asked(monkeypatch, Answering(count))
    assert "AWS was not asked" not in message
    assert remedy in told


def test_a_lost_machine_is_a_warning_and_a_cluster_elsewhere_has_none() -> None:
    told = unasked.missing_instances(["k1", "k2"], ["k1"], VARIABLES)
    assert [(each.rule, each.host, each.severity) for each in told] == [("ec2_unasked", "k2", WARNING)]
    assert unasked.missing_instances([], [], {}) == []
