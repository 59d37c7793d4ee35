"""Missing things on EC2, derived from the desired and the current state. Pure.

Nothing is ever replaced: differences that cannot be changed in place are refused or reported, never destroyed.
"""

from __future__ import annotations

import dataclasses
import hashlib
import ipaddress
from collections.abc import Iterator, Mapping

from ansible.module_utils.kraft.providers.ec2 import model
from ansible.module_utils.kraft.providers.ec2.key_pairs import key_text
from ansible.module_utils.kraft.providers.ec2.model import (
    OWN_GROUP,
    Current,
    CurrentAddress,
    CurrentVolume,
    Desired,
    Node,
    Rule,
    Volume,
)
from ansible.module_utils.kraft.providers.ec2.routes import is_routed

GP3 = "gp3"  # the type of new disks
SUBNET_BITS = 8  # a subnet has as many addresses as this adds to the VPC's prefix: /16 -> /24
SMALLEST_SUBNET = 28  # AWS's own limit
#: Names that a volume can be attached under; a Nitro machine calls it otherwise.
DEVICES = tuple(f"/dev/sd{letter}" for letter in "fghijklmnop")


@dataclasses.dataclass(frozen=True)
class VolumePlan:
    """A data disk: ``make`` when there is none, ``modify`` when it must change, ``attach`` when it hangs free.

    ``device``: the name that it has on its machine, or gets there.
    """

    wanted: Volume
    device: str
    id: str = ""
    make: bool = False
    modify: bool = False
    attach: bool = False
    changes: str = ""
    kind: str = GP3  #: its type

    @property
    def work(self) -> bool:
        return self.make or self.modify or self.attach

    @property
    def target(self) -> dict[str, int]:
        """Return what it is changed to, as AWS names it: IOPS and throughput are those of gp3."""
        size = {"Size": self.wanted.size}
        return {**size, "Iops": self.wanted.iops, "Throughput": self.wanted.throughput} if self.kind == GP3 else size


@dataclasses.dataclass(frozen=True)
class NodePlan:
    """A machine: ``launch`` when there is none, ``start`` when it is stopped; the group is added if it lacks."""

    wanted: Node
    subnet_id: str = ""
    instance_id: str = ""
    group_ids: tuple[str, ...] = ()
    launch: bool = False
    start: bool = False
    regroup: bool = False
    protect: bool = False
    keep: tuple[str, ...] = ()  #: device names of disks that AWS would delete with the machine
    address: CurrentAddress | None = None  #: Elastic IP of the host
    allocate: bool = False
    associate: bool = False
    volumes: tuple[VolumePlan, ...] = ()
    is_labelled: bool = True  #: whether the machine's tags name its disks

    @property
    def work(self) -> bool:
        own = self.launch or self.start or self.regroup or self.protect or self.allocate or self.associate
        own = own or bool(self.keep)
        return own or any(each.work for each in self.volumes)


@dataclasses.dataclass(frozen=True)
class Plan:
    """Everything that must be done. ``subnets``: (zone, cidr) to make. Ids are empty if a thing is to be made.

    ``reword``: rules whose description differs. ``tags``: resource id -> tags that it lacks.
    """

    vpc_id: str
    make_vpc: bool
    route: bool
    subnets: tuple[tuple[str, str], ...]
    make_key: bool
    group_id: str
    rules: tuple[Rule, ...]
    add: tuple[Rule, ...]
    remove: tuple[Rule, ...]
    reword: tuple[Rule, ...]
    tags: Mapping[str, Mapping[str, str]]
    nodes: Mapping[str, NodePlan]

    @property
    def network(self) -> bool:
        """Check whether something must be done before any machine."""
        return self.make_vpc or self.route or bool(self.subnets) or self.make_key or self.group

    @property
    def group(self) -> bool:
        return not self.group_id or bool(self.add or self.remove or self.reword)

    @property
    def work(self) -> bool:
        """Check whether something must be done to machines, disks, addresses or tags."""
        return bool(self.tags) or any(each.work for each in self.nodes.values())


def plan(wanted: Desired, found: Current) -> Plan:
    """Plan the work; `problems` has found nothing wrong before."""
    vpc = found.vpc
    group = own_group(wanted, found)
    rules = tuple(wanted.rules)
    current = {each: each for each in current_rules(group)}
    missing = list(missing_subnets(wanted, found))
    return Plan(
        vpc_id=vpc.id if vpc else "",
        make_vpc=vpc is None,
        route=not wanted.vpc_id and (bool(missing) or not is_routed(found)),
        subnets=tuple(missing),
        make_key=bool(wanted.public_key) and found.key(wanted.key) is None,
        group_id=group.id if group else "",
        rules=rules,
        add=tuple(rule for rule in rules if rule not in current),
        remove=tuple(rule for rule in sorted(current) if rule not in rules),
        reword=tuple(rule for rule in rules if rule in current and current[rule].reason != rule.reason),
        tags=dict(_missing_tags(wanted, found)),
        nodes={node.host: _node(wanted, found, node, group.id if group else "") for node in wanted.nodes},
    )


