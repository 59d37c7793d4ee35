"""Things that AWS does not show as the cluster's, although others prove that they exist: none is made twice. Pure.

Tags can be removed by people and scripts, and an answer of AWS can be old. A machine, disk, address or VPC without its
tags looks like one that is missing.
"""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.providers.ec2.model import (
    CLUSTER,
    CLUSTER_ID,
    DISK,
    ELASTIC,
    HOST,
    MOUNT,
    NODE_ID,
    Current,
    CurrentInstance,
    Desired,
    Node,
)
from ansible.module_utils.kraft.providers.ec2.plan import own_instance, own_volume

AWS = "aws ec2"


def of_cluster(wanted: Desired, found: Current) -> Iterator[Problem]:
    """Compare the machines' VPC and subnets with those that are the cluster's, and nodes with what is theirs."""
    vpc_id = found.vpc.id if found.vpc else ""
    if wanted.vpc_id and not vpc_id:
        return  # `checks` reports it
    own = {each.id for each in found.subnets if each.owned}
    for node in wanted.nodes:
        machine = own_instance(node.host, found)
        yield from _disks(wanted, found, node, machine)
        yield from _address(wanted, found, node, machine)
        if machine and machine.vpc_id and machine.vpc_id != vpc_id:
            message = f"has {machine} in {machine.vpc_id}, which is not the VPC of this cluster ({vpc_id or 'none'})"
            remedy = "a machine does not move: write its VPC and its subnets"
            if not wanted.vpc_id:
                remedy = f"if it is the cluster's own: {_tagging(wanted, machine.vpc_id)}; then run again"
            yield Problem("ec2_vpc", message, remedy, "kafka_ec2_vpc_id", node.host, wanted.vpc_id or None)
        elif machine and machine.subnet_id and not wanted.vpc_id and machine.subnet_id not in own:
            message = f"has {machine.id} in {machine.subnet_id}, which has no tag of this cluster"
            remedy = f"so that destroy_ec2.yml removes it: {_tagging(wanted, machine.subnet_id)}"
            yield Problem("ec2_untagged", message, remedy, "", node.host, severity=WARNING)
    vpc = found.vpc
    for each in (vpc.gateway, *vpc.tables) if vpc and vpc.owned else ():
        if each and each not in found.tags:
            message = f"has {each} in its VPC {vpc_id}, which has no tag of this cluster"
            remedy = f"so that destroy_ec2.yml removes it: {_tagging(wanted, each)}"
            yield Problem("ec2_untagged", message, remedy, "kafka_cluster_name", value=wanted.cluster, severity=WARNING)
    others = [each for each in found.vpcs if each != vpc_id] if wanted.vpc_id else []
    if others:
        message = f"is given, but the cluster has its own VPC {', '.join(others)}, which stays"
        yield Problem("ec2_vpc", message, "", "kafka_ec2_vpc_id", value=wanted.vpc_id, severity=WARNING)


def _tagging(wanted: Desired, resource: str, **more: str) -> str:
    """Return the command that gives a thing its tags again."""
    named = {CLUSTER: wanted.cluster, CLUSTER_ID: wanted.cluster_id, **more}
    return f"{AWS} create-tags --resources {resource} --tags {' '.join(f'Key={k},Value={v}' for k, v in named.items())}"


def _disks(wanted: Desired, found: Current, node: Node, machine: CurrentInstance | None) -> Iterator[Problem]:
    """Report a disk on a machine that is not ours, and one of ours that has lost its tags, or has another's."""
    ours = {each.id for each in (*found.instances, *found.ended)}
    for at, volume in enumerate(node.volumes):
        there, variable = own_volume(node.host, volume.mount, found), f"kafka_ec2_volumes[{at}]"
        if there and there.instance_id and there.instance_id not in ours:
            message = f"has its disk {there} on a machine that has no tag of this cluster"
            tagging = _tagging(wanted, there.instance_id, **{HOST: node.host, NODE_ID: str(node.node_id)})
            remedy = f"if that is the node's machine: {tagging}; else {AWS} detach-volume --volume-id {there.id}"
            yield Problem("ec2_disk_elsewhere", message, remedy, variable, node.host)
        named = found.tags.get(machine.id, {}).get(DISK + volume.mount, "") if machine else ""
        attached = bool(machine and named in machine.devices.values())
        if attached and (there is None or there.id != named):
            message = f"has {named} by the tags of its machine, and {there or 'no disk'} by those of disks"
            tags = _tagging(wanted, named, **{HOST: node.host, MOUNT: volume.mount})
            yield Problem("ec2_untagged", message, f"if it is {named}: {tags}; then run again", variable, node.host)
        elif machine and named and there is None:
            message = f"had {named} by the tags of {machine.id}, and AWS shows no disk with the tags of {volume.mount}"
            tags = _tagging(wanted, named, **{HOST: node.host, MOUNT: volume.mount})
            untag = f"{AWS} delete-tags --resources {machine.id} --tags Key={DISK}{volume.mount}"
            remedy = f"if {named} exists: {tags}; if it is lost and an empty one may come: {untag}; then run again"
            yield Problem("ec2_untagged", message, remedy, variable, node.host)


def _address(wanted: Desired, found: Current, node: Node, machine: CurrentInstance | None) -> Iterator[Problem]:
    """Report an Elastic IP that another one uses, and another one that the machine would lose."""
    if wanted.public_addresses != ELASTIC:
        return
    variable, at = "kafka_ec2_public_addresses", machine.id if machine else ""
    own = [each for each in found.addresses if each.host == node.host]
    free = {"", at, *(each.id for each in found.ended)}
    for each in own:
        if each.instance_id not in free or (each.interface and not each.instance_id):
            message = f"has its Elastic IP {each}, not on its machine ({at or 'none yet'})"
            command = f"{AWS} disassociate-address --association-id {each.association}"
            remedy = f"if that is the node's machine, give it its tags again; if not: {command}"
            yield Problem("ec2_address", message, remedy, variable, node.host)
    if machine and machine.elastic and not any(each.instance_id == at for each in own):
        message = f"would lose the Elastic IP {machine.public_ip} of {at}, which has no tag of this host"
        tagging = _tagging(wanted, "ALLOCATION_ID", **{HOST: node.host})
        remedy = f"to keep it: {tagging}; or disassociate it; then run again"
        yield Problem("ec2_address", message, remedy, variable, node.host)
