#!/usr/bin/python
"""Move replicas between brokers, or between the log dirs of their broker; or elect preferred leaders."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_reassignment
short_description: Moves replicas with least movement, or elects preferred leaders (internal)
description:
  - Keeps the number of replicas and the spread over racks, never puts two replicas of a partition on one broker, and
    evens out who is the preferred leader.
  - Few partitions move at once. Moves of an earlier run are waited for, not started again.
  - The throttle is taken away at the end. One that a killed run has left is recognised by a mark in the topics' lists
    of throttled replicas and taken away, or replaced, by the next run.
  - With O(between=log_dirs), evens out the log dirs of each broker by size, or empties O(drained). No replica leaves
    its broker, and the metadata log is never moved. Refuses a drained log dir that does not exist or is offline, and
    one whose replicas have no room on the others.
  - A partition without a leader stays where it is, and a warning names it. A drain of a broker with it is refused,
    unless O(accepted_risks) gives up its records.
  - A broker that is away when the moves end is waited for, half a minute. One that keeps the throttle is named in a
    warning. The next run of moves takes it away.
  - Refuses, before anything is moved, topics with more replicas than the remaining brokers, and a target broker that
    does not serve or has no room. A throttle that this module did not set is refused, too.
  - With O(state=led), moves no replica. Elects the preferred leader of each partition whose first replica is on one of
    the given brokers, is in sync, and does not lead. The election is clean; no record is at risk. One partition first,
    then twice as many while the new leader keeps up, since a broker that has just started takes long for what it does
    for the first time, and clients of all partitions of one election wait for the last of them. Refusals by Kafka are
    reported and are no failure, since an in-sync replica leads the partition all the same.
options:
  between:
    description: Places between which replicas are moved.
    type: str
    choices: [brokers, log_dirs]
    default: brokers
  drained:
    description: With O(between=log_dirs), log dirs that are emptied.
    type: list
    elements: dict
    default: []
    suboptions:
      node_id: {description: Id of the broker., type: int, required: true}
      path: {description: The log dir., type: path, required: true}
  state:
    description:
      - V(balanced) gives all brokers even numbers of replicas and of preferred leaders, or each log dir of a broker the
        share of bytes that its room has of all room.
      - V(drained) leaves nothing on O(broker_ids). That is proven in the end by metadata and log dirs.
      - V(spread) gives O(broker_ids) their fair share and moves nothing between the others.
      - V(cancelled) reverts all running moves. Log dirs have this state and V(balanced).
      - V(led) lets O(broker_ids), or all brokers, lead the partitions whose preferred leaders they are.
    type: str
    choices: [balanced, drained, spread, cancelled, led]
    default: balanced
  broker_ids:
    description: Brokers that are emptied or filled, or that lead again.
    type: list
    elements: int
    default: []
  throttle:
    description: Bytes per second that each broker sends, and receives, or copies between its log dirs. 0 sets no limit.
    type: int
    default: 0
  together:
    description: Number of partitions, or replicas of a broker, that move at once.
    type: int
    default: 50
  coming:
    description: Brokers that are not registered yet. In check mode the plan counts on them.
    type: list
    elements: dict
    default: []
    suboptions:
      node_id: {description: Its id., type: int, required: true}
      rack: {description: Its rack., type: str}
  accepted_risks:
    description:
      - Risks that are taken. With V(only_replica), a partition starts empty on other brokers if only drained brokers
        that are away have its records.
    type: list
    elements: str
    default: []
extends_documentation_fragment: [kafka_client, kafka_moves]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Move all replicas away from a broker
  kafka_reassignment:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    state: drained
    broker_ids: [4]
    throttle: 50000000

- name: Give a broker its partitions back
  kafka_reassignment:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    state: led
    broker_ids: [1]
"""

RETURN = r"""
steps:
  description: Changes that were made, or would be made in check mode.
  returned: success
  type: list
  elements: str
plan:
  description: RV(steps), what each broker or log dir holds before and after, and the first moves one by one.
  returned: success
  type: list
  elements: str
partitions:
  description: Number of partitions whose records are moved.
  returned: between brokers
  type: int
replicas:
  description: Number of replicas that are moved, or made elsewhere.
  returned: success
  type: int
bytes:
  description: Bytes that are copied; null if they are not known.
  returned: success
  type: int
under_way:
  description: Number of partitions, or replicas between log dirs, that were moving before.
  returned: success
  type: int
limited:
  description: Brokers on which this run has set the throttle.
  returned: success
  type: list
away:
  description: Brokers that are to get replicas and do not serve; the moves wait for them.
  returned: success
  type: list
finished:
  description: True if nothing is left. Always false in check mode if something would change.
  returned: success
  type: bool
left:
  description: Partitions, or replicas between log dirs, and bytes that are still to be moved.
  returned: success
  type: dict
log_dirs:
  description: For each log dir node_id, path, error, usable_bytes, total_bytes, used_bytes, and topics with their
    bytes.
  returned: between log dirs
  type: list
  elements: dict
elected:
  description: Number of partitions whose leader was moved, or would be.
  returned: with O(state=led)
  type: int
refused:
  description: Refusals by Kafka, as sentences.
  returned: with O(state=led)
  type: list
  elements: str
"""

