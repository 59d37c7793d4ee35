"""Problems of the desired state on EC2, before any request to AWS: each with its remedy. Pure."""

from __future__ import annotations

import base64
import ipaddress
import re
from collections.abc import Iterator

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.providers.ec2.model import OURS, Desired, Node, Volume
from ansible.module_utils.kraft.providers.ec2.plan import DEVICES

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
KEY_TYPES = ("ssh-rsa", "ssh-ed25519")
#: gp3: GiB, IOPS and MiB/s from, to; IOPS for each GiB and each MiB/s. From AWS's announcement of 26 September 2025;
#: botocore 1.44.5 (November 2026) has the same for CreateVolume, which tests/contract/test_ec2_api.py compares.
SOURCE = "AWS, September 2025"
LARGEST_VOLUME = 65536
IOPS = (3000, 80000)
THROUGHPUT = (125, 2000)
IOPS_PER_GIB, IOPS_PER_MIB = 500, 4
#: Bytes before base64 (docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html, a stored copy read
#: in November 2026); botocore 1.44.5 has the same for launch templates.
LONGEST_USER_DATA = 16384
#: In each zone, as public copies of AWS's guide quote it (November 2026); the page was not read.
#: botocore has no number.
#: `limits` compares with the partitions that the group has.
MOST_PARTITIONS = 7
MOST_TAGS, LONGEST_KEY, LONGEST_VALUE = 30, 128, 256


def asked(wanted: Desired, gone: bool = False) -> list[Problem]:
    """Return the problems of the desired state, before any request to AWS. `gone`: it is only to be removed."""
    if gone:
        return list(_region(wanted))
    return [
        *_region(wanted),
        *_access(wanted),
        *_network(wanted),
        *_tags(wanted),
        *_launch(wanted),
        *(each for node in wanted.nodes for each in _node(wanted, node)),
    ]


def _region(wanted: Desired) -> Iterator[Problem]:
    if not wanted.region:
        yield Problem(
            "ec2_region", "The variable is not set", "give the region, such as eu-central-1", "kafka_ec2_region"
        )
    if not NAME.fullmatch(wanted.cluster):
        message, remedy = "The name is not valid on EC2", "use letters, digits, '.', '_' and '-', at most 100"
        yield Problem("ec2_name", message, remedy, "kafka_cluster_name", value=wanted.cluster)


def _access(wanted: Desired) -> Iterator[Problem]:
    if not wanted.image:
        remedy = "give an id (ami-...) or an SSM parameter (ssm:/aws/service/...)"
        yield Problem("ec2_image", "The variable is not set", remedy, "kafka_ec2_ami")
    if not wanted.key_name and not wanted.public_key:
        message = "Neither this variable nor kafka_ec2_public_key is set: no user could log in"
        remedy = "give the name of a key pair in the account, or the text of a public key"
        yield Problem("ec2_key", message, remedy, "kafka_ec2_key_name")
    if wanted.public_key and not _is_public_key(wanted.public_key):
        message = "The value is not the text of a public key that AWS imports (RSA or ED25519)"
        remedy = "give the content of ~/.ssh/id_ed25519.pub, not its path and not the private key"
        yield Problem("ec2_key", message, remedy, "kafka_ec2_public_key")


def _is_public_key(text: str) -> bool:
    """Check whether a line of OpenSSH holds a key of a type that AWS imports. The body repeats its type."""
    kind, _, rest = text.strip().partition(" ")
    try:
        body = base64.b64decode((rest.split() or [""])[0], validate=True)
    except ValueError:
        return False
    return kind in KEY_TYPES and body[4 : 4 + len(kind)] == kind.encode()


def _network(wanted: Desired) -> Iterator[Problem]:
    if wanted.vpc_id and not wanted.subnet_ids:
        message = "The list is empty, but the VPC is given"
        yield Problem("ec2_subnets", message, "name a subnet of that VPC for each zone", "kafka_ec2_subnet_ids")
    if wanted.subnet_ids and not wanted.vpc_id:
        message, remedy = "The variable is not set, but subnets are given", "give the VPC of these subnets"
        yield Problem("ec2_vpc", message, remedy, "kafka_ec2_vpc_id")
    try:
        size = ipaddress.IPv4Network(wanted.vpc_cidr).prefixlen
    except ValueError:
        size = 0
    if not 16 <= size <= 28:  # noqa: PLR2004 - AWS's own limits
        message, remedy = "The value is not an IPv4 network from /16 to /28", "write 10.40.0.0/16"
        yield Problem("ec2_vpc_cidr", message, remedy, "kafka_ec2_vpc_cidr", value=wanted.vpc_cidr)


