"""Things that are removed with a cluster, and those that stay."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.module_utils.kraft.problem import WARNING, errors
from ansible.module_utils.kraft.providers.ec2 import model, remove
from ansible.module_utils.kraft.providers.ec2.account import AccountError
from ansible.module_utils.kraft.providers.ec2.model import CurrentAddress, CurrentGroup, CurrentVpc
from ansible.module_utils.kraft.providers.ec2.removal import (
    Removal,
    host_removal_refusals,
    removal,
    removal_lines,
    removal_refusals,
)
from ansible.module_utils.kraft.providers.ec2.waiting import Aws
from botocore.exceptions import ClientError

from tests.unit.providers.ec2 import scene

NAME = "orders"


def with_ids(other: dict[str, str]) -> dict[str, dict[str, str]]:
    """The tags of everything, some with another cluster id; empty: with none."""
    ids = {each: {model.CLUSTER_ID: found} if found else {} for each, found in other.items()}
    return {**scene.tags(), **{each: {model.CLUSTER: NAME, **found} for each, found in ids.items()}}


def test_what_carries_the_tag_goes_and_data_stay() -> None:
    found = scene.everything(addresses=(CurrentAddress("eipalloc-1", "kafka1", "198.51.100.1"),))
    gone = removal(found, delete_data=False)
    assert gone == Removal(
        instances=("i-1", "i-2", "i-3"),
        groups=(scene.GROUP,),
        key_pairs=("orders",),
        tables=("rtb-1",),
        gateway="igw-1",
        subnets=("subnet-0", "subnet-1", "subnet-2"),
        vpc="vpc-1",
    )
    assert removal(found, delete_data=True).volumes == ("vol-1", "vol-2", "vol-3")
    assert removal(found, delete_data=True).addresses == ("eipalloc-1",)
    assert removal_lines(found, gone)[0] == "terminate instance i-1 (kafka1)"


def test_a_given_vpc_and_foreign_groups_and_keys_stay() -> None:
    given = CurrentVpc("vpc-9", ("10.9.0.0/16",), gateway="igw-9", tables=("rtb-9",))
    subnets = tuple(dataclasses.replace(each, owned=False) for each in scene.everything().subnets)
    groups = (CurrentGroup("sg-9", "kafka-brokers-orders", "vpc-9"),)
    found = scene.everything(vpc=given, subnets=subnets, groups=groups, keys=(), instances=())
    assert removal(found, delete_data=False) == Removal()


@pytest.mark.parametrize(
    ("protected", "confirmed", "delete_data", "refused"),
    [
        (True, "", "", ["ec2_destroy"]),
        (True, "payments", "", ["ec2_destroy"]),
        (False, "payments", "", ["ec2_destroy"]),
        (True, NAME, "payments", ["ec2_delete_data"]),
        (True, NAME, "yes", ["ec2_delete_data"]),
        (True, NAME, "", []),
        (True, NAME, NAME, ["ec2_delete_data"]),
        (True, NAME, scene.CLUSTER_ID, []),
        (False, "", "", []),
    ],
)
def test_protected_machines_and_data_go_only_when_their_cluster_is_named(
    protected: bool, confirmed: str, delete_data: str, refused: list[str]
) -> None:
    found = removal_refusals(scene.wanted(), scene.everything(), protected, confirmed, delete_data)
    assert [each.rule for each in errors(found)] == refused


def test_machines_that_aws_protects_go_only_when_their_cluster_is_named() -> None:
    """Also if the inventory does not want that protection, such as that of another profile."""
    machines = (scene.instance(0, protected=False), scene.instance(1, protected=True))
    for confirmed, refused in (("", ["ec2_destroy"]), (NAME, [])):
        found = removal_refusals(scene.wanted(), scene.everything(instances=machines), False, confirmed, "")
        assert [each.rule for each in errors(found)] == refused


def test_another_name_is_refused_also_if_no_machine_is_shown() -> None:
    without = scene.everything(instances=())
    for confirmed, refused in (("payments", ["ec2_destroy"]), (NAME, []), ("", [])):
        found = removal_refusals(scene.wanted(), without, True, confirmed, "")
        assert [each.rule for each in errors(found)] == refused


def test_the_machine_of_a_named_host_ends_alone_and_what_it_leaves_is_said() -> None:
    found = scene.everything(addresses=(CurrentAddress("eipalloc-2", "kafka2", "198.51.100.2"),))
    assert removal(found, delete_data=False, hosts=["kafka2"]) == Removal(instances=("i-2",))
    told = host_removal_refusals(scene.wanted(), found, ["kafka2"])
    assert [(each.rule, each.host, each.severity) for each in told] == [("ec2_data_kept", "kafka2", WARNING)] * 2
    assert ["vol-2" in told[0].message, "eipalloc-2" in told[1].message] == [True, True]
    gone = scene.everything(instances=(), volumes=())
    assert [each.rule for each in host_removal_refusals(scene.wanted(), gone, ["kafka2"])] == ["ec2_no_machine"]


def test_a_named_machine_of_another_cluster_is_refused() -> None:
    found = scene.everything(tags=with_ids({"i-2": "another", "i-3": "another"}))
    refused = errors(host_removal_refusals(scene.wanted(), found, ["kafka2"]))
    assert [each.rule for each in refused] == ["ec2_cluster"]
    assert "i-2" in refused[0].message
    assert "i-3" not in refused[0].message


@pytest.mark.parametrize("other", ["another", ""])
@pytest.mark.parametrize("resource", list(scene.everything().cluster_ids))
def test_each_resource_of_another_cluster_of_the_same_name_is_refused(resource: str, other: str) -> None:
    found = scene.everything(tags=with_ids({resource: other}))
    refused = errors(removal_refusals(scene.wanted(), found, False, "", scene.CLUSTER_ID))
    assert [(each.rule, each.variable) for each in refused] == [("ec2_cluster", "kafka_cluster_name")]
    assert f"{resource} (cluster id {other or 'none'})" in refused[0].message


def test_without_a_cluster_id_nothing_is_known_to_be_of_the_cluster() -> None:
    """An inventory of a cluster that is to go need not be sound."""
    found = scene.everything(tags=with_ids(dict.fromkeys(scene.tags(), "")))
    refused = errors(removal_refusals(scene.wanted(cluster_id=""), found, False, "", ""))
    assert [each.rule for each in refused] == ["ec2_cluster"]


def test_kept_disks_of_an_earlier_cluster_bar_only_their_own_removal() -> None:
    kept = {f"vol-{at}": "another" for at in (1, 2, 3)}
    found = scene.everything(tags=with_ids(kept))
    assert not errors(removal_refusals(scene.wanted(), found, False, "", ""))
    assert errors(removal_refusals(scene.wanted(), found, False, "", scene.CLUSTER_ID))


def test_a_network_whose_vpc_has_lost_its_tag_is_named_before_anything_goes() -> None:
    found = scene.everything(vpc=None, vpcs=(), subnets=())
    wrong = {each.rule: each.message for each in errors(removal_refusals(scene.wanted(), found, False, NAME, ""))}
    assert {"igw-1", "rtb-1", "subnet-0"} <= set(wrong["ec2_untagged"].replace(",", " ").split())


def test_a_gateway_that_is_attached_to_nothing_goes_and_one_of_others_stays() -> None:
    there = scene.everything()
    assert there.vpc
    found = dataclasses.replace(there, vpc=dataclasses.replace(there.vpc, gateway="igw-9"), free_gateways=("igw-1",))
    gone = removal(found, delete_data=False)
    assert (gone.gateway, gone.free_gateways) == ("", ("igw-1",))


def test_a_disk_that_would_end_with_its_machine_is_kept_and_named() -> None:
    machine = scene.instance(0, devices={"/dev/sdf": "vol-1"}, perishable=("vol-1",))
    found = scene.everything(instances=(machine,))
    assert "keep volume vol-1, which would end with i-1" in removal_lines(found, removal(found, delete_data=False))


class Account:
    """Records the calls of a removal.

    `shown`: what AWS shows, look after look, and then nothing. `machines`: answers about machines, before they ended.
    """

    exceptions = SimpleNamespace(ClientError=ClientError)

    def __init__(self, *shown: model.Current, machines: Any = ()) -> None:
        self.shown, self.calls = list(shown), list[tuple[str, dict[str, Any]]]()
        self.machines = list(machines)

    def can_paginate(self, _: str) -> bool:
        return False

    def observe(self, *_: Any) -> model.Current:
        return self.shown.pop(0) if self.shown else scene.nothing()

    def __getattr__(self, name: str) -> Any:
        def call(**asked: Any) -> dict[str, Any]:
            self.calls.append((name, asked))
            ended = [{"InstanceId": each, "State": {"Name": "terminated"}} for each in asked.get("InstanceIds", ())]
            if name == "describe_instances" and self.machines:
                ended = self.machines.pop(0)
            return {"Reservations": [{"Instances": ended}], "RouteTables": []}

        return call

    def remove(self, monkeypatch: pytest.MonkeyPatch, hosts: tuple[str, ...] = ()) -> list[str]:
        """Return the names of the calls."""
        monkeypatch.setattr(remove, "observe", self.observe)
        client: Any = self
        remove.remove(Aws("eu-central-1", client, client, client, client, 9, 9, 0), scene.wanted(), False, hosts)
        return [name for name, _ in self.calls]


@pytest.mark.parametrize("hosts", [(), ("kafka2",)])
def test_a_machine_of_others_that_came_after_the_plan_is_left_alone(
    hosts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    account = Account(scene.everything(tags=with_ids({"i-2": "another"})))
    with pytest.raises(AccountError, match="another"):
        account.remove(monkeypatch, hosts)
    assert not account.calls


def test_subnets_go_before_the_route_and_the_gateway_that_machines_of_others_may_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """AWS refuses to delete a subnet with machines, and takes away a route or a gateway from under them."""
    found = Account(scene.everything(instances=())).remove(monkeypatch)
    network = [each for each in found if each.startswith(("delete_subnet", "delete_route", "detach", "delete_vpc"))]
    assert network == [*["delete_subnet"] * 3, "delete_route_table", "detach_internet_gateway", "delete_vpc"]


def test_subnets_of_others_in_the_vpc_are_named_before_anything_goes() -> None:
    there = scene.everything()
    other = model.CurrentSubnet("subnet-9", "vpc-1", "eu-central-1a", "10.40.9.0/24")
    found = dataclasses.replace(there, subnets=(*there.subnets, other))
    refused = errors(removal_refusals(scene.wanted(), found, False, NAME, ""))
    assert [(each.rule, "subnet-9" in each.message) for each in refused] == [("ec2_untagged", True)]
    given = CurrentVpc("vpc-1", ("10.9.0.0/16",))
    assert not errors(removal_refusals(scene.wanted(), dataclasses.replace(found, vpc=given, tags={}), False, NAME, ""))


def test_two_machines_of_a_named_host_are_refused() -> None:
    """A copy has the tags of its original: only one of them ran the node that was removed."""
    found = scene.everything(instances=(scene.instance(1), scene.instance(1, id="i-9")))
    refused = errors(host_removal_refusals(scene.wanted(), found, ["kafka2"]))
    assert [(each.rule, each.host) for each in refused] == [("ec2_twice", "kafka2")]
    assert not errors(host_removal_refusals(scene.wanted(), scene.everything(), ["kafka2"]))


def machine(kept: bool, state: str = "running") -> list[dict[str, Any]]:
    disk = {"DeviceName": "/dev/sdf", "Ebs": {"VolumeId": "vol-1", "DeleteOnTermination": not kept}}
    return [{"InstanceId": "i-1", "State": {"Name": state}, "BlockDeviceMappings": [disk]}]


def test_a_machine_ends_only_once_aws_shows_that_its_data_disk_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    there = scene.instance(0, devices={"/dev/sdf": "vol-1"}, perishable=("vol-1",))
    account = Account(scene.everything(instances=(there,)), machines=[machine(False), [], machine(True)])
    calls = account.remove(monkeypatch)
    assert calls[: calls.index("terminate_instances")].count("describe_instances") == 3


def test_a_machine_that_is_not_shown_has_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    account = Account(scene.everything(), machines=[[], machine(True, "terminated")])
    calls = account.remove(monkeypatch)
    assert calls[: calls.index("delete_security_group")].count("describe_instances") == 3
