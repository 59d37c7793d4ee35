"""Makes what the plan found missing of one host's disks, machine and address, and looks at each until AWS shows it."""

from __future__ import annotations

import datetime
import email.utils
from collections.abc import Sequence
from typing import Any

from ansible.module_utils.kraft.providers.ec2 import model
from ansible.module_utils.kraft.providers.ec2.account import code_of
from ansible.module_utils.kraft.providers.ec2.answers import instance
from ansible.module_utils.kraft.providers.ec2.launch import DEAD, launch, once_an_hour, unless_used
from ansible.module_utils.kraft.providers.ec2.model import Current, CurrentInstance, Desired
from ansible.module_utils.kraft.providers.ec2.network import as_tags, tagged
from ansible.module_utils.kraft.providers.ec2.plan import NodePlan, VolumePlan, kept_devices
from ansible.module_utils.kraft.providers.ec2.waiting import UNKNOWN, Aws, refused

OLD = 60  # seconds after which AWS shows a volume that it has
GONE = ("deleting", "deleted")
CHANGED = ("optimizing", "completed")


def build(aws: Aws, wanted: Desired, found: Current, node: NodePlan, group_id: str) -> None:
    """Build one host: the machine first, since one that the zone does not have must leave no disk; the address last."""
    instance_id = node.instance_id or launch(aws, wanted, found, node, group_id)
    disks = {each.wanted.mount: each.id or _make_disk(aws, wanted, node, each) for each in node.volumes}
    _adjust(aws, node, instance_id)
    hanging = [each for each in node.volumes if each.attach]
    if hanging or node.launch or node.start or node.associate:
        _running(aws, node.wanted.host, instance_id)
    for each in hanging:
        _attach(aws, node.wanted.host, each, disks[each.wanted.mount], instance_id)
    if hanging:
        tags = {model.DISK + each.wanted.mount: disks[each.wanted.mount] for each in hanging}
        aws.call("create_tags", instance_id, Resources=[instance_id], Tags=as_tags(tags))
    for each in node.volumes:
        if each.modify:
            _modify(aws, node.wanted.host, each)
    if node.associate:
        _address(aws, wanted, node, instance_id)


def _adjust(aws: Aws, node: NodePlan, instance_id: str) -> None:
    """Start a machine, and set its attributes that differ."""
    if node.start:
        _start(aws, node, instance_id)
    if node.keep:
        keep_disks(aws, instance_id, node.keep)
    changes: list[dict[str, Any]] = [{"Groups": list(node.group_ids)}] if node.regroup else []
    changes += [{"DisableApiTermination": {"Value": True}}] if node.protect else []
    for each in changes:
        aws.call("modify_instance_attribute", instance_id, InstanceId=instance_id, **each)


def keep_disks(aws: Aws, instance_id: str, devices: Sequence[str]) -> None:
    """Have AWS keep disks when their machine ends, and wait until it shows that it does: the end may come next."""
    kept = [{"DeviceName": each, "Ebs": {"DeleteOnTermination": False}} for each in devices]
    aws.call("modify_instance_attribute", instance_id, InstanceId=instance_id, BlockDeviceMappings=kept)

    def are_kept() -> bool:
        groups = aws.client.describe_instances(InstanceIds=[instance_id])["Reservations"]
        found = [instance(each) for group in groups for each in group["Instances"]]
        return bool(found) and not set(devices) & set(kept_devices(found[0]))

    aws.shown(f"disks {', '.join(devices)} of {instance_id} as kept", are_kept)


def _make_disk(aws: Aws, wanted: Desired, node: NodePlan, plan: VolumePlan) -> str:
    """Make a volume, wait until AWS shows it as available, and return its id."""
    host, disk = node.wanted.host, plan.wanted
    named = {model.HOST: host, model.MOUNT: disk.mount, "Name": f"{wanted.cluster}-{host}:{disk.mount}"}
    asked: dict[str, Any] = {
        "AvailabilityZone": node.wanted.zone,
        "VolumeType": "gp3",
        "Size": disk.size,
        "Iops": disk.iops,
        "Throughput": disk.throughput,
        "Encrypted": True,
        "TagSpecifications": [tagged("volume", {**wanted.own_tags, **named})],
        **({"KmsKeyId": disk.kms_key} if disk.kms_key else {}),
    }
    for attempt in once_an_hour(wanted.cluster_id, host, disk.mount):
        made = unless_used(aws, aws.client.create_volume, **asked, ClientToken=attempt)
        if made and not _is_deleted(aws, made):
            _usable(aws, host, made["VolumeId"], "available")
            return str(made["VolumeId"])
    raise refused(host, f"the disk of {disk.mount} was deleted too often within an hour: run again later")


def _is_deleted(aws: Aws, made: dict[str, Any]) -> bool:
    """Check whether the volume that AWS remembers by its token is an old one that has gone."""
    if (_moment(made) - made["CreateTime"]).total_seconds() < OLD:
        return False
    try:
        found = aws.one("describe_volumes", "Volumes", VolumeIds=[made["VolumeId"]])
    except aws.client.exceptions.ClientError as error:
        if not code_of(error).endswith(UNKNOWN):
            raise
        return True
    return not found or found["State"] in GONE


def _moment(answer: dict[str, Any]) -> datetime.datetime:
    """Return when AWS answered, by its own clock: this machine's may be wrong by minutes."""
    said = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {}).get("date")
    return email.utils.parsedate_to_datetime(said) if said else datetime.datetime.now(datetime.timezone.utc)


