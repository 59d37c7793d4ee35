#!/usr/bin/python
"""Move replicas between the log dirs of their broker: evenly over all, or off some."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_log_dirs
short_description: Plans and carries out moves of replicas between log dirs of a broker
description:
  - Shows the bytes of each broker, log dir and topic. Evens out log dirs by size with least movement, or empties some.
  - No replica leaves its broker, and the metadata log is never moved.
  - Moves of an earlier run are waited for, not started again. The throttle is removed at the end. The throttle of a
    killed run is recognised by its last digits, and removed or replaced.
  - Refuses, before anything is moved, a drained log dir that does not exist or is offline, and one whose replicas have
    no room on the others. A throttle that this module did not set is refused, too.
options:
  state:
    description:
      - V(balanced) gives each log dir of a broker the share of bytes that its room has of all room.
      - V(cancelled) reverts all running moves.
    type: str
    choices: [balanced, cancelled]
    default: balanced
  drained:
    description: Log dirs that are emptied.
    type: list
    elements: dict
    default: []
    suboptions:
      node_id: {description: Id of the broker., type: int, required: true}
      path: {description: The log dir., type: path, required: true}
  throttle:
    description: Bytes per second that each broker copies between its log dirs. 0 sets no limit.
    type: int
    default: 0
  together:
    description: Number of replicas of a broker that move at once.
    type: int
    default: 50
extends_documentation_fragment: [kafka_client, kafka_moves]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Even out the log dirs of every broker
  kafka_log_dirs:
    client:
      bootstrap_servers: ["192.0.2.11:9092", "192.0.2.12:9092"]
      python_path: /opt/kafka/client/kafka_python.zip
    throttle: 50000000

- name: Empty a log dir of broker 2
  kafka_log_dirs:
    client:
      bootstrap_servers: ["192.0.2.11:9092", "192.0.2.12:9092"]
      python_path: /opt/kafka/client/kafka_python.zip
    drained:
      - {node_id: 2, path: /srv/kafka/data2}
    throttle: 50000000
"""

RETURN = r"""
steps:
  description: Changes that were made, or would be made in check mode.
  returned: success
  type: list
  elements: str
plan:
  description: RV(steps), what each log dir holds before and after, and the first moves one by one.
  returned: success
  type: list
  elements: str
log_dirs:
  description: For each log dir node_id, path, error, usable_bytes, total_bytes, used_bytes, and topics with their
    bytes.
  returned: success
  type: list
  elements: dict
replicas:
  description: Number of replicas that are moved.
  returned: success
  type: int
bytes:
  description: Bytes that are copied.
  returned: success
  type: int
under_way:
  description: Number of replicas that were moving before.
  returned: success
  type: int
finished:
  description: True if nothing is left. Always false in check mode if something would change.
  returned: success
  type: bool
limited:
  description: Brokers on which this run has set the throttle.
  returned: success
  type: list
away:
  description: Always empty; copies inside a broker wait for no other one.
  returned: success
  type: list
left:
  description: Replicas and bytes that are still to be moved.
  returned: success
  type: dict
"""

from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.disks.admin import DisksAdmin
from ansible.module_utils.kraft.operations.disks.run import Desired, Run, result
from ansible.module_utils.kraft.operations.reassignment.moves_module import OPTIONS, Attempt, common, moved

BALANCED, CANCELLED = "balanced", "cancelled"
ARGUMENT_SPEC: dict[str, Any] = {
    **OPTIONS,
    "state": {"type": "str", "choices": [BALANCED, CANCELLED], "default": BALANCED},
    "drained": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {"node_id": {"type": "int", "required": True}, "path": {"type": "path", "required": True}},
    },
}


def asked(params: dict[str, Any]) -> Desired:
    drained: dict[int, list[str]] = {}
    for one in params["drained"]:
        drained.setdefault(one["node_id"], []).append(one["path"])
    return Desired(drained, cancel=params["state"] == CANCELLED, **common(params))


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    params = module.params
    try:
        desired = asked(params)
        found = moved(
            module,
            lambda client: Attempt(
                lambda asked: Run(DisksAdmin(client), asked),
                lambda work: result(work, desired),
                "replicas",
                module.check_mode,
                desired,
            ),
        )
    except KraftError as error:
        module.fail_json(msg=f"Replicas are not moved any further: {error}")
    module.exit_json(**found)


if __name__ == "__main__":
    main()
