#!/usr/bin/python
"""A controller as a voter of the metadata quorum, or not."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_quorum_voter
short_description: Adds a controller as a voter of the metadata quorum, or removes it (internal)
description:
  - For dynamic quorums (KIP-853). Waits until a controller that is to come has caught up, as long as it advances.
  - Never removes the last voter, and none while the voters that are caught up would be no majority afterwards.
  - A wiped controller comes back under a new directory id. With O(replace) its old entry goes first, unless that one is
    alive.
  - A controller that has C(controller.quorum.auto.join.enable) makes itself a voter again as long as it runs. Stop it
    before it is removed.
options:
  node_id:
    description: The controller.
    type: int
    required: true
  state:
    description: V(present) makes it a voter, V(absent) removes it.
    type: str
    choices: [present, absent]
    default: present
  directory_id:
    description:
      - Id of its metadata log's directory, as C(meta.properties) has it. Left out, that of the controller with this
        O(node_id) that follows the leader.
      - With O(state=absent), only an entry with this directory id is removed.
    type: str
  listeners:
    description: Address at which the other controllers reach it. Needed with O(state=present).
    type: list
    elements: dict
    suboptions:
      name: {description: Name of the listener., type: str, required: true}
      host: {description: Advertised host., type: str, required: true}
      port: {description: Advertised port., type: int, required: true}
  replace:
    description: If true, an entry with another directory id, whose disk is lost, may be replaced.
    type: bool
    default: false
  timeout:
    description: Seconds without any advance after which waiting is given up.
    type: int
    default: 60
extends_documentation_fragment: [kafka_client]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Remove a controller from the voters
  kafka_quorum_voter:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    node_id: 3
    state: absent
"""

RETURN = r"""
steps:
  description: Changes that were made, or would be made in check mode.
  returned: success
  type: list
  elements: str
waits:
  description: Conditions to be met before the first step. Empty outside check mode.
  returned: success
  type: list
  elements: str
voters:
  description: Every voter before, by node id, with its directory id.
  returned: success
  type: dict
"""

from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.quorum.admin import QuorumAdmin, identifier
from ansible.module_utils.kraft.operations.quorum.plan import Desired, Listener, Plan

ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "node_id": {"type": "int", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "directory_id": {"type": "str"},
    "listeners": {
        "type": "list",
        "elements": "dict",
        "options": {
            "name": {"type": "str", "required": True},
            "host": {"type": "str", "required": True},
            "port": {"type": "int", "required": True},
        },
    },
    "replace": {"type": "bool", "default": False},
    "timeout": {"type": "int", "default": 60},
}


def desired(params: dict[str, Any]) -> Desired:
    """Return the requested state. Raises RefusedError for an invalid directory id."""
    if params["directory_id"]:
        identifier(params["directory_id"])
    return Desired(
        node_id=params["node_id"],
        present=params["state"] == "present",
        directory_id=params["directory_id"] or "",
        listeners=tuple(Listener(one["name"], one["host"], one["port"]) for one in params["listeners"] or ()),
        replace=params["replace"],
    )


class Run:
    """One run of the module. Its first plan is reported, even if another client makes the change first."""

    def __init__(self, client: Client, asked: Desired, timeout: float, check_mode: bool) -> None:
        self._admin, self._desired, self._check_mode = QuorumAdmin(client, timeout), asked, check_mode
        self._result: dict[str, Any] = {}

    def __call__(self) -> dict[str, Any]:
        before = self._admin.planned(self._desired)[0]
        voters = {one.node_id: one.directory_id for one in before.quorum.voters} if before.quorum else {}
        made = self._admin.planned(self._desired)[1] if self._check_mode else self._admin.ready(self._desired)
        self._result = self._result or result(made, voters)
        if made.changes and not self._check_mode:
            self._admin.apply(made)
        return self._result


def result(made: Plan, voters: dict[int, str]) -> dict[str, Any]:
    after = {node_id: known for node_id, known in voters.items() if known != made.remove}
    after |= {made.desired.node_id: made.add} if made.add else {}
    diff = {"before_header": "voters", "after_header": "voters", "before": text(voters), "after": text(after)}
    found = {"changed": made.changes, "steps": list(made.steps()), "waits": list(made.waits), "voters": voters}
    return {**found, "diff": diff} if made.changes else found


def text(voters: dict[int, str]) -> str:
    """Return one line for each voter, by node id."""
    return "".join(f"{node_id}: {voters[node_id]}\n" for node_id in sorted(voters))


def main() -> None:
    module = KraftModule(
        argument_spec=ARGUMENT_SPEC,
        supports_check_mode=True,
        required_if=[("state", "present", ["listeners"])],
    )
    params = module.params
    try:
        asked = desired(params)
        with Client(params["client"], warn=module.warn) as client:
            run = Run(client, asked, params["timeout"], module.check_mode)
            found = until_answered(run, params["timeout"])
    except KraftError as error:
        module.fail_json(msg=f"Controller {params['node_id']} was not changed: {error}")
    module.exit_json(**found)


if __name__ == "__main__":
    main()