from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.snapshot import Broker
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.disks import run as disks
from ansible.module_utils.kraft.operations.disks.admin import DisksAdmin
from ansible.module_utils.kraft.operations.reassignment.admin import ReassignmentAdmin
from ansible.module_utils.kraft.operations.reassignment.election import ensure_preferred_leaders
from ansible.module_utils.kraft.operations.reassignment.leaderless import RULE
from ansible.module_utils.kraft.operations.reassignment.model import BALANCED, DRAINED, SPREAD, Goal
from ansible.module_utils.kraft.operations.reassignment.moves_module import OPTIONS, Attempt, common, moved
from ansible.module_utils.kraft.operations.reassignment.report import result
from ansible.module_utils.kraft.operations.reassignment.run import Run
from ansible.module_utils.kraft.operations.reassignment.work import Desired

CANCELLED, LED, BROKERS, LOG_DIRS = "cancelled", "led", "brokers", "log_dirs"
ARGUMENT_SPEC: dict[str, Any] = {
    **OPTIONS,
    "between": {"type": "str", "choices": [BROKERS, LOG_DIRS], "default": BROKERS},
    "drained": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {"node_id": {"type": "int", "required": True}, "path": {"type": "path", "required": True}},
    },
    "state": {"type": "str", "choices": [BALANCED, DRAINED, SPREAD, CANCELLED, LED], "default": BALANCED},
    "broker_ids": {"type": "list", "elements": "int", "default": []},
    "accepted_risks": {"type": "list", "elements": "str", "default": []},
    "coming": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {"node_id": {"type": "int", "required": True}, "rack": {"type": "str"}},
    },
}


def asked(params: dict[str, Any], check_mode: bool) -> Desired:
    cancel = params["state"] == CANCELLED
    coming = params["coming"] if check_mode else []
    return Desired(
        Goal(
            BALANCED if cancel else params["state"],
            frozenset(params["broker_ids"]),
        ),
        cancel=cancel,
        gives_up=RULE in params["accepted_risks"],
        coming=tuple(Broker(one["node_id"], "", 0, one["rack"]) for one in coming),
        **common(params),
    )


def attempt(client: Client, params: dict[str, Any], check_mode: bool) -> Attempt:
    """Return the attempt to move replicas between brokers."""
    desired = asked(params, check_mode)
    return Attempt(
        lambda wanted: Run(ReassignmentAdmin(client), wanted),
        lambda work: result(work, desired),
        "partitions",
        check_mode,
        desired,
    )


def attempt_inside(client: Client, params: dict[str, Any], check_mode: bool) -> Attempt:
    """Return the attempt to move replicas between the log dirs of their broker."""
    drained: dict[int, list[str]] = {}
    for one in params["drained"]:
        drained.setdefault(one["node_id"], []).append(one["path"])
    desired = disks.Desired(drained, cancel=params["state"] == CANCELLED, **common(params))
    return Attempt(
        lambda wanted: disks.Run(DisksAdmin(client), wanted),
        lambda work: disks.result(work, desired),
        "replicas",
        check_mode,
        desired,
    )


def elect(module: KraftModule) -> dict[str, Any]:
    """Elect preferred leaders; return the module's result."""
    with Client(module.params["client"], warn=module.warn) as client:
        found = ensure_preferred_leaders(client, module.params["broker_ids"], module.check_mode)
    for text in found.pop("warnings"):
        module.warn(text)
    return found


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    params, inside = module.params, module.params["between"] == LOG_DIRS
    if params["state"] == LED:
        module.finish(lambda: elect(module))
    if params["state"] in (DRAINED, SPREAD) and (inside or not params["broker_ids"]):
        module.fail_json(msg=f"state {params['state']} needs broker_ids, and is not for log dirs")
    make = attempt_inside if inside else attempt
    try:
        found = moved(module, lambda client: make(client, params, module.check_mode))
    except KraftError as error:
        module.fail_json(msg=f"The moves were stopped: {error}")
    module.exit_json(**found)


if __name__ == "__main__":
    main()
