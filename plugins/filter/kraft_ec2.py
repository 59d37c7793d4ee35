"""Filters of role kafka_ec2 and its inventory: thin names for functions of ``module_utils/kraft/providers/ec2``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.providers.ec2.account import refusal
from ansible.module_utils.kraft.providers.ec2.disks import data_disks
from ansible.module_utils.kraft.providers.ec2.exposure import verdict


def kraft_ec2_exposed(hosts: Iterable[str], hostvars: Mapping[str, Any], plan: Mapping[str, Any]) -> list[str]:
    """Everything that the audit of `hosts` found; reads what its tasks registered on each. `plan` is the fact."""
    names = ("exposure", "from_here", "from_node")
    hosts = list(hosts)
    found = {host: {name: hostvars[host].get(f"__kafka_ec2_{name}") for name in names} for host in hosts}
    return verdict(hosts, found, plan)


class FilterModule:
    """What Ansible loads."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_ec2_disks": data_disks,
            "kraft_ec2_exposed": kraft_ec2_exposed,
            "kraft_ec2_refusal": refusal,
        }
