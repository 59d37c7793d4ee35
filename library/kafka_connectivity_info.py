#!/usr/bin/python
"""Observe from one host: the leader of every controller, the answer of the host's broker, ports and certificates."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_connectivity_info
short_description: Reports what a host reaches, such as controllers, its own broker, ports and certificates of
  listeners (internal)
description:
  - Each option adds its part; a part without its option stays empty.
  - Queries every controller at its own listener, all at once and each with a deadline. Followers answer as well as the
    leader, also without a majority. The answers of all hosts together show the leader and the hosts that are cut off.
  - Queries the broker of this host at its own listener. A process that is stopped or hangs accepts connections and
    gives no answer.
  - If the controller of this host leads, also queries it for the quorum, without a broker in between.
  - If controllers answer without a leader, repeats the request for O(timeout) seconds. An election takes that long.
  - Changes nothing, and never fails because a node does not answer.
options:
  client: {required: false}
  node_id:
    description: The node of this host.
    type: int
  broker:
    description: The listener of this host's own broker as C(host:port); empty if it has none.
    type: str
    default: ""
  secured:
    description:
      - Listeners with TLS as C(host:port). The certificate that each shows is returned, also an expired one.
    type: list
    elements: str
    default: []
  listeners:
    description: Deployed listeners, as M(kafka_host_info) returns them. Those with TLS are added to O(secured).
    type: list
    elements: dict
    default: []
  reach:
    description: Ports as C(host:port). Connects to all at the same time and sends nothing.
    type: list
    elements: str
    default: []
  timeout:
    description: Seconds to wait for each answer. A connection that is not accepted within 2 seconds is given up.
    type: int
    default: 3
  fact:
    description: Keep the result as the fact C(kafka_connectivity) of the host.
    type: bool
    default: false
extends_documentation_fragment: [kafka_client, kafka_controllers]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Report the controllers and brokers that this host reaches
  kafka_connectivity_info:
    controllers: [{node_id: 1, address: "192.0.2.11:9093"}]
    reach: ["192.0.2.12:9092"]
  register: connectivity
"""

RETURN = r"""
answers:
  description: Answer of each port of O(reach), V(open), V(refused), or the reason for its absence.
  returned: success
  type: dict
reached:
  description:
    - True for a port of O(reach) that answered; a refusal is an answer.
    - A port whose test did not end in time is left out.
  returned: success
  type: dict
controllers:
  description:
    - For each controller C(node_id), C(leader_id), C(epoch) (-1 when unknown), and C(error), why it gave no answer.
  returned: with O(client)
  type: list
  elements: dict
broker:
  description: C(address) and C(error) of this host's own broker; null if it has none.
  returned: with O(client)
  type: dict
asked_at:
  description: Time of the reading, in seconds of the epoch by the host's clock.
  returned: success
  type: float
certificates:
  description: C(address), C(certificate) (PEM) and C(error) of each listener of O(secured).
  returned: success
  type: list
  elements: dict
own_certificate:
  description:
    - The certificate (PEM) that the process was started with, and shows when it connects as a Raft client. Empty if
      its listeners show the same, and if O(secured) is empty.
  returned: success
  type: str
quorum:
  description: As in M(kafka_cluster_info), from the controller of this host; null if it does not lead.
  returned: with O(client)
  type: dict
registered:
  description:
    - Node ids of all controllers that are registered, from the controller of this host; null if it does not lead.
  returned: with O(client)
  type: list
  elements: int
"""

import dataclasses
import time
from collections.abc import Mapping
from typing import Any, Optional

from ansible.module_utils.kraft.cluster import controllers, gather
from ansible.module_utils.kraft.cluster.client import Answer, Client, Question
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.leadership import Claim
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.certificate import of_process
from ansible.module_utils.kraft.node.machine.network import LATE, ask_all
from ansible.module_utils.kraft.node.served import served
from ansible.module_utils.kraft.node.service.deployed import secured_addresses
from ansible.module_utils.kraft.operations.features.departures import registered

