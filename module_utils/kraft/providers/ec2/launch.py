"""Launches the machine of one host, once: a client token makes two requests of one hour the same machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ansible.module_utils.kraft.providers.ec2 import model
from ansible.module_utils.kraft.providers.ec2.account import code_of
from ansible.module_utils.kraft.providers.ec2.model import ASSIGNED, Current, Desired
from ansible.module_utils.kraft.providers.ec2.network import tagged, token
from ansible.module_utils.kraft.providers.ec2.observe import pages
from ansible.module_utils.kraft.providers.ec2.plan import NodePlan, launch_tags
from ansible.module_utils.kraft.providers.ec2.waiting import Aws, refused

#: AWS remembers the token of a machine that has ended, or of a request with other values.
USED = ("IdempotentInstanceTerminated", "IdempotentParameterMismatch")
DEAD = ("shutting-down", "terminated")
ATTEMPTS = 5  # machines of one host that may have ended within an hour


def once_an_hour(*parts: object) -> Iterator[str]:
    """Yield client tokens: the same for the same parts in the same hour, the next one if AWS has used one up."""
    hour = time.strftime("%Y%m%d%H", time.gmtime())
    for attempt in range(ATTEMPTS):
        yield token(*parts, hour, attempt)


def unless_used(aws: Aws, call: Callable[..., Any], **asked: Any) -> Any:
    """Return AWS's answer; None if it has used up the client token."""
    try:
        return call(**asked)
    except aws.client.exceptions.ClientError as error:
        if code_of(error) not in USED:
            raise
        return None


def launch(aws: Aws, wanted: Desired, found: Current, node: NodePlan, group_id: str) -> str:
    """Launch a machine, and return its id."""
    asked, host = request(wanted, found, node, group_id), node.wanted.host
    await_end(aws, [each.id for each in found.ended if each.host == host and each.state == DEAD[0]])
    ended = sorted(each.id for each in found.ended if each.host == host)
    for attempt in once_an_hour(wanted.cluster_id, host, *ended):
        made = _requested(aws, host, {**asked, "ClientToken": attempt})
        if made and made["Instances"][0]["State"]["Name"] not in DEAD:
            return str(made["Instances"][0]["InstanceId"])
    raise refused(host, f"{ATTEMPTS} machines of this host have ended within an hour: find out why, then run again")


def _requested(aws: Aws, host: str, asked: dict[str, Any]) -> Any:
    """Return AWS's answer; None if it has used up the client token. Throttled requests are repeated, others not."""
    answers = aws.shown(
        f"group, subnet or key of {host}", lambda: [unless_used(aws, aws.launcher.run_instances, **asked)]
    )
    return answers[0]


def await_end(aws: Aws, ids: Sequence[str]) -> None:
    """Wait until machines have ended: until then they keep their disks and addresses."""

    def ended() -> bool:
        groups = pages(aws.client, "describe_instances", "Reservations", InstanceIds=list(ids))
        states = {each["InstanceId"]: each["State"]["Name"] for group in groups for each in group["Instances"]}
        return all(states.get(each) == DEAD[1] for each in ids)  # one that is not shown may run

    if ids:
        aws.shown(f"machines {', '.join(ids)} as terminated", ended, aws.boot)


def request(wanted: Desired, found: Current, node: NodePlan, group_id: str) -> dict[str, Any]:
    """Return the arguments of RunInstances."""
    tags = {**wanted.node_tags(node.wanted), **launch_tags(wanted, found)}
    interface = {
        "DeviceIndex": 0,
        "DeleteOnTermination": True,
        "SubnetId": node.subnet_id,
        "Groups": [group_id],
        "AssociatePublicIpAddress": wanted.public_addresses == ASSIGNED,
        **({"PrivateIpAddress": node.wanted.private_ip} if node.wanted.private_ip else {}),
    }
    disk = {"VolumeType": "gp3", "VolumeSize": wanted.root_size, "Encrypted": True, "DeleteOnTermination": True}
    return {
        "ImageId": found.image_id,
        "InstanceType": node.wanted.instance_type,
        "KeyName": wanted.key,
        "MinCount": 1,
        "MaxCount": 1,
        "NetworkInterfaces": [interface],
        "BlockDeviceMappings": [{"DeviceName": found.root_device, "Ebs": disk}],
        "EbsOptimized": True,
        "Monitoring": {"Enabled": wanted.monitoring},
        "DisableApiTermination": wanted.protection,
        "MetadataOptions": {"HttpTokens": "required", "HttpEndpoint": "enabled"},
        "TagSpecifications": [tagged("instance", tags), tagged("volume", _of_root(tags))],
        **_extras(wanted, node.wanted.partition),
    }


def _extras(wanted: Desired, partition: int) -> dict[str, Any]:
    """Return arguments that are passed only if they are configured."""
    profile, group = wanted.instance_profile, wanted.placement_group
    return {
        **({"IamInstanceProfile": {"Arn" if profile.startswith("arn:") else "Name": profile}} if profile else {}),
        **({"UserData": wanted.user_data} if wanted.user_data else {}),
        **(
            {"Placement": {"GroupName": group, **({"PartitionNumber": partition} if partition else {})}}
            if group
            else {}
        ),
    }


def _of_root(tags: dict[str, str]) -> dict[str, str]:
    """Return a root disk's tags, those of the machine: the node id distinguishes it from a data disk."""
    of_machine = (model.DISK, model.USER_DATA, model.KEY)
    return {key: value for key, value in tags.items() if not key.startswith(of_machine)}
