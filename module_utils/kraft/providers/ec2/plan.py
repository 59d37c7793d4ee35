"""What is missing on EC2, worked out from what is wanted and what is there. Pure.

Nothing is ever replaced: what differs and cannot be changed in place is refused or said, never destroyed.
"""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Iterator

from ansible.module_utils.kraft.providers.ec2 import model
from ansible.module_utils.kraft.providers.ec2.model import (
    OWN_GROUP,
    Current,
    CurrentVolume,
    Desired,
    Node,
    Rule,
    Volume,
)

SUBNET_BITS = 8  # a subnet has as many addresses as this adds to the VPC's prefix: /16 -> /24
SMALLEST_SUBNET = 28  # AWS's own limit


@dataclasses.dataclass(frozen=True)
class VolumePlan:
    """A data disk: ``make`` when there is none, ``modify`` when it must change, ``attach`` when it hangs free."""

    wanted: Volume
    id: str = ""
    make: bool = False
    modify: bool = False
    attach: bool = False
    changes: str = ""


@dataclasses.dataclass(frozen=True)
class NodePlan:
    """A machine: ``launch`` when there is none, ``start`` when it is stopped; the group is added where it lacks."""

    wanted: Node
    subnet_id: str = ""
    instance_id: str = ""
    group_ids: tuple[str, ...] = ()
    launch: bool = False
    start: bool = False
    regroup: bool = False
    address: str = ""  #: Elastic IP of the node that is not yet its own
    allocate: bool = False
    volumes: tuple[VolumePlan, ...] = ()


@dataclasses.dataclass(frozen=True)
class Plan:
    """Everything that must be done. ``subnets``: (zone, cidr) to make. Ids are empty where a thing is to be made."""

    vpc_id: str
    make_vpc: bool
    route: bool
    subnets: tuple[tuple[str, str], ...]
    subnet_ids: tuple[str, ...]
    make_key: bool
    group_id: str
    rules: tuple[Rule, ...]
    add: tuple[Rule, ...]
    remove: tuple[Rule, ...]
    nodes: dict[str, NodePlan]

    @property
    def network(self) -> bool:
        """Whether something must be done before machines can be thought of."""
        return self.make_vpc or self.route or bool(self.subnets) or self.make_key or self.group

    @property
    def group(self) -> bool:
        return not self.group_id or bool(self.add or self.remove)


def plan(wanted: Desired, found: Current) -> Plan:
    """What must be done; `problems` has found nothing wrong before."""
    vpc = found.vpc
    group = own_group(wanted, found)
    rules = tuple(wanted.rules)
    current = {_relative(rule, group.id): rule for rule in group.rules} if group else {}
    return Plan(
        vpc_id=vpc.id if vpc else "",
        make_vpc=vpc is None,
        route=not wanted.vpc_id and (vpc is None or not (vpc.gateway and vpc.routed)),
        subnets=tuple(_missing_subnets(wanted, found)),
        subnet_ids=tuple(sorted(each.id for each in found.subnets if each.owned)),
        make_key=bool(wanted.public_key) and wanted.key not in found.keys,
        group_id=group.id if group else "",
        rules=rules,
        add=tuple(rule for rule in rules if rule not in current),
        remove=tuple(rule for rule in sorted(current) if rule not in rules),
        nodes={node.host: _node(wanted, found, node, group.id if group else "") for node in wanted.nodes},
    )


def own_group(wanted: Desired, found: Current) -> model.CurrentGroup | None:
    """The cluster's security group: by tag and name."""
    return next((each for each in found.groups if each.owned and each.name == wanted.group_name), None)


def own_instance(host: str, found: Current) -> model.CurrentInstance | None:
    return next((each for each in found.instances if each.host == host), None)


def _relative(rule: Rule, group_id: str) -> Rule:
    return dataclasses.replace(rule, source=OWN_GROUP) if rule.source == group_id else rule


def subnet_of(wanted: Desired, found: Current, node: Node) -> model.CurrentSubnet | None:
    """Where a node's machine goes: a subnet of its zone; one that holds its private address where that is given."""
    fitting = [each for each in usable_subnets(wanted, found) if each.zone == node.zone]
    if node.private_ip:
        address = ipaddress.ip_address(node.private_ip)
        fitting = [each for each in fitting if address in ipaddress.ip_network(each.cidr)]
    return fitting[0] if fitting else None


def usable_subnets(wanted: Desired, found: Current) -> list[model.CurrentSubnet]:
    """The given ones in their order, else the cluster's own."""
    if wanted.subnet_ids:
        known = {each.id: each for each in found.subnets}
        return [known[each] for each in wanted.subnet_ids if each in known]
    return sorted((each for each in found.subnets if each.owned), key=lambda each: each.id)


