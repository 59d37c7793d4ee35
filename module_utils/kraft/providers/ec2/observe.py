"""Observes everything of a cluster on EC2 with a few calls, side by side; changes nothing.

The client is boto3's, passed in. ``answers`` converts its answers to values.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ansible.module_utils.kraft.providers.ec2 import answers, model
from ansible.module_utils.kraft.providers.ec2.account import code_of
from ansible.module_utils.kraft.providers.ec2.answers import Data, Question
from ansible.module_utils.kraft.providers.ec2.model import Current, Desired

AT_ONCE = 8
BY_SSM = "ssm:"
#: Quota of Elastic IPs, among the account's attributes; addresses of an own pool do not count.
QUOTA, AMAZON = "vpc-max-elastic-ips", "amazon"
STARTS = 3
EXPIRED = ("InvalidNextToken", "InvalidPaginationToken")
MOST_VALUES = 200  # in a filter (docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Filter.html, November 2026)
#: Key of a list -> id of each item: one that changes meanwhile can be on two pages.
IDS = {
    "Vpcs": "VpcId",
    "Subnets": "SubnetId",
    "SecurityGroups": "GroupId",
    "InternetGateways": "InternetGatewayId",
    "RouteTables": "RouteTableId",
    "Volumes": "VolumeId",
    "Reservations": "InstanceId",
}


def pages(client: Any, operation: str, key: str, starts: int = STARTS, **arguments: Any) -> list[Any]:
    """Return all items of a call, page after page, each once. If AWS forgets the page, the query starts again."""
    if not client.can_paginate(operation):
        return list(getattr(client, operation)(**arguments)[key])
    try:
        found = [item for page in client.get_paginator(operation).paginate(**arguments) for item in page[key]]
    except client.exceptions.ClientError as error:
        if code_of(error) not in EXPIRED or starts <= 1:
            raise
        return pages(client, operation, key, starts - 1, **arguments)
    if key == "Reservations":  # the machines of one launch can be on two pages
        found = [each for item in found for each in item["Instances"]]
    once = list({item.get(IDS.get(key, ""), at): item for at, item in enumerate(found)}.values())
    return [{"Instances": once}] if key == "Reservations" else once


def listed(client: Any, operation: str, key: str, name: str, values: Sequence[str]) -> list[Any]:
    """Return all items whose property `name` is one of `values`, as many in each call as AWS takes."""
    parts = [values[at : at + MOST_VALUES] for at in range(0, len(values), MOST_VALUES)]
    return [item for part in parts for item in pages(client, operation, key, Filters=_filter(name, part))]


def owned_by(cluster: str) -> list[dict[str, Any]]:
    return [{"Name": f"tag:{model.CLUSTER}", "Values": [cluster]}]


def observe(client: Any, ssm: Any, question: Question) -> Current:
    """Observe everything at once; raises botocore's errors. Zones and image are queried if a machine is missing."""
    own = owned_by(question.cluster)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answered = _side_by_side(
            pool,
            {
                "vpcs": lambda: pages(client, "describe_vpcs", "Vpcs"),
                "subnets": lambda: pages(client, "describe_subnets", "Subnets"),
                "groups": lambda: pages(
                    client, "describe_security_groups", "SecurityGroups", Filters=_named(question.cluster)
                ),
                "gateways": lambda: pages(client, "describe_internet_gateways", "InternetGateways"),
                "tables": lambda: pages(client, "describe_route_tables", "RouteTables"),
                "volumes": lambda: pages(client, "describe_volumes", "Volumes", Filters=own),
                "reservations": lambda: pages(client, "describe_instances", "Reservations", Filters=own),
                "addresses": lambda: pages(client, "describe_addresses", "Addresses", Filters=own),
                "keys": lambda: pages(client, "describe_key_pairs", "KeyPairs", IncludePublicKey=True),
            },
        )
        found = answers.arrange(answered, question)
        return _with_details(client, ssm, question, found, pool)


def question_for(wanted: Desired) -> Question:
    """Return the things to look for, to compare them with the desired state."""
    hosts = tuple(node.host for node in wanted.nodes)
    return Question(
        cluster=wanted.cluster,
        vpc_id=wanted.vpc_id,
        subnet_ids=wanted.subnet_ids,
        image=wanted.image,
        hosts=hosts,
        protection=wanted.protection,
        elastic=wanted.public_addresses == model.ELASTIC,
        types=tuple(sorted({node.instance_type for node in wanted.nodes})),
        placement_group=wanted.placement_group,
        sources=tuple(
            each.source for each in wanted.rules if each.source.startswith(("sg-", "pl-")) and not each.account
        ),
        kms_keys=tuple(sorted({each.kms_key for node in wanted.nodes for each in node.volumes} - {""})),
    )


