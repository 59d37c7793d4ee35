#!/usr/bin/python
"""Facts about a host that matter to Kafka: system, hardware, ports and connectivity."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_host_info
short_description: Looks at a host without changing it (internal)
description:
  - Gathers all facts that decide whether Kafka can be deployed on the host. Reads files and queries systemd once. Java
    is started only if no file has its version.
  - Changes nothing, so it runs in check mode as it does otherwise. M(kafka_preflight) validates the facts.
options:
  log_dirs: {description: Directories for records., type: list, elements: path, default: []}
  metadata_log_dir: {description: Directory of the metadata log, if it is not one of O(log_dirs)., type: path}
  install_dir: {description: Installation directory of Kafka., type: path, default: /opt/kafka}
  unit: {description: Name of Kafka's systemd unit., type: str, default: kafka}
  user: {description: User that Kafka runs as., type: str, default: kafka}
  group: {description: Group that Kafka runs as., type: str, default: kafka}
  java_home: {description: The Java to look at. Without it the one of C(/usr/bin/java) or the PATH., type: path}
  sysctl_names:
    description: Kernel settings to read.
    type: list
    elements: str
    default: [vm.swappiness, vm.dirty_ratio, vm.dirty_background_ratio, vm.max_map_count]
  ports: {description: Ports to look for other listeners on., type: list, elements: int, default: []}
  resolve: {description: Names to resolve., type: list, elements: str, default: []}
  bind: {description: Addresses or names that must be this host's own., type: list, elements: str, default: []}
  reach: {description: "Other hosts' ports to connect to, as C(host:port).", type: list, elements: str, default: []}
  disks:
    description: Disks for records that are still unmounted, as role kafka_host has them.
    type: list
    elements: dict
    default: []
    suboptions:
      device: {description: Name of the block device., type: path, required: true}
      mount: {description: Mount point., type: path, required: true}
      fstype: {description: Filesystem that it is to have., type: str, default: xfs}
      options: {description: Options of the mount; nothing here depends on them., type: str}
  steps:
    description:
      - Steps of a deployment (V(kernel), V(directories), V(release), V(appcds_archive), V(client), V(storage)), each
        with the parameters that its module gets. Each runs in check mode and returns whether it would change anything.
    type: dict
    default: {}
  for_node:
    description:
      - Inventory name of a node of the fact C(kafka_desired). Its log dirs, ports, names and addresses win over
        O(log_dirs), O(ports), O(resolve), O(bind) and O(reach).
    type: str
  health:
    description:
      - Checks the health of the host's running node and its cluster once, as M(kafka_health) does, without waiting.
        RV(ignore:rate_left) is added, the bytes per second to which a killed run of moves has limited its broker.
        It is null if that is unknown.
    type: dict
    suboptions:
      client:
        description: Connection to the cluster as the node on this host, as for M(kafka_health); without secrets.
        type: dict
        required: true
      expected:
        description: Expected state of the cluster, as for M(kafka_health).
        type: dict
        required: true
      node_id: {description: Id of the node on the host., type: int, required: true}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Inspect the host
  kafka_host_info:
    log_dirs: [/data/kafka1, /data/kafka2]
    ports: [9092, 9093]
"""

RETURN = r"""
ansible_facts:
  description: >-
    C(kafka_host) with os (family, distribution, version, package_manager), cpus, memory_mb (of the container if
    there is one), java (home, path, version, major) or null, javas (all that are installed), limits.nofile_hard, sysctl
    (value, writable), systemd, privileged, user, group, login (the account that Ansible logs in with), hostname,
    machine_id, boot_id, place, time, clock_synchronised, disks (by device: kind, closed, filesystem, table, model,
    parts, holders, mounts; at_mount: another device that is mounted at its place; tool: whether mkfs is there),
    log_dirs (state, identity, what is in it, owner, mount, room), used_log_dirs (of each that the node was deployed
    with: read, replicas, and the first of them named), identity (the deployed node; disks, each with path, deployed,
    cluster_id, node_id, directory_id and error; node_id as configured; removed_from, the cluster id in the mark of a
    removal; certificate and its owner), paths (install_dir, tmp), install_dir, releases, current_release,
    current_release_age (seconds since a start changed it), removed
    (true if the node was removed from its cluster), quorum (static or dynamic, as the node was configured), service,
    ports (port, address, pid, process), names, binds, reach, clock_offset (bounds in seconds of its clock minus the
    control machine's), steps (by name: changed, and the step's other results).
  returned: always
  type: dict
"""

