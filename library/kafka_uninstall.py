#!/usr/bin/python
"""Removes a node from its host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_uninstall
short_description: Removes a node from its host; its data stay unless their removal is requested (internal)
description:
  - Stops and disables Kafka. Removes the unit, the releases, the configuration, certificates and log files of a node,
    and the user that it ran as. Java, kernel settings in force, disks and their mounts stay.
  - Data are deleted only if the log dir's own file names the cluster id. That file goes last, so that the next run
    finishes what a killed run began. A log dir on a disk that cannot be read stays, and is named.
  - Before anything is changed, refuses a unit that Kraftwright did not write, another installation in the same
    directory, a log dir of another cluster or node, and a node that no log dir names. The log dirs are those of the
    inventory, of the configuration in place and of the running process.
options:
  cluster_id:
    description: Id of the node's cluster.
    type: str
    required: true
  node_id: {description: Its id. Log dirs that name another cluster or node are refused., type: int, required: true}
  delete_data:
    description: If true, the log dirs are emptied, too.
    type: bool
    default: false
  install_dir:
    description: Kafka's installation directory.
    type: path
    default: /opt/kafka
  log4j_dir:
    description: Directory of Kafka's own log files.
    type: path
    default: /var/log/kafka
  log_dirs:
    description: The log dirs, the one of the metadata log among them.
    type: list
    elements: path
    required: true
  user:
    description: The user that Kafka ran as; removed when a deployment has made it and no file of it is left.
    type: str
    default: kafka
  group:
    description: Its group.
    type: str
    default: kafka
  unit:
    description: Name of the unit, without its suffix.
    type: str
    default: kafka
  sysctl_file:
    description: File with kernel settings that is removed if Kraftwright wrote it.
    type: path
    default: /etc/sysctl.d/90-kafka.conf
  timeout:
    description: Seconds in which Kafka must have stopped.
    type: int
    default: 300
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Remove a node, and keep its data
  kafka_uninstall:
    cluster_id: bWlycm9yLWV4YW1wbGUtMQ
    node_id: 3
    log_dirs: [/data/kafka1]
"""

RETURN = r"""
steps:
  description: Changes that were made, or would be made in check mode.
  returned: success
  type: list
  elements: str
kept:
  description: Files that stay on the host, with the reason.
  returned: success
  type: list
  elements: str
staying:
  description: Log dirs whose data stay, even if their removal was requested.
  returned: success
  type: list
  elements: str
problems:
  description: Everything that forbids it.
  returned: when refused
  type: list
  elements: str
"""

from typing import Any

from ansible.module_utils.kraft.errors import RefusedError, ToolError, refuse
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.removal import apply
from ansible.module_utils.kraft.node.removal.plan import Desired, plan, uninstall_refusals

ARGUMENT_SPEC: dict[str, Any] = {
    "cluster_id": {"type": "str", "required": True},
    "node_id": {"type": "int", "required": True},
    "delete_data": {"type": "bool", "default": False},
    "install_dir": {"type": "path", "default": "/opt/kafka"},
    "log4j_dir": {"type": "path", "default": "/var/log/kafka"},
    "log_dirs": {"type": "list", "elements": "path", "required": True},
    "user": {"type": "str", "default": "kafka"},
    "group": {"type": "str", "default": "kafka"},
    "unit": {"type": "str", "default": "kafka"},
    "sysctl_file": {"type": "path", "default": "/etc/sysctl.d/90-kafka.conf"},
    "timeout": {"type": "int", "default": 300},
}


def ensure_absent(module: KraftModule) -> dict[str, Any]:
    """Look, plan, and outside check mode remove. Raises RefusedError before anything is touched."""
    params = module.params
    desired = Desired(params["cluster_id"], params["node_id"], params["user"], params["group"], params["delete_data"])
    found = apply.observe(module.run_command, params)
    refuse([str(each) for each in uninstall_refusals(desired, found)])
    made = plan(desired, found)
    if made.changes and not module.check_mode:
        apply.carry_out(module.run_command, made, params, desired)
    kept = {"kept": list(made.kept), "staying": list(made.staying)}
    return {"changed": made.changes, "steps": made.steps(desired.user), **kept}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        module.exit_json(**ensure_absent(module))
    except RefusedError as error:
        module.fail_json(msg=str(error), problems=error.problems)
    except (ToolError, OSError) as error:
        module.fail_json(msg=str(error))


if __name__ == "__main__":
    main()
