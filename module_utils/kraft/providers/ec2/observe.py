"""Looks at everything of a cluster on EC2 with a few calls, side by side; changes nothing.

The client is boto3's, passed in. Answers become the values of ``model``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ansible.module_utils.kraft.providers.ec2 import model
from ansible.module_utils.kraft.providers.ec2.model import Current, Rule

AT_ONCE = 8
LIVING = ["pending", "running", "stopping", "stopped"]
USABLE_DISK = ("available", "in-use", "creating")
BY_SSM = "ssm:"
#: What has tags, beside instances -> where its id is.
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
Data = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Question:
    """What is looked for: what carries the cluster's tag, and what is named by id."""

    cluster: str
    vpc_id: str = ""
    subnet_ids: tuple[str, ...] = ()
    image: str = ""


def tags(item: Data) -> dict[str, str]:
    return {each["Key"]: each["Value"] for each in item.get("Tags") or []}


def pages(client: Any, operation: str, key: str, **arguments: Any) -> list[Any]:
    """All items of a call, page after page where it has pages."""
    if client.can_paginate(operation):
        return [item for page in client.get_paginator(operation).paginate(**arguments) for item in page[key]]
    return list(getattr(client, operation)(**arguments)[key])


def owned_by(cluster: str) -> list[dict[str, Any]]:
    return [{"Name": f"tag:{model.CLUSTER}", "Values": [cluster]}]


def observe(client: Any, ssm: Any, question: Question) -> Current:
    """Everything at once; raises what botocore raises."""
    own = owned_by(question.cluster)
    calls: dict[str, Callable[[], Any]] = {
        "zones": lambda: pages(client, "describe_availability_zones", "AvailabilityZones", Filters=_usable()),
        "vpcs": lambda: pages(client, "describe_vpcs", "Vpcs"),
        "subnets": lambda: pages(client, "describe_subnets", "Subnets"),
        "groups": lambda: pages(client, "describe_security_groups", "SecurityGroups", Filters=_named(question.cluster)),
        "gateways": lambda: pages(client, "describe_internet_gateways", "InternetGateways", Filters=own),
        "tables": lambda: pages(client, "describe_route_tables", "RouteTables", Filters=own),
        "volumes": lambda: pages(client, "describe_volumes", "Volumes", Filters=own),
        "reservations": lambda: pages(client, "describe_instances", "Reservations", Filters=[*own, _living()]),
        "addresses": lambda: pages(client, "describe_addresses", "Addresses", Filters=own),
        "keys": lambda: pages(client, "describe_key_pairs", "KeyPairs"),
        "image": lambda: image(client, ssm, question.image),
    }
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = {name: pool.submit(call) for name, call in calls.items()}
        return arrange({name: future.result() for name, future in running.items()}, question)


def _usable() -> list[dict[str, Any]]:
    return [{"Name": "state", "Values": ["available"]}, {"Name": "zone-type", "Values": ["availability-zone"]}]


def _living() -> dict[str, Any]:
    return {"Name": "instance-state-name", "Values": LIVING}


def _named(cluster: str) -> list[dict[str, Any]]:
    return [{"Name": "group-name", "Values": [model.group_name(cluster)]}]


def image(client: Any, ssm: Any, named: str) -> tuple[str, str]:
    """(id, root device) of an image named by id or by SSM parameter; empty where it is none."""
    if not named:
        return "", ""
    if named.startswith(BY_SSM):
        found = ssm.get_parameters(Names=[named[len(BY_SSM) :]])["Parameters"]
        named = found[0]["Value"] if found else ""
    images = pages(client, "describe_images", "Images", Filters=[{"Name": "image-id", "Values": [named]}])
    return (images[0]["ImageId"], images[0].get("RootDeviceName") or "") if images else ("", "")


def arrange(answers: Mapping[str, Any], question: Question) -> Current:
    """What EC2 answered, as values."""
    cluster = question.cluster
    vpc = _vpc(answers, question)
    inside = [each for each in answers["subnets"] if each["SubnetId"] in question.subnet_ids or _in(each, vpc)]
    return Current(
        zones=tuple(each["ZoneName"] for each in answers["zones"]),
        vpc=vpc,
        subnets=tuple(map(_subnet, inside, [cluster] * len(inside))),
        groups=tuple(_group(each, cluster) for each in answers["groups"] if _in(each, vpc)),
        volumes=tuple(_volume(each) for each in answers["volumes"] if _is_data(each)),
        instances=tuple(instance(each) for group in answers["reservations"] for each in group["Instances"]),
        addresses=tuple(map(_address, answers["addresses"])),
        keys=tuple(each["KeyName"] for each in answers["keys"]),
        own_keys=tuple(each["KeyName"] for each in answers["keys"] if tags(each).get(model.CLUSTER) == cluster),
        image_id=answers["image"][0],
        root_device=answers["image"][1],
        cluster_ids=_cluster_ids(answers, cluster),
    )


def _cluster_ids(answers: Mapping[str, Any], cluster: str) -> dict[str, str]:
    """The tag with the cluster's id of each resource that carries its name; empty where it has none."""
    instances = [each for group in answers["reservations"] for each in group["Instances"]]
    kinds = [*((key, answers[kind]) for kind, key in KINDS.items()), ("InstanceId", instances)]
    found = ((item[key], tags(item)) for key, items in kinds for item in items)
    return {each: named.get(model.CLUSTER_ID, "") for each, named in found if named.get(model.CLUSTER) == cluster}


