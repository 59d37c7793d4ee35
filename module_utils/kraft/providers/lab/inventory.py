"""The inventory file of a lab, which is removed with it. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ansible.module_utils.kraft.providers.lab.plan import Desired

WRITTEN = "# Written by role kafka_lab for lab "  # begins the second line of an inventory, with the lab's name


def inventory_refusals(path: str, text: str, name: str = "") -> list[str]:
    """Return why the inventory with this `text` is not written or removed; without `name`, that of any lab may be."""
    if not text or f"{WRITTEN}{name};" in text or (WRITTEN in text and not name):
        return []
    whose = f"lab {name!r}" if name else "a lab"
    return [f"{path} was not written for {whose}; correct kafka_lab_inventory or kafka_lab_name, or move the file away"]


def inventory_text(wanted: Desired, addresses: Mapping[str, str]) -> str:
    """Return the inventory file with the connection of each host. JSON's strings are YAML's."""
    ssh = (
        f'-o UserKnownHostsFile="{wanted.state_dir}/known_hosts" -o GlobalKnownHostsFile=/dev/null '
        "-o StrictHostKeyChecking=yes -o IdentitiesOnly=yes"
    )
    lines = ["---", f"{WRITTEN}{wanted.name}; goes with it.", "all:", "  hosts:"]
    for host, address in addresses.items():
        lines += [f"    {host}:", f"      ansible_host: {address}", "      ansible_user: ops"]
        lines += ["      ansible_python_interpreter: /usr/bin/python3"]
        lines += [f"      ansible_ssh_private_key_file: {json.dumps(wanted.state_dir + '/id_ed25519')}"]
        lines += [f"      ansible_ssh_common_args: {json.dumps(ssh)}"]
    return "\n".join(lines) + "\n"
