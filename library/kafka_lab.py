#!/usr/bin/python
"""A lab: hosts on this machine that behave like machines elsewhere."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_lab
short_description: Makes and removes hosts on this machine that are reached by ssh (internal)
description:
  - A lab is a podman network and containers on it with systemd as PID 1, sshd and the sudo user C(ops). All of it
    carries the lab's name as a label, and nothing without it is ever touched.
  - A host that exists is left as it is, whatever else is requested, since its disk would be lost. A stopped one is
    started again. New addresses are the lowest free ones.
  - Needs root (for podman), ssh-keygen, and an image; role C(kafka_lab) builds one.
options:
  state:
    description: V(present) creates the lab, V(absent) removes it.
    type: str
    choices: [present, absent]
    default: present
  name: {description: Name of the lab and of its network; the prefix of its containers., type: str, required: true}
  hosts: {description: Names of the hosts., type: list, elements: str, default: []}
  image: {description: Image of a host., type: str, default: ''}
  releases: {description: 'By host: what follows the image after a dash.', type: dict, default: {}}
  state_dir: {description: Directory of the lab's keys and known_hosts., type: path, required: true}
  inventory: {description: 'The inventory file that is written: address, user and key.', type: path, required: true}
  subnet: {description: 'The network, as CIDR; empty: a /24 that nothing here uses.', type: str, default: ''}
  memory: {description: 'Memory of each host in the form of podman; empty: no limit.', type: str, default: ''}
  nofile: {description: Files that a process may open., type: int, default: 20000}
  options: {description: Further options of C(podman run) by host (a list each)., type: dict, default: {}}
  disks:
    description:
      - By host and path, the size (C(512M), C(2G)) of a separate filesystem there. It is an ext4 in a sparse file of
        O(state_dir), and needs a loop device.
    type: dict
    default: {}
  owner: {description: Id of the user to whom keys and inventory belong; the running one by default., type: int}
  timeout: {description: Seconds until sshd of every host must have answered., type: int, default: 180}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Create three hosts on this machine
  kafka_lab:
    name: demo
    hosts: [kafka1, kafka2, kafka3]
    image: debian
    state_dir: .kraftwright/lab
    inventory: inventories/local/lab.yml
"""

RETURN = r"""
addresses:
  description: Address of each host. In check mode those that a new network would get.
  returned: when state is present
  type: dict
actions:
  description: Changes that were made, or would be made in check mode.
  returned: always
  type: list
  elements: str
"""

import contextlib
import os
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.errors import KraftError, refuse
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.providers.lab import apply as lab_io
from ansible.module_utils.kraft.providers.lab import plan as lab
from ansible.module_utils.kraft.providers.lab.inventory import inventory_refusals, inventory_text

ARGUMENT_SPEC: dict[str, Any] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "name": {"type": "str", "required": True},
    "hosts": {"type": "list", "elements": "str", "default": []},
    "image": {"type": "str", "default": ""},
    "releases": {"type": "dict", "default": {}},
    "state_dir": {"type": "path", "required": True},
    "inventory": {"type": "path", "required": True},
    "subnet": {"type": "str", "default": ""},
    "memory": {"type": "str", "default": ""},
    "nofile": {"type": "int", "default": 20000},
    "options": {"type": "dict", "default": {}},
    "disks": {"type": "dict", "default": {}},
    "owner": {"type": "int"},
    "timeout": {"type": "int", "default": 180},
}
Params = dict[str, Any]


def wanted_lab(params: Params) -> lab.Desired:
    """Return the desired state."""
    return lab.Desired(
        name=params["name"],
        hosts=tuple(params["hosts"]),
        image=params["image"],
        state_dir=params["state_dir"],
        subnet=params["subnet"],
        memory=params["memory"],
        nofile=params["nofile"],
        options=params["options"],
        disks=params["disks"],
        releases=params["releases"],
    )


def files(wanted: lab.Desired, plan: lab.Plan, inventory: str) -> dict[str, str]:
    """Return path -> content of the files derived from the keys; without content before there are keys (check mode)."""
    public = {key: Path(f"{wanted.state_dir}/{key}.pub") for key in lab.KEYS}
    if not all(path.exists() for path in public.values()):
        return {}
    us, them = (public[key].read_text() for key in lab.KEYS)
    return {
        f"{wanted.state_dir}/authorized_keys": us,
        f"{wanted.state_dir}/known_hosts": lab.known_hosts(plan.addresses, them),
        inventory: inventory_text(wanted, plan.addresses),
    }


