"""Answers of EC2 as the values of ``model``. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.providers.ec2 import key_pairs, model
from ansible.module_utils.kraft.providers.ec2.model import Current, Rule

LIVING = ("pending", "running", "stopping", "stopped")
LEAVING = ("detaching", "detached")
USABLE_DISK = ("available", "in-use", "creating")
#: Things with tags, beside instances -> key of their id.
KINDS = {
    "vpcs": "VpcId",
    "subnets": "SubnetId",
    "groups": "GroupId",
    "gateways": "InternetGatewayId",
    "tables": "RouteTableId",
    "volumes": "VolumeId",
    "addresses": "AllocationId",
    "keys": "KeyName",
}
#: Kinds of a rule's sources -> where a source's CIDR or id is.
SOURCES = {
    "IpRanges": "CidrIp",
    "Ipv6Ranges": "CidrIpv6",
    "UserIdGroupPairs": "GroupId",
    "PrefixListIds": "PrefixListId",
}
Data = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Question:
    """Things to look for: those with the cluster's tag, and those named by id.

    ``hosts``: those that need a machine, of the instance ``types``. ``elastic``: whether each needs an Elastic IP.
    ``protection``: query each machine whether it refuses to be terminated. ``sources``: security groups and prefix
    lists that rules name. ``placement_group``: one that new machines are put into. ``kms_keys``: those that disks name.
    """

    cluster: str
    vpc_id: str = ""
    subnet_ids: tuple[str, ...] = ()
    image: str = ""
    hosts: tuple[str, ...] = ()
    protection: bool = False
    elastic: bool = False
    types: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    placement_group: str = ""
    kms_keys: tuple[str, ...] = ()


def tags(item: Data) -> dict[str, str]:
    return {each["Key"]: each["Value"] for each in item.get("Tags") or []}


def arrange(answers: Mapping[str, Any], question: Question) -> Current:
    """Convert EC2's answers to values."""
    cluster = question.cluster
    keys = [each for each in answers["keys"] if each["KeyName"] != key_pairs.lock_name(cluster)]
    answers = {**answers, "keys": keys}
    vpc = _vpc(answers, question)
    disks = {each["VolumeId"]: each for each in answers["volumes"]}
    machines = [instance(each, disks) for group in answers["reservations"] for each in group["Instances"]]
    inside = [each for each in answers["subnets"] if each["SubnetId"] in question.subnet_ids or _in(each, vpc)]
    return Current(
        vpc=vpc,
        vpcs=tuple(each["VpcId"] for each in answers["vpcs"] if _owned(each, cluster)),
        free_gateways=tuple(
            each["InternetGatewayId"]
            for each in answers["gateways"]
            if _owned(each, cluster) and not each.get("Attachments")
        ),
        subnets=tuple(_subnet(each, answers["tables"], cluster) for each in inside),
        groups=tuple(group(each, cluster) for each in answers["groups"] if _in(each, vpc) or _owned(each, cluster)),
        volumes=tuple(_volume(each) for each in answers["volumes"] if _is_data(each)),
        instances=tuple(each for each in machines if each.state in LIVING),
        ended=tuple(each for each in machines if each.state not in LIVING),
        addresses=tuple(map(_address, answers["addresses"])),
        keys=tuple(_key(each, cluster) for each in answers["keys"]),
        tags=_tags(answers, cluster),
    )


def _owned(item: Data, cluster: str) -> bool:
    return tags(item).get(model.CLUSTER) == cluster


def _key(item: Data, cluster: str) -> model.CurrentKey:
    return model.CurrentKey(item["KeyName"], key_pairs.key_text(item.get("PublicKey") or ""), _owned(item, cluster))


def _tags(answers: Mapping[str, Any], cluster: str) -> dict[str, dict[str, str]]:
    """Return the tags of each resource that carries the cluster's name."""
    listed = [each for group in answers["reservations"] for each in group["Instances"]]
    instances = [each for each in listed if each["State"]["Name"] in LIVING]
    kinds = [*((key, answers[kind]) for kind, key in KINDS.items()), ("InstanceId", instances)]
    found = ((item[key], tags(item)) for key, items in kinds for item in items)
    return {each: named for each, named in found if named.get(model.CLUSTER) == cluster}


def _in(item: Data, vpc: model.CurrentVpc | None) -> bool:
    return vpc is not None and item.get("VpcId") == vpc.id


