"""Removal of a cluster: the things with its tag, and nothing else. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.providers.ec2.checks import SHOWN, listed
from ansible.module_utils.kraft.providers.ec2.model import (
    CLUSTER,
    CLUSTER_ID,
    Current,
    CurrentAddress,
    CurrentVolume,
    Desired,
)

NETWORK = ("vpc-", "subnet-", "igw-", "rtb-", "sg-")  # how ids of a network begin


@dataclasses.dataclass(frozen=True)
class Removal:
    """Ids in the order in which they go; ``volumes`` and ``addresses`` are empty unless their cluster was named."""

    instances: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    key_pairs: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    gateway: str = ""  #: that of ``vpc``
    free_gateways: tuple[str, ...] = ()
    subnets: tuple[str, ...] = ()
    vpc: str = ""


def removal(found: Current, delete_data: bool, hosts: Collection[str] = ()) -> Removal:
    """Return the cluster's own things to remove; only the machines of `hosts` if some are named."""
    if hosts:
        return Removal(instances=tuple(each.id for each in found.instances if each.host in hosts))
    vpc = found.vpc if found.vpc and found.vpc.owned else None
    return Removal(
        instances=tuple(each.id for each in found.instances),
        addresses=tuple(each.id for each in found.addresses) if delete_data else (),
        volumes=tuple(each.id for each in found.volumes) if delete_data else (),
        groups=tuple(each.id for each in found.groups if each.owned),
        key_pairs=tuple(found.own_keys),
        tables=tuple(each for each in vpc.tables if each in found.tags) if vpc else (),
        gateway=vpc.gateway if vpc and vpc.gateway in found.tags else "",
        free_gateways=found.free_gateways,
        subnets=tuple(each.id for each in found.subnets if each.owned) if vpc else (),
        vpc=vpc.id if vpc else "",
    )


def removal_refusals(
    wanted: Desired, found: Current, protected: bool, confirmed: str, delete_data: str
) -> list[Problem]:
    """Return obstacles to the removal. `confirmed` is the name, `delete_data` the cluster id that the user gave."""
    return [
        *_names(wanted, found, protected, confirmed, delete_data),
        *foreign_refusals(wanted, found, bool(delete_data)),
        *_stray(wanted, found),
    ]


def foreign_refusals(wanted: Desired, found: Current, delete_data: bool, hosts: Collection[str] = ()) -> list[Problem]:
    """Return things of others that would go, or whose network would. They may come after the plan was shown."""
    if hosts:
        return [*_foreign_machines(wanted, found, hosts), *_twice(found, hosts)]
    return [*_foreign(wanted, found, delete_data), *_subnets_of_others(wanted, found)]


def _subnets_of_others(wanted: Desired, found: Current) -> Iterator[Problem]:
    """Report subnets in the cluster's VPC that would stay without its route table and gateway."""
    others = [each.id for each in found.subnets if not each.owned] if found.vpc and found.vpc.owned else []
    if found.vpc and others:
        message = f"The cluster's VPC {found.vpc.id} has subnets without its tag ({', '.join(others[:SHOWN])})"
        tags = f"Key={CLUSTER},Value={wanted.cluster} Key={CLUSTER_ID},Value={wanted.cluster_id}"
        remedy = (
            f"delete them in AWS, or tag those of this cluster: aws ec2 create-tags --resources SUBNET_ID --tags {tags}"
        )
        yield Problem("ec2_untagged", message, remedy, "kafka_cluster_name", value=wanted.cluster)


def _twice(found: Current, hosts: Collection[str]) -> Iterator[Problem]:
    """Report hosts with two machines: it is not known which of them ran the removed node."""
    for host in hosts:
        same = [str(each) for each in found.instances if each.host == host]
        if len(same) > 1:
            message = f"The host has {len(same)} instances: {'; '.join(same)}"
            remedy = "remove the tag kraftwright_cluster of those that were not its node, then run again"
            yield Problem("ec2_twice", message, remedy, "kafka_ec2_terminate", host)


def _stray(wanted: Desired, found: Current) -> Iterator[Problem]:
    """Report a network that would stay: that of a VPC without the cluster's tag. Further VPCs go in later rounds."""
    gone = removal(found, False)
    going = {*gone.groups, *gone.tables, gone.gateway, *gone.free_gateways, *gone.subnets, gone.vpc}
    rest = sorted(each for each in found.tags if each.startswith(NETWORK) and each not in going)
    if rest and len(found.vpcs) <= 1:
        message = f"has {', '.join(rest[:SHOWN])}, whose VPC has no tag of this cluster"
        tags = f"Key={CLUSTER},Value={wanted.cluster} Key={CLUSTER_ID},Value={wanted.cluster_id}"
        remedy = f"tag the VPC again: aws ec2 create-tags --resources VPC_ID --tags {tags}"
        yield Problem("ec2_untagged", message, remedy, "kafka_cluster_name", value=wanted.cluster)


def host_removal_refusals(wanted: Desired, found: Current, hosts: Collection[str]) -> list[Problem]:
    """Return obstacles to ending the machines of `hosts`, and their things that stay."""
    return [*foreign_refusals(wanted, found, False, hosts), *(each for host in hosts for each in _staying(found, host))]