def _missing_tags(wanted: Desired, found: Current) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield missing or differing tags of existing things. Tags of others are left alone."""
    expected = {each: dict(wanted.tags) for each in found.tags if each not in found.own_keys}
    for node in wanted.nodes:
        if instance := own_instance(node.host, found):
            expected[instance.id] = {**wanted.node_tags(node), **_disk_tags(node, found, instance)}
    for each, tags in expected.items():
        there = found.tags.get(each, {})
        if missing := {key: value for key, value in tags.items() if there.get(key) != value}:
            yield each, missing


def _disk_tags(node: Node, found: Current, instance: model.CurrentInstance) -> dict[str, str]:
    """Return tags of a machine that name the volume of each mount."""
    there = ((each.mount, own_volume(node.host, each.mount, found)) for each in node.volumes)
    return {model.DISK + mount: each.id for mount, each in there if each and each.instance_id == instance.id}


def launch_tags(wanted: Desired, found: Current) -> dict[str, str]:
    """Return tags about a machine's launch: they are never repaired."""
    there = found.key(wanted.key)
    digested = {
        model.USER_DATA: wanted.user_data,
        model.KEY: key_text(wanted.public_key) or (there.text if there else ""),
    }
    return {tag: hashlib.sha256(text.encode()).hexdigest()[:16] for tag, text in digested.items() if text}


def kept_devices(instance: model.CurrentInstance) -> tuple[str, ...]:
    """Return the device names of data disks that AWS would delete with the machine."""
    return tuple(name for name, each in sorted(instance.devices.items()) if each in instance.perishable)


def own_group(wanted: Desired, found: Current) -> model.CurrentGroup | None:
    """Return the cluster's security group in its VPC: by tag and name."""
    vpc_id = found.vpc.id if found.vpc else ""
    own = (each for each in found.groups if each.owned and each.vpc_id == vpc_id)
    return next((each for each in own if each.name == wanted.group_name), None)


def own_instance(host: str, found: Current) -> model.CurrentInstance | None:
    return next((each for each in found.instances if each.host == host), None)


def current_rules(group: model.CurrentGroup | None) -> tuple[Rule, ...]:
    """Return the rules that a group has, as they are derived: its own id is ``OWN_GROUP``."""
    rules = group.rules if group else ()
    return tuple(
        dataclasses.replace(rule, source=OWN_GROUP) if group and rule.source == group.id else rule for rule in rules
    )


def subnet_of(wanted: Desired, found: Current, node: Node) -> model.CurrentSubnet | None:
    """Return the subnet of a node's machine: one of its zone; one that holds its private address if that is given."""
    fitting = [each for each in usable_subnets(wanted, found) if each.zone == node.zone]
    if node.private_ip:
        address = ipaddress.ip_address(node.private_ip)
        fitting = [each for each in fitting if address in ipaddress.ip_network(each.cidr)]
    return next((each for each in fitting if each.free != 0), fitting[0]) if fitting else None


def usable_subnets(wanted: Desired, found: Current) -> list[model.CurrentSubnet]:
    """Return the given values in their order, or those of the cluster."""
    if wanted.subnet_ids:
        known = {each.id: each for each in found.subnets}
        return [known[each] for each in wanted.subnet_ids if each in known and known[each].cidr]
    return sorted((each for each in found.subnets if each.owned and each.cidr), key=lambda each: each.id)


def missing_subnets(wanted: Desired, found: Current) -> Iterator[tuple[str, str]]:
    """Yield zones that have no subnet yet, each with the lowest block of the VPC that is free."""
    if wanted.subnet_ids:
        return
    cidr = found.vpc.cidrs[0] if found.vpc else wanted.vpc_cidr
    taken = [ipaddress.ip_network(each.cidr) for each in found.subnets if each.cidr]
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
        protect=bool(instance and wanted.protection and instance.protected is False),
        keep=kept_devices(instance) if instance else (),
        address=address if elastic else None,
        allocate=elastic and address is None,
        associate=elastic and (address is None or not instance_id or address.instance_id != instance_id),
        volumes=tuple(_volumes(node, found, instance)),
        is_labelled=bool(
            instance and _disk_tags(node, found, instance).items() <= found.tags.get(instance_id, {}).items()
        ),
    )


def _volumes(node: Node, found: Current, instance: model.CurrentInstance | None) -> Iterator[VolumePlan]:
    """Plan volumes; an attached one keeps its device name; the others get free ones."""
    there = {each.mount: own_volume(node.host, each.mount, found) for each in node.volumes}
    at = instance.id if instance else ""
    kept = {each.mount: each.device for each in there.values() if each and at and each.instance_id == at}
    taken = {*(instance.devices if instance else ()), *kept.values()}
    free = (name for name in DEVICES if name not in taken)
    for volume in node.volumes:
        current = there[volume.mount]
        device = kept.get(volume.mount) or next(free, "")
        if current is None:
            yield VolumePlan(volume, device, make=True, attach=True)
        else:
            changes = ", ".join(_changes(volume, current))
            attach = volume.mount not in kept
            modify, kind = bool(changes), current.kind
            yield VolumePlan(volume, device, current.id, modify=modify, attach=attach, changes=changes, kind=kind)


def own_volume(host: str, mount: str, found: Current) -> CurrentVolume | None:
    return next((each for each in found.volumes if each.host == host and each.mount == mount), None)


def _changes(wanted: Volume, there: CurrentVolume) -> Iterator[str]:
    """Describe the changes that are possible while it is in use."""
    for name, unit, old, new in (
        ("size", " GiB", there.size, wanted.size),
        ("iops", " IOPS", there.iops or 3000, wanted.iops),
        ("throughput", " MiB/s", there.throughput or 125, wanted.throughput),
    ):
        if old != new and (name == "size" or there.kind == GP3):
            yield f"{name} {old} to {new}{unit}"


def unlisted(wanted: Desired, found: Current) -> list[str]:
    """Return hosts of the cluster's tags that the inventory lacks; they are left alone."""
    known = {node.host for node in wanted.nodes}
    there = [*(each.host for each in found.instances), *(each.host for each in found.volumes)]
    return sorted(set(there) - known - {""})