def _vpc(answers: Mapping[str, Any], question: Question) -> model.CurrentVpc | None:
    """Return the VPC that is named, else the cluster's own."""
    for each in answers["vpcs"]:
        owned = _owned(each, question.cluster)
        if each["VpcId"] == question.vpc_id or (owned and not question.vpc_id):
            tables = [t for t in answers["tables"] if t["VpcId"] == each["VpcId"] and _is_used(t, question.cluster)]
            tables.sort(key=lambda table: not _owned(table, question.cluster))
            gateways = answers["gateways"]
            return model.CurrentVpc(
                id=each["VpcId"],
                cidrs=cidrs(each),
                owned=owned,
                gateway=next((g["InternetGatewayId"] for g in gateways if _attached(g, each["VpcId"])), ""),
                tables=tuple(table["RouteTableId"] for table in tables),
                default_route=_default_route(tables[0]) if tables else "",
                associated=tuple(one for table in tables for one in _subnets(table)),
            )
    return None


def _is_used(table: Data, cluster: str) -> bool:
    """Check for a route table of the cluster, or one that a subnet names: not the VPC's main one."""
    return _owned(table, cluster) or bool(_subnets(table))


def _subnets(table: Data) -> list[str]:
    """Return the ids of the subnets that name a route table."""
    return [each["SubnetId"] for each in table.get("Associations") or [] if each.get("SubnetId")]


def _attached(gateway: Data, vpc_id: str) -> bool:
    return any(each["VpcId"] == vpc_id for each in gateway.get("Attachments") or [])


def _default_route(table: Data) -> str:
    """Return the target of a table's route to the internet; empty if there is none."""
    for route in table.get("Routes") or []:
        if route.get("DestinationCidrBlock") == "0.0.0.0/0" and route.get("State", "active") == "active":
            targets = ("GatewayId", "NatGatewayId", "TransitGatewayId", "NetworkInterfaceId", "InstanceId")
            return next((route[each] for each in targets if route.get(each)), "another target")
    return ""


def cidrs(vpc: Data) -> tuple[str, ...]:
    """Return all IPv4 and IPv6 networks of a VPC, the first one first; not those that have left it."""
    four = [each for each in vpc.get("CidrBlockAssociationSet") or [] if _is_associated(each, "CidrBlockState")]
    six = [each for each in vpc.get("Ipv6CidrBlockAssociationSet") or [] if _is_associated(each, "Ipv6CidrBlockState")]
    more = [*(each["CidrBlock"] for each in four), *(each["Ipv6CidrBlock"] for each in six)]
    return tuple(dict.fromkeys([vpc["CidrBlock"], *more]))


def _is_associated(item: Data, key: str) -> bool:
    return (item.get(key) or {}).get("State", "associated") in ("associated", "associating")


def _subnet(item: Data, tables: Iterable[Data], cluster: str) -> model.CurrentSubnet:
    named = [each for each in tables if item["SubnetId"] in _subnets(each)]
    foreign: Data = next((each for each in named if not _owned(each, cluster)), {})
    return model.CurrentSubnet(
        id=item["SubnetId"],
        vpc_id=item["VpcId"],
        zone=item["AvailabilityZone"],
        cidr=item.get("CidrBlock") or "",
        owned=_owned(item, cluster),
        free=item.get("AvailableIpAddressCount"),
        foreign_table=foreign.get("RouteTableId") or "",
        foreign_route=_default_route(foreign),
    )


def group(item: Data, cluster: str) -> model.CurrentGroup:
    owner = item.get("OwnerId") or ""
    opened, egress = rules(item["IpPermissions"], owner), rules(item.get("IpPermissionsEgress") or (), owner)
    name, vpc_id = item["GroupName"], item["VpcId"]
    return model.CurrentGroup(item["GroupId"], name, vpc_id, opened, _owned(item, cluster), egress)


def rules(permissions: Iterable[Data], owner: str = "") -> tuple[Rule, ...]:
    """Convert EC2's permissions: one rule for each range of ports and source. `owner`: account of the group."""
    found = []
    for each in permissions:
        protocol = "all" if str(each["IpProtocol"]) == "-1" else str(each["IpProtocol"])
        first, last = each.get("FromPort", -1), each.get("ToPort", -1)
        for kind, key in SOURCES.items():
            for r in each.get(kind) or []:
                account = str(r.get("UserId") or owner)
                other = account if account != owner else ""
                reason, peering = r.get("Description") or "", r.get("PeeringStatus") or ""
                found.append(Rule(first, last, r[key], protocol, reason, other, peering))
    return tuple(sorted(found))