from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.health import expected
from ansible.module_utils.kraft.cluster.health_wait import Look, look_once
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node import steps
from ansible.module_utils.kraft.node.machine.facts import Questions, observe_host
from ansible.module_utils.kraft.operations.reassignment.left import rate_left

ARGUMENT_SPEC: dict[str, Any] = {
    "log_dirs": {"type": "list", "elements": "path", "default": []},
    "metadata_log_dir": {"type": "path"},
    "install_dir": {"type": "path", "default": "/opt/kafka"},
    "unit": {"type": "str", "default": "kafka"},
    "user": {"type": "str", "default": "kafka"},
    "group": {"type": "str", "default": "kafka"},
    "java_home": {"type": "path"},
    "sysctl_names": {
        "type": "list",
        "elements": "str",
        "default": ["vm.swappiness", "vm.dirty_ratio", "vm.dirty_background_ratio", "vm.max_map_count"],
    },
    "ports": {"type": "list", "elements": "int", "default": []},
    "resolve": {"type": "list", "elements": "str", "default": []},
    "bind": {"type": "list", "elements": "str", "default": []},
    "reach": {"type": "list", "elements": "str", "default": []},
    "disks": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {
            "device": {"type": "path", "required": True},
            "mount": {"type": "path", "required": True},
            "fstype": {"type": "str", "default": "xfs"},
            "options": {"type": "str"},
        },
    },
    "steps": {"type": "dict", "default": {}},
    "for_node": {"type": "str"},
    "health": {
        "type": "dict",
        "options": {
            "client": {"type": "dict", "required": True},
            "expected": {"type": "dict", "required": True},
            "node_id": {"type": "int", "required": True},
        },
    },
}


def questions(params: dict[str, Any]) -> Questions:
    metadata = [params["metadata_log_dir"]] if params["metadata_log_dir"] else []
    return Questions(
        log_dirs=tuple(dict.fromkeys([*params["log_dirs"], *metadata])),
        install_dir=params["install_dir"],
        unit=params["unit"],
        user=params["user"],
        group=params["group"],
        java_home=params["java_home"] or "",
        sysctl_names=tuple(params["sysctl_names"]),
        ports=tuple(params["ports"]),
        names=tuple(params["resolve"]),
        binds=tuple(params["bind"]),
        reach=tuple(params["reach"]),
        disks=tuple(params["disks"]),
    )


def health(asked: dict[str, Any] | None, running: bool) -> dict[str, Any] | None:
    """Return the health that this node and its cluster report; None if it is not requested or nothing runs here."""
    if not asked or not running:
        return None
    node_id: int = asked["node_id"]

    def limit(client: Client, seen: Look) -> dict[str, int | None]:
        return {"rate_left": rate_left(client, seen.snapshot, node_id)}

    return look_once(asked["client"], expected(asked["expected"]), node_id, limit)


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        facts = observe_host(questions(module.params), module.run_command)
        facts["steps"] = steps.observe(module.run_command, module.params["steps"])
        facts["health"] = health(module.params["health"], bool(facts["service"]["pid"]))
    except (KraftError, OSError) as error:
        module.fail_json(msg=f"The host cannot be examined: {error}")
    module.exit_json(changed=False, found=facts)  # the action plugin makes a fact of it (ADR 74)


if __name__ == "__main__":
    main()
