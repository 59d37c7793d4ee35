"""Filters of role ``kafka_lab``: a lab's addresses, and a host as podman is asked for it."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping, Sequence
from typing import Any

FIRST_HOST = 11  # of the subnet; those below are the gateway's and podman's own


def addresses(hosts: Sequence[str], subnet: str) -> dict[str, str]:
    """Host name -> its address in `subnet` (CIDR), in the order given: the same at each run."""
    network = ipaddress.ip_network(subnet)
    return {host: str(network[FIRST_HOST + number]) for number, host in enumerate(hosts)}


def container(host: str, lab: Mapping[str, Any]) -> dict[str, Any]:
    """One entry of ``podman_containers``' list: systemd as PID 1, fixed address, its name known to its neighbours."""
    keys = {
        "authorized_keys": "/home/ops/.ssh/authorized_keys",
        "host_ed25519": "/etc/ssh/ssh_host_ed25519_key",
        "host_ed25519.pub": "/etc/ssh/ssh_host_ed25519_key.pub",
    }
    volumes = [f"{lab['state_dir']}/{name}:{path}:ro" for name, path in keys.items()]
    asked: dict[str, Any] = {
        "name": f"{lab['lab']}-{host}",
        "image": lab["image"],
        "hostname": host,
        "state": "started",
        "network": [f"{lab['lab']}:ip={lab['addresses'][host]},alias={host}"],
        "systemd": "always",
        "ulimits": [f"nofile={lab['nofile']}:{lab['nofile']}", "nproc=4096:4096"],
        "label": {"kraftwright.lab": lab["lab"]},
        "volumes": volumes + list(lab["volumes"].get(host, [])),
    }
    return {**asked, "memory": lab["memory"]} if lab["memory"] else asked


class FilterModule:
    """What Ansible loads."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {"kraft_lab_addresses": addresses, "kraft_lab_container": container}
