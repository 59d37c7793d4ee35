"""Ask who leads the metadata quorum, and how far its voters are."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_quorum_info
short_description: Returns the leader of the metadata quorum and the lag of its voters
description: Queries any broker, which forwards to the active controller. Changes nothing.
options:
  listeners:
    description: Names of listeners. Waits, for O(timeout) at most, until the quorum lists every voter with all of them.
    type: list
    elements: str
    default: []
  controllers:
    description: Addresses of controllers. Waits, for O(timeout) at most, until the quorum lists each voter of them
      there.
    type: list
    elements: dict
    default: []
    suboptions:
      node_id:
        description: Node id of the controller.
        type: int
        required: true
      address:
        description: One of its listeners as C(host:port).
        type: str
        required: true
  timeout:
    description: Seconds to repeat the request while no broker answers or there is no leader.
    type: int
    default: 15
extends_documentation_fragment: [kafka_client]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Look at the quorum
  kafka_quorum_info:
    client:
      bootstrap_servers: ["192.0.2.11:9092", "192.0.2.12:9092"]
      python_path: /opt/kafka/client/kafka_python.zip
  register: __kafka_quorum
"""

RETURN = r"""
cluster_id:
  description: The cluster's id.
  returned: success
  type: str
quorum:
  description:
    - Leader, epoch, high watermark, and every voter and observer with its log end offset and its distance from the
      leader in records (C(lag)) and milliseconds (C(behind_ms)).
  returned: success
  type: dict
  sample:
    leader_id: 1
    leader_epoch: 4
    high_watermark: 1203
    voters:
      - {node_id: 1, directory_id: b6eD3uv0QAmoZ0zSbh97pw, log_end_offset: 1203, lag: 0, behind_ms: 0,
         last_caught_up_ms: 1795228846702, last_fetch_ms: 1795228846702}
    observers: []
"""

from typing import Any

from ansible.module_utils.kraft.cluster import gather
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.errors import KraftError, UnreachableError
from ansible.module_utils.kraft.module import KraftModule

ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "listeners": {"type": "list", "elements": "str", "default": []},
    "controllers": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {"node_id": {"type": "int", "required": True}, "address": {"type": "str", "required": True}},
    },
    "timeout": {"type": "int", "default": 15},
}


def hold_known(client: Client, listeners: list[str]) -> None:
    """Raise UnreachableError, to be retried, if a voter is not known by all `listeners` yet."""
    missing = gather.controllers_without(client, listeners)
    if missing:
        who = ", ".join(map(str, missing))
        raise UnreachableError(f"The quorum does not know controllers {who} by all of {', '.join(listeners)} yet.")


def hold_there(client: Client, addresses: dict[int, str]) -> None:
    """Raise UnreachableError, to be retried, if the quorum has another address of a controller, or none."""
    elsewhere = gather.controllers_elsewhere(client, addresses)
    if elsewhere:
        who = ", ".join(f"{one} at {addresses[one]}" for one in elsewhere)
        raise UnreachableError(f"The quorum does not know controllers {who} yet.")


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        with Client(module.params["client"], warn=module.warn) as client:
            if module.params["listeners"]:
                until_answered(lambda: hold_known(client, module.params["listeners"]), module.params["timeout"])
            addresses = {one["node_id"]: one["address"] for one in module.params["controllers"]}
            if addresses:
                until_answered(lambda: hold_there(client, addresses), module.params["timeout"])
            snapshot = gather.patiently(client, ("quorum",), module.params["timeout"])
    except KraftError as error:
        module.fail_json(msg=str(error))
    if snapshot.quorum is None:
        module.fail_json(msg=f"The quorum is not known: {snapshot.unanswered.get('quorum', '')}")
    module.exit_json(changed=False, cluster_id=snapshot.cluster_id, quorum=snapshot.to_dict()["quorum"])


if __name__ == "__main__":
    main()