def _in(item: Data, vpc: model.CurrentVpc | None) -> bool:
    return vpc is not None and item.get("VpcId") == vpc.id


def _vpc(answers: Mapping[str, Any], question: Question) -> model.CurrentVpc | None:
    for each in answers["vpcs"]:
        owned = tags(each).get(model.CLUSTER) == question.cluster
        if each["VpcId"] == question.vpc_id or (owned and not question.vpc_id):
            gateway = next((g["InternetGatewayId"] for g in answers["gateways"] if _attached(g, each["VpcId"])), "")
            tables = [t for t in answers["tables"] if t["VpcId"] == each["VpcId"]]
            return model.CurrentVpc(
                id=each["VpcId"],
                cidrs=cidrs(each),
                owned=owned,
                gateway=gateway,
                tables=tuple(table["RouteTableId"] for table in tables),
                routed=_routed(tables, answers, question),
            )
    return None


def _attached(gateway: Data, vpc_id: str) -> bool:
    return any(each["VpcId"] == vpc_id for each in gateway.get("Attachments") or [])


def _routed(tables: Sequence[Data], answers: Mapping[str, Any], question: Question) -> bool:
    """Whether every subnet of the cluster's own has its route table."""
    own = {each["SubnetId"] for each in answers["subnets"] if tags(each).get(model.CLUSTER) == question.cluster}
    has = {each.get("SubnetId") for table in tables for each in table.get("Associations") or []}
    return bool(tables) and own <= has


def cidrs(vpc: Data) -> tuple[str, ...]:
    """All IPv4 and IPv6 networks of a VPC, the first one first."""
    more = [each["CidrBlock"] for each in vpc.get("CidrBlockAssociationSet") or []]
    six = [each["Ipv6CidrBlock"] for each in vpc.get("Ipv6CidrBlockAssociationSet") or []]
    return tuple(dict.fromkeys([vpc["CidrBlock"], *more, *six]))


def _subnet(item: Data, cluster: str) -> model.CurrentSubnet:
    owned = tags(item).get(model.CLUSTER) == cluster
    return model.CurrentSubnet(item["SubnetId"], item["VpcId"], item["AvailabilityZone"], item["CidrBlock"], owned)


def _group(item: Data, cluster: str) -> model.CurrentGroup:
    owned = tags(item).get(model.CLUSTER) == cluster
    return model.CurrentGroup(item["GroupId"], item["GroupName"], item["VpcId"], rules(item["IpPermissions"]), owned)


def groups(client: Any, ids: Sequence[str], cluster: str) -> dict[str, model.CurrentGroup]:
    """Security groups by their ids."""
    found = pages(client, "describe_security_groups", "SecurityGroups", GroupIds=list(ids))
    return {each["GroupId"]: _group(each, cluster) for each in found}


def rules(permissions: Iterable[Data]) -> tuple[Rule, ...]:
    """EC2's permissions, taken apart: one rule for each range of ports and source."""
    found = []
    for each in permissions:
        protocol = "all" if str(each["IpProtocol"]) == "-1" else str(each["IpProtocol"])
        first, last = each.get("FromPort", -1), each.get("ToPort", -1)
        sources = [
            *((r["CidrIp"], r) for r in each.get("IpRanges") or []),
            *((r["CidrIpv6"], r) for r in each.get("Ipv6Ranges") or []),
            *((r["GroupId"], r) for r in each.get("UserIdGroupPairs") or []),
            *((r["PrefixListId"], r) for r in each.get("PrefixListIds") or []),
        ]
        found += [Rule(first, last, source, protocol, r.get("Description") or "") for source, r in sources]
    return tuple(sorted(found))


def _is_data(volume: Data) -> bool:
    """Whether it is a data disk: a machine's root disk has the machine's tags, and no mount."""
    return volume["State"] in USABLE_DISK and model.MOUNT in tags(volume)


def _volume(item: Data) -> model.CurrentVolume:
    named = tags(item)
    hung = (item.get("Attachments") or [{}])[0]
    return model.CurrentVolume(
        id=item["VolumeId"],
        host=named.get(model.HOST, ""),
        mount=named.get(model.MOUNT, ""),
        zone=item["AvailabilityZone"],
        size=item["Size"],
        iops=item.get("Iops") or 0,
        throughput=item.get("Throughput") or 0,
        instance_id=hung.get("InstanceId", ""),
        device=hung.get("Device", ""),
    )


def instance(item: Data) -> model.CurrentInstance:
    """An instance with every group of every interface."""
    named = tags(item)
    groups = [each["GroupId"] for face in item.get("NetworkInterfaces") or [] for each in face.get("Groups") or []]
    groups += [each["GroupId"] for each in item.get("SecurityGroups") or []]
    return model.CurrentInstance(
        id=item["InstanceId"],
        host=named.get(model.HOST, ""),
        node_id=named.get(model.NODE_ID, ""),
        state=item["State"]["Name"],
        zone=item["Placement"]["AvailabilityZone"],
        instance_type=item.get("InstanceType", ""),
        private_ip=item.get("PrivateIpAddress") or "",
        public_ip=item.get("PublicIpAddress") or "",
        group_ids=tuple(sorted(set(groups))),
        devices={m["DeviceName"]: m["Ebs"]["VolumeId"] for m in item.get("BlockDeviceMappings") or [] if "Ebs" in m},
    )


def _address(item: Data) -> model.CurrentAddress:
    host = tags(item).get(model.HOST, "")
    return model.CurrentAddress(item["AllocationId"], host, item["PublicIp"], item.get("InstanceId") or "")
