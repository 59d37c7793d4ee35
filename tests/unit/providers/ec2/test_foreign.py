"""Things of other accounts: peered groups, shared subnets, images, keys; each is used, or named with what it lacks."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

from ansible.module_utils.kraft.problem import WARNING, Problem, errors
from ansible.module_utils.kraft.providers.ec2 import answers, asked, checks, model, network
from ansible.module_utils.kraft.providers.ec2.describe import plan_lines
from ansible.module_utils.kraft.providers.ec2.model import Rule, Volume
from ansible.module_utils.kraft.providers.ec2.plan import plan
from ansible.module_utils.kraft.providers.ec2.waiting import Aws
from botocore.exceptions import ClientError

from tests.unit.providers.ec2 import scene

OTHER, PEER = "210987654321", "sg-0a1b2c3d"


def group(**pair: Any) -> model.CurrentGroup:
    """The cluster's group with one more rule, whose source is a group of another account."""
    given = {"GroupId": PEER, "UserId": OTHER, **pair}
    opened = [{"IpProtocol": "tcp", "FromPort": 9092, "ToPort": 9092, "UserIdGroupPairs": [given]}]
    ours = scene.everything().groups[0]
    return dataclasses.replace(ours, rules=tuple(sorted((*ours.rules, *answers.rules(opened, "1")))))


def told(found: model.Current, **more: Any) -> list[Problem]:
    rules = (*scene.RULES, Rule(9092, 9092, PEER, account=OTHER))
    return checks.against(scene.wanted(rules=tuple(sorted(rules)), **more), found)


def test_a_group_of_a_peered_account_is_found_again_and_changes_nothing() -> None:
    found = scene.everything(groups=(group(VpcPeeringConnectionId="pcx-1", PeeringStatus="active"),))
    assert not [each for each in told(found) if each.rule == "ec2_source"]
    made = plan(scene.wanted(rules=(*scene.RULES, Rule(9092, 9092, PEER, account=OTHER))), found)
    assert (made.add, made.remove) == ((), ())


def test_a_rule_whose_peering_is_gone_is_named() -> None:
    found = scene.everything(groups=(group(VpcPeeringConnectionId="pcx-1", PeeringStatus="deleted"),))
    (stale,) = [each for each in told(found) if each.rule == "ec2_source"]
    assert (stale.severity, stale.value) == (WARNING, PEER)
    assert "deleted" in stale.message


def shared(**more: Any) -> model.Current:
    """A VPC and subnets that another account shares: without its tags, gateway and route tables."""
    subnets = tuple(dataclasses.replace(each, owned=False) for each in scene.everything().subnets)
    vpc = model.CurrentVpc("vpc-1", ("10.40.0.0/16",))
    return scene.nothing(vpc=vpc, subnets=subnets, **more)


SHARED: dict[str, Any] = {"vpc_id": "vpc-1", "subnet_ids": ("subnet-0", "subnet-1", "subnet-2")}


def test_subnets_of_another_account_are_used_and_never_tagged_routed_or_made() -> None:
    wanted = scene.wanted(**SHARED)
    assert errors(checks.against(wanted, shared())) == []
    made = plan(wanted, shared())
    assert (made.make_vpc, made.route, made.subnets, dict(made.tags)) == (False, False, (), {})
    assert {each.subnet_id for each in made.nodes.values()} == set(SHARED["subnet_ids"])


def test_a_subnet_that_is_no_longer_shared_is_named() -> None:
    fewer = dataclasses.replace(shared(), subnets=shared().subnets[1:])
    found = errors(checks.against(scene.wanted(**SHARED), fewer))
    assert ("ec2_subnet", "subnet-0") in {(each.rule, each.value) for each in found}
    assert "shared" in next(each.remedy for each in found if each.rule == "ec2_subnet")


def test_elastic_addresses_in_a_vpc_without_a_gateway_are_a_warning() -> None:
    wanted = scene.wanted(**SHARED, public_addresses=model.ELASTIC)
    assert [(each.rule, each.severity) for each in checks.against(wanted, shared()) if each.rule == "ec2_address"] == [
        ("ec2_address", WARNING)
    ]


def test_the_plan_says_whose_image_it_is() -> None:
    found = scene.nothing(image_owner="099720109477")
    lines = plan_lines(scene.wanted(), found, plan(scene.wanted(), found))
    assert [each for each in lines if "ami-1 of account 099720109477" in each]


def test_a_key_of_another_account_is_accepted_and_one_of_another_region_is_not() -> None:
    for region, rules in (("eu-central-1", []), ("us-east-1", ["ec2_volume"])):
        key = f"arn:aws:kms:{region}:{OTHER}:key/k"
        node = scene.node(0, volumes=(Volume(scene.MOUNT, 100, kms_key=key),))
        assert [each.rule for each in asked.asked(scene.wanted(nodes=(node,)))] == rules


def test_a_volume_of_a_snapshot_beside_the_real_one_is_refused_with_both() -> None:
    copy = scene.volume(0, id="vol-9", instance_id="", state="available", snapshot="snap-1")
    found = scene.everything(volumes=(*scene.everything().volumes, copy))
    (twice,) = [each for each in errors(told(found)) if each.rule == "ec2_twice"]
    assert "vol-1" in twice.message
    assert "made of snap-1" in twice.message


class Calls:
    """Records the calls that make a network, each with the route table that it names."""

    exceptions = SimpleNamespace(ClientError=ClientError)

    def __init__(self) -> None:
        self.made: list[tuple[str, str]] = []

    def __getattr__(self, name: str) -> Any:
        def call(**asked: Any) -> dict[str, Any]:
            self.made.append((name, asked.get("RouteTableId", "")))
            return {"RouteTable": {"RouteTableId": "rtb-new"}}

        return call


def test_a_route_table_of_others_gets_no_route_and_no_subnet() -> None:
    """Such as one without a way to the internet, in place of the cluster's own, which was deleted."""
    there, calls = scene.everything(), Calls()
    assert there.vpc
    vpc = dataclasses.replace(there.vpc, tables=("rtb-9",), default_route="", associated=("subnet-0", "subnet-1"))
    theirs = tuple(dataclasses.replace(each, foreign_table="rtb-9") for each in there.subnets)
    tags = {each: named for each, named in there.tags.items() if each != "rtb-1"}
    found = dataclasses.replace(there, vpc=vpc, subnets=(*theirs[:2], there.subnets[2]), tags=tags)
    client: Any = calls
    aws = Aws("eu-central-1", client, client, client, client, 0, 0, 0)
    network.build(aws, scene.wanted(), found, plan(scene.wanted(), found))
    assert [each for each in calls.made if "route" in each[0]] == [
        ("create_route_table", ""),
        ("create_route", "rtb-new"),
        ("associate_route_table", "rtb-new"),
    ]
    assert not plan(scene.wanted(), dataclasses.replace(found, subnets=theirs)).route