def _side_by_side(pool: ThreadPoolExecutor, calls: Mapping[Any, Callable[[], Any]]) -> dict[Any, Any]:
    running = {name: pool.submit(call) for name, call in calls.items()}
    return {name: future.result() for name, future in running.items()}


def _with_details(client: Any, ssm: Any, question: Question, found: Current, pool: ThreadPoolExecutor) -> Current:
    """Add the data that depend on the present machines."""
    living = {each.host: each for each in found.instances if each.host in question.hosts}
    calls: dict[Any, Callable[[], Any]] = _of_sources(client, question, found)
    if set(question.hosts) - set(living):
        calls |= _of_new_machines(client, ssm, question)
    guarded = living.values() if question.hosts else found.instances  # without hosts, all are to go
    for each in guarded if question.protection else ():
        calls[each.id] = functools.partial(_protected, client, each.id)
    if question.elastic and set(question.hosts) - {each.host for each in found.addresses}:
        calls["spare addresses"] = lambda: _spare_addresses(client)
    more = _side_by_side(pool, calls)
    named: Data = more.get("image") or {}
    return dataclasses.replace(
        found,
        zones=tuple(each["ZoneName"] for each in more.get("zones", ())),
        image_id=named.get("ImageId", ""),
        root_device=named.get("RootDeviceName") or "",
        deprecated=named.get("DeprecationTime") or "",
        image_owner=named.get("OwnerId") or "",
        boot=named.get("BootMode") or "",
        ena=named.get("EnaSupport"),
        architecture=named.get("Architecture") or "",
        traits={each["InstanceType"]: traits_of(each) for each in more.get("types", ())},
        least_root=_root_size(named),
        types=_types(more["types"]) if "types" in more else None,
        offered=_offered(more["offered"]) if "offered" in more else None,
        placement=_placement(more.get("placement")),
        spare_addresses=more.get("spare addresses"),
        sources=_sources(more) if more.keys() & {"source groups", "prefix lists"} else None,
        instances=tuple(dataclasses.replace(each, protected=more.get(each.id)) for each in found.instances),
    )


def _of_new_machines(client: Any, ssm: Any, question: Question) -> dict[Any, Callable[[], Any]]:
    """Return calls for what limits a launch."""
    calls: dict[Any, Callable[[], Any]] = {
        "zones": lambda: pages(client, "describe_availability_zones", "AvailabilityZones", Filters=_usable()),
        "image": lambda: image(client, ssm, question.image),
        "offered": lambda: pages(
            client, "describe_instance_type_offerings", "InstanceTypeOfferings", **_by_zone(question.types)
        ),
        "types": lambda: pages(
            client, "describe_instance_types", "InstanceTypes", Filters=_filter("instance-type", question.types)
        ),
    }
    if question.placement_group:
        calls["placement"] = lambda: pages(
            client, "describe_placement_groups", "PlacementGroups", **_group_named(question.placement_group)
        )
    return calls


def _of_sources(client: Any, question: Question, found: Current) -> dict[Any, Callable[[], Any]]:
    """Return calls for the sources that no rule has yet."""
    known = {rule.source for each in found.groups for rule in each.rules}
    new = sorted(set(question.sources) - known)
    groups, lists = ([each for each in new if each.startswith(kind)] for kind in ("sg-", "pl-"))
    calls: dict[Any, Callable[[], Any]] = {}
    if groups:
        calls["source groups"] = lambda: listed(
            client, "describe_security_groups", "SecurityGroups", "group-id", groups
        )
    if lists:
        calls["prefix lists"] = lambda: listed(
            client, "describe_managed_prefix_lists", "PrefixLists", "prefix-list-id", lists
        )
    return calls


def _filter(name: str, values: Sequence[str]) -> list[dict[str, Any]]:
    return [{"Name": name, "Values": list(values)}]


def _by_zone(types: Sequence[str]) -> dict[str, Any]:
    return {"LocationType": "availability-zone", "Filters": _filter("instance-type", types)}


