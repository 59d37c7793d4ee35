"""Looks at everything of a cluster on EC2 with a few calls, side by side; changes nothing.

The client is boto3's, passed in. ``answers`` makes values of what it says.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ansible.module_utils.kraft.providers.ec2 import answers, model
from ansible.module_utils.kraft.providers.ec2.answers import Data, Question
from ansible.module_utils.kraft.providers.ec2.model import Current, Desired

AT_ONCE = 8
BY_SSM = "ssm:"


def pages(client: Any, operation: str, key: str, **arguments: Any) -> list[Any]:
    """All items of a call, page after page where it has pages."""
    if client.can_paginate(operation):
        return [item for page in client.get_paginator(operation).paginate(**arguments) for item in page[key]]
    return list(getattr(client, operation)(**arguments)[key])


def owned_by(cluster: str) -> list[dict[str, Any]]:
    return [{"Name": f"tag:{model.CLUSTER}", "Values": [cluster]}]


def observe(client: Any, ssm: Any, question: Question) -> Current:
    """Everything at once; raises what botocore raises. Zones and image are asked for where a machine is missing."""
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
                "gateways": lambda: pages(client, "describe_internet_gateways", "InternetGateways", Filters=own),
                "tables": lambda: pages(client, "describe_route_tables", "RouteTables", Filters=own),
                "volumes": lambda: pages(client, "describe_volumes", "Volumes", Filters=own),
                "reservations": lambda: pages(client, "describe_instances", "Reservations", Filters=own),
                "addresses": lambda: pages(client, "describe_addresses", "Addresses", Filters=own),
                "keys": lambda: pages(client, "describe_key_pairs", "KeyPairs", IncludePublicKey=True),
            },
        )
        found = answers.arrange(answered, question)
        return _with_details(client, ssm, question, found, pool)


def of(wanted: Desired) -> Question:
    """What is looked for to compare it with what is wanted."""
    hosts = tuple(node.host for node in wanted.nodes)
    return Question(
        wanted.cluster, wanted.vpc_id, wanted.subnet_ids, wanted.image, hosts, wanted.protection and bool(hosts)
    )


def _side_by_side(pool: ThreadPoolExecutor, calls: Mapping[Any, Callable[[], Any]]) -> dict[Any, Any]:
    running = {name: pool.submit(call) for name, call in calls.items()}
    return {name: future.result() for name, future in running.items()}


def _with_details(client: Any, ssm: Any, question: Question, found: Current, pool: ThreadPoolExecutor) -> Current:
    """With what depends on which machines there are."""
    living = {each.host: each for each in found.instances if each.host in question.hosts}
    calls: dict[Any, Callable[[], Any]] = {}
    if set(question.hosts) - set(living):
        calls["zones"] = lambda: pages(client, "describe_availability_zones", "AvailabilityZones", Filters=_usable())
        calls["image"] = lambda: image(client, ssm, question.image)
    if question.protection:
        for each in living.values():
            calls[each.id] = functools.partial(_protected, client, each.id)
    more = _side_by_side(pool, calls)
    named: Data = more.get("image") or {}
    return dataclasses.replace(
        found,
        zones=tuple(each["ZoneName"] for each in more.get("zones", ())),
        image_id=named.get("ImageId", ""),
        root_device=named.get("RootDeviceName") or "",
        deprecated=named.get("DeprecationTime") or "",
        instances=tuple(dataclasses.replace(each, protected=more.get(each.id)) for each in found.instances),
    )


def _protected(client: Any, instance_id: str) -> bool:
    asked = {"InstanceId": instance_id, "Attribute": "disableApiTermination"}
    return bool(client.describe_instance_attribute(**asked)["DisableApiTermination"]["Value"])


def _usable() -> list[dict[str, Any]]:
    return [{"Name": "state", "Values": ["available"]}, {"Name": "zone-type", "Values": ["availability-zone"]}]


def _named(cluster: str) -> list[dict[str, Any]]:
    return [{"Name": "group-name", "Values": [model.group_name(cluster)]}]


def image(client: Any, ssm: Any, named: str) -> Data:
    """An image named by id or by SSM parameter, a deprecated one, too; empty where it is none."""
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
    return images[0] if images else {}


def groups(client: Any, ids: Sequence[str], cluster: str) -> dict[str, model.CurrentGroup]:
    """Security groups by their ids."""
    found = pages(client, "describe_security_groups", "SecurityGroups", GroupIds=list(ids))
    return {each["GroupId"]: answers.group(each, cluster) for each in found}
