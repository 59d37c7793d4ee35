"""A plan as what the modules of amazon.aws are asked for. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.providers.ec2 import exposure, model
from ansible.module_utils.kraft.providers.ec2.model import ASSIGNED, OWN_GROUP, Current, Desired, Rule
from ansible.module_utils.kraft.providers.ec2.plan import NodePlan, Plan, VolumePlan

Request = dict[str, Any]


def of_audit(wanted: Desired, found: Current, desired: Mapping[str, Any]) -> Request:
    """What the audit asks and tries."""
    addresses = {each.host: each.private_ip for each in found.instances if each.host in desired}
    asked = exposure.question(desired, addresses, wanted.rules)
    return {
        "allowed": [{"port": each.first, "source": each.source} for each in wanted.rules],
        "listeners": {str(port): text for port, text in asked.listeners.items()},
        "between": {host: dict(targets) for host, targets in asked.between.items()},
        "hidden": {host: list(ports) for host, ports in asked.hidden.items()},
    }


def of_plan(wanted: Desired, found: Current, plan: Plan, tags: Mapping[str, str], root_size: int) -> Request:
    """Everything that the role's tasks read."""
    own = {**tags, model.CLUSTER: wanted.cluster, model.CLUSTER_ID: wanted.cluster_id}
    nodes = {host: of_node(wanted, found, each, plan.group_id, own, root_size) for host, each in plan.nodes.items()}
    return {
        "tags": own,
        "vpc_id": plan.vpc_id,
        "make_vpc": plan.make_vpc,
        "route": plan.route,
        "network": plan.network,
        "subnets": [{"zone": zone, "cidr": cidr} for zone, cidr in plan.subnets],
        "subnet_ids": list(plan.subnet_ids),
        "make_key": plan.make_key,
        "key": wanted.key,
        "group": plan.group,
        "group_name": wanted.group_name,
        "group_id": plan.group_id,
        "rules": [rule(each, wanted.group_name) for each in plan.rules],
        "vpc_cidrs": list(found.vpc.cidrs) if found.vpc else [wanted.vpc_cidr],
        "nodes": nodes,
        "work": any(each["work"] for each in nodes.values()),
        "awaited": [host for host, each in plan.nodes.items() if each.launch or each.start],
    }


def rule(each: Rule, own_group: str) -> Request:
    """A rule as ``amazon.aws.ec2_security_group`` has it."""
    if each.source == OWN_GROUP:
        source = {"group_name": own_group}
    elif ":" in each.source:
        source = {"cidr_ipv6": each.source}
    else:
        source = {"cidr_ip" if "/" in each.source else "group_id": each.source}
    return {"proto": each.protocol, "from_port": each.first, "to_port": each.last, "rule_desc": each.reason, **source}


def of_node(  # noqa: PLR0913, PLR0917
    wanted: Desired, found: Current, plan: NodePlan, group_id: str, own: Mapping[str, str], root_size: int
) -> Request:
    """One machine: what to launch, which disks, which address."""
    node = plan.wanted
    named = {**own, model.HOST: node.host}
    return {
        "instance_id": plan.instance_id,
        "launch": plan.launch,
        "start": plan.start,
        "regroup": plan.regroup,
        "group_ids": list(plan.group_ids),
        "work": plan.launch or plan.start or plan.regroup or plan.allocate or any(map(_work, plan.volumes)),
        "address": {"allocate": plan.allocate, "public_ip": plan.address, "tags": named},
        "tags": {
            **named,
            model.NODE_ID: str(node.node_id),
            model.ROLES: ",".join(node.roles),
            "Name": f"{wanted.cluster}-{node.host}",
        },
        "instance_type": node.instance_type,
        "image": found.image_id,
        "interface": {
            "device_index": 0,
            "subnet_id": plan.subnet_id,
            "groups": [group_id] if group_id else [],
            "assign_public_ip": wanted.public_addresses == ASSIGNED,
            **({"private_ip_address": node.private_ip} if node.private_ip else {}),
        },
        "root": {
            "device_name": found.root_device,
            "ebs": {"volume_type": "gp3", "volume_size": root_size, "encrypted": True, "delete_on_termination": True},
        },
        "volumes": [_volume(each, node, named, wanted.cluster) for each in plan.volumes],
    }


def _work(volume: VolumePlan) -> bool:
    return bool(volume.make or volume.modify or volume.attach)


def _volume(each: VolumePlan, node: model.Node, named: Mapping[str, str], cluster: str) -> Request:
    disk = each.wanted
    return {
        "id": each.id,
        "make": each.make,
        "modify": each.modify,
        "attach": each.attach,
        "mount": disk.mount,
        "zone": node.zone,
        "size": disk.size,
        "iops": disk.iops,
        "throughput": disk.throughput,
        "kms_key": disk.kms_key,
        "device": disk.device,
        "tags": {**named, model.MOUNT: disk.mount, "Name": f"{cluster}-{node.host}:{disk.mount}"},
    }