def _is_data(volume: Data) -> bool:
    """Check for a data disk: a machine's root disk has the machine's tags, and no mount."""
    named = tags(volume)
    return volume["State"] in USABLE_DISK and (model.MOUNT in named or model.NODE_ID not in named)


def _volume(item: Data) -> model.CurrentVolume:
    named = tags(item)
    hung: Data = next((each for each in item.get("Attachments") or [] if each.get("State") not in LEAVING), {})
    return model.CurrentVolume(
        id=item["VolumeId"],
        host=named.get(model.HOST, ""),
        mount=named.get(model.MOUNT, ""),
        zone=item["AvailabilityZone"],
        size=item["Size"],
        iops=item.get("Iops") or 0,
        throughput=item.get("Throughput") or 0,
        instance_id=hung.get("InstanceId") or "",
        device=hung.get("Device") or "",
        state=item["State"],
        created=_day(item.get("CreateTime")),
        snapshot=item.get("SnapshotId") or "",
        kms_key=item.get("KmsKeyId") or "",
        kind=item.get("VolumeType") or "",
        encrypted=bool(item.get("Encrypted")),
    )


def _day(moment: Any) -> str:
    return moment.isoformat(timespec="seconds") if moment else ""


def instance(item: Data, disks: Mapping[str, Data] | None = None) -> model.CurrentInstance:
    """Return an instance with every group of every interface. `disks`: volume id -> volume."""
    named, placed = tags(item), item.get("Placement") or {}
    devices = {m["DeviceName"]: m["Ebs"]["VolumeId"] for m in item.get("BlockDeviceMappings") or [] if "Ebs" in m}
    root = devices.get(item.get("RootDeviceName") or "", "")
    mappings = [each["Ebs"] for each in item.get("BlockDeviceMappings") or [] if "Ebs" in each]
    perishable = tuple(each["VolumeId"] for each in mappings if each.get("DeleteOnTermination"))
    disk: Data = (disks or {}).get(root) or {}
    groups = [each["GroupId"] for face in item.get("NetworkInterfaces") or [] for each in face.get("Groups") or []]
    groups += [each["GroupId"] for each in item.get("SecurityGroups") or []]
    return model.CurrentInstance(
        id=item["InstanceId"],
        host=named.get(model.HOST, ""),
        node_id=named.get(model.NODE_ID, ""),
        state=item["State"]["Name"],
        zone=placed.get("AvailabilityZone") or "",
        instance_type=item.get("InstanceType", ""),
        private_ip=item.get("PrivateIpAddress") or "",
        public_ip=item.get("PublicIpAddress") or "",
        group_ids=tuple(sorted(set(groups))),
        devices=devices,
        created=_day(item.get("LaunchTime")),
        reason=_reason(item),
        tokens=(item.get("MetadataOptions") or {}).get("HttpTokens") or "required",
        monitoring=(item.get("Monitoring") or {}).get("State") in ("enabled", "pending"),
        subnet_id=item.get("SubnetId") or "",
        root=root,
        root_size=disk.get("Size") or 0,
        root_type=disk.get("VolumeType") or "",
        instance_profile=(item.get("IamInstanceProfile") or {}).get("Arn") or "",
        placement_group=placed.get("GroupName") or "",
        partition=placed.get("PartitionNumber") or 0,
        vpc_id=item.get("VpcId") or "",
        elastic=_has_elastic_ip(item),
        perishable=tuple(each for each in perishable if each != root),
    )


def _has_elastic_ip(item: Data) -> bool:
    """Check the owner of the public address: an account for an Elastic IP, `amazon` for an assigned one."""
    shown = [(face.get("Association") or {}) for face in item.get("NetworkInterfaces") or []]
    return any(each.get("IpOwnerId", "amazon") != "amazon" for each in shown)


def _reason(item: Data) -> str:
    """Return why an instance is in its state, in AWS's words."""
    known = item.get("StateReason") or {}
    said = ": ".join(filter(None, (known.get("Code"), known.get("Message"))))
    return said or item.get("StateTransitionReason") or ""


def _address(item: Data) -> model.CurrentAddress:
    host = tags(item).get(model.HOST, "")
    named = (item.get(each) or "" for each in ("InstanceId", "AssociationId", "NetworkInterfaceId"))
    return model.CurrentAddress(item["AllocationId"], host, item["PublicIp"], *named)
