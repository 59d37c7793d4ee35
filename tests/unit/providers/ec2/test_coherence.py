"""Things that AWS does not show as the cluster's, although others prove that they exist."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.problem import ERROR, WARNING
from ansible.module_utils.kraft.providers.ec2 import checks, model
from ansible.module_utils.kraft.providers.ec2.model import CurrentAddress
from ansible.module_utils.kraft.providers.ec2.plan import plan

from tests.unit.providers.ec2 import scene

ADDRESS = CurrentAddress("eipalloc-1", "kafka1", "198.51.100.1", "i-1", "eipassoc-1", "eni-1")
ELASTIC: dict[str, Any] = {"public_addresses": model.ELASTIC, "nodes": (scene.node(0),)}


def one(**more: Any) -> model.Current:
    """Return what is there, with one machine that differs by `more`."""
    others = tuple(scene.instance(at, vpc_id="vpc-1") for at in (1, 2))
    given = {"vpc_id": "vpc-1", "subnet_id": "subnet-0", "devices": {"/dev/sdf": "vol-1"}, **more}
    return scene.everything(instances=(scene.instance(0, **given), *others))


def changed(found: model.Current, **more: Any) -> model.Current:
    return dataclasses.replace(found, **more)


def on(holder: str) -> model.Current:
    """Return what is there, with the Elastic IP on another machine; on an interface if `holder` is empty."""
    return changed(one(), addresses=(dataclasses.replace(ADDRESS, instance_id=holder),))


def disk(**more: Any) -> model.Current:
    """Return what is there, with one disk that differs by `more`; its machine does not have it."""
    return changed(one(devices={}), volumes=(scene.volume(0, **more), *DISKS[1:]))


DISKS = tuple(map(scene.volume, range(3)))
NO_NETWORK: dict[str, Any] = {"vpc": None, "vpcs": (), "subnets": (), "groups": ()}
OTHER: dict[str, Any] = {"vpc": model.CurrentVpc("vpc-2", ("10.9.0.0/16",))}
RESTORED = scene.volume(0, id="vol-9", instance_id="")
RESTORED_COPY = scene.volume(0, id="vol-9", instance_id="", snapshot="snap-1")
CASES: dict[str, tuple[dict[str, Any], model.Current, str, str]] = {
    "the VPC has lost its tags": ({}, changed(one(), **NO_NETWORK), "ec2_vpc", ERROR),
    "another VPC is given": ({"vpc_id": "vpc-2"}, changed(one(), **OTHER), "ec2_vpc", ERROR),
    "the machine is in further groups": ({}, one(group_ids=(scene.GROUP, "sg-9")), "ec2_groups", WARNING),
    "the disk is of another type": ({}, disk(kind="io2"), "ec2_volume", WARNING),
    "the disk is not encrypted": ({}, disk(encrypted=False), "ec2_volume", WARNING),
    "a restored disk is attached": ({}, disk(snapshot="snap-1", instance_id=""), "ec2_volume", WARNING),
    "the gateway has lost its tags": (
        {},
        changed(one(), tags={each: tags for each, tags in scene.tags().items() if each != "igw-1"}),
        "ec2_untagged",
        WARNING,
    ),
    "its own VPC stays": ({"vpc_id": "vpc-2"}, changed(one(), **OTHER, instances=()), "ec2_vpc", WARNING),
    "the subnet has lost its tags": ({}, one(subnet_id="subnet-9"), "ec2_untagged", WARNING),
    "the disk has lost its tags": ({}, changed(one(), volumes=DISKS[1:]), "ec2_untagged", ERROR),
    "the disk was detached and has lost its tags": (
        {},
        changed(one(devices={}), volumes=DISKS[1:]),
        "ec2_untagged",
        ERROR,
    ),
    "a restored disk goes to a new machine": (
        {},
        changed(one(), volumes=(RESTORED_COPY, *DISKS[1:]), instances=one().instances[1:]),
        "ec2_volume",
        WARNING,
    ),
    "another disk has the tags of the mounted one": (
        {},
        changed(one(), volumes=(RESTORED, *DISKS[1:])),
        "ec2_untagged",
        ERROR,
    ),
    "the machine has lost its tags, or an old answer lacks it": (
        {},
        changed(one(), instances=one().instances[1:]),
        "ec2_disk_elsewhere",
        ERROR,
    ),
    "the disk is on a machine of others": (
        {},
        changed(one(), volumes=(scene.volume(0, instance_id="i-9"), *DISKS[1:])),
        "ec2_disk_elsewhere",
        ERROR,
    ),
    "the address is on a machine of others": (ELASTIC, on("i-9"), "ec2_address", ERROR),
    "the address is on an interface of others": (ELASTIC, on(""), "ec2_address", ERROR),
    "the address has lost its tags": (ELASTIC, one(elastic=True, public_ip="198.51.100.1"), "ec2_address", ERROR),
}


@pytest.mark.parametrize("case", CASES)
def test_what_exists_without_tags_is_not_made_twice(case: str) -> None:
    wanted, found, rule, severity = CASES[case]
    problems = [each for each in checks.against(scene.wanted(**wanted), found) if each.rule == rule]
    assert severity in {each.severity for each in problems}
    assert all(each.remedy for each in problems if each.severity == ERROR)


ENDING: dict[str, Any] = {"instances": one().instances[1:], "ended": (scene.instance(0, state="shutting-down"),)}
FINE: dict[str, tuple[dict[str, Any], model.Current]] = {
    "all is as it was wanted": ({}, one()),
    "the address is on its machine": (ELASTIC, changed(one(elastic=True), addresses=(ADDRESS,))),
    "an assigned address is replaced": (ELASTIC, one(public_ip="203.0.113.7")),
    "the machine ends, and still has its disk": ({}, changed(one(), **ENDING, zones=scene.ZONES)),
    "a disk was replaced by hand": ({}, changed(one(devices={}), volumes=(RESTORED, *DISKS[1:]))),
}


@pytest.mark.parametrize("case", FINE)
def test_what_people_may_do_is_no_error(case: str) -> None:
    wanted, found = FINE[case]
    assert [each for each in checks.against(scene.wanted(**wanted), found) if each.severity == ERROR] == []


def test_a_disk_that_would_end_with_its_machine_is_kept() -> None:
    made = plan(scene.wanted(), one(perishable=("vol-1",)))
    assert (made.nodes["kafka1"].keep, made.work) == (("/dev/sdf",), True)
    assert not plan(scene.wanted(), one()).nodes["kafka1"].keep


def test_a_new_zone_gets_its_subnet_and_its_route_in_one_run() -> None:
    there = scene.everything()
    made = plan(scene.wanted(), changed(there, subnets=there.subnets[:2], instances=there.instances[:2]))
    assert (made.subnets, made.route) == ((("eu-central-1c", "10.40.2.0/24"),), True)
