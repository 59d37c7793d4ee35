#!/usr/bin/python
"""The registration of a broker that will not come back."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_broker_registration
short_description: Takes the registration of a removed broker away (internal)
description:
  - A broker that is gone stays registered, and holds the finalisation of features back by what it does not support.
  - Refused while the broker serves, and while any partition has a replica on it. Waits for the session of a broker
    that was killed to end.
options:
  broker_id:
    description: Node id of the broker.
    type: int
    required: true
  emptied:
    description:
      - Set true if an earlier task empties and stops the broker. In check mode that task has not run, so replicas that
        the broker still holds are no reason to refuse.
    type: bool
    default: false
extends_documentation_fragment: [kafka_client, kafka_controllers.registrations]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Forget broker 4, which was removed
  kafka_broker_registration:
    client:
      bootstrap_servers: ["192.0.2.11:9092", "192.0.2.12:9092"]
      python_path: /opt/kafka/client/kafka_python.zip
    broker_id: 4
"""

RETURN = r"""
waits:
  description: Conditions that are to be met first. Empty outside check mode.
  returned: success
  type: list
  elements: str
registered:
  description: Node ids of all brokers that are registered afterwards.
  returned: success
  type: list
  elements: int
"""

import time
from typing import Any

from ansible.module_utils.kraft.cluster import registration
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.gather import through_current_broker
from ansible.module_utils.kraft.cluster.retry import PAUSE, until_answered
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.errors import KraftError, RefusedError, UnreachableError
from ansible.module_utils.kraft.module import KraftModule

REQUEST_SECONDS = 15.0
ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "broker_id": {"type": "int", "required": True},
    "emptied": {"type": "bool", "default": False},
    "timeout": {"type": "int", "default": 30},
}


def describe_cluster(client: Client) -> Snapshot:
    """Return the whole cluster, as a caught-up broker sees it. Raises UnreachableError while a part is unknown."""
    snapshot = through_current_broker(client, registration.PARTS)
    if snapshot.unanswered:
        raise UnreachableError("; ".join(snapshot.unknown))
    return snapshot


def unregister(client: Client, broker_id: int) -> None:
    """Ask for it; that it is gone already is as good."""
    request = client.request("UnregisterBrokerRequest", broker_id=broker_id)
    answer = client.send(client.reach(), request, REQUEST_SECONDS)
    error = client.error("UnregisterBroker", answer["error_code"], answer.get("error_message"))
    if error and error.name != "BrokerIdNotRegistered":
        raise error


def ensure_unregistered(client: Client, params: dict[str, Any], check_mode: bool, seen: set[int]) -> dict[str, Any]:
    """Look, refuse or wait, unregister, and see it gone. `seen` keeps, over attempts, that it was registered."""
    broker_id, deadline = params["broker_id"], time.monotonic() + params["timeout"]
    while True:
        snapshot = describe_cluster(client)
        seen |= {broker_id} if registration.registered(broker_id, snapshot) else set()
        waits, found = registration.waits(broker_id, snapshot), registration.unregister_refusals(broker_id, snapshot)
        if found and not (check_mode and params["emptied"]):
            raise RefusedError([*found, *waits])
        if check_mode or not registration.registered(broker_id, snapshot):
            return result(broker_id, snapshot, broker_id in seen, waits)
        if not waits:
            unregister(client, broker_id)
        elif time.monotonic() >= deadline:
            raise RefusedError(waits)
        time.sleep(PAUSE)


def result(broker_id: int, snapshot: Snapshot, changed: bool, waits: tuple[str, ...]) -> dict[str, Any]:
    left = sorted({one.node_id for one in snapshot.brokers} - {broker_id})
    before = sorted({*left, broker_id}) if changed else left
    shown = {"before": text(before), "after": text(left)}
    diff = {"before_header": "registered", "after_header": "registered", **shown}
    found: dict[str, Any] = {"changed": changed, "waits": list(waits), "registered": left}
    return {**found, "diff": diff} if changed else found


def text(broker_ids: list[int]) -> str:
    return "".join(f"{one}\n" for one in broker_ids)


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
        module.fail_json(msg=f"Broker {params['broker_id']} stays registered: {error}")
    module.exit_json(**found)


if __name__ == "__main__":
    main()
