"""Accounts with hundreds of things: every page is read, once, whatever AWS does to the pages meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
import pytest
from ansible.module_utils.kraft.providers.ec2 import model
from ansible.module_utils.kraft.providers.ec2.answers import Question
from ansible.module_utils.kraft.providers.ec2.observe import observe, pages
from botocore.exceptions import ClientError

REGION, PAGE = "eu-central-1", 50
OWN = [{"Key": model.CLUSTER, "Value": "orders"}]
Data = dict[str, Any]
Answer = Callable[[str, Data], Data]


def machine(at: int) -> Data:
    tags = [*OWN, {"Key": model.HOST, "Value": f"k{at}"}]
    placed = {"Placement": {"AvailabilityZone": f"{REGION}a"}, "State": {"Name": "running"}}
    return {"ReservationId": f"r-{at}", "Instances": [{"InstanceId": f"i-{at}", "Tags": tags, **placed}]}


def volume(at: int) -> Data:
    tags = [*OWN, {"Key": model.HOST, "Value": f"k{at}"}, {"Key": model.MOUNT, "Value": "/srv/a"}]
    return {"VolumeId": f"vol-{at}", "Tags": tags, "State": "in-use", "Size": 1, "AvailabilityZone": f"{REGION}a"}


def group(at: int) -> Data:
    return {"GroupId": f"sg-{at}", "GroupName": "g", "VpcId": "vpc-0", "IpPermissions": [], "Tags": OWN}


#: Call -> (key, items).
LARGE: dict[str, tuple[str, list[Data]]] = {
    "DescribeInstances": ("Reservations", [machine(at) for at in range(700)]),
    "DescribeVolumes": ("Volumes", [volume(at) for at in range(900)]),
    "DescribeSecurityGroups": ("SecurityGroups", [group(at) for at in range(400)]),
    "DescribeKeyPairs": ("KeyPairs", [{"KeyName": f"key-{at}"} for at in range(500)]),
    "DescribeInstanceTypeOfferings": (
        "InstanceTypeOfferings",
        [{"InstanceType": f"t{at}.large", "Location": f"{REGION}a"} for at in range(1200)],
    ),
    "DescribeInstanceTypes": ("InstanceTypes", []),
    "DescribeAvailabilityZones": ("AvailabilityZones", []),
    "DescribeVpcs": ("Vpcs", [{"VpcId": f"vpc-{at}", "CidrBlock": "10.0.0.0/16"} for at in range(120)]),
    "DescribeSubnets": ("Subnets", []),
    "DescribeInternetGateways": ("InternetGateways", []),
    "DescribeRouteTables": ("RouteTables", []),
    "DescribeAddresses": ("Addresses", []),
}


class Account:
    """Answers in pages. ``expire``: page tokens that AWS forgets; ``shift``: items that a page repeats."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.expire, self.shift = 0, 0
        self.client = boto3.client("ec2", region_name=REGION)

    def answer(self, operation: str, asked: Data) -> Data:
        self.calls.append(operation)
        key, items = LARGE[operation]
        if not self.client.can_paginate(boto_name(operation)):
            return {key: items}
        start = int(asked.get("NextToken") or 0)
        if start and self.expire:
            self.expire -= 1
            raise ClientError({"Error": {"Code": "InvalidNextToken", "Message": "expired"}}, operation)
        end = start + PAGE
        more = {"NextToken": str(end)} if end < len(items) else {}
        return {key: items[max(0, start - self.shift) : end], **more}


def boto_name(operation: str) -> str:
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in operation).lstrip("_")


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Account:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "tester")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-nothing")
    made = Account()
    monkeypatch.setattr(made.client, "_make_api_call", made.answer)
    return made


def test_an_account_with_hundreds_of_things_is_read_whole(account: Account) -> None:
    found = observe(account.client, None, Question("orders", vpc_id="vpc-0", image="", hosts=("new",), types=("t9",)))
    assert (len(found.instances), len(found.volumes), len(found.groups), len(found.keys)) == (700, 900, 400, 500)
    assert len(found.offered or {}) == 1200
    assert account.calls.count("DescribeVolumes") == 900 / PAGE


@pytest.mark.parametrize("expired", [1, 2])
def test_a_page_token_that_expires_starts_the_query_again(account: Account, expired: int) -> None:
    account.expire = expired
    assert len(pages(account.client, "describe_volumes", "Volumes")) == 900


def test_page_tokens_that_always_expire_end_with_the_words_of_aws(account: Account) -> None:
    account.expire = 100
    with pytest.raises(ClientError, match="InvalidNextToken"):
        pages(account.client, "describe_volumes", "Volumes")
    assert len(account.calls) < 10


def test_what_two_pages_show_is_one_thing(account: Account) -> None:
    """As a machine that was made while the pages were read."""
    account.shift = 1
    found = observe(account.client, None, Question("orders", vpc_id="vpc-0"))
    assert (len(found.instances), len(found.volumes), len(found.groups)) == (700, 900, 400)


def test_machines_of_one_launch_on_two_pages_are_all_read(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    """AWS counts machines for a page, and shows their reservation on each page that has some of them."""
    launched = [{**machine(at), "ReservationId": "r-0"} for at in range(PAGE + 9)]
    monkeypatch.setitem(LARGE, "DescribeInstances", ("Reservations", launched))
    found = observe(account.client, None, Question("orders", vpc_id="vpc-0"))
    assert [each.id for each in found.instances] == [f"i-{at}" for at in range(PAGE + 9)]


def test_more_sources_than_a_filter_takes_are_asked_for_in_parts(account: Account) -> None:
    """AWS takes 200 values in a filter."""
    sources = tuple(f"sg-{at:08x}" for at in range(450))
    asked: list[int] = []
    real = account.answer

    def answer(operation: str, given: Data) -> Data:
        asked.extend(len(each["Values"]) for each in given.get("Filters", ()))
        return real(operation, given)

    account.client._make_api_call = answer
    observe(account.client, None, Question("orders", vpc_id="vpc-0", sources=sources))
    assert max(asked) == 200
    assert sum(asked) >= 450
