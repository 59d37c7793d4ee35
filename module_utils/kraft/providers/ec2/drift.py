"""Differences between what is wanted and what is there that a run does not repair: each is a warning. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.providers.ec2.model import (
    ASSIGNED,
    ELASTIC,
    KEY,
    USER_DATA,
    Current,
    CurrentInstance,
    Desired,
    Node,
    Rule,
)
from ansible.module_utils.kraft.providers.ec2.plan import launch_tags, own_group, own_volume
from ansible.module_utils.kraft.providers.ec2.refusal_remedies import of_reason

EVERYTHING = Rule(-1, -1, "0.0.0.0/0", "all")
AWS = "aws ec2"
ACTIVE = "active"  # state of a peering
ROOT_TYPE = DISK_TYPE = "gp3"


def of_cluster(wanted: Desired, found: Current) -> Iterator[Problem]:
    """Compare network and image."""
    group = own_group(wanted, found)
    if group and EVERYTHING not in group.egress:
        message = f"The cluster's security group {group.id} does not allow all outgoing traffic"
        remedy = (
            f"if that is not meant: {AWS} authorize-security-group-egress --group-id {group.id} --protocol -1"
            " --cidr 0.0.0.0/0"
        )
        yield _warning("ec2_egress", message, remedy, "kafka_cluster_name", value=wanted.cluster)
    for rule in group.rules if group else ():
        if rule.peering not in ("", ACTIVE):
            message = f"The rule {rule} has no effect: the peering to that group's VPC is {rule.peering}"
            remedy = "restore the peering, or take the source out of the list"
            yield _warning("ec2_source", message, remedy, "kafka_ec2_client_sources", value=rule.source)
    vpc = found.vpc
    if vpc and vpc.owned and vpc.gateway and vpc.default_route and vpc.default_route != vpc.gateway:
        message = (
            f"The cluster's VPC {vpc.id} has a default route that leads to {vpc.default_route}, not to {vpc.gateway}"
        )
        yield _warning("ec2_route", message, "it was not changed", "kafka_cluster_name", value=wanted.cluster)
    for subnet in found.subnets:
        if subnet.owned and subnet.foreign_table and vpc and subnet.foreign_route != vpc.gateway:
            leads = (
                f"whose default route leads to {subnet.foreign_route}"
                if subnet.foreign_route
                else "without a default route"
            )
            message = f"The cluster's subnet {subnet.id} uses the route table {subnet.foreign_table} of others, {leads}"
            remedy = "it was not changed: a route to an internet gateway lets the nodes reach other networks"
            yield _warning("ec2_route", message, remedy, "kafka_cluster_name", value=wanted.cluster)
    living = {each.host for each in found.instances}
    for each in found.ended:
        if each.host not in living and each.host in {node.host for node in wanted.nodes}:
            message = f"The host's machine {each.id} has ended: {each.reason or 'AWS gives no reason'}"
            yield _warning("ec2_ended", message, of_reason(each.reason) or "it is replaced", "", each.host)
    if found.deprecated and found.image_id:
        message = f"The image {found.image_id} is deprecated since {found.deprecated[:10]}; it can still be launched"
        yield _warning("ec2_image", message, "choose a newer image", "kafka_ec2_ami", value=wanted.image)


def of_node(wanted: Desired, found: Current, node: Node, machine: CurrentInstance) -> Iterator[Problem]:
    """Compare an existing machine."""
    if machine.tokens != "required":
        message = (
            f"The host's machine {machine.id} accepts IMDSv1: any process there can read the machine's credentials"
        )
        remedy = f"{AWS} modify-instance-metadata-options --instance-id {machine.id} --http-tokens required"
        yield _warning("ec2_imds", message, remedy, "", node.host)
    if machine.protected and not wanted.protection:
        message = f"The value is false, but {machine.id} is protected"
        yield _warning("ec2_protection", message, "it was not changed", "kafka_ec2_termination_protection", node.host)
    if machine.monitoring != wanted.monitoring:
        verb = "monitor" if wanted.monitoring else "unmonitor"
        message = f"The value differs from that of {machine.id}, which is not changed"
        remedy = f"{AWS} {verb}-instances --instance-ids {machine.id}"
        yield _warning("ec2_monitoring", message, remedy, "kafka_ec2_detailed_monitoring", node.host)
    group = own_group(wanted, found)
    if others := sorted(set(machine.group_ids) - {group.id if group else ""}):
        message = f"has {machine.id} in further security groups ({', '.join(others)}), whose rules count, too"
        remedy = "see who can reach what: playbooks/audit_exposure.yml"
        yield _warning("ec2_groups", message, remedy, "", node.host)
    yield from _addresses(wanted, found, node, machine)
    yield from _launch(wanted, found, node, machine)


def of_disks(found: Current, node: Node, machine_id: str) -> Iterator[Problem]:
    """Report data disks that a run would have made differently, and a restored one that is attached now.

    `machine_id`: that of the node's machine; empty if it is to be launched.
    """
    for at, volume in enumerate(node.volumes):
        there, variable = own_volume(node.host, volume.mount, found), f"kafka_ec2_volumes[{at}]"
        if there is None:
            continue
        if there.kind != DISK_TYPE:
            remedy = f"{AWS} modify-volume --volume-id {there.id} --volume-type {DISK_TYPE}"
            message = f"has the disk {there.id} of type {there.kind}, not {DISK_TYPE}"
            yield _warning("ec2_volume", message, remedy, variable, node.host)
        if not there.encrypted:
            message = f"has the disk {there.id}, which is not encrypted"
            yield _warning("ec2_volume", message, "replace the node with a new disk", variable, node.host)
        if there.snapshot and (not machine_id or there.instance_id != machine_id):
            message = f"gets {there}: its records are as old as that snapshot"
            yield _warning("ec2_volume", message, "with other replicas alive, use a new disk", variable, node.host)


def _launch(wanted: Desired, found: Current, node: Node, machine: CurrentInstance) -> Iterator[Problem]:
    """Report differences from the settings of a machine's launch."""
    grow = f"{AWS} modify-volume --volume-id {machine.root}"
    if machine.root_size and machine.root_size != wanted.root_size:
        message = f"The size differs from the root disk {machine.root} ({machine.root_size} GiB), which is not changed"
        more = machine.root_size < wanted.root_size
        remedy = f"{grow} --size {wanted.root_size}, then restart the machine" if more else "a disk only grows"
        yield _warning("ec2_root", message, remedy, "kafka_ec2_root_volume_size", node.host, str(wanted.root_size))
    if machine.root_type and machine.root_type != ROOT_TYPE:
        message = f"The host has the root disk {machine.root} of type {machine.root_type}, not {ROOT_TYPE}"
        yield _warning("ec2_root", message, f"{grow} --volume-type {ROOT_TYPE}", "", node.host)
    profile = wanted.instance_profile.rpartition("/")[2]
    if machine.instance_profile.rpartition("/")[2] != profile:
        message = (
            f"The value differs from that of {machine.id} ({machine.instance_profile or 'none'}), which is not changed"
        )
        remedy = (
            f"{AWS} associate-iam-instance-profile --instance-id {machine.id} --iam-instance-profile Name={profile}"
        )
        if machine.instance_profile or not profile:
            remedy = "replace the association of this machine, or write its own"
        yield _warning("ec2_profile", message, remedy, "kafka_ec2_instance_profile", node.host, profile)
    there, now = found.tags.get(machine.id, {}), launch_tags(wanted, found)
    if there.get(KEY) and now.get(KEY) and there[KEY] != now[KEY]:
        message = f"The key differs from the one that {machine.id} was launched with; only new machines get it"
        remedy = "add it to the login's authorized_keys there, or give the former key"
        yield _warning("ec2_key", message, remedy, "kafka_ec2_key_name", node.host, wanted.key)
    if there.get(USER_DATA, "") != now.get(USER_DATA, ""):
        message = f"The value differs from the one that {machine.id} was launched with; only new machines get it"
        yield _warning("ec2_user_data", message, "replace the machine if it needs it", "kafka_ec2_user_data", node.host)
    placed = (machine.placement_group, machine.partition)
    if placed != (wanted.placement_group, node.partition or machine.partition):
        message = f"The value differs from the place of {machine.id} ({placed[0] or 'none'}, partition {placed[1]})"
        remedy = "stop the machine and move it (modify-instance-placement), or write its place"
        yield _warning("ec2_placement", message, remedy, "kafka_ec2_placement_group", node.host, wanted.placement_group)