def _missing_subnets(wanted: Desired, found: Current) -> Iterator[tuple[str, str]]:
    """Zones that have no subnet yet, each with the lowest block of the VPC that is free."""
    if wanted.subnet_ids:
        return
    cidr = found.vpc.cidrs[0] if found.vpc else wanted.vpc_cidr
    taken = [ipaddress.ip_network(each.cidr) for each in found.subnets]
    has = {each.zone for each in usable_subnets(wanted, found)}
    whole = ipaddress.ip_network(cidr)
    blocks = whole.subnets(new_prefix=max(whole.prefixlen, min(whole.prefixlen + SUBNET_BITS, SMALLEST_SUBNET)))
    free = (block for block in blocks if not any(block.overlaps(each) for each in taken))
    for zone in sorted({node.zone for node in wanted.nodes} - has):
        yield zone, str(next(free, ""))


def _node(wanted: Desired, found: Current, node: Node, group_id: str) -> NodePlan:
    instance = own_instance(node.host, found)
    subnet = subnet_of(wanted, found, node)
    instance_id = instance.id if instance else ""
    address = next((each for each in found.addresses if each.host == node.host), None)
    elastic = wanted.public_addresses == model.ELASTIC
    lacks = bool(instance and group_id and group_id not in instance.group_ids)
    groups = instance.group_ids if instance else ()
    return NodePlan(
        wanted=node,
        subnet_id=subnet.id if subnet else "",
        instance_id=instance_id,
        group_ids=(*groups, group_id) if lacks else groups,
        launch=instance is None,
        start=bool(instance and instance.state in ("stopped", "stopping")),
        regroup=lacks,
        address=address.public_ip if elastic and address and address.instance_id != instance_id else "",
        allocate=elastic and (address is None or not instance_id or address.instance_id != instance_id),
        volumes=tuple(_volume(node, each, found, instance_id) for each in node.volumes),
    )


def _volume(node: Node, wanted: Volume, found: Current, instance_id: str) -> VolumePlan:
    there = own_volume(node.host, wanted.mount, found)
    if there is None:
        return VolumePlan(wanted, make=True, attach=True)
    changes = ", ".join(_changes(wanted, there))
    attach = not instance_id or there.instance_id != instance_id
    return VolumePlan(wanted, there.id, modify=bool(changes), attach=attach, changes=changes)


def own_volume(host: str, mount: str, found: Current) -> CurrentVolume | None:
    return next((each for each in found.volumes if each.host == host and each.mount == mount), None)


def _changes(wanted: Volume, there: CurrentVolume) -> Iterator[str]:
    """What can be changed while it is in use."""
    for name, unit, old, new in (
        ("size", " GiB", there.size, wanted.size),
        ("iops", " IOPS", there.iops or 3000, wanted.iops),
        ("throughput", " MiB/s", there.throughput or 125, wanted.throughput),
    ):
        if old != new:
            yield f"{name} {old} to {new}{unit}"


def describe(wanted: Desired, found: Current, made: Plan) -> list[str]:
    """The plan in words, one line for each thing, in the order in which it is done."""
    return [
        *([f"create VPC {wanted.vpc_cidr}"] if made.make_vpc else []),
        *(f"create subnet {cidr} in {zone}" for zone, cidr in made.subnets),
        *(["route subnets to the internet"] if made.route else []),
        *([f"import key pair {wanted.key}"] if made.make_key else []),
        *([] if made.group_id else [f"create security group {wanted.group_name}"]),
        *(f"remove rule {rule}" for rule in made.remove),
        *(f"add rule {rule} ({rule.reason})" for rule in made.add),
        *(line for each in made.nodes.values() for line in _describe_node(wanted, found, each)),
    ]


def _describe_node(wanted: Desired, found: Current, made: NodePlan) -> Iterator[str]:
    node = made.wanted
    for volume in made.volumes:
        disk = volume.wanted
        if volume.make:
            yield f"create volume of {disk.size} GiB for {node.host} {disk.mount}"
        elif volume.modify:
            yield f"change volume {volume.id} of {node.host}: {volume.changes}"
    if made.launch:
        image = found.image_id or wanted.image
        yield f"launch instance {node.host}: {node.instance_type} in {node.zone}, node id {node.node_id}, {image}"
    elif made.start:
        yield f"start instance {made.instance_id} ({node.host})"
    if made.regroup:
        yield f"put instance {made.instance_id} ({node.host}) into {wanted.group_name}"
    for volume in made.volumes:
        if volume.attach:
            yield f"attach volume {volume.id or 'of ' + volume.wanted.mount} to {node.host} as {volume.wanted.device}"
    if made.allocate:
        yield f"give {node.host} an Elastic IP" + (f" ({made.address})" if made.address else "")


def unlisted(wanted: Desired, found: Current) -> list[str]:
    """Hosts that the cluster's tags name and the inventory does not; they are left alone."""
    known = {node.host for node in wanted.nodes}
    there = [*(each.host for each in found.instances), *(each.host for each in found.volumes)]
    return sorted(set(there) - known)