def _launch(wanted: Desired) -> Iterator[Problem]:
    """Check launch settings, as far as no account has to be asked."""
    size = len(wanted.user_data.encode())
    if size > LONGEST_USER_DATA:
        message, remedy = (
            f"The user data have {size} bytes, but AWS takes {LONGEST_USER_DATA}",
            "let it fetch what it needs",
        )
        yield Problem("ec2_user_data", message, remedy, "kafka_ec2_user_data")
    for node in wanted.nodes:
        if node.partition and not wanted.placement_group:
            message, remedy = "The partition is given without a placement group", "name it in kafka_ec2_placement_group"
            yield Problem("ec2_placement", message, remedy, "kafka_ec2_partition", node.host, node.partition)
        elif not 0 <= node.partition <= MOST_PARTITIONS:
            message, remedy = (
                f"The number must be from 1 to {MOST_PARTITIONS}",
                "choose one of the group's partitions in the zone",
            )
            yield Problem("ec2_placement", message, remedy, "kafka_ec2_partition", node.host, node.partition)


def _node(wanted: Desired, node: Node) -> Iterator[Problem]:
    if not node.zone:
        remedy = f"give the availability zone of the node, such as {wanted.region or 'eu-central-1'}a"
        yield Problem("ec2_zone", "The variable is not set", remedy, "kafka_ec2_zone", node.host)
    if node.private_ip:
        try:
            ipaddress.IPv4Address(node.private_ip)
        except ValueError:
            message, remedy = (
                "The value is not an IPv4 address",
                "give an address of the node's subnet, or leave it out",
            )
            yield Problem("ec2_private_ip", message, remedy, "kafka_ec2_private_ip", node.host, node.private_ip)
    same = [each.host for each in wanted.nodes if node.private_ip and each.private_ip == node.private_ip]
    if same[1:]:
        message, remedy = f"The hosts {', '.join(same)} have the same address", "give each of them another"
        yield Problem("ec2_private_ip", message, remedy, "kafka_ec2_private_ip", node.host, node.private_ip)
    for at, volume in enumerate(node.volumes):
        yield from _volume(node, at, volume)
        region = (volume.kms_key.split(":") + [""] * 4)[3]  # of an ARN
        if region and wanted.region and region != wanted.region:
            message, remedy = f"The key is in {region}, not in {wanted.region}", "give a key of the disks' region"
            place = f"kafka_ec2_volumes[{at}].kms_key"
            yield Problem("ec2_volume", message, remedy, place, node.host, volume.kms_key)


def _volume(node: Node, at: int, volume: Volume) -> Iterator[Problem]:
    place = f"kafka_ec2_volumes[{at}]"
    for part, value, least, most in (
        ("size", volume.size, 1, LARGEST_VOLUME),
        ("iops", volume.iops, *IOPS),
        ("throughput", volume.throughput, *THROUGHPUT),
    ):
        if not least <= value <= most:
            message, remedy = f"The number must be from {least} to {most}", f"give what gp3 has ({SOURCE})"
            yield Problem("ec2_volume", message, remedy, f"{place}.{part}", node.host, value)
    if volume.iops > max(IOPS[0], volume.size * IOPS_PER_GIB):
        message = f"The number is above {IOPS_PER_GIB} for each GiB of size {volume.size}"
        remedy = f"write {max(IOPS[0], volume.size * IOPS_PER_GIB)} or less, or a larger size"
        yield Problem("ec2_volume", message, remedy, f"{place}.iops", node.host, volume.iops)
    if volume.throughput * IOPS_PER_MIB > volume.iops:
        message = f"The throughput needs {volume.throughput * IOPS_PER_MIB} IOPS, but iops is {volume.iops}"
        remedy = f"write iops: {volume.throughput * IOPS_PER_MIB}, or a lower throughput"
        yield Problem("ec2_volume", message, remedy, f"{place}.throughput", node.host, volume.throughput)
    if at >= len(DEVICES):
        message = f"The list is too long: a machine has device names for {len(DEVICES)}"
        yield Problem("ec2_volume", message, "give larger ones, or add nodes", place, node.host, volume.mount)
    if [each.mount for each in node.volumes].count(volume.mount) > 1:
        message, remedy = "Two volumes have this mount", "give each a separate mount"
        yield Problem("ec2_volume", message, remedy, f"{place}.mount", node.host, volume.mount)


def _tags(wanted: Desired) -> Iterator[Problem]:
    """Check AWS's limits of tags (docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html)."""
    variable = "kafka_ec2_tags"
    if len(wanted.tags) > MOST_TAGS:
        message = f"The list has {len(wanted.tags)} tags: with those of Kraftwright a resource would have more than 50"
        yield Problem("ec2_tags", message, f"name {MOST_TAGS} or fewer", variable)
    for key, value in wanted.tags.items():
        if key.lower().startswith(("aws:", OURS)) or key == "Name":
            message, remedy = "AWS or Kraftwright sets this tag", "choose another name"
            yield Problem("ec2_tags", message, remedy, variable, value=key)
        if not 0 < len(key) <= LONGEST_KEY or len(value) > LONGEST_VALUE:
            message = f"The key has more than {LONGEST_KEY} characters, or its value more than {LONGEST_VALUE}"
            yield Problem("ec2_tags", message, "write less", variable, value=key)
