"""Missing things on EC2."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.problem import errors
from ansible.module_utils.kraft.providers.ec2 import model
from ansible.module_utils.kraft.providers.ec2.asked import asked
from ansible.module_utils.kraft.providers.ec2.checks import against
from ansible.module_utils.kraft.providers.ec2.describe import plan_lines
from ansible.module_utils.kraft.providers.ec2.disks import data_disks
from ansible.module_utils.kraft.providers.ec2.launch import request
from ansible.module_utils.kraft.providers.ec2.model import Current, CurrentAddress, CurrentSubnet, Rule, Volume
from ansible.module_utils.kraft.providers.ec2.plan import plan
from ansible.module_utils.kraft.providers.ec2.reading import volumes
from ansible.module_utils.kraft.providers.ec2.requests import of_plan

from tests.unit.problems import named
from tests.unit.providers.ec2 import scene
from tests.unit.providers.ec2.scene import GROUP, HOSTS, MOUNT, ZONES
from tests.wording_files import Wording


def three(make: Any, **first: Any) -> tuple[Any, ...]:
    """All three, the first one changed."""
    return make(0, **first), make(1), make(2)


def lines(found: Current, **more: Any) -> list[str]:
    wanted = scene.wanted(**more)
    return plan_lines(wanted, found, plan(wanted, found))


def test_nothing_is_missing_where_everything_is_there() -> None:
    assert lines(scene.everything()) == []
    wanted = scene.wanted()
    made = plan(wanted, scene.everything())
    assert not made.network
    assert not made.work


def test_from_nothing_everything_is_made(wording: Wording) -> None:
    found = lines(scene.nothing())
    assert named(found[:5]) == [
        ["VPC", "10.40.0.0/16"],
        *([f"10.40.{at}.0/24", zone] for at, zone in enumerate(ZONES)),
        [],
    ]
    wording(found)
    assert sum(line.startswith("launch instance") for line in found) == 3
    assert sum(line.startswith("create volume") for line in found) == 3


def test_in_a_given_vpc_no_network_is_made() -> None:
    subnets = tuple(CurrentSubnet(f"subnet-{at}", "vpc-9", zone, f"10.9.{at}.0/24") for at, zone in enumerate(ZONES))
    found = scene.nothing(vpc=model.CurrentVpc("vpc-9", ("10.9.0.0/16",)), subnets=subnets)
    given = lines(found, vpc_id="vpc-9", subnet_ids=tuple(each.id for each in subnets))
    assert given[0] == "import key pair orders"


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (
            {"instances": three(scene.instance, state="stopped")},
            "start instance i-1",
        ),
        ({"instances": tuple(map(scene.instance, (2, 0)))}, "launch instance kafka2"),
        (
            {"instances": three(scene.instance, group_ids=("sg-x",))},
            "put instance i-1",
        ),
        (
            {"volumes": three(scene.volume, size=50)},
            "change volume vol-1 of kafka1: size",
        ),
        ({"volumes": (scene.volume(1), scene.volume(2))}, "create volume of 100 GiB for kafka1"),
        (
            {"volumes": three(scene.volume, instance_id="")},
            "attach volume vol-1 to kafka1",
        ),
        ({"keys": (), "tags": {k: v for k, v in scene.tags().items() if k != "orders"}}, "import key pair orders"),
    ],
)
def test_only_what_differs_is_done(changed: dict[str, Any], expected: str) -> None:
    found = [
        line for line in lines(scene.everything(**changed)) if not line.startswith("attach") or "vol-1" in expected
    ]
    assert len(found) == 1
    assert found[0].startswith(expected)


def test_a_lost_machine_is_launched_where_its_disk_is_and_gets_it_back(wording: Wording) -> None:
    found = scene.everything(instances=tuple(map(scene.instance, (0, 2))))
    assert named(lines(found)) == [
        ["kafka2", "m6i.large", "eu-central-1b", "2", "ami-1"],
        ["vol-2", "kafka2", "/dev/sdf"],
    ]
    wording(lines(found))


def test_foreign_rules_go_and_new_ones_come(wording: Wording) -> None:
    foreign = Rule(19093, 19093, "0.0.0.0/0")
    everything = scene.everything()
    group = dataclasses.replace(everything.groups[0], rules=(*everything.groups[0].rules, foreign))
    new = Rule(9092, 9092, "10.41.0.0/16", reason="listener CLIENT")
    changes = lines(scene.everything(groups=(group,)), rules=(*scene.RULES, new))
    assert [line.split()[0] for line in changes] == ["remove", "add"]
    assert named(changes) == [["19093", "0.0.0.0/0"], ["9092", "10.41.0.0/16", "CLIENT"]]
    wording(changes)


def test_a_new_zone_gets_the_lowest_free_subnet() -> None:
    found = scene.everything(subnets=scene.everything().subnets[1:])
    assert plan(scene.wanted(), found).subnets == (("eu-central-1a", "10.40.0.0/24"),)


def test_elastic_addresses_stay_with_their_hosts(wording: Wording) -> None:
    here = CurrentAddress("eipalloc-1", "kafka1", "198.51.100.1", "i-1")
    free = CurrentAddress("eipalloc-2", "kafka2", "198.51.100.2")
    found = scene.everything(addresses=(here, free))
    changes = lines(found, public_addresses=model.ELASTIC)
    assert named(changes) == [["kafka2", "IP", "198.51.100.2"], ["kafka3", "IP"]]
    wording(changes)


def test_a_machine_is_asked_for_with_its_address_group_and_tags() -> None:
    wanted = scene.wanted(nodes=(scene.node(0, private_ip="10.40.0.11"),), tags={"team": "data"})
    found = scene.everything(instances=())
    made = plan(wanted, found)
    asked_for = request(wanted, found, made.nodes["kafka1"], GROUP)
    assert asked_for["NetworkInterfaces"] == [
        {
            "DeviceIndex": 0,
            "DeleteOnTermination": True,
            "SubnetId": "subnet-0",
            "Groups": [GROUP],
            "AssociatePublicIpAddress": False,
            "PrivateIpAddress": "10.40.0.11",
        }
    ]
    tags = {each["Key"]: each["Value"] for each in asked_for["TagSpecifications"][0]["Tags"]}
    assert tags["kraftwright_node_id"] == "1"
    assert tags["team"] == "data"
    assert of_plan(wanted, found, made)["awaited"] == ["kafka1"]


def test_what_happens_on_a_machine_that_is_stopped_cannot_be_predicted_yet() -> None:
    found = scene.everything(instances=(scene.instance(0), scene.instance(1, state="stopped"), scene.instance(2)))
    wanted = scene.wanted()
    assert of_plan(wanted, found, plan(wanted, found))["awaited"] == ["kafka2"]


TWELVE = [{"mount": f"/srv/{number}", "size": 9} for number in range(12)]
TWICE = Volume(MOUNT, 9)


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ({"region": ""}, "ec2_region"),
        ({"cluster": "o r"}, "ec2_name"),
        ({"image": ""}, "ec2_image"),
        ({"public_key": ""}, "ec2_key"),
        ({"vpc_id": "vpc-1"}, "ec2_subnets"),
        ({"subnet_ids": ("subnet-1",)}, "ec2_vpc"),
        ({"vpc_cidr": "10.0.0.0/8"}, "ec2_vpc_cidr"),
        ({"vpc_cidr": "net"}, "ec2_vpc_cidr"),
        ({"nodes": (dataclasses.replace(scene.node(0), zone=""),)}, "ec2_zone"),
        ({"nodes": (scene.node(0, private_ip="300.1.1.1"),)}, "ec2_private_ip"),
        ({"nodes": (scene.node(0, volumes=(Volume(MOUNT, 0),)),)}, "ec2_volume"),
        ({"nodes": (scene.node(0, volumes=(Volume(MOUNT, 9, iops=1),)),)}, "ec2_volume"),
        ({"nodes": (scene.node(0, volumes=volumes(TWELVE)),)}, "ec2_volume"),
        (
            {"nodes": (scene.node(0, volumes=(TWICE, TWICE)),)},
            "ec2_volume",
        ),
    ],
)
def test_what_is_wrong_is_refused_before_aws_is_asked(more: dict[str, Any], rule: str) -> None:
    assert rule in {each.rule for each in errors(asked(scene.wanted(**more)))}


GIVEN = {"vpc_id": "vpc-9", "subnet_ids": ("subnet-0", "subnet-1", "subnet-2")}
OUTSIDE = tuple(CurrentSubnet(f"subnet-{at}", "vpc-8", zone, f"10.9.{at}.0/24") for at, zone in enumerate(ZONES))
TWO = tuple(CurrentSubnet(f"subnet-{at}", "vpc-9", zone, f"10.9.{at}.0/24") for at, zone in enumerate(ZONES[:2]))
VPC = model.CurrentVpc("vpc-9", ("10.9.0.0/16",))


@pytest.mark.parametrize(
    ("more", "found", "rule"),
    [
        (GIVEN, scene.nothing(subnets=TWO), "ec2_vpc"),
        (GIVEN, scene.nothing(vpc=VPC, subnets=TWO), "ec2_subnet"),
        (GIVEN, scene.nothing(vpc=VPC, subnets=OUTSIDE), "ec2_subnet"),
        ({**GIVEN, "subnet_ids": ("subnet-0", "subnet-1")}, scene.nothing(vpc=VPC, subnets=TWO), "ec2_zone"),
        ({}, dataclasses.replace(scene.nothing(), zones=ZONES[:2]), "ec2_zone"),
        ({}, dataclasses.replace(scene.nothing(), image_id=""), "ec2_image"),
        ({"key_name": "gone", "public_key": ""}, scene.nothing(), "ec2_key"),
        ({"cluster_id": "another"}, scene.everything(), "ec2_cluster"),
        ({}, scene.everything(instances=(scene.instance(0), scene.instance(0, id="i-9"))), "ec2_twice"),
        ({}, scene.everything(instances=(scene.instance(0, node_id="7"),)), "ec2_node_id"),
        ({}, scene.everything(instances=(scene.instance(0, zone=ZONES[1]),)), "ec2_zone"),
        ({}, scene.everything(volumes=(scene.volume(0, size=500),)), "ec2_volume"),
        ({}, scene.everything(volumes=(scene.volume(0, zone=ZONES[2]),)), "ec2_zone"),
        ({}, scene.everything(groups=(model.CurrentGroup("sg-1", "kafka-brokers-orders", "vpc-1"),)), "ec2_group"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_made(more: dict[str, Any], found: Current, rule: str) -> None:
    assert rule in {each.rule for each in errors(against(scene.wanted(**more), found))}


def test_what_is_there_as_wanted_is_not_refused() -> None:
    assert against(scene.wanted(), scene.everything()) == []
    assert asked(scene.wanted()) == []


def test_another_type_and_hosts_that_are_not_listed_are_said_and_left_alone() -> None:
    wanted = scene.wanted(nodes=(dataclasses.replace(scene.node(0), instance_type="m7i.large"),))
    found = against(wanted, scene.everything())
    assert [each.rule for each in found] == ["ec2_unlisted", "ec2_unlisted", "ec2_type"]
    assert errors(found) == []
    assert not plan(wanted, scene.everything()).nodes[HOSTS[0]].launch


def test_as_many_volumes_as_there_are_names_of_devices_are_fine() -> None:
    wanted = scene.wanted(nodes=(scene.node(0, volumes=volumes(TWELVE[:11])),))
    assert errors(asked(wanted)) == []


def test_a_host_finds_its_disks_by_the_volumes_id_and_a_missing_one_by_no_device() -> None:
    given = [{"mount": "/srv/a", "size": 1}, {"mount": "/srv/b", "size": 1}]
    device = "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0123456789abcdef0"
    found = data_disks(given, {"kraftwright_disk:/srv/b": "vol-0123456789abcdef0", "Name": "orders-kafka1"})
    assert found[1] == {"device": device, "mount": "/srv/b"}
    assert "not-attached" in found[0]["device"]
    assert len({each["device"] for each in data_disks(given, {})}) == 2
    with pytest.raises(KraftError, match="ec2_tags"):
        data_disks(given, [])  # type: ignore[arg-type]


def test_a_volume_keeps_its_device_and_others_get_free_ones() -> None:
    volumes_ = (Volume("/srv/new", 10), Volume(MOUNT, 100))
    wanted = scene.wanted(nodes=(scene.node(0, volumes=volumes_),))
    found = scene.everything(instances=(scene.instance(0, devices={"/dev/xvda": "vol-9", "/dev/sdf": "vol-1"}),))
    assert [(each.device, each.make) for each in plan(wanted, found).nodes["kafka1"].volumes] == [
        ("/dev/sdg", True),
        ("/dev/sdf", False),
    ]


def test_a_disk_of_another_type_keeps_its_iops_and_still_grows() -> None:
    """As one that an operator made an io2: gp3's numbers are not for it."""
    faster = scene.volume(0, kind="io2", iops=20000, throughput=0)
    found = scene.everything(volumes=(faster, *scene.everything().volumes[1:]))
    assert not plan(scene.wanted(), found).nodes["kafka1"].volumes[0].modify
    larger = scene.node(0, volumes=(Volume(scene.MOUNT, 200),))
    (grown,) = plan(scene.wanted(nodes=(larger,)), found).nodes["kafka1"].volumes
    assert (grown.changes, dict(grown.target)) == ("size 100 to 200 GiB", {"Size": 200})


