"""Ambiguous, foreign or changed things on EC2: refused or reported, never silent."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.problem import WARNING, errors
from ansible.module_utils.kraft.providers.ec2 import model
from ansible.module_utils.kraft.providers.ec2.asked import asked
from ansible.module_utils.kraft.providers.ec2.checks import against
from ansible.module_utils.kraft.providers.ec2.model import Current, CurrentAddress, CurrentKey, Rule, Volume
from ansible.module_utils.kraft.providers.ec2.plan import launch_tags

from tests.unit.providers.ec2 import scene
from tests.unit.providers.ec2.scene import MOUNT

COPY = scene.volume(
    0, id="vol-9", instance_id="", device="", state="available", snapshot="snap-1", created="2026-01-01"
)
TWO_ADDRESSES = tuple(CurrentAddress(f"eipalloc-{at}", "kafka1", f"198.51.100.{at}") for at in (1, 2))
OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"


@pytest.mark.parametrize(
    ("found", "rule", "shown"),
    [
        (scene.everything(volumes=(COPY, scene.volume(0))), "ec2_twice", ("vol-9", "vol-1", "snap-1", "2026-01-01")),
        (scene.everything(addresses=TWO_ADDRESSES), "ec2_twice", ("eipalloc-1", "198.51.100.2")),
        (scene.everything(instances=(scene.instance(0), scene.instance(0, id="i-9"))), "ec2_twice", ("i-1", "i-9")),
        (scene.everything(vpcs=("vpc-1", "vpc-2")), "ec2_twice", ("vpc-1", "vpc-2")),
        (scene.everything(volumes=(scene.volume(0, mount=""),)), "ec2_untagged", ("vol-1",)),
        (scene.everything(volumes=(scene.volume(0, host=""),)), "ec2_untagged", ("vol-1",)),
        (scene.everything(instances=(scene.instance(0, host=""),)), "ec2_untagged", ("i-1",)),
        (scene.everything(volumes=(scene.volume(0, instance_id="i-2"),)), "ec2_disk_elsewhere", ("vol-1", "kafka2")),
        (scene.everything(keys=(CurrentKey("orders", OTHER_KEY, owned=True),)), "ec2_key", ("orders",)),
        (scene.everything(keys=(CurrentKey("orders", OTHER_KEY),)), "ec2_key", ("orders",)),
        (scene.everything(keys=(CurrentKey("orders"),)), "ec2_key", ("orders",)),
    ],
)
def test_what_could_be_one_thing_or_another_is_refused(found: Current, rule: str, shown: tuple[str, ...]) -> None:
    refused = [each for each in errors(against(scene.wanted(), found)) if each.rule == rule]
    assert refused
    assert all(any(each in problem.message for problem in refused) for each in shown)


def test_a_subnet_without_ipv4_is_refused_where_it_is_named_and_nowhere_else() -> None:
    vpc = model.CurrentVpc("vpc-9", ("10.9.0.0/16",))
    subnets = tuple(model.CurrentSubnet(f"subnet-{at}", "vpc-9", zone, "") for at, zone in enumerate(scene.ZONES))
    named = {"vpc_id": "vpc-9", "subnet_ids": ("subnet-0",)}
    found = errors(against(scene.wanted(**named), scene.nothing(vpc=vpc, subnets=subnets)))
    assert ("ec2_subnet", "subnet-0") in {(each.rule, each.value) for each in found}
    unused = (*scene.everything().subnets, model.CurrentSubnet("subnet-6", "vpc-1", scene.ZONES[0], ""))
    assert against(scene.wanted(), scene.everything(subnets=unused)) == []


GROUP = scene.everything().groups[0]
SUBNET = scene.everything().subnets[0]
KEY = scene.KEY
FORMER_KEY = {**scene.tags(), "i-1": {**scene.tags()["i-1"], model.KEY: "0" * 16}}
VPC = scene.everything().vpc


@pytest.mark.parametrize(
    ("more", "changed", "rule"),
    [
        ({}, {"groups": (dataclasses.replace(GROUP, egress=()),)}, "ec2_egress"),
        ({}, {"vpc": dataclasses.replace(VPC, default_route="nat-1")}, "ec2_route"),  # type: ignore[type-var]
        ({}, {"subnets": (dataclasses.replace(SUBNET, foreign_table="rtb-9"),)}, "ec2_route"),
        ({}, {"subnets": (dataclasses.replace(SUBNET, foreign_table="rtb-9", foreign_route="nat-1"),)}, "ec2_route"),
        (
            {"key_name": "orders", "public_key": ""},
            {"tags": FORMER_KEY, "keys": (CurrentKey("orders", KEY),)},
            "ec2_key",
        ),
        ({}, {"tags": FORMER_KEY}, "ec2_key"),
        ({}, {"kms_keys": {"alias-a": "arn:b"}, "volumes": (scene.volume(0, kms_key="arn:a"),)}, "ec2_volume"),
        ({}, {"instances": (scene.instance(0, tokens="optional"),)}, "ec2_imds"),
        ({}, {"instances": (scene.instance(0, protected=True),)}, "ec2_protection"),
        ({"monitoring": True}, {}, "ec2_monitoring"),
        ({"public_addresses": model.ASSIGNED}, {}, "ec2_address"),
        ({}, {"instances": (scene.instance(0, public_ip="203.0.113.1"),)}, "ec2_address"),
        ({}, {"addresses": (CurrentAddress("eipalloc-1", "kafka1", "198.51.100.1", "i-1"),)}, "ec2_address"),
        ({}, {"volumes": (scene.volume(0, kms_key="arn:aws:kms:eu-central-1:1:key/b"),)}, "ec2_volume"),
        ({}, {"instances": (), "ended": (scene.instance(0, state="terminated", reason="Client.X"),)}, "ec2_ended"),
        ({"root_size": 40}, {"instances": (scene.instance(0, root="vol-r", root_size=20),)}, "ec2_root"),
        ({}, {"instances": (scene.instance(0, root="vol-r", root_type="gp2"),)}, "ec2_root"),
        ({"instance_profile": "nodes"}, {}, "ec2_profile"),
        ({"user_data": "#cloud-config"}, {}, "ec2_user_data"),
        ({"placement_group": "orders"}, {}, "ec2_placement"),
        ({}, {"instances": (scene.instance(0, placement_group="orders", partition=1),)}, "ec2_placement"),
        ({"rules": tuple(Rule(9092, 9092, f"10.1.{at}.0/24") for at in range(61))}, {}, "ec2_rules"),
        ({"rules": (Rule(9092, 9092, "pl-0a1b2c3d"),)}, {"sources": {"pl-0a1b2c3d": 70}}, "ec2_rules"),
        ({}, {"image_id": "ami-1", "deprecated": "2026-01-01T00:00:00.000Z", "instances": ()}, "ec2_image"),
    ],
)
def test_what_differs_and_is_left_as_it_is_is_said(more: dict[str, Any], changed: dict[str, Any], rule: str) -> None:
    node = scene.node(0, volumes=(Volume(MOUNT, 100, kms_key="alias-a" if rule == "ec2_volume" else ""),))
    found = dataclasses.replace(scene.everything(), **changed)
    told = [each for each in against(scene.wanted(nodes=(node,), **more), found) if each.rule == rule]
    assert [each.severity for each in told] == [WARNING]


def test_the_number_of_rules_is_said_only_while_rules_are_added() -> None:
    many = (*(Rule(9092, 9092, f"10.1.{at}.0/24") for at in range(60)), Rule(19092, 19092, model.OWN_GROUP))
    there = dataclasses.replace(GROUP, rules=(*many[:-1], dataclasses.replace(many[-1], source=GROUP.id)))
    told = [against(scene.wanted(rules=many), scene.everything(groups=(group,))) for group in (GROUP, there)]
    assert [any(each.rule == "ec2_rules" for each in one) for one in told] == [True, False]


LAUNCHED = (
    scene.instance(0, instance_profile="arn:aws:iam::1:instance-profile/nodes", placement_group="g", partition=2),
)


def test_a_machine_that_was_launched_as_it_is_wanted_says_nothing() -> None:
    wanted = scene.wanted(instance_profile="nodes", placement_group="g", user_data="#!", nodes=(scene.node(0),))
    tags = {**scene.tags(), "i-1": {**scene.tags()["i-1"], **launch_tags(wanted, scene.everything())}}
    told = against(wanted, scene.everything(instances=LAUNCHED, tags=tags))
    assert {each.rule for each in told} == {"ec2_unlisted"}


@pytest.mark.parametrize(
    ("more", "changed", "rule"),
    [
        ({}, {"types": {}}, "ec2_type"),
        ({}, {"types": {"m6i.large": ["x86_64"]}, "architecture": "arm64"}, "ec2_type"),
        ({"rules": (Rule(9092, 9092, "sg-0a1b2c3d"),)}, {"sources": {}}, "ec2_source"),
        ({"rules": (Rule(9092, 9092, "pl-0a1b2c3d"),)}, {"sources": {}}, "ec2_source"),
        ({"nodes": (scene.node(0, private_ip="10.40.0.3"),)}, {}, "ec2_private_ip"),
        ({"nodes": (scene.node(0, private_ip="10.40.0.255"),)}, {}, "ec2_private_ip"),
        ({"nodes": (scene.node(0, private_ip="10.50.0.9"),)}, {}, "ec2_private_ip"),
        ({"vpc_cidr": "10.40.0.0/28"}, {}, "ec2_vpc_cidr"),
        ({"public_addresses": model.ELASTIC}, {"spare_addresses": 2}, "ec2_address"),
        (
            {"nodes": (scene.node(0, volumes=(Volume(MOUNT, 100, kms_key="k"),)),)},
            {"kms_keys": {"k": ""}},
            "ec2_volume",
        ),
    ],
)
def test_what_aws_would_refuse_of_what_is_to_be_made_is_refused_before(
    more: dict[str, Any], changed: dict[str, Any], rule: str
) -> None:
    assert {each.rule for each in errors(against(scene.wanted(**more), scene.nothing(**changed)))} == {rule}


def test_one_private_address_for_two_hosts_is_refused_for_each() -> None:
    nodes = tuple(scene.node(at, private_ip=f"10.40.0.{9 if at else 8}") for at in range(3))
    found = [(each.rule, each.host) for each in errors(asked(scene.wanted(nodes=nodes)))]
    assert found == [("ec2_private_ip", "kafka2"), ("ec2_private_ip", "kafka3")]


def test_a_group_of_another_account_is_not_looked_for() -> None:
    rules = (Rule(9092, 9092, "sg-0a1b2c3d", account="123456789012"),)
    assert errors(against(scene.wanted(rules=rules), scene.nothing(sources={}))) == []


@pytest.mark.parametrize(
    ("more", "rule", "variable"),
    [
        ({"nodes": (scene.node(0, volumes=(Volume(MOUNT, 100, throughput=1000),)),)}, "ec2_volume", "throughput"),
        ({"nodes": (scene.node(0, volumes=(Volume(MOUNT, 6, iops=4000),)),)}, "ec2_volume", "iops"),
        ({"nodes": (scene.node(0, volumes=(Volume(MOUNT, 70000),)),)}, "ec2_volume", "size"),
        (
            {"nodes": (scene.node(0, volumes=(Volume(MOUNT, 9, kms_key="arn:aws:kms:us-east-1:1:key/k"),)),)},
            "ec2_volume",
            "kms_key",
        ),
        ({"public_key": "~/.ssh/id_ed25519.pub"}, "ec2_key", "kafka_ec2_public_key"),
        ({"public_key": "-----BEGIN OPENSSH PRIVATE KEY-----"}, "ec2_key", "kafka_ec2_public_key"),
        ({"public_key": "ecdsa-sha2-nistp256 AAAA"}, "ec2_key", "kafka_ec2_public_key"),
        ({"user_data": "x" * 16385}, "ec2_user_data", "kafka_ec2_user_data"),
        ({"nodes": (scene.node(0, partition=1),)}, "ec2_placement", "kafka_ec2_partition"),
        ({"nodes": (scene.node(0, partition=8),), "placement_group": "g"}, "ec2_placement", "kafka_ec2_partition"),
        ({"tags": {"aws:x": "1"}}, "ec2_tags", "kafka_ec2_tags"),
        ({"tags": {"kraftwright_host": "1"}}, "ec2_tags", "kafka_ec2_tags"),
        ({"tags": {"k": "v" * 257}}, "ec2_tags", "kafka_ec2_tags"),
        ({"tags": {f"k{at}": "" for at in range(40)}}, "ec2_tags", "kafka_ec2_tags"),
    ],
)
def test_what_aws_would_refuse_halfway_is_refused_before(more: dict[str, Any], rule: str, variable: str) -> None:
    assert [(each.rule, variable in each.variable) for each in errors(asked(scene.wanted(**more)))] == [(rule, True)]


def test_what_gp3_has_since_2025_is_accepted() -> None:
    large = Volume(MOUNT, 65536, iops=80000, throughput=2000)
    assert asked(scene.wanted(nodes=(scene.node(0, volumes=(large,)),))) == []


@pytest.mark.parametrize(
    ("more", "changed"),
    [
        ({"public_addresses": model.ELASTIC}, {"spare_addresses": 3}),
        ({"public_addresses": model.ELASTIC}, {"spare_addresses": None}),
        ({"public_addresses": model.ELASTIC}, {"spare_addresses": 2, "addresses": TWO_ADDRESSES[:1]}),
        (
            {"nodes": (scene.node(0, volumes=(Volume(MOUNT, 100, kms_key="k"),)),)},
            {"kms_keys": {"k": "arn:aws:kms:::key/a"}},
        ),
        ({"nodes": (scene.node(0, volumes=(Volume(MOUNT, 100, kms_key="k"),)),)}, {"kms_keys": {}}),
    ],
)
def test_quotas_that_suffice_and_keys_that_exist_or_are_unknown_are_accepted(
    more: dict[str, Any], changed: dict[str, Any]
) -> None:
    assert errors(against(scene.wanted(**more), scene.nothing(**changed))) == []


def test_an_alias_that_was_not_resolved_and_a_foreign_table_with_a_route_are_no_difference() -> None:
    node = scene.node(0, volumes=(Volume(MOUNT, 100, kms_key="alias/a"),))
    volume = scene.volume(0, kms_key="arn:aws:kms:eu-central-1:1:key/b")
    subnets = (
        dataclasses.replace(SUBNET, foreign_table="rtb-9", foreign_route="igw-1"),
        *scene.everything().subnets[1:],
    )
    for known in ({}, {"alias/a": "arn:aws:kms:eu-central-1:1:key/b"}):
        found = scene.everything(volumes=(volume,), subnets=subnets, kms_keys=known)
        told = against(scene.wanted(nodes=(node,)), found)
        assert {each.rule for each in told} == {"ec2_unlisted"}
