"""What stands against a plan for EC2: each a problem with its remedy. Pure."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.providers.ec2.model import Current, Desired, Node
from ansible.module_utils.kraft.providers.ec2.plan import own_instance, own_volume, subnet_of, unlisted, usable_subnets

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
SHOWN = 5  # resources that a message lists
LARGEST_VOLUME = 16384  # GiB of gp3
#: gp3: IOPS and MiB/s from, to (docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html).
IOPS = (3000, 16000)
THROUGHPUT = (125, 1000)


def asked(wanted: Desired, gone: bool = False) -> list[Problem]:
    """What is wrong with what is wanted, before AWS is asked anything. `gone`: it is only to be removed."""
    if gone:
        return list(_region(wanted))
    return [
        *_region(wanted),
        *_access(wanted),
        *_network(wanted),
        *(each for node in wanted.nodes for each in _node(wanted, node)),
    ]


def _region(wanted: Desired) -> Iterator[Problem]:
    if not wanted.region:
        yield Problem("ec2_region", "is not set", "give the region, such as eu-central-1", "kafka_ec2_region")
    if not NAME.fullmatch(wanted.cluster):
        message, remedy = "cannot be a name on EC2", "use letters, digits, '.', '_' and '-', at most 100"
        yield Problem("ec2_name", message, remedy, "kafka_cluster_name", value=wanted.cluster)


def _access(wanted: Desired) -> Iterator[Problem]:
    if not wanted.image:
        remedy = "give an id (ami-...) or an SSM parameter (ssm:/aws/service/...)"
        yield Problem("ec2_image", "is not set", remedy, "kafka_ec2_ami")
    if not wanted.key_name and not wanted.public_key:
        message = "and kafka_ec2_public_key are not set: no user could log in"
        remedy = "give the name of a key pair in the account, or the text of a public key"
        yield Problem("ec2_key", message, remedy, "kafka_ec2_key_name")


def _network(wanted: Desired) -> Iterator[Problem]:
    if wanted.vpc_id and not wanted.subnet_ids:
        message = "is empty, but the VPC is given"
        yield Problem("ec2_subnets", message, "name a subnet of that VPC for each zone", "kafka_ec2_subnet_ids")
    if wanted.subnet_ids and not wanted.vpc_id:
        message, remedy = "is not set, but subnets are given", "give the VPC that they lie in"
        yield Problem("ec2_vpc", message, remedy, "kafka_ec2_vpc_id")
    try:
        size = ipaddress.IPv4Network(wanted.vpc_cidr).prefixlen
    except ValueError:
        size = 0
    if not 16 <= size <= 28:  # noqa: PLR2004 - AWS's own limits
        message, remedy = "is no IPv4 network from /16 to /28", "write 10.40.0.0/16"
        yield Problem("ec2_vpc_cidr", message, remedy, "kafka_ec2_vpc_cidr", value=wanted.vpc_cidr)


def _node(wanted: Desired, node: Node) -> Iterator[Problem]:
    if not node.zone:
        remedy = f"give the availability zone of the node, such as {wanted.region or 'eu-central-1'}a"
        yield Problem("ec2_zone", "is not set", remedy, "kafka_ec2_zone", node.host)
    if node.private_ip:
        try:
            ipaddress.IPv4Address(node.private_ip)
        except ValueError:
            message, remedy = "is no IPv4 address", "give an address of the node's subnet, or leave it out"
            yield Problem("ec2_private_ip", message, remedy, "kafka_ec2_private_ip", node.host, node.private_ip)
    for at, volume in enumerate(node.volumes):
        place = f"kafka_ec2_volumes[{at}]"
        for part, value, least, most in (
            ("size", volume.size, 1, LARGEST_VOLUME),
            ("iops", volume.iops, *IOPS),
            ("throughput", volume.throughput, *THROUGHPUT),
        ):
            if not least <= value <= most:
                message, remedy = f"is not from {least} to {most}", "give what gp3 has"
                yield Problem("ec2_volume", message, remedy, f"{place}.{part}", node.host, value)
        if not volume.device:
            message, remedy = "is one volume too many: a machine has names for 11", "give larger ones, or add nodes"
            yield Problem("ec2_volume", message, remedy, place, node.host, volume.mount)
        if [each.mount for each in node.volumes].count(volume.mount) > 1:
            message, remedy = "is the mount of two volumes", "give each a mount of its own"
            yield Problem("ec2_volume", message, remedy, f"{place}.mount", node.host, volume.mount)


def listed(foreign: Mapping[str, str]) -> str:
    """Resources with the cluster id that each one has."""
    shown = [f"{each} (cluster id {found or 'none'})" for each, found in foreign.items()]
    return ", ".join(shown[:SHOWN]) + (f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else "")


def against(wanted: Desired, found: Current) -> list[Problem]:
    """What is wrong with what is wanted, given what is there."""
    return [
        *_places(wanted, found),
        *_belongings(wanted, found),
        *(each for node in wanted.nodes for each in _machine(wanted, found, node)),
    ]


def _places(wanted: Desired, found: Current) -> Iterator[Problem]:
    if wanted.vpc_id and found.vpc is None:
        remedy = "give a VPC of this account and region, or leave it out for one of the cluster's own"
        yield Problem("ec2_vpc", f"is no VPC in {wanted.region}", remedy, "kafka_ec2_vpc_id", value=wanted.vpc_id)
    known = {each.id: each for each in found.subnets}
    for subnet_id in wanted.subnet_ids:
        subnet = known.get(subnet_id)
        if subnet is None:
            message, remedy = f"is no subnet in {wanted.region}", "give subnets of this account and region"
            yield Problem("ec2_subnet", message, remedy, "kafka_ec2_subnet_ids", value=subnet_id)
        elif subnet.vpc_id != wanted.vpc_id:
            message = f"lies in {subnet.vpc_id}, not in kafka_ec2_vpc_id {wanted.vpc_id}"
            remedy = "give subnets of one VPC, and that VPC"
            yield Problem("ec2_subnet", message, remedy, "kafka_ec2_subnet_ids", value=subnet_id)
    if not found.image_id and any(own_instance(node.host, found) is None for node in wanted.nodes):
        message = f"is no image that can be launched in {wanted.region}"
        remedy = "give an id (ami-...) of this region, or an SSM parameter that holds one (ssm:/aws/service/...)"
        yield Problem("ec2_image", message, remedy, "kafka_ec2_ami", value=wanted.image)
    if wanted.key_name and not wanted.public_key and wanted.key_name not in found.keys:
        message = f"is no key pair in {wanted.region}"
        remedy = "give an existing one, or kafka_ec2_public_key to import one"
        yield Problem("ec2_key", message, remedy, "kafka_ec2_key_name", value=wanted.key_name)


def _belongings(wanted: Desired, found: Current) -> Iterator[Problem]:
    foreign = {each: found_id for each, found_id in found.foreign(wanted.cluster_id).items() if found_id}
    if foreign:
        message = f"is the name of another cluster in this region: {listed(foreign)}"
        remedy = "give this cluster another name, or use the inventory that made these resources"
        yield Problem("ec2_cluster", message, remedy, "kafka_cluster_name", value=wanted.cluster)
    for host in sorted({each.host for each in found.instances}):
        same = [each.id for each in found.instances if each.host == host]
        if len(same) > 1:
            message = f"has {len(same)} instances: {', '.join(same)}"
            yield Problem("ec2_twice", message, "look at both and terminate the one without data", "", host)
    for host in unlisted(wanted, found):
        message, remedy = "has machines or disks of this cluster, but is not in the inventory", "they are left alone"
        yield Problem("ec2_unlisted", message, remedy, "", host, severity=WARNING)
    for group in found.groups:
        if group.name == wanted.group_name and not group.owned:
            message = f"would have the security group {group.name}, which is there and is not ours ({group.id})"
            remedy = "rename or remove that group, or give the cluster another name"
            yield Problem("ec2_group", message, remedy, "kafka_cluster_name", value=wanted.cluster)


def _machine(wanted: Desired, found: Current, node: Node) -> Iterator[Problem]:
    instance = own_instance(node.host, found)
    yield from _volumes(found, node)
    if instance is None:
        yield from _placement(wanted, found, node)
        return
    if instance.node_id != str(node.node_id):
        message = f"differs from the tag of {instance.id}: node {instance.node_id}"
        remedy = "give the host the node id of its machine; an id stays with its machine for ever"
        yield Problem("ec2_node_id", message, remedy, "kafka_node_id", node.host, node.node_id)
    if instance.zone != node.zone:
        message = f"differs from where {instance.id} is: {instance.zone}"
        yield Problem("ec2_zone", message, "a machine does not move: write its zone", "kafka_ec2_zone", node.host)
    if node.private_ip and instance.private_ip != node.private_ip:
        message = f"differs from that of {instance.id}: {instance.private_ip}"
        remedy = "an address is given at launch: write the machine's own"
        yield Problem("ec2_private_ip", message, remedy, "kafka_ec2_private_ip", node.host, node.private_ip)
    if instance.instance_type and instance.instance_type != node.instance_type:
        message = f"differs from that of {instance.id} ({instance.instance_type}), which is left as it is"
        remedy = "stop the instance, change its type, start it, and run this again, one node at a time"
        yield Problem("ec2_type", message, remedy, "kafka_ec2_instance_type", node.host, node.instance_type, WARNING)


def _placement(wanted: Desired, found: Current, node: Node) -> Iterator[Problem]:
    if node.zone not in found.zones:
        message = f"is no zone of {wanted.region} that can be used"
        remedy = f"there are {', '.join(sorted(found.zones))}"
        yield Problem("ec2_zone", message, remedy, "kafka_ec2_zone", node.host, node.zone)
    elif wanted.subnet_ids and subnet_of(wanted, found, node) is None:
        covered = sorted({each.zone for each in usable_subnets(wanted, found)})
        inside = f" with {node.private_ip}" if node.private_ip else ""
        message = f"has no subnet among kafka_ec2_subnet_ids{inside}: they cover {', '.join(covered) or 'nothing'}"
        remedy = "add a subnet of that zone, or place the node in another"
        yield Problem("ec2_zone", message, remedy, "kafka_ec2_zone", node.host, node.zone)


def _volumes(found: Current, node: Node) -> Iterator[Problem]:
    for at, volume in enumerate(node.volumes):
        there = own_volume(node.host, volume.mount, found)
        if there is None:
            continue
        if there.size > volume.size:
            message = f"is smaller than {there.id} ({there.size} GiB); a volume only grows"
            place = f"kafka_ec2_volumes[{at}].size"
            yield Problem("ec2_volume", message, f"write {there.size} or more", place, node.host, volume.size)
        if there.zone != node.zone:
            message = f"differs from where the node's volume {there.id} is: {there.zone}"
            yield Problem("ec2_zone", message, "a volume does not move: write its zone", "kafka_ec2_zone", node.host)
    named = {volume.mount for volume in node.volumes}
    for each in found.volumes:
        if each.host == node.host and each.mount not in named:
            message = f"does not name {each.mount}, whose volume {each.id} is left as it is"
            yield Problem("ec2_volume", message, "", "kafka_ec2_volumes", node.host, severity=WARNING)