def test_a_free_address_of_a_lost_machine_is_used_again() -> None:
    free = CurrentAddress("eipalloc-1", "kafka1", "198.51.100.1")
    found = scene.everything(instances=(), addresses=(free,))
    node = plan(scene.wanted(public_addresses=model.ELASTIC), found).nodes["kafka1"]
    assert (node.allocate, node.associate, node.address) == (False, True, free)


def test_tags_that_are_missing_are_set_and_those_of_others_are_left_alone() -> None:
    tags = {**scene.tags(), "vol-1": {**scene.tags()["vol-1"], "CostCentre": "7"}}
    made = plan(scene.wanted(tags={"team": "data"}), scene.everything(tags=tags))
    assert {tuple(each) for each in made.tags.values()} == {("team",)}
    assert "orders" not in made.tags
    del tags["i-1"]["kraftwright_disk:" + MOUNT]
    made = plan(scene.wanted(), scene.everything(tags=tags))
    assert made.tags == {"i-1": {"kraftwright_disk:" + MOUNT: "vol-1"}}
    assert not made.nodes["kafka1"].is_labelled


def test_a_renamed_listener_changes_the_description_of_its_rule() -> None:
    group = scene.everything().groups[0]
    rules = tuple(dataclasses.replace(each, reason="listener OLD") for each in group.rules)
    found = scene.everything(groups=(dataclasses.replace(group, rules=rules),))
    made = plan(scene.wanted(), found)
    assert (made.add, made.remove, len(made.reword)) == ((), (), 4)


@pytest.mark.parametrize("changed", [{"default_route": ""}, {"associated": ("subnet-0",)}, {"gateway": ""}])
def test_a_way_to_the_internet_that_is_cut_is_made_again(changed: dict[str, Any]) -> None:
    vpc = scene.everything().vpc
    assert vpc is not None
    assert lines(scene.everything(vpc=dataclasses.replace(vpc, **changed))) == ["route subnets to the internet"]


def test_protection_that_was_switched_off_is_switched_on_again() -> None:
    found = scene.everything(instances=three(scene.instance, protected=False))
    assert lines(found, protection=True) == ["protect instance i-1 (kafka1) from termination"]
    assert lines(found) == []
