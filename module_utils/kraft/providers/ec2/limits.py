"""Refusals of AWS that would come half-way: types, images, placement, sources, numbers of rules, addresses. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.providers.ec2.model import ELASTIC, Current, CurrentGroup, Desired, Node, Rule
from ansible.module_utils.kraft.providers.ec2.plan import (
    current_rules,
    missing_subnets,
    own_group,
    own_instance,
    subnet_of,
    usable_subnets,
)

#: Rules that let in, of IPv4 and of IPv6 each, unless the account has more
#: (docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html, read in November 2026).
MOST_RULES = 60
#: Addresses of each subnet that AWS keeps: the first and the last ones (.../userguide/subnet-sizing.html, same month).
FIRST_RESERVED, LAST_RESERVED = 4, 1
#: The smallest subnet of AWS is a /28. A simulator has smaller ones, where no address is reserved.
LONGEST_PREFIX = 28
#: Boot modes of an image that leave no choice; `uefi-preferred` boots everywhere.
BOOT_MODES = ("uefi", "legacy-bios")
#: Reason of a rule -> variable that names its source; clients' otherwise.
VARIABLES = {"ssh": "kafka_ec2_admin_sources", "exporter": "kafka_ec2_monitoring_sources"}


def of_cluster(wanted: Desired, found: Current) -> Iterator[Problem]:
    """Check sources and rules of the group, and new subnets."""
    group = own_group(wanted, found)
    yield from _sources(wanted, found, group)
    yield from _numbers(wanted, found, group)
    if wanted.public_addresses == ELASTIC and wanted.vpc_id and found.vpc and not found.vpc.gateway:
        message = f"The VPC {found.vpc.id} shows no internet gateway, which Elastic IPs need"
        remedy = "attach one, or set none; in a VPC that another account shares, its owner has the gateway"
        yield Problem("ec2_address", message, remedy, "kafka_ec2_public_addresses", severity=WARNING)
    lacking = [each.host for each in wanted.nodes if each.host not in {address.host for address in found.addresses}]
    if found.spare_addresses is not None and len(lacking) > found.spare_addresses:
        message = f"New Elastic IPs needed: {len(lacking)}. This account can allocate {found.spare_addresses} more"
        remedy = "release unused ones (aws ec2 describe-addresses), or ask AWS for a higher quota (L-0263D0A3)"
        yield Problem("ec2_address", message, remedy, "kafka_ec2_public_addresses", value=ELASTIC)
    for zone, cidr in missing_subnets(wanted, found):
        if not cidr:
            message = f"The network has no room for a subnet in {zone}"
            remedy = "give a larger network before the VPC is made, or a VPC and its subnets"
            yield Problem("ec2_vpc_cidr", message, remedy, "kafka_ec2_vpc_cidr", value=wanted.vpc_cidr)


def _sources(wanted: Desired, found: Current, group: CurrentGroup | None) -> Iterator[Problem]:
    """Report requested security groups and prefix lists that do not exist."""
    if found.sources is None:
        return
    there = {*found.sources, *(rule.source for rule in (group.rules if group else ()))}
    for source, rule in {each.source: each for each in wanted.rules if _is_named(each)}.items():
        if source not in there:
            what = "security group" if source.startswith("sg-") else "prefix list"
            message = f"This account sees no such {what} in {wanted.region}"
            remedy = "correct it; for another account's group write <account>/sg-..."
            variable = VARIABLES.get(rule.reason, "kafka_ec2_client_sources")
            yield Problem("ec2_source", message, remedy, variable, value=source)


def _is_named(rule: Rule) -> bool:
    """Check for a source that is known by its id in this account."""
    return rule.source.startswith(("sg-", "pl-")) and not rule.account


def _numbers(wanted: Desired, found: Current, group: CurrentGroup | None) -> Iterator[Problem]:
    """Warn about more rules than an account usually may have; only if rules are added."""
    if set(wanted.rules) <= set(current_rules(group)):
        return
    weights = found.sources or {}
    four, six = (
        sum(weights.get(each.source, 1) for each in wanted.rules if other not in each.source) for other in (":", ".")
    )
    if max(four, six) > MOST_RULES:
        message = f"These and the other sources make {max(four, six)} rules, and AWS allows {MOST_RULES} by default"
        remedy = "name fewer and larger networks or a group, or ask AWS for more rules in each group"
        yield Problem("ec2_rules", message, remedy, "kafka_ec2_client_sources", severity=WARNING)


def of_new(wanted: Desired, found: Current, node: Node) -> Iterator[Problem]:
    """Check a new machine: its type fits the image, and its address the subnet."""
    fits = (found.types or {}).get(node.instance_type)
    variable = "kafka_ec2_instance_type"
    if found.types is not None and fits is None:
        message = f"The region {wanted.region} has no such instance type"
        yield Problem("ec2_type", message, "choose another", variable, node.host, node.instance_type)
    elif fits and found.architecture and found.architecture not in fits:
        message = f"The type is of {'/'.join(fits)}, but the image {found.image_id} of {found.architecture}"
        yield Problem(
            "ec2_type",
            message,
            "choose an image (kafka_ec2_ami) or a type of the same architecture",
            variable,
            node.host,
            node.instance_type,
        )
    zones = (found.offered or {}).get(node.instance_type, ())
    if found.offered is not None and fits is not None and node.zone not in zones:
        message = f"is not offered in {node.zone}"
        remedy = f"choose another type, or one of the zones {', '.join(zones) or 'of another region'}"
        yield Problem("ec2_type", message, remedy, variable, node.host, node.instance_type)
    if wanted.root_size < found.least_root:
        message = f"is less than the {found.least_root} GiB of the image {found.image_id}"
        remedy = f"write {found.least_root} or more"
        place = "kafka_ec2_root_volume_size"
        yield Problem("ec2_root", message, remedy, place, node.host, str(wanted.root_size))
    yield from _system(found, node)
    yield from _placement(wanted, found, node)
    yield from _room(wanted, found, node)
    yield from _address(wanted, found, node)


def _system(found: Current, node: Node) -> Iterator[Problem]:
    """Check that a new machine's type boots the image, and takes its volumes under their names."""
    traits, variable, wrong = found.traits.get(node.instance_type, {}), "kafka_ec2_instance_type", []
    if traits.get("xen") and node.volumes:
        message = "The type is not of the Nitro family: its disks have no names by their volumes"
        wrong.append((message, "choose a type of that family, such as m6i.large"))
    modes = traits.get("boot")
    if found.boot in BOOT_MODES and modes and found.boot not in modes:
        message = f"The type boots by {'/'.join(modes)}, but the image {found.image_id} by {found.boot}"
        wrong.append((message, "choose an image (kafka_ec2_ami) or a type of the same boot mode"))
    if traits.get("ena") and found.ena is False:
        message = f"The type needs the ENA network driver, but the image {found.image_id} is registered without it"
        wrong.append((message, "choose an image (kafka_ec2_ami) with ENA support"))
    disks, most = len(node.volumes) + 1, traits.get("disks")
    if most and disks > most:
        message = f"The type takes {most} volumes, but the node has {disks} with its root disk"
        wrong.append((message, "choose a larger type, or fewer and larger kafka_ec2_volumes"))
    for message, remedy in wrong:
        yield Problem("ec2_type", message, remedy, variable, node.host, node.instance_type)


