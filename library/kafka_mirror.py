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
  - With O(state=reversed) it opens the way back after a switch. It writes the ends of this cluster's topics to the
    former source, as positions from which MirrorMaker copies new records back. It changes nothing if they are there
    already. The copy from the source must have ended.
options:
  state:
    description: V(present) runs the service, V(absent) removes it, V(observed) reads its errors, V(reversed) opens the
      way back.
    type: str
    choices: [present, absent, observed, reversed]
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
    description: The secrets among the settings of the source's client. By their whole names, but for V(reversed).
    type: dict
    default: {}
  client: {description: Connection between brokers. Required for V(present) and V(reversed)., required: false}
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
  mirror:
    description: The variable C(kafka_mirror). The control side puts the secrets of its source into O(secrets). Required
      for V(reversed), as the next two are.
    type: dict
  ends:
    description: The C(progress.ends) that M(kafka_mirror_info) returned before the copy was proven.
    type: dict
  replication_factor:
    description: Replicas of the topic with positions; fewer if the source has fewer brokers.
    type: int
extends_documentation_fragment: [kafka_client]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Stop MirrorMaker and remove its service
  kafka_mirror:
    state: absent

- name: Record the offsets where new records begin
  kafka_mirror:
    state: reversed
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    mirror: {source: {name: old, bootstrap_servers: ["198.51.100.5:9092"]}}
    ends: "{{ ends }}"
    replication_factor: 3
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

from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.other_services import mirror_log, mirror_service
from ansible.module_utils.kraft.operations.mirror import definitions, positions
from ansible.module_utils.kraft.operations.mirror.observe import ANSWERED_SECONDS
from ansible.module_utils.kraft.spec.desired.mirror import with_secrets

ARGUMENT_SPEC: dict[str, Any] = {
    "state": {"type": "str", "choices": ["present", "absent", "observed", "reversed"], "default": "present"},
    "install_dir": {"type": "path", "default": "/opt/kafka"},
    "release": {"type": "str"},
    "java": {"type": "path", "default": "/usr/bin/java"},
    "properties": {"type": "dict", "default": {}},
    "secrets": {"type": "dict", "default": {}, "no_log": True},
    "client": {"type": "dict", "options": CLIENT_SPEC},
    "address": {"type": "str", "default": ""},
    "port": {"type": "int", "default": 8083},
    "hosts": {"type": "int", "default": 1},
    "into": {"type": "str", "default": "target"},
    "topic_ids": {"type": "dict", "default": {}},
    "heap_mb": {"type": "int", "default": 512},
    "restart": {"type": "bool", "default": False},
    "definitions": {"type": "dict"},
    "mirror": {"type": "dict"},
    "ends": {"type": "dict"},
    "replication_factor": {"type": "int"},
}
NEEDS = [
    ("state", "present", ["release", "client", "definitions"]),
    ("state", "reversed", ["client", "mirror", "ends", "replication_factor"]),
]
#: Parameters that the service does not have.
OTHERS = ("state", "client", "restart", "definitions", "mirror", "ends", "replication_factor")


def settings(params: dict[str, Any]) -> mirror_service.Settings:
    client = params["client"]
    own = {name: value for name, value in params.items() if name not in OTHERS}
    return mirror_service.Settings(
        listener=client["listener"],
        protocol=client["security_protocol"],
        servers=tuple(client["bootstrap_servers"]),
        **own,
    )


def reverse(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Note at the former source where new records begin; return the module's result."""
    asked = with_secrets(params["mirror"], params["secrets"])
    given = (asked, params["client"], params["ends"], params["replication_factor"], check_mode)
    return {"changed": until_answered(lambda: positions.begin(*given), ANSWERED_SECONDS)}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, required_if=NEEDS, supports_check_mode=True)
    params = module.params
    try:
        if params["state"] == "observed":
            result = {"changed": False, "errors": mirror_log.errors(module.run_command)}
        elif params["state"] == "absent":
            result = mirror_service.remove(module.run_command, params["install_dir"], module.check_mode)
        elif params["state"] == "reversed":
            result = reverse(params, module.check_mode)
        else:
            refuse = partial(definitions.refuse, definitions=params["definitions"])
            result = mirror_service.ensure(
                module.run_command, settings(params), refuse, params["restart"], module.check_mode
            )
    except (KraftError, OSError) as error:
        module.fail_json(msg=str(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
