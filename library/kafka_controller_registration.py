#!/usr/bin/python
"""The registrations of controllers that will not come back."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_controller_registration
short_description: Takes the registrations of removed controllers away (internal)
description:
  - A controller that is gone stays registered, and holds the finalisation of features back by what it does not support.
  - Kafka can take the registration away once C(metadata.version) is 33 (4.4). Below, nothing is changed, and
    M(kafka_feature) deals with it when the next features are finalised.
  - Refused while such a controller is a voter or runs. Waits for it to stop.
options:
  controller_ids:
    description: Node ids of the controllers.
    type: list
    elements: int
    required: true
  controllers: {description: The controllers that stay., required: true}
extends_documentation_fragment: [kafka_client, kafka_controllers, kafka_controllers.registrations]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Remove the registration of a controller that has left
  kafka_controller_registration:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    controller_ids: [3]
    controllers: "{{ controllers }}"
"""

RETURN = r"""
removed:
  description: Node ids of the controllers whose registration was taken away, or would be.
  returned: success
  type: list
  elements: int
kept:
  description: Those that stay registered, since C(metadata.version) is below 33.
  returned: success
  type: list
  elements: int
"""

import time
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.controllers import CONTROLLERS_SPEC
from ansible.module_utils.kraft.cluster.departed import known_level, running, unregisters
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.cluster.retry import PAUSE, until_answered
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.errors import KraftError, RefusedError, UnreachableError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.features.departures import Departures

ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "controller_ids": {"type": "list", "elements": "int", "required": True},
    "controllers": {**CONTROLLERS_SPEC, "required": True},
    "timeout": {"type": "int", "default": 30},
}


def describe_quorum(client: Client) -> tuple[Snapshot, int]:
    """Return the quorum, and the level of METADATA_VERSION. Raises UnreachableError while either is unknown."""
    snapshot = observe(client, ("features", "quorum"))
    if snapshot.unanswered:
        raise UnreachableError("; ".join(snapshot.unknown))
    return snapshot, known_level(snapshot)


def ensure_unregistered(client: Client, params: dict[str, Any], check_mode: bool, seen: set[int]) -> dict[str, Any]:
    """Look, wait, unregister, and see them gone. `seen` keeps, over attempts, those that were registered."""
    departures = Departures(client, {one["node_id"]: one["address"] for one in params["controllers"]})
    deadline = time.monotonic() + params["timeout"]
    while True:
        snapshot, level = describe_quorum(client)
        found = {one.node_id for one in departures.registered(snapshot)} & set(params["controller_ids"])
        if not unregisters(level):
            return result(set(), found)
        seen |= found
        if check_mode or not found:
            return result(seen, set())
        waits = running(found, snapshot)
        if not waits:
            departures.unregister(sorted(found))
        elif time.monotonic() >= deadline:
            raise RefusedError([f"{text}: stop it first" for text in waits])
        time.sleep(PAUSE)


def result(removed: set[int], kept: set[int]) -> dict[str, Any]:
    """Return the module's result, with a diff if something changes."""
    shown = "".join(f"controller {one}\n" for one in sorted(removed))
    diff = {"before_header": "registered", "after_header": "registered", "before": shown, "after": ""}
    found: dict[str, Any] = {"changed": bool(removed), "removed": sorted(removed), "kept": sorted(kept)}
    return {**found, "diff": diff} if removed else found


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    params = module.params
    seen: set[int] = set()
    try:
        with Client(params["client"], warn=module.warn) as client:
            found = until_answered(
                lambda: ensure_unregistered(client, params, module.check_mode, seen), params["timeout"]
            )
    except KraftError as error:
        named = ", ".join(map(str, params["controller_ids"]))
        module.fail_json(msg=f"Controllers {named} stay registered: {error}")
    module.exit_json(**found)


if __name__ == "__main__":
    main()
