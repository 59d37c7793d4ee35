#!/usr/bin/python
"""The registration of a broker or controller that will not come back."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_registration
short_description: Removes the registration of a removed broker or controller (internal)
description:
  - A node that is gone stays registered, and holds the finalisation of features back by what it does not support.
  - Refused for a broker that serves, for one that has replicas of any partition, and for a controller that is a voter
    or runs. Waits for the session of a killed broker to end, and for a controller to stop.
  - Kafka can remove the registration of a controller once C(metadata.version) is 33 (4.4). Below, nothing is changed,
    and M(kafka_feature) deals with it when the next features are finalised.
options:
  node_id:
    description: Node id of the removed node.
    type: int
    required: true
  role:
    description: Role whose registration is removed.
    type: str
    choices: [broker, controller]
    default: broker
  emptied:
    description:
      - Set true if an earlier task empties and stops the broker. In check mode that task has not run, so replicas that
        the broker still holds are no reason to refuse.
    type: bool
    default: false
  controllers: {description: The controllers that stay. Required with O(role=controller).}
extends_documentation_fragment: [kafka_client, kafka_controllers, kafka_controllers.registrations]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Remove the registration of broker 4
  kafka_registration:
    client:
      bootstrap_servers: ["192.0.2.11:9092", "192.0.2.12:9092"]
      python_path: /opt/kafka/client/kafka_python.zip
    node_id: 4

- name: Remove the registration of controller 3
  kafka_registration:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    role: controller
    node_id: 3
    controllers: "{{ controllers }}"
"""

RETURN = r"""
waits:
  description: Conditions that are to be met first. Empty outside check mode.
  returned: success
  type: list
  elements: str
registered:
  description: Node ids of all nodes with this role that are registered afterwards.
  returned: success
  type: list
  elements: int
"""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from ansible.module_utils.kraft.cluster import registration
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.controllers import CONTROLLERS_SPEC
from ansible.module_utils.kraft.cluster.departed import doubtful, known_level, running, unregisters
from ansible.module_utils.kraft.cluster.gather import observe, through_current_broker
from ansible.module_utils.kraft.cluster.retry import PAUSE, until_answered
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.errors import KraftError, RefusedError, UnreachableError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.features.departures import Departures
from ansible.module_utils.kraft.problem import Problem

REQUEST_SECONDS = 15.0
BROKER, CONTROLLER = "broker", "controller"
ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "node_id": {"type": "int", "required": True},
    "role": {"type": "str", "choices": [BROKER, CONTROLLER], "default": BROKER},
    "emptied": {"type": "bool", "default": False},
    "controllers": CONTROLLERS_SPEC,
    "timeout": {"type": "int", "default": 30},
}


class Seen(NamedTuple):
    """The registered nodes of the role, and what prevents the removal: for now, finally, or with this Kafka."""

    registered: frozenset[int]
    waits: Sequence[str] = ()
    refusals: Sequence[Problem] = ()
    removable: bool = True


def known(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot. Raises UnreachableError while a part is unknown."""
    if snapshot.unanswered:
        raise UnreachableError("; ".join(snapshot.unknown))
    return snapshot


class Brokers:
    """Registrations of brokers, as a caught-up broker sees them."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def observe(self, node_id: int) -> Seen:
        snapshot = known(through_current_broker(self._client, registration.PARTS))
        refusals = registration.unregister_refusals(node_id, snapshot)
        found = frozenset(one.node_id for one in snapshot.brokers)
        return Seen(found, registration.waits(node_id, snapshot), refusals)

    def unregister(self, node_id: int) -> None:
        """Ask for it; that it is gone already is as good."""
        request = self._client.request("UnregisterBrokerRequest", broker_id=node_id)
        answer = self._client.send(self._client.reach(), request, REQUEST_SECONDS)
        error = self._client.error("UnregisterBroker", answer["error_code"], answer.get("error_message"))
        if error and error.name != "BrokerIdNotRegistered":
            raise error


class Controllers:
    """Registrations of controllers, as the active controller sees them."""

    def __init__(self, client: Client, controllers: list[dict[str, Any]]) -> None:
        self._client = client
        self._departures = Departures(client, {one["node_id"]: one["address"] for one in controllers})

    def observe(self, node_id: int) -> Seen:
        snapshot = known(observe(self._client, ("features", "quorum")))
        removable = unregisters(known_level(snapshot))
        found = frozenset(one.node_id for one in self._departures.registered(snapshot))
        there = (*running([node_id], snapshot), *doubtful([node_id], snapshot))
        return Seen(found, [f"{text}: stop it first" for text in there], (), removable)

    def unregister(self, node_id: int) -> None:
        self._departures.unregister([node_id])


def ensure_unregistered(
    nodes: Brokers | Controllers, params: dict[str, Any], check_mode: bool, before: set[int]
) -> dict[str, Any]:
    """Look, refuse or wait, unregister, and see it gone. `before` keeps, over attempts, that it was registered."""
    node_id, deadline = params["node_id"], time.monotonic() + params["timeout"]
    while True:
        seen = nodes.observe(node_id)
        if not seen.removable:
            return result(node_id, seen, False)
        if seen.refusals and not (check_mode and params["emptied"]):
            raise RefusedError([*seen.refusals, *seen.waits])
        before |= {node_id} & seen.registered
        if check_mode or node_id not in seen.registered:
            gone = seen._replace(registered=seen.registered - {node_id})
            return result(node_id, gone, node_id in before)
        if not seen.waits:
            nodes.unregister(node_id)
        elif time.monotonic() >= deadline:
            raise RefusedError(seen.waits)
        time.sleep(PAUSE)


def result(node_id: int, seen: Seen, changed: bool) -> dict[str, Any]:
    """Return the module's result, with a diff if something changes."""
    found = {"changed": changed, "waits": list(seen.waits), "registered": sorted(seen.registered)}
    shown = {"before": text(seen.registered | {node_id}), "after": text(seen.registered)}
    diff = {"before_header": "registered", "after_header": "registered", **shown}
    return {**found, "diff": diff} if changed else found


def text(node_ids: frozenset[int]) -> str:
    return "".join(f"{one}\n" for one in sorted(node_ids))


def main() -> None:
    module = KraftModule(
        argument_spec=ARGUMENT_SPEC, supports_check_mode=True, required_if=[("role", CONTROLLER, ["controllers"])]
    )
    params, before = module.params, set[int]()
    try:
        with Client(params["client"], warn=module.warn) as client:
            nodes = Brokers(client) if params["role"] == BROKER else Controllers(client, params["controllers"])
            found = until_answered(
                lambda: ensure_unregistered(nodes, params, module.check_mode, before), params["timeout"]
            )
    except KraftError as error:
        module.fail_json(msg=f"{params['role'].title()} {params['node_id']} stays registered: {error}")
    module.exit_json(**found)


if __name__ == "__main__":
    main()
