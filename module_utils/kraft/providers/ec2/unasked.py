"""Explains why the inventory has no machine of a cluster on EC2: AWS was not queried, or it has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.providers.ec2 import account
from ansible.module_utils.kraft.providers.ec2.observe import owned_by, pages

TRIES = 3
NONE = "AWS has no machine with the tag kraftwright_cluster={cluster} in {region}"
MADE = "aws_ec2.yml finds none of the {count} machines with the tag kraftwright_cluster={cluster} in {region}"


def missing_instance_refusals(
    hosts: Sequence[str], machines: Sequence[str], variables: Mapping[str, Any]
) -> list[Problem]:
    """Refuse hosts of EC2 if the inventory has the machine of none of them.

    `machines`: hosts with one. `variables`: those of a host. Without its machines a host has no real address and
    no disks, so that a run would work with wrong ones.
    """
    if not hosts or machines:
        return []
    region, cluster = str(variables.get("kafka_ec2_region") or ""), str(variables.get("kafka_cluster_name") or "")
    message, remedy = reason(region, cluster)
    return [Problem("ec2_unasked", message, remedy, "", host) for host in hosts]


def reason(region: str, cluster: str) -> tuple[str, str]:
    """Return (why the machines are unknown, the remedy). AWS is queried once more, for its answer."""
    try:
        client = account.client("ec2", region, TRIES)
        found = pages(client, "describe_instances", "Reservations", Filters=owned_by(cluster))
    except Exception as error:
        said, _, remedy = _said(error, region).partition(" -> ")
        return f"No machine of the host is known: AWS was not queried, because {said}", remedy or "run this again"
    count = sum(len(each["Instances"]) for each in found)
    shown = (MADE if count else NONE).format(count=count, cluster=cluster, region=region)
    remedy = "write region and cluster name into aws_ec2.yml" if count else "make them: playbooks/provision_ec2.yml"
    return f"No machine of the host is known: {shown}", remedy


def _said(error: Exception, region: str) -> str:
    try:
        return str(account.explained(error, region))
    except KraftError as known:
        return str(known)
