"""A plan for EC2 in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ansible.module_utils.kraft.providers.ec2.model import Current, Desired
from ansible.module_utils.kraft.providers.ec2.plan import NodePlan, Plan


def plan_lines(wanted: Desired, found: Current, made: Plan) -> list[str]:
    """Describe the plan, one line for each thing, in the order of the work."""
    return [
        *([f"create VPC {wanted.vpc_cidr}"] if made.make_vpc else []),
        *(f"create subnet {cidr} in {zone}" for zone, cidr in made.subnets),
        *(["route subnets to the internet"] if made.route else []),
        *([f"import key pair {wanted.key}"] if made.make_key else []),
        *([] if made.group_id else [f"create security group {wanted.group_name}"]),
        *(f"remove rule {rule}" for rule in made.remove),
        *(f"add rule {rule} ({rule.reason})" for rule in made.add),
        *(f"describe rule {rule} as {rule.reason}" for rule in made.reword),
        *(line for each in made.nodes.values() for line in _describe_node(wanted, found, each)),
        *(f"tag {each} with {_pairs(tags)}" for each, tags in made.tags.items()),
    ]


def _pairs(tags: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in tags.items())


def _describe_node(wanted: Desired, found: Current, made: NodePlan) -> Iterator[str]:
    node = made.wanted
    yield from _disks(made)
    if made.launch:
        image = found.image_id or wanted.image
        yield f"launch instance {node.host}: {node.instance_type} in {node.zone}, node id {node.node_id}, {image}"
    elif made.start:
        yield f"start instance {made.instance_id} ({node.host})"
    if made.regroup:
        yield f"put instance {made.instance_id} ({node.host}) into {wanted.group_name}"
    for volume in made.volumes:
        if volume.attach:
            yield f"attach volume {volume.id or 'of ' + volume.wanted.mount} to {node.host} as {volume.device}"
    if made.keep:
        yield f"keep disks {', '.join(made.keep)} when instance {made.instance_id} ({node.host}) ends"
    if made.protect:
        yield f"protect instance {made.instance_id} ({node.host}) from termination"
    if made.associate:
        yield f"give {node.host} an Elastic IP" + (f" ({made.address.public_ip})" if made.address else "")


def _disks(made: NodePlan) -> Iterator[str]:
    for volume in made.volumes:
        disk = volume.wanted
        if volume.make:
            yield f"create volume of {disk.size} GiB for {made.wanted.host} {disk.mount}"
        elif volume.modify:
            yield f"change volume {volume.id} of {made.wanted.host}: {volume.changes}"