def _placement(wanted: Desired, found: Current, node: Node) -> Iterator[Problem]:
    """Check that the placement group of a new machine is there, and has its partition."""
    there, name = found.placement, wanted.placement_group
    if not name or found.types is None:  # None: AWS was not asked
        return
    if there is None or there.state != "available":
        message = f"is no placement group of {wanted.region} that can be used"
        remedy = f"make it: aws ec2 create-placement-group --group-name {name}"
        remedy += " --strategy partition --partition-count 3" if node.partition else " --strategy spread"
        yield Problem("ec2_placement", message, remedy, "kafka_ec2_placement_group", node.host, name)
    elif node.partition and there.strategy != "partition":
        message, remedy = f"is given, but {name} is of strategy {there.strategy}", "leave it out, or name another group"
        yield Problem("ec2_placement", message, remedy, "kafka_ec2_partition", node.host, node.partition)
    elif node.partition > there.partitions:
        message, remedy = f"is more than the {there.partitions} of {name}", f"give one from 1 to {there.partitions}"
        yield Problem("ec2_placement", message, remedy, "kafka_ec2_partition", node.host, node.partition)


def _room(wanted: Desired, found: Current, node: Node) -> Iterator[Problem]:
    """Check that the subnet of a new machine has an address left for it and for the other new ones."""
    subnet = subnet_of(wanted, found, node)
    if subnet is None or subnet.free is None or ipaddress.ip_network(subnet.cidr).prefixlen > LONGEST_PREFIX:
        return
    new = [each for each in wanted.nodes if own_instance(each.host, found) is None]
    there = sum(subnet_of(wanted, found, each) == subnet for each in new)
    if subnet.free < there:
        message = f"has no free address left for a machine in {node.zone} ({subnet.id}: {subnet.free} for {there})"
        remedy = "name a subnet of that zone with enough free addresses first"
        yield Problem("ec2_subnet", message, remedy, "kafka_ec2_subnet_ids", node.host)


def _address(wanted: Desired, found: Current, node: Node) -> Iterator[Problem]:
    """Check that a given private address is possible for a machine in its zone."""
    made = (cidr for zone, cidr in missing_subnets(wanted, found) if zone == node.zone and cidr)
    given = (each.cidr for each in usable_subnets(wanted, found) if each.zone == node.zone)
    networks = [ipaddress.IPv4Network(each) for each in (*given, *made)]
    if not node.private_ip or not networks:
        return
    address = ipaddress.IPv4Address(node.private_ip)
    inside = next((each for each in networks if address in each), None)
    message, remedy = "", f"give one of {', '.join(map(str, networks))}, or leave it out"
    if inside is None and not wanted.subnet_ids:  # given ones are checked by `checks`
        message = f"The address is in no subnet of {node.zone}"
    elif inside and _is_reserved(address, inside):
        message = f"The address of {inside} is reserved by AWS (the first four and the last)"
    if message:
        yield Problem("ec2_private_ip", message, remedy, "kafka_ec2_private_ip", node.host, node.private_ip)


def _is_reserved(address: ipaddress.IPv4Address, network: ipaddress.IPv4Network) -> bool:
    at = int(address) - int(network.network_address)
    return network.prefixlen <= LONGEST_PREFIX and (at < FIRST_RESERVED or at >= network.num_addresses - LAST_RESERVED)
