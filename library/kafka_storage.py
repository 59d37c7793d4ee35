#!/usr/bin/python
"""A node's log dirs, formatted with the identity that the inventory gives."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_storage
short_description: Formats a node's log dirs, and never one that holds data (internal)
description:
  - Reads each log dir (C(meta.properties) and the files beside it) and chooses no action, a format, or the completion
    of a killed format. Refuses everything else, with all reasons at once.
  - Refuses a disk of another cluster or node (both ids are shown), data without a readable C(meta.properties),
    files that are not Kafka's, and a controller without its metadata log once any node of the cluster was started.
  - Runs the format tool of the installed release as Kafka's user, then reads back what it wrote. The tool reports
    success on a full disk; this module does not.
  - Nothing is deleted. A C(meta.properties) that a killed format left unusable is renamed to
    C(meta.properties.aside-<number>).
  - Two runs at once are safe. The second waits for the first and finds nothing left to do.
options:
  install_dir: {description: Installation directory of Kafka., type: path, default: /opt/kafka}
  version: {description: Release whose tool formats., type: str, required: true}
  config: {description: The node's server.properties., type: path, required: true}
  java: {description: The C(java) to run the tool with., type: path, default: /usr/bin/java}
  class_path:
    description: Further entries of the tool's class path. The tool loads classes that O(config) names.
    type: list
    elements: str
    default: []
  user: {description: User that Kafka runs as; it will own the files., type: str, default: kafka}
  cluster_id: {description: Id of the cluster., type: str, required: true}
  node_id: {description: Id of this node., type: int, required: true}
  directory_id:
    description: Directory id of a dynamic voter's metadata log dir. Not used for other nodes.
    type: str
  roles:
    description: Roles of the node.
    type: list
    elements: str
    choices: [broker, controller]
    required: true
  log_dirs: {description: Directories for records., type: list, elements: path, required: true}
  metadata_log_dir:
    description: Directory of the metadata log. The first of O(log_dirs) unless given.
    type: path
  quorum:
    description: Type of the controller quorum.
    type: str
    choices: [dynamic, static]
    default: dynamic
  initial_controllers:
    description: All voters of a dynamic quorum as C(id@host:port:directory_id,...), the same for each of them.
    type: str
  rejoins:
    description: >-
      The disk of this voter is lost, and it returns to a running quorum as an observer. O(directory_id) must
      differ from O(listed_directory_id).
    type: bool
    default: false
  listed_directory_id:
    description: Directory id under which the quorum lists this voter, with O(rejoins).
    type: str
  peers:
    description: All nodes of the cluster as they were seen in this run. This node's own entry is left out.
    type: list
    elements: dict
    default: []
    suboptions:
      host: {description: Name of the host., type: str, required: true}
      node_id: {description: Id of the node., type: int, required: true}
      known: {description: True if its log dirs were read., type: bool, default: false}
      lived:
        description: Evidence that the node was started before. Names below its log dirs, or its process.
        type: list
        elements: str
        default: []
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Format the log dirs of a node
  kafka_storage:
    version: 4.4.0
    config: /opt/kafka/config/server.properties
    cluster_id: bWlycm9yLWV4YW1wbGUtMQ
    node_id: 1
    roles: [broker, controller]
    log_dirs: [/data/kafka1]
    initial_controllers: "{{ initial_controllers }}"
"""

RETURN = r"""
actions:
  description: Action for each log dir that was taken, or would be taken in check mode. V(nothing), V(format) or
    V(complete).
  returned: always
  type: dict
log_dirs:
  description: Each log dir as it is now (in check mode, as it was found).
  returned: success
  type: dict
set_aside:
  description: Files that were renamed to make room.
  returned: success
  type: list
  elements: str
problems:
  description: Everything that forbids to touch the log dirs.
  returned: when refused
  type: list
  elements: dict
"""

from typing import Any

from ansible.module_utils.kraft.errors import KraftError, RefusedError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.storage import apply as storage_apply

ARGUMENT_SPEC: dict[str, Any] = {
    "install_dir": {"type": "path", "default": "/opt/kafka"},
    "version": {"type": "str", "required": True},
    "config": {"type": "path", "required": True},
    "java": {"type": "path", "default": "/usr/bin/java"},
    "class_path": {"type": "list", "elements": "str", "default": []},
    "user": {"type": "str", "default": "kafka"},
    "cluster_id": {"type": "str", "required": True},
    "node_id": {"type": "int", "required": True},
    "directory_id": {"type": "str"},
    "roles": {"type": "list", "elements": "str", "choices": ["broker", "controller"], "required": True},
    "log_dirs": {"type": "list", "elements": "path", "required": True},
    "metadata_log_dir": {"type": "path"},
    "quorum": {"type": "str", "choices": ["dynamic", "static"], "default": "dynamic"},
    "initial_controllers": {"type": "str"},
    "rejoins": {"type": "bool", "default": False},
    "listed_directory_id": {"type": "str"},
    "peers": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {
            "host": {"type": "str", "required": True},
            "node_id": {"type": "int", "required": True},
            "known": {"type": "bool", "default": False},
            "lived": {"type": "list", "elements": "str", "default": []},
        },
    },
}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        result = storage_apply.ensure_storage(module.params, module.check_mode)
    except RefusedError as error:
        problems = [problem.as_dict() for problem in storage_apply.as_problems(error)]
        module.fail_json(msg=f"No log dir was changed:\n{error}", problems=problems)
    except (KraftError, OSError) as error:
        module.fail_json(msg=f"The log dirs are not formatted: {error}")
    module.exit_json(**result)


if __name__ == "__main__":
    main()