def _group_named(name: str) -> dict[str, Any]:
    """Return a filter: unlike a query by name, it gives no error for a group that does not exist."""
    return {"Filters": _filter("group-name", [name])}


def _offered(found: Sequence[Data]) -> dict[str, list[str]]:
    offered: dict[str, list[str]] = {}
    for each in found:
        offered.setdefault(each["InstanceType"], []).append(each["Location"])
    return {each: sorted(zones) for each, zones in offered.items()}


def _placement(found: Sequence[Data] | None) -> model.CurrentPlacement | None:
    for each in found or ():
        count = each.get("PartitionCount") or 0
        return model.CurrentPlacement(each["GroupName"], each["State"], each["Strategy"], count)
    return None


def _root_size(image: Data) -> int:
    """Return the GiB that the root disk of an image has at least."""
    mappings = image.get("BlockDeviceMappings") or []
    root = [each.get("Ebs") or {} for each in mappings if each.get("DeviceName") == image.get("RootDeviceName")]
    return int(root[0].get("VolumeSize") or 0) if root else 0


def _types(found: Sequence[Data]) -> dict[str, list[str]]:
    return {each["InstanceType"]: list(each["ProcessorInfo"]["SupportedArchitectures"]) for each in found}


def traits_of(found: Data) -> dict[str, Any]:
    """Return the traits of an instance type that an image or the volumes may not fit.

    ``boot``: boot modes. ``xen``: its disks are not named by their volumes. ``ena``: it needs the driver of AWS's
    network adapter. ``disks``: most attached volumes, the root disk among them; 0: unknown.
    """
    return {
        "boot": list(found.get("SupportedBootModes") or ()),
        "xen": found.get("Hypervisor") == "xen" and not found.get("BareMetal"),
        "ena": (found.get("NetworkInfo") or {}).get("EnaSupport") == "required",
        "disks": int((found.get("EbsInfo") or {}).get("MaximumEbsAttachments") or 0),
    }


def _sources(more: Mapping[Any, Any]) -> dict[str, int]:
    """Return groups and prefix lists that exist -> rules that each counts as."""
    groups = {each["GroupId"]: 1 for each in more.get("source groups", ())}
    return {**groups, **{each["PrefixListId"]: each.get("MaxEntries") or 1 for each in more.get("prefix lists", ())}}


def _protected(client: Any, instance_id: str) -> bool:
    asked = {"InstanceId": instance_id, "Attribute": "disableApiTermination"}
    return bool(client.describe_instance_attribute(**asked)["DisableApiTermination"]["Value"])


def _spare_addresses(client: Any) -> int | None:
    """Return how many Elastic IPs the account can still allocate; None if its quota is unknown."""
    told = client.describe_account_attributes(AttributeNames=[QUOTA])["AccountAttributes"]
    values = [
        each["AttributeValue"] for item in told if item["AttributeName"] == QUOTA for each in item["AttributeValues"]
    ]
    there = [
        each
        for each in pages(client, "describe_addresses", "Addresses")
        if each.get("PublicIpv4Pool", AMAZON) == AMAZON
    ]
    return int(values[0]) - len(there) if values else None


def _usable() -> list[dict[str, Any]]:
    return [{"Name": "state", "Values": ["available"]}, {"Name": "zone-type", "Values": ["availability-zone"]}]


def _named(cluster: str) -> list[dict[str, Any]]:
    return _filter("group-name", [model.group_name(cluster)])


def image(client: Any, ssm: Any, named: str) -> Data:
    """Return an image named by id or by SSM parameter, a deprecated one, too; empty if it is none."""
    if named.startswith(BY_SSM):
        found = ssm.get_parameters(Names=[named[len(BY_SSM) :]])["Parameters"]
        named = found[0]["Value"] if found else ""
    if not named:
        return {}
    try:
        images: list[Data] = client.describe_images(ImageIds=[named])["Images"]
    except client.exceptions.ClientError as error:
        if not error.response["Error"]["Code"].startswith("InvalidAMIID"):
            raise
        return {}
    return images[0] if images and images[0].get("State", "available") == "available" else {}


def groups(client: Any, ids: Sequence[str], cluster: str) -> dict[str, model.CurrentGroup]:
    """Return security groups by their ids."""
    found = pages(client, "describe_security_groups", "SecurityGroups", GroupIds=list(ids))
    return {each["GroupId"]: answers.group(each, cluster) for each in found}