PAUSE = 0.3
Claims = tuple[Claim, ...]
Broker = Optional[dict[str, str]]
ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "options": CLIENT_SPEC},
    "controllers": controllers.CONTROLLERS_SPEC,
    "node_id": {"type": "int"},
    "broker": {"type": "str", "default": ""},
    "secured": {"type": "list", "elements": "str", "default": []},
    "listeners": {"type": "list", "elements": "dict", "default": []},
    "reach": {"type": "list", "elements": "str", "default": []},
    "timeout": {"type": "int", "default": 3},
    "fact": {"type": "bool", "default": False},
}
ANSWERS = ("open", "refused")


def query_nodes(client: Client, addresses: Mapping[int, str], broker: str, seconds: float) -> tuple[Claims, Broker]:
    """Return the answers of the controllers and of this host's broker, all queried at once."""
    own = [Question(broker, client.request("DescribeClusterRequest", include_fenced_brokers=True))] if broker else []
    answers = client.send_all([*controllers.questions(client, addresses), *own], seconds)
    claims = controllers.read_claims(client, addresses, answers)
    return claims, {"address": broker, "error": refusal(client, answers[-1])} if own else None


def ask_until_led(client: Client, addresses: Mapping[int, str], broker: str, seconds: float) -> tuple[Claims, Broker]:
    """Repeat the query for up to `seconds` while an election is on."""
    deadline = time.monotonic() + seconds
    while True:
        found = query_nodes(client, addresses, broker, seconds)
        if not controllers.electing(found[0]) or time.monotonic() >= deadline:
            return found
        time.sleep(PAUSE)


def refusal(client: Client, answer: Answer) -> str:
    """Return why the broker gave no answer; empty if it did."""
    try:
        gather.checked(client, "DescribeCluster", answer)
    except KraftError as error:
        return str(error)
    return ""


def own_quorum(client: Client, address: str, seconds: float) -> dict[str, Any] | None:
    """Return the quorum as this host's own leading controller sees it; None without an answer."""
    try:
        return dataclasses.asdict(gather.quorum_at(client, address, seconds))
    except KraftError:
        return None


def own_registered(client: Client, address: str, seconds: float) -> list[int] | None:
    """Return the registered controllers, those that left included; None without an answer."""
    try:
        return [one.node_id for one in registered(client, address, seconds)]
    except KraftError:
        return None


def leads(claims: Claims, node_id: int) -> bool:
    """Check whether the controller of this node reports itself as the leader."""
    return any(claim.node_id == claim.leader_id == node_id for claim in claims)


def quorum(client: Client, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answers of controllers and of this host's broker."""
    addresses = {one["node_id"]: one["address"] for one in params["controllers"]}
    node_id, seconds = params["node_id"], params["timeout"]
    claims, broker = ask_until_led(client, addresses, params["broker"], seconds)
    leading = leads(claims, node_id)
    return {
        "controllers": [dataclasses.asdict(claim) for claim in claims],
        "broker": broker,
        "quorum": own_quorum(client, addresses[node_id], seconds) if leading else None,
        "registered": own_registered(client, addresses[node_id], seconds) if leading else None,
    }


def ports(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return what ports and listeners with TLS answer; no client is needed."""
    secured = [*secured_addresses(params["listeners"]), *params["secured"]]
    answers = ask_all({"reach": params["reach"]})["reach"] if params["reach"] else {}
    return {
        "answers": answers,
        "reached": {port: answer in ANSWERS for port, answer in answers.items() if answer != LATE},
        "certificates": served(secured),
        "own_certificate": of_process() if secured else "",
        "asked_at": time.time(),
    }


def main() -> None:
    module = KraftModule(
        argument_spec=ARGUMENT_SPEC, supports_check_mode=True, required_together=[("client", "controllers", "node_id")]
    )
    found: dict[str, Any] = {}
    try:
        if module.params["client"]:
            with Client(module.params["client"], warn=module.warn) as client:
                found = quorum(client, module.params)
        found |= ports(module.params)
    except KraftError as error:
        module.fail_json(msg=str(error))
    module.exit_json(changed=False, **found)


if __name__ == "__main__":
    main()
