"""A plan as facts for the role's tasks. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.providers.ec2 import exposure
from ansible.module_utils.kraft.providers.ec2.model import Current, Desired
from ansible.module_utils.kraft.providers.ec2.plan import Plan

Request = dict[str, Any]


def of_audit(wanted: Desired, found: Current, desired: Mapping[str, Any]) -> Request:
    """Return the measurements of the audit."""
    addresses = {each.host: each.private_ip for each in found.instances if each.host in desired}
    asked = exposure.question(desired, addresses, wanted.rules)
    return {
        "allowed": [{"port": each.first, "source": each.source} for each in wanted.rules],
        "listeners": {str(port): text for port, text in asked.listeners.items()},
        "between": {host: dict(targets) for host, targets in asked.between.items()},
        "hidden": {host: list(ports) for host, ports in asked.hidden.items()},
    }


def of_plan(wanted: Desired, found: Current, plan: Plan) -> Request:
    """Return the input of the role's tasks."""
    return {
        "wanted": dataclasses.asdict(wanted),
        "network": plan.network,
        "work": plan.work,
        "vpc_cidrs": list(found.vpc.cidrs) if found.vpc else [wanted.vpc_cidr],
        "awaited": [host for host, each in plan.nodes.items() if each.launch or each.start or not each.is_labelled],
    }
