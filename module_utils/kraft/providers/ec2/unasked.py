"""Explains why the inventory has no machine of a cluster on EC2: AWS was not queried, or it has none."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.providers.ec2 import account
from ansible.module_utils.kraft.providers.ec2.observe import owned_by, pages
from ansible.module_utils.kraft.providers.ec2.waiting import SLOW

TRIES, READ = account.SILENT_TRIES, 15  # of each query: tries, and seconds of each
SILENT = 5.0  # seconds after which the wait is named
WAITING = f"AWS has not answered yet: it is queried {TRIES} times, for {READ} s each."
NONE = "AWS has no machine with the tag kraftwright_cluster={cluster} in {region}"
LOST = "AWS shows machines of other hosts, but none of this one"
LAUNCH = "if it is lost, playbooks/provision_ec2.yml launches a new one with the host's disks"
MADE = "aws_ec2.yml finds none of the {count} machines with the tag kraftwright_cluster={cluster} in {region}"


@contextlib.contextmanager
def announced(display: Callable[[str], object], seconds: float) -> Iterator[None]:
    """Display WAITING if the block takes longer than `seconds`."""
    waiting = threading.Timer(seconds, display, (WAITING,))
    waiting.daemon = True
    waiting.start()
    try:
        yield
    finally:
        waiting.cancel()


def missing_instances(hosts: Sequence[str], machines: Sequence[str], variables: Mapping[str, Any]) -> list[Problem]:
    """Report hosts of EC2 whose machine the inventory lacks: refused if it has none, otherwise a warning for each.

    `machines`: hosts with one. `variables`: those of a host. Without its machine a host has no real address and
    no disks. A single lost machine refuses nothing: other plays remove or replace that node.
    """
    missing = [host for host in hosts if host not in machines]
    if machines or not hosts:
        return [Problem("ec2_unasked", LOST, LAUNCH, "", host, severity=WARNING) for host in missing]
    region, cluster = str(variables.get("kafka_ec2_region") or ""), str(variables.get("kafka_cluster_name") or "")
    message, remedy = reason(region, cluster)
    return [Problem("ec2_unasked", message, remedy, "", host) for host in missing]


def reason(region: str, cluster: str) -> tuple[str, str]:
    """Return (why the machines are unknown, the remedy). AWS is queried once more, for its answer."""
    try:
        client = account.client("ec2", region, TRIES, READ)
        found = pages(client, "describe_instances", "Reservations", Filters=owned_by(cluster))
    except Exception as error:
        said, _, remedy = _said(error, region).partition(" -> ")
        return f"No machine of the host is known: AWS was not asked, because {said}", remedy or "run this again"
    count = sum(len(each["Instances"]) for each in found)
    shown = (MADE if count else NONE).format(count=count, cluster=cluster, region=region)
    remedy = "write region and cluster name into aws_ec2.yml" if count else "make them: playbooks/provision_ec2.yml"
    return f"No machine of the host is known: {shown}", remedy


def refusal(error: Exception, path: str, region: str) -> str:
    """Return the sentence for an inventory file that AWS did not answer. `error`: of the plugin that asked."""
    cause = error.__cause__ or error.__context__
    said = _said(cause if type(cause).__module__.startswith("botocore") else error, region or "no region")
    said = said if " -> " in said else account.advised(said)
    said, _, remedy = said.partition(" -> ")
    return f"{path}: AWS was not asked, because {said} -> {remedy or 'correct this file, then run this again'}"


def is_throttled(error: Exception) -> bool:
    """Check whether AWS asked for fewer calls."""
    found = account.CALL.search(str(error))
    return bool(found and found["code"] in SLOW)


def _said(error: Any, region: str) -> str:
    try:
        return str(account.explained(error, region))
    except Exception as known:
        return str(known)