def _usable(aws: Aws, host: str, volume_id: str, *states: str) -> dict[str, Any]:
    """Wait for a volume in one of `states`; raise if it has failed."""

    def read_volume() -> dict[str, Any] | None:
        found = aws.one("describe_volumes", "Volumes", VolumeIds=[volume_id])
        if found and found["State"] in ("error", *GONE):
            raise refused(host, f"volume {volume_id} is {found['State']}: may AWS use its KMS key (kms_key)?")
        return found if found and found["State"] in states else None

    return aws.shown(f"volume {volume_id} of {host} as {' or '.join(states)}", read_volume, aws.boot)


def _running(aws: Aws, host: str, instance_id: str) -> CurrentInstance:
    """Wait until the machine runs; raise AWS's own reason if it has ended."""

    def read_instance() -> CurrentInstance | None:
        groups = aws.client.describe_instances(InstanceIds=[instance_id])["Reservations"]
        found = [instance(each) for group in groups for each in group["Instances"]]
        if found and found[0].state in DEAD:
            raise refused(host, f"{instance_id} ended at launch ({found[0].reason or 'AWS gives no reason'})")
        return found[0] if found and found[0].state == "running" else None

    return aws.shown(f"machine {instance_id} of {host} as running", read_instance, aws.boot)


def _start(aws: Aws, node: NodePlan, instance_id: str) -> None:
    """Start a machine; one that is still stopping is awaited first."""

    def stopped() -> bool:
        groups = aws.client.describe_instances(InstanceIds=[instance_id])["Reservations"]
        states = [each["State"]["Name"] for group in groups for each in group["Instances"]]
        return bool(states) and "stopping" not in states

    aws.shown(f"machine {instance_id} of {node.wanted.host} as stopped", stopped, aws.boot)
    aws.client.start_instances(InstanceIds=[instance_id])


def _attach(aws: Aws, host: str, plan: VolumePlan, volume_id: str, instance_id: str) -> None:
    """Attach a volume to its machine, both by id, and wait until AWS shows it there."""
    if not volume_id or not instance_id:
        raise refused(host, f"no id of the volume of {plan.wanted.mount} or of its machine is known: run again")
    _usable(aws, host, volume_id, "available")
    what = f"volume {volume_id} on {instance_id} ({host})"
    aws.call("attach_volume", what, VolumeId=volume_id, InstanceId=instance_id, Device=plan.device)

    def is_attached() -> bool:
        found = aws.one("describe_volumes", "Volumes", VolumeIds=[volume_id]) or {}
        hung = [(each.get("InstanceId"), each.get("State")) for each in found.get("Attachments") or []]
        return (instance_id, "attached") in hung

    aws.shown(what, is_attached, aws.boot)


def _modify(aws: Aws, host: str, plan: VolumePlan) -> None:
    """Change a volume, and wait until AWS shows that its new size can be used. A change in progress is awaited."""
    if not _is_changing(aws, plan.id, plan.target):
        aws.client.modify_volume(VolumeId=plan.id, **plan.target)

    def is_modified() -> bool:
        found = _modification(aws, plan.id)
        if found.get("ModificationState") == "failed":
            raise refused(host, f"volume {plan.id} was not changed: {found.get('StatusMessage') or 'no reason given'}")
        return found.get("ModificationState") in CHANGED and found.get("TargetSize") == plan.wanted.size

    aws.shown(f"the change of volume {plan.id} of {host} ({plan.changes})", is_modified, aws.boot)


def _is_changing(aws: Aws, volume_id: str, target: dict[str, int]) -> bool:
    found = _modification(aws, volume_id)
    same = all(found.get(f"Target{name}") == value for name, value in target.items())
    return found.get("ModificationState") == "modifying" and same


def _modification(aws: Aws, volume_id: str) -> dict[str, Any]:
    """Return the last change of a volume; empty if it never had one."""
    try:
        found = aws.client.describe_volumes_modifications(VolumeIds=[volume_id])["VolumesModifications"]
    except aws.client.exceptions.ClientError as error:
        if not code_of(error).startswith("InvalidVolumeModification"):
            raise
        return {}
    return max(found, key=lambda each: str(each.get("StartTime") or ""), default={})


def _address(aws: Aws, wanted: Desired, node: NodePlan, instance_id: str) -> None:
    """Associate the host's Elastic IP with its machine; allocate one only if the host has none."""
    host = node.wanted.host
    if node.address:
        allocation = node.address.id
    else:
        tags = {**wanted.own_tags, model.HOST: host, "Name": f"{wanted.cluster}-{host}"}
        asked = {"Domain": "vpc", "TagSpecifications": [tagged("elastic-ip", tags)]}
        allocation = aws.once("allocate_address", f"an address of {host}", **asked)["AllocationId"]
    what = f"address {allocation} on {instance_id} ({host})"
    ended = bool(node.address and node.address.instance_id)  # any other holder was refused before
    pair = {"AllocationId": allocation, "InstanceId": instance_id, "AllowReassociation": ended}
    aws.call("associate_address", what, **pair)

    def is_associated() -> bool:
        found = aws.one("describe_addresses", "Addresses", AllocationIds=[allocation])
        return bool(found and found.get("InstanceId") == instance_id)

    aws.shown(what, is_associated)