def _addresses(wanted: Desired, found: Current, node: Node, machine: CurrentInstance) -> Iterator[Problem]:
    elastic = [each for each in found.addresses if each.host == node.host]
    variable = "kafka_ec2_public_addresses"
    if elastic and wanted.public_addresses != ELASTIC:
        message = f"The value is {wanted.public_addresses}, but the Elastic IP {elastic[0]} remains and costs money"
        remedy = f"if it can go: {AWS} release-address --allocation-id {elastic[0].id}"
        yield _warning("ec2_address", message, remedy, variable, node.host)
    elif wanted.public_addresses == ASSIGNED and machine.state == "running" and not machine.public_ip:
        message = f"The value is assigned, but {machine.id} was launched without a public address"
        yield _warning("ec2_address", message, "use elastic, or replace the machine", variable, node.host)
    elif not elastic and wanted.public_addresses not in (ASSIGNED, ELASTIC) and machine.public_ip:
        message = f"The value is none, but {machine.id} has the public address {machine.public_ip}"
        yield _warning("ec2_address", message, "replace the machine if it must have none", variable, node.host)


def _warning(rule: str, message: str, remedy: str, variable: str, host: str = "", value: str = "") -> Problem:  # noqa: PLR0913, PLR0917
    return Problem(rule, message, remedy, variable, host, value or None, WARNING)