def text(path: str) -> str:
    """Return the content of a file; empty if there is none."""
    return Path(path).read_text() if os.path.exists(path) else ""


def plan_lines(plan: lab.Plan, name: str, keys: bool) -> list[str]:
    """Describe the plan."""
    return [
        *([f"create network {name} ({plan.subnet})"] if plan.make_network else []),
        *([] if keys else ["make keys"]),
        *(f"create host {host} ({plan.addresses[host]})" for host in plan.create),
        *(f"start host {host}" for host in plan.start),
    ]


def make_keys(wanted: lab.Desired, owner: int) -> None:
    """Make the state directory and keys, owned by the user."""
    lab_io.make_directory(wanted.state_dir, owner, 0o700)
    lab_io.make_keys(wanted.state_dir, wanted.name)
    for key in lab.KEYS:
        for path in (f"{wanted.state_dir}/{key}", f"{wanted.state_dir}/{key}.pub"):
            lab_io.give(path, owner)


def present(params: Params, check_mode: bool) -> dict[str, Any]:
    """Run the five steps that create a lab."""
    wanted = wanted_lab(params)
    found = lab_io.observe(wanted.name, wanted.state_dir)
    refuse(lab.lab_refusals(wanted, found) + inventory_refusals(params["inventory"], text(params["inventory"])))
    plan = lab.plan(wanted, found)
    actions = plan_lines(plan, wanted.name, found.keys)
    if not check_mode:
        plan = apply(params, wanted, found, plan, actions)
    elif found.keys:
        actions += [f"write {path}" for path in lab_io.differing(files(wanted, plan, params["inventory"]))]
    return {"actions": actions, "addresses": plan.addresses, "outdated": plan.outdated}


def apply(params: Params, wanted: lab.Desired, found: lab.Current, plan: lab.Plan, actions: list[str]) -> lab.Plan:
    """Bring the plan about; adds the files that were written to `actions`."""
    owner = os.geteuid() if params["owner"] is None else params["owner"]
    make_keys(wanted, owner)
    if plan.make_network:
        plan = lab_io.make_network(wanted, found, plan)
    written = write(files(wanted, plan, params["inventory"]), owner)  # a host does not start without its keys
    plan = lab_io.make_hosts(wanted, plan)
    written += write(files(wanted, plan, params["inventory"]), owner)
    actions += [f"write {path}" for path in dict.fromkeys(written)]
    lab_io.wait_for_ssh(list(plan.addresses.values()), params["timeout"])
    return plan


def write(content: dict[str, str], owner: int) -> list[str]:
    """Write the files (path -> content) that differ; gives their paths."""
    differing = list(lab_io.differing(content))
    for path in differing:
        lab_io.write(path, content[path], owner)
    return differing


def absent(params: Params, check_mode: bool) -> dict[str, Any]:
    """Remove what carries the lab's name, its keys and its inventory. An inventory of others is refused."""
    name, state_dir = params["name"], params["state_dir"]
    refuse(inventory_refusals(params["inventory"], text(params["inventory"]), name))
    made = ["authorized_keys", "known_hosts", *(f"{key}{end}" for key in lab.KEYS for end in ("", ".pub"))]
    paths = [path for path in (*(f"{state_dir}/{n}" for n in made), params["inventory"]) if os.path.lexists(path)]
    paths += sorted(str(path) for path in Path(state_dir).glob(f"*-disk[0-9]*{lab.IMAGE}"))
    hosts = [f"remove host {container['Names'][0]}" for container in lab_io.containers(name)]
    disks = [f"remove disk {volume}" for volume in lab_io.volumes(name)]
    network = [f"remove network {name}"] if lab_io.own_network(name) else []
    if not check_mode:
        lab_io.remove(name)
        for path in paths:
            os.unlink(path)
        with contextlib.suppress(OSError):  # it holds files that are not ours
            os.rmdir(state_dir)
    return {"actions": [*hosts, *disks, *network, *(f"remove {path}" for path in paths)]}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        ensure = present if module.params["state"] == "present" else absent
        result = ensure(module.params, module.check_mode)
    except (KraftError, OSError) as error:
        module.fail_json(msg=f"lab {module.params['name']}: {error}")
    if outdated := result.pop("outdated", None):
        module.warn(f"{', '.join(outdated)}: made from an older image and not changed; destroy the lab to renew it")
    after = "".join(f"{action}\n" for action in result["actions"])
    module.exit_json(changed=bool(result["actions"]), diff={"before": "", "after": after}, **result)


if __name__ == "__main__":
    main()
