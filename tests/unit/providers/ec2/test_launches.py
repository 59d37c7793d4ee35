"""Refusals of AWS at a launch that the look foresees: type, image, subnet, placement group."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.problem import errors
from ansible.module_utils.kraft.providers.ec2 import checks, model
from ansible.module_utils.kraft.providers.ec2.model import CurrentPlacement, CurrentSubnet
from ansible.module_utils.kraft.providers.ec2.plan import subnet_of

from tests.unit.providers.ec2 import scene

TYPE = "m6i.large"
ASKED: dict[str, Any] = {"types": {TYPE: ("x86_64",)}, "offered": {TYPE: scene.ZONES}, "architecture": "x86_64"}
GROUP: dict[str, Any] = {"placement_group": "orders"}
IN_TWO = {**GROUP, "nodes": (scene.node(0, partition=2),)}
GIVEN: dict[str, Any] = {"vpc_id": "vpc-1", "subnet_ids": ("subnet-8", "subnet-9"), "nodes": (scene.node(0),)}
TWO_OF_A_ZONE = {**GIVEN, "nodes": (scene.node(0), dataclasses.replace(scene.node(1), zone=scene.ZONES[0]))}


def subnets(*free: int) -> dict[str, Any]:
    """Return a VPC with two subnets of one zone, and their free addresses."""
    made = (
        CurrentSubnet(f"subnet-{8 + at}", "vpc-1", scene.ZONES[0], f"10.40.{at}.0/24", free=n)
        for at, n in enumerate(free)
    )
    return {"vpc": scene.everything().vpc, "subnets": tuple(made)}


CASES: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "the zone lacks the type": ({}, {"offered": {TYPE: scene.ZONES[1:]}}, "ec2_type", "kafka_ec2_instance_type"),
    "the image is larger": ({}, {"least_root": 30}, "ec2_root", "kafka_ec2_root_volume_size"),
    "no such group": (GROUP, {}, "ec2_placement", "kafka_ec2_placement_group"),
    "the group is deleted": (
        GROUP,
        {"placement": CurrentPlacement("orders", "deleting")},
        "ec2_placement",
        "kafka_ec2_placement_group",
    ),
    "a partition of a spread group": (
        IN_TWO,
        {"placement": CurrentPlacement("orders", strategy="spread")},
        "ec2_placement",
        "kafka_ec2_partition",
    ),
    "too few partitions": (
        IN_TWO,
        {"placement": CurrentPlacement("orders", strategy="partition", partitions=1)},
        "ec2_placement",
        "kafka_ec2_partition",
    ),
    "the disks of the type have no names": (
        {},
        {"traits": {TYPE: {"boot": ["legacy-bios"], "xen": True}}},
        "ec2_type",
        "kafka_ec2_instance_type",
    ),
    "the type boots otherwise": (
        {},
        {"traits": {TYPE: {"boot": ["legacy-bios"]}}, "boot": "uefi"},
        "ec2_type",
        "kafka_ec2_instance_type",
    ),
    "the image lacks the driver of the type": (
        {},
        {"traits": {TYPE: {"ena": True}}, "ena": False},
        "ec2_type",
        "kafka_ec2_instance_type",
    ),
    "the type takes fewer disks": (
        {},
        {"traits": {TYPE: {"disks": 1}}},
        "ec2_type",
        "kafka_ec2_instance_type",
    ),
    "all subnets of the zone are full": (GIVEN, subnets(0, 0), "ec2_subnet", "kafka_ec2_subnet_ids"),
    "one address for two machines": (TWO_OF_A_ZONE, subnets(1, 9), "ec2_subnet", "kafka_ec2_subnet_ids"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_launch_that_aws_would_refuse_is_refused_before_the_first_change(case: str) -> None:
    wanted, found, rule, variable = CASES[case]
    problems = errors(checks.against(scene.wanted(**wanted), scene.nothing(**{**ASKED, **found})))
    assert (rule, variable, "kafka1") in {(each.rule, each.variable, each.host) for each in problems}


SMALL = (CurrentSubnet("subnet-8", "vpc-1", scene.ZONES[0], "10.40.0.4/32", free=-4),)
FINE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "all fits": ({}, {"least_root": 20}),
    "the group has the partition": (
        IN_TWO,
        {"placement": CurrentPlacement("orders", strategy="partition", partitions=2)},
    ),
    "a subnet has room": (GIVEN, subnets(0, 3)),
    "two addresses for two machines": (TWO_OF_A_ZONE, subnets(2, 9)),
    "a simulator's small subnets": (
        {**GIVEN, "subnet_ids": ("subnet-8",)},
        {"vpc": scene.everything().vpc, "subnets": SMALL},
    ),
    "AWS does not say whether the image has the driver": ({}, {"traits": {TYPE: {"ena": True, "disks": 0}}}),
    "the type takes just these disks": ({}, {"traits": {TYPE: {"ena": True, "disks": 2}}, "ena": True}),
}


@pytest.mark.parametrize("case", FINE)
def test_a_launch_that_fits_is_no_error(case: str) -> None:
    wanted, found = FINE[case]
    assert errors(checks.against(scene.wanted(**wanted), scene.nothing(**{**ASKED, **found}))) == []


def test_a_machine_comes_to_the_first_subnet_with_room() -> None:
    wanted, found = scene.wanted(**GIVEN), scene.nothing(**subnets(0, 3))
    chosen = subnet_of(wanted, found, scene.node(0))
    assert chosen is not None
    assert chosen.id == "subnet-9"
    full = dataclasses.replace(found, subnets=subnets(0, 0)["subnets"])
    assert isinstance(subnet_of(wanted, full, scene.node(0)), model.CurrentSubnet)
