#!/usr/bin/python
"""MirrorMaker on a host: it runs with what is wanted, or is gone."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_mirror
short_description: Runs MirrorMaker of Kafka's distribution as a service (internal)
description:
  - Writes its settings, secrets and unit, and restarts it if they differ.
  - It reaches this cluster as the node of this host.
  - With O(state=absent) it stops the service and removes what it wrote. Copied records stay.
  - With O(state=observed) it changes nothing, and reads the errors of the service from the last 2,000 lines of the
    journal. Errors that Connect retries by itself are left out.
options:
  state:
    description: V(present) runs the service, V(absent) removes it, V(observed) reads its errors.
    type: str
    choices: [present, absent, observed]
    default: present
  install_dir:
    description: Kafka's installation directory.
    type: path
    default: /opt/kafka
  release:
    description: The unpacked release of Kafka that it runs from, such as C(4.3.1). Required for V(present).
    type: str
  java:
    description: The program that runs it.
    type: path
    default: /usr/bin/java
  properties:
    description: MirrorMaker's settings without secrets, as M(kafka_mirror_info) gives them.
    type: dict
    default: {}
  secrets:
    description: The secrets among the settings of the source's client, by their whole names.
    type: dict
    default: {}
  client:
    description: Connection between brokers, as the C(client) of other modules.
    type: dict
    default: {}
  address:
    description: Address at which workers on other hosts reach this one.
    type: str
    default: ""
  port:
    description: Port of the same.
    type: int
    default: 8083
  hosts:
    description: Number of hosts that the mirror runs on. With one it opens no port.
    type: int
    default: 1
  into:
    description: MirrorMaker's alias of the cluster that is written; C(target) is this one.
    type: str
    default: target
  topic_ids:
    description: Ids of the source's topics when their copy began, as M(kafka_mirror_info) gives them. It keeps them.
    type: dict
    default: {}
  heap_mb:
    description: Heap of the service.
    type: int
    default: 512
  definitions:
    description: Kafka's own definitions. The file must match them before anything changes. Its action plugin adds them.
    type: dict
  restart:
    description: If true, it restarts although nothing differs, for example after a failed task.
    type: bool
    default: false
author: Kraftwright
"""

EXAMPLES = r"""
- name: Stop MirrorMaker and remove its service
  kafka_mirror:
    state: absent
"""

RETURN = r"""
changed:
  description: True if anything differed.
  returned: success
  type: bool
errors:
  description: Errors since the start of the service, each with its last cause, as C(text) in one line and C(age) in
    seconds, the last one last.
  returned: with O(state=observed)
  type: list
  elements: dict
"""

from functools import partial
from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node import mirror, mirror_log
from ansible.module_utils.kraft.operations.mirror import definitions

ARGUMENT_SPEC: dict[str, Any] = {
    "state": {"type": "str", "choices": ["present", "absent", "observed"], "default": "present"},
    "install_dir": {"type": "path", "default": "/opt/kafka"},
    "release": {"type": "str"},
    "java": {"type": "path", "default": "/usr/bin/java"},
    "properties": {"type": "dict", "default": {}},
    "secrets": {"type": "dict", "default": {}, "no_log": True},
    "client": {"type": "dict", "default": {}},
    "address": {"type": "str", "default": ""},
    "port": {"type": "int", "default": 8083},
    "hosts": {"type": "int", "default": 1},
    "into": {"type": "str", "default": "target"},
    "topic_ids": {"type": "dict", "default": {}},
    "heap_mb": {"type": "int", "default": 512},
    "restart": {"type": "bool", "default": False},
    "definitions": {"type": "dict"},
}


def settings(params: dict[str, Any]) -> mirror.Settings:
    client = params["client"]
    own = {name: value for name, value in params.items() if name not in ("state", "client", "restart", "definitions")}
    return mirror.Settings(
        listener=client["listener"],
        protocol=client["security_protocol"],
        servers=tuple(client["bootstrap_servers"]),
        **own,
    )


def main() -> None:
    module = KraftModule(
        argument_spec=ARGUMENT_SPEC,
        required_if=[("state", "present", ["release", "definitions"])],
        supports_check_mode=True,
    )
    params = module.params
    try:
        if params["state"] == "observed":
            result = {"changed": False, "errors": mirror_log.errors(module.run_command)}
        elif params["state"] == "absent":
            result = mirror.remove(module.run_command, params["install_dir"], module.check_mode)
        else:
            refuse = partial(definitions.refuse, definitions=params["definitions"])
            result = mirror.ensure(module.run_command, settings(params), refuse, params["restart"], module.check_mode)
    except (KraftError, OSError) as error:
        module.fail_json(msg=str(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