def _foreign_machines(wanted: Desired, found: Current, hosts: Collection[str]) -> Iterator[Problem]:
    named = removal(found, False, hosts).instances
    foreign = {each: other for each, other in found.foreign(wanted.cluster_id).items() if each in named}
    if foreign:
        message = f"The cluster with id {wanted.cluster_id} does not own {listed(foreign)}"
        remedy = "use the inventory that made these machines, or end them in AWS by their ids"
        yield Problem("ec2_cluster", message, remedy, "kafka_cluster_name", value=wanted.cluster)


def _staying(found: Current, host: str) -> Iterator[Problem]:
    variable = "kafka_ec2_terminate"
    if host not in {each.host for each in found.instances}:
        yield Problem("ec2_no_machine", "The host has no machine", "", variable, host, severity=WARNING)
    kept: list[tuple[CurrentVolume | CurrentAddress, str]] = [
        *((each, "delete-volume --volume-id") for each in found.volumes),
        *((each, "release-address --allocation-id") for each in found.addresses),
    ]
    for each, command in kept:
        if each.host == host:
            message, remedy = (
                f"The resource {each} remains and costs money",
                f"if it can go: aws ec2 {command} {each.id}",
            )
            yield Problem("ec2_data_kept", message, remedy, variable, host, severity=WARNING)


def _names(wanted: Desired, found: Current, protected: bool, confirmed: str, delete_data: str) -> Iterator[Problem]:
    name = wanted.cluster
    protected = protected or any(each.protected for each in found.instances)
    if (confirmed or (found.instances and protected)) and confirmed != name:
        message = "The value does not name the cluster" + ("" if confirmed else ", whose machines are protected")
        remedy = f"if {name} shall go: -e kafka_ec2_destroy={name}"
        yield Problem("ec2_destroy", message, remedy, "kafka_ec2_destroy", value=confirmed)
    if delete_data and delete_data != wanted.cluster_id:
        message = f"The value is not the id of cluster {name}"
        remedy = f"to delete its disks with all records: -e kafka_ec2_delete_data={wanted.cluster_id}"
        yield Problem("ec2_delete_data", message, remedy, "kafka_ec2_delete_data", value=delete_data)
    elif found.volumes and not delete_data:
        message = f"{len(found.volumes)} data disks remain ({', '.join(each.id for each in found.volumes)})"
        remedy = (
            f"a new run attaches them again; -e kafka_ec2_delete_data={wanted.cluster_id} deletes them with all records"
        )
        yield Problem("ec2_data_kept", message, remedy, "kafka_ec2_delete_data", severity=WARNING)
    if found.addresses and not delete_data:
        message = (
            f"The variable is not set: the Elastic IPs remain and cost money ({', '.join(map(str, found.addresses))})"
        )
        remedy = f"a new run attaches them again; -e kafka_ec2_delete_data={wanted.cluster_id} releases them for ever"
        yield Problem("ec2_data_kept", message, remedy, "kafka_ec2_delete_data", severity=WARNING)


def _foreign(wanted: Desired, found: Current, delete_data: bool) -> Iterator[Problem]:
    """Report foreign things in the way. Data disks and addresses count only if they would go."""
    staying = set() if delete_data else {*(each.id for each in found.volumes), *(each.id for each in found.addresses)}
    foreign = {each: other for each, other in found.foreign(wanted.cluster_id).items() if each not in staying}
    if foreign:
        message = (
            f"The cluster with id {wanted.cluster_id} does not own all resources with this name: {listed(foreign)}"
        )
        remedy = "use the inventory that made these resources, or delete them in AWS by their ids"
        yield Problem("ec2_cluster", message, remedy, "kafka_cluster_name", value=wanted.cluster)


def removal_lines(found: Current, gone: Removal) -> list[str]:
    """Describe the removal."""
    hosts = {each.id: each.host for each in found.instances}
    addresses = {each.id: each.public_ip for each in found.addresses}
    mounts = {each.id: f"{each.host} {each.mount}" for each in found.volumes}
    return [
        *(f"terminate instance {each} ({hosts[each]})" for each in gone.instances),
        *(f"keep volume {each}, which would end with {machine}" for each, machine in _perishable(found, gone)),
        *(f"release Elastic IP {addresses[each]} ({each})" for each in gone.addresses),
        *(f"delete volume {each} ({mounts[each]}) with its records" for each in gone.volumes),
        *(f"delete security group {each}" for each in gone.groups),
        *(f"delete key pair {each}" for each in gone.key_pairs),
        *(f"delete route table {each}" for each in gone.tables),
        *(f"delete internet gateway {each}" for each in (gone.gateway, *gone.free_gateways) if each),
        *(f"delete subnet {each}" for each in gone.subnets),
        *([f"delete VPC {gone.vpc}"] if gone.vpc else []),
    ]


def _perishable(found: Current, gone: Removal) -> Iterator[tuple[str, str]]:
    """Yield (volume, machine): disks that stay, but that AWS would delete with their machine."""
    for machine in found.instances:
        if machine.id in gone.instances:
            yield from ((each, machine.id) for each in machine.perishable if each not in gone.volumes)
