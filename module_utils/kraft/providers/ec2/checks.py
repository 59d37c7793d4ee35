"""Problems of the desired state on EC2, given the current one: each with its remedy. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.providers.ec2 import coherence, drift, limits
from ansible.module_utils.kraft.providers.ec2.key_pairs import key_text
from ansible.module_utils.kraft.providers.ec2.model import HOST, MOUNT, Current, Desired, Node
from ansible.module_utils.kraft.providers.ec2.plan import own_instance, own_volume, subnet_of, unlisted, usable_subnets

SHOWN = 5  # resources that a message lists


def listed(foreign: Mapping[str, str]) -> str:
    """List resources, each with its cluster id."""
    shown = [f"{each} (cluster id {found or 'none'})" for each, found in foreign.items()]
    return ", ".join(shown[:SHOWN]) + (f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else "")


def against(wanted: Desired, found: Current) -> list[Problem]:
    """Return the problems of the desired state, given the current one."""
    return [
        *_places(wanted, found),
        *_belongings(wanted, found),
        *_ambiguous(wanted, found),
        *coherence.of_cluster(wanted, found),
        *limits.of_cluster(wanted, found),
        *drift.of_cluster(wanted, found),
        *(each for node in wanted.nodes for each in _machine(wanted, found, node)),
    ]


def _places(wanted: Desired, found: Current) -> Iterator[Problem]:
    if wanted.vpc_id and found.vpc is None:
        remedy = "give a VPC of this region that is this account's or shared with it, or leave it out for a new one"
        yield Problem(
            "ec2_vpc", f"The region {wanted.region} has no such VPC", remedy, "kafka_ec2_vpc_id", value=wanted.vpc_id
        )
    known = {each.id: each for each in found.subnets}
    for subnet_id in wanted.subnet_ids:
        subnet = known.get(subnet_id)
        if subnet is None:
            message, remedy = (
                f"The region {wanted.region} has no such subnet",
                "give subnets of this region that are this account's or shared with it (AWS RAM)",
            )
            yield Problem("ec2_subnet", message, remedy, "kafka_ec2_subnet_ids", value=subnet_id)
        elif subnet.vpc_id != wanted.vpc_id:
            message = f"The subnet is in {subnet.vpc_id}, not in kafka_ec2_vpc_id {wanted.vpc_id}"
            remedy = "give subnets of one VPC, and that VPC"
            yield Problem("ec2_subnet", message, remedy, "kafka_ec2_subnet_ids", value=subnet_id)
        elif not subnet.cidr:
            message, remedy = "The subnet has no IPv4 network for a node's address", "give subnets with IPv4"
            yield Problem("ec2_subnet", message, remedy, "kafka_ec2_subnet_ids", value=subnet_id)
    if not found.image_id and any(own_instance(node.host, found) is None for node in wanted.nodes):
        message = f"The region {wanted.region} has no such image that can be launched"
        remedy = "give an id (ami-...) of this region, or an SSM parameter that holds one (ssm:/aws/service/...)"
        yield Problem("ec2_image", message, remedy, "kafka_ec2_ami", value=wanted.image)
    yield from _key(wanted, found)


def _key(wanted: Desired, found: Current) -> Iterator[Problem]:
    """Check the key: a name decides which key a machine gets, so the key behind the name must be ours."""
    there = found.key(wanted.key)
    if there and there.text and wanted.public_key and there.text != key_text(wanted.public_key):
        message = f"The key pair {there.name} in {wanted.region} has another key: new machines would get that one"
        remedy = "give the key of that pair, delete the pair in AWS, or choose another kafka_ec2_key_name"
        yield Problem("ec2_key", message, remedy, "kafka_ec2_public_key")
    elif there and wanted.public_key and not there.text and not there.owned:
        message = f"The key pair {there.name} in {wanted.region} may have another key: this cluster did not create it"
        yield Problem("ec2_key", message, "compare them, or choose another kafka_ec2_key_name", "kafka_ec2_public_key")
    if wanted.key_name and not wanted.public_key and there is None:
        message = f"The region {wanted.region} has no such key pair"
        remedy = "give an existing one, or kafka_ec2_public_key to import one"
        yield Problem("ec2_key", message, remedy, "kafka_ec2_key_name", value=wanted.key_name)


def _belongings(wanted: Desired, found: Current) -> Iterator[Problem]:
    foreign = {each: found_id for each, found_id in found.foreign(wanted.cluster_id).items() if found_id}
    if foreign:
        message = f"Another cluster in this region has this name: {listed(foreign)}"
        remedy = "give this cluster another name, or use the inventory that made these resources"
        yield Problem("ec2_cluster", message, remedy, "kafka_cluster_name", value=wanted.cluster)
    for host in unlisted(wanted, found):
        message, remedy = (
            "The host has machines or disks of this cluster, but is not in the inventory",
            "put it back into the inventory if it belongs to the cluster; its machines and disks are not changed",
        )
        yield Problem("ec2_unlisted", message, remedy, "", host, severity=WARNING)
    for group in found.groups:
        if group.name == wanted.group_name and not group.owned:
            message = f"The security group {group.name} exists and does not belong to this cluster ({group.id})"
            remedy = "rename or remove that group, or give the cluster another name"
            yield Problem("ec2_group", message, remedy, "kafka_cluster_name", value=wanted.cluster)


def _ambiguous(wanted: Desired, found: Current) -> Iterator[Problem]:
    """Report two things that could be the same one, and one that has lost its identifying tags."""
    same: dict[tuple[str, str], list[object]] = {}
    for machine in found.instances:
        same.setdefault((machine.host, "instances"), []).append(machine)
    for volume in found.volumes:
        same.setdefault((volume.host, f"volumes of {volume.mount}"), []).append(volume)
    for address in found.addresses:
        same.setdefault((address.host, "Elastic IPs"), []).append(address)
    for (host, what), each in sorted(same.items()):
        if len(each) > 1 and host:
            message = f"The host has {len(each)} {what}: {'; '.join(map(str, each))}"
            remedy = "keep the one with the data, and remove the tag kraftwright_cluster of the others"
            yield Problem("ec2_twice", message, remedy, "", host)
    if len(found.vpcs) > 1 and not wanted.vpc_id:
        message = f"The cluster has {len(found.vpcs)} VPCs: {', '.join(found.vpcs)}"
        remedy = "remove the one without machines, or name the other in kafka_ec2_vpc_id"
        yield Problem("ec2_twice", message, remedy, "kafka_cluster_name", value=wanted.cluster)
    disks = [str(each) for each in found.volumes if not each.host or not each.mount]
    others = [str(each) for each in found.instances if not each.host]
    others += [str(each) for each in found.addresses if not each.host]
    lost = [(each, "host and mount", f"{HOST} and {MOUNT}") for each in disks]
    lost += [(each, "host", HOST) for each in others]
    for thing, lacking, tags in lost:
        message = f"The tags of {thing} do not name its {lacking}"
        remedy = f"give it {tags} again, or remove kraftwright_cluster"
        yield Problem("ec2_untagged", message, remedy, "kafka_cluster_name", value=wanted.cluster)


def _machine(wanted: Desired, found: Current, node: Node) -> Iterator[Problem]:
    instance = own_instance(node.host, found)
    yield from _volumes(found, node)
    yield from drift.of_disks(found, node, instance.id if instance else "")
    if instance is None:
        yield from _placement(wanted, found, node)
        yield from limits.of_new(wanted, found, node)
        return
    if instance.node_id != str(node.node_id):
        message = f"The value differs from the tag of {instance.id}: node {instance.node_id or '(none)'}"
        remedy = "give the host the node id of its machine; an id stays with its machine for ever"
        yield Problem("ec2_node_id", message, remedy, "kafka_node_id", node.host, node.node_id)
    if instance.zone != node.zone:
        message = f"The value differs from the zone of {instance.id}: {instance.zone}"
        yield Problem("ec2_zone", message, "a machine does not move: write its zone", "kafka_ec2_zone", node.host)
    if node.private_ip and instance.private_ip != node.private_ip:
        message = f"The value differs from that of {instance.id}: {instance.private_ip}"
        remedy = "an address is given at launch: write the machine's own"
        yield Problem("ec2_private_ip", message, remedy, "kafka_ec2_private_ip", node.host, node.private_ip)
    if instance.instance_type and instance.instance_type != node.instance_type:
        message = f"The value differs from that of {instance.id} ({instance.instance_type}), which is not changed"
        remedy = "stop the instance, change its type, start it, and run this again, one node at a time"
        yield Problem("ec2_type", message, remedy, "kafka_ec2_instance_type", node.host, node.instance_type, WARNING)
    yield from drift.of_node(wanted, found, node, instance)


def _placement(wanted: Desired, found: Current, node: Node) -> Iterator[Problem]:
    if node.zone not in found.zones:
        message = f"The region {wanted.region} has no such zone that can be used"
        remedy = f"there are {', '.join(sorted(found.zones))}"
        yield Problem("ec2_zone", message, remedy, "kafka_ec2_zone", node.host, node.zone)
    elif wanted.subnet_ids and subnet_of(wanted, found, node) is None:
        covered = sorted({each.zone for each in usable_subnets(wanted, found)})
        inside = f" with {node.private_ip}" if node.private_ip else ""
        message = (
            f"The zone has no subnet among kafka_ec2_subnet_ids{inside}: they cover {', '.join(covered) or 'nothing'}"
        )
        remedy = "add a subnet of that zone, or place the node in another"
        yield Problem("ec2_zone", message, remedy, "kafka_ec2_zone", node.host, node.zone)


def _volumes(found: Current, node: Node) -> Iterator[Problem]:
    for at, volume in enumerate(node.volumes):
        there = own_volume(node.host, volume.mount, found)
        if there is None:
            if found.kms_keys.get(volume.kms_key) == "":
                message = "KMS has no such key in this region that is enabled"
                remedy = "give the id, ARN or alias of one: aws kms list-aliases"
                yield Problem(
                    "ec2_volume", message, remedy, f"kafka_ec2_volumes[{at}].kms_key", node.host, volume.kms_key
                )
            continue
        if there.size > volume.size:
            message = f"The size is below that of {there.id} ({there.size} GiB): a volume only grows"
            place = f"kafka_ec2_volumes[{at}].size"
            yield Problem("ec2_volume", message, f"write {there.size} or more", place, node.host, volume.size)
        if there.zone != node.zone:
            message = f"The value differs from the zone of the node's volume {there.id}: {there.zone}"
            yield Problem("ec2_zone", message, "a volume does not move: write its zone", "kafka_ec2_zone", node.host)
        holder = next((each for each in found.instances if each.id == there.instance_id), None)
        if holder and holder.host != node.host:
            message = f"The node's disk {there} is on the machine of {holder.host or 'no host'}"
            remedy = f"detach it there: aws ec2 detach-volume --volume-id {there.id}"
            yield Problem("ec2_disk_elsewhere", message, remedy, f"kafka_ec2_volumes[{at}]", node.host)
        key = found.kms_keys.get(volume.kms_key) or volume.kms_key
        if key and there.kms_key and not _is_same_key(key, there.kms_key):
            message = f"The value differs from the key of {there.id} ({there.kms_key}), which is not changed"
            remedy = "a disk keeps its key: write that one, or replace the disk"
            place = f"kafka_ec2_volumes[{at}].kms_key"
            yield Problem("ec2_volume", message, remedy, place, node.host, volume.kms_key, WARNING)
    named = {volume.mount for volume in node.volumes}
    for each in found.volumes:
        if each.host == node.host and each.mount and each.mount not in named:
            message = f"The list lacks {each.mount}, whose volume {each.id} is not changed"
            yield Problem("ec2_volume", message, "", "kafka_ec2_volumes", node.host, severity=WARNING)


def _is_same_key(given: str, there: str) -> bool:
    """Check whether a key is the one that AWS names by its ARN; an alias that was not resolved counts as it."""
    return given == there or there.endswith(f"/{given}") or "alias/" in given
