#!/usr/bin/python
"""Plan a change of a running cluster: the live changes, and the nodes that restart, with reasons."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_config_plan
short_description: Plans live changes and restarts (internal)
description:
  - Compares the inventory's settings of each node with those that the brokers run with. A setting that Kafka can change
    while it runs needs no restart. The broker concerned validates each such change, and a refused one is left to a
    restart.
  - Prints the plan as one block, in check mode and otherwise, before anything is done.
  - An override is planned for each broker. Settings that controllers use, too (C(min.insync.replicas),
    C(unclean.leader.election.enable)), are planned as the default of all brokers. An override that equals the node's
    own file is removed. An override that the inventory does not name is shown as drift and left.
  - Changes nothing. A node that does not answer, and a dedicated controller, is left to a restart.
options:
  nodes:
    description: All the cluster's nodes.
    type: list
    elements: dict
    required: true
    suboptions:
      host: {description: Its name in the inventory., type: str, required: true}
      node_id: {description: Its id., type: int, required: true}
      serves: {description: True for a broker., type: bool, default: true}
      started: {description: True if it was down and has just been started., type: bool, default: false}
      wanted:
        description: Settings that Kafka can change live; null for one that the inventory no longer names.
        type: dict
        default: {}
      differences:
        description: Why the node would be restarted, as M(kafka_node) returns it.
        type: list
        elements: dict
        default: []
        suboptions:
          file: {description: File with the difference., type: str, required: true}
          key: {description: Name of the setting or option., type: str, default: ""}
          old: {description: The value that runs., type: str}
          new: {description: The wanted value., type: str}
          secret: {description: 'If true, the values are hidden.', type: bool, default: false}
      client_moves:
        description: Client listeners whose address or protocol a restart would change, as M(kafka_node) returns them.
        type: list
        elements: dict
        default: []
  override_state:
    description: File on this host in which M(kafka_config) noted the overrides that it has set.
    type: path
  show:
    description: If true, the block is printed.
    type: bool
    default: true
  timeout:
    description: Seconds to wait for an answer, and for nodes that have just been started. In check mode it looks once.
    type: int
    default: 120
extends_documentation_fragment: [kafka_client]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Plan which settings change live, and which nodes restart
  kafka_config_plan:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    nodes: "{{ nodes }}"
"""

RETURN = r"""
plan:
  description: The block, line by line.
  returned: always
  type: list
  elements: str
entities:
  description: Live changes, as M(kafka_config) takes them.
  returned: always
  type: list
  elements: dict
settled:
  description: Inventory name to the settings that need no restart once RV(entities) are changed.
  returned: always
  type: dict
differs:
  description: Settings whose effective value differs from the desired one and could be changed live, as sentences.
  returned: always
  type: list
  elements: str
undeclared:
  description: Overrides that the inventory does not name, as sentences.
  returned: always
  type: list
  elements: str
unanswered:
  description: Reasons why settings of serving brokers are not known. Nothing is reported about these.
  returned: always
  type: list
  elements: str
throttled:
  description: Node id of a broker to the bytes per second to which a run of moves has limited its replication.
  returned: always
  type: dict
throttled_disks:
  description: The same of copies between the log dirs of a broker.
  returned: always
  type: dict
"""

import time
from collections.abc import Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.retry import PAUSE, until_answered
from ansible.module_utils.kraft.difference import DIFFERENCE_SPEC, differences_from
from ansible.module_utils.kraft.errors import KraftError, OtherClusterError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.release.manifest import read_text
from ansible.module_utils.kraft.node.service.client_moves import Move
from ansible.module_utils.kraft.operations.config import managed_overrides, plan_format
from ansible.module_utils.kraft.operations.config.admin import ConfigAdmin, Current
from ansible.module_utils.kraft.operations.config.live import Decision, Node, decide, undeclared
from ansible.module_utils.kraft.operations.config.plan import Change
from ansible.module_utils.kraft.operations.config.settings import ALL_BROKERS
from ansible.module_utils.kraft.operations.disks.throttle import RATE as DISK_RATE
from ansible.module_utils.kraft.operations.reassignment.throttle import RATES

NODE: dict[str, Any] = {
    "host": {"type": "str", "required": True},
    "node_id": {"type": "int", "required": True},
    "serves": {"type": "bool", "default": True},
    "started": {"type": "bool", "default": False},
    "wanted": {"type": "dict", "default": {}},
    "differences": {"type": "list", "elements": "dict", "default": [], "options": DIFFERENCE_SPEC},
    "client_moves": {"type": "list", "elements": "dict", "default": []},
}
ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "nodes": {"type": "list", "elements": "dict", "required": True, "options": NODE},
    "override_state": {"type": "path"},
    "show": {"type": "bool", "default": True},
    "timeout": {"type": "int", "default": 120},
}


def wanted_nodes(params: dict[str, Any]) -> list[Node]:
    """Return the parameters as values, with overrides of an earlier run that the inventory no longer has."""
    noted = managed_overrides.read(read_text(params["override_state"])) if params["override_state"] else {}
    return [
        Node(
            one["host"],
            one["node_id"],
            one["serves"],
            managed_overrides.forgotten(noted, one["node_id"], one["wanted"]) if one["serves"] else one["wanted"],
            differences_from(one["differences"]),
            tuple(Move(**move) for move in one["client_moves"]),
        )
        for one in params["nodes"]
    ]


def describe_configs(
    client: Client, nodes: Sequence[Node], awaited: set[int], timeout: float
) -> tuple[ConfigAdmin, Current]:
    """Return the settings of every broker that answers; brokers that were just started are awaited."""
    deadline = time.monotonic() + timeout
    while True:
        admin = until_answered(lambda: ConfigAdmin(client, timeout), max(0.0, deadline - time.monotonic()))
        late = [node for node in nodes if node.serves and node.node_id in awaited and node.entity not in admin.brokers]
        if not late or time.monotonic() >= deadline:
            return admin, admin.describe_configs([node.entity for node in nodes if node.serves])
        time.sleep(PAUSE)


def without(described: Current, refused: Sequence[Change]) -> Current:
    """Return the description without the settings that Kafka refused to change: no live change is planned for them."""
    gone = {(one.entity, one.key) for one in refused}
    return {
        entity: {key: one for key, one in settings.items() if not {(entity, key), (ALL_BROKERS, key)} & gone}
        for entity, settings in described.items()
    }


def decided(admin: ConfigAdmin, nodes: Sequence[Node], described: Current) -> tuple[Decision, dict[str, str]]:
    """Return the decision, each change of it validated by Kafka; and Kafka's refusals, with reasons."""
    first = decide(nodes, described)
    refused = admin.validate(first.changes)
    if not refused:
        return first, {}
    return decide(nodes, without(described, list(refused))), {str(one): why for one, why in refused.items()}


def entities(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Return the changes as ``kafka_config`` takes them."""
    out: dict[str, dict[str, str | None]] = {}
    for one in changes:
        out.setdefault(one.entity.name, {})[one.key] = one.after
    return [{"type": "broker", "name": name, "config": config} for name, config in out.items()]


def planned(module: KraftModule) -> dict[str, Any]:
    """Return the module's result. If no node answers, everything is left to restarts. Raises OtherClusterError."""
    params, check_mode = module.params, module.check_mode
    nodes = wanted_nodes(params)
    started = {one["node_id"] for one in params["nodes"] if one["started"]}
    decision, refused, others, unanswered = Decision((), {}), dict[str, str](), list[Any](), list[str]()
    try:
        with Client(params["client"], warn=module.warn) as client:
            timeout = 0 if check_mode else params["timeout"]
            admin, described = describe_configs(client, nodes, set() if check_mode else started, timeout)
            decision, refused = decided(admin, nodes, described)
            others = undeclared(nodes, described)
            unanswered = [why for entity, why in admin.unanswered.items() if entity in admin.brokers]
    except OtherClusterError:
        raise
    except KraftError as error:
        unanswered = [str(error)]
    if unanswered:
        refused["whatever differs"] = "; ".join(unanswered)
    return {
        "plan": plan_format.block(nodes, decision, started, others, refused),
        "entities": entities(decision.changes),
        "settled": {host: sorted(keys) for host, keys in decision.settled.items()},
        "differs": plan_format.live_lines([one for one in decision.changes if one.matters], len(nodes)),
        "undeclared": plan_format.drift_lines(others),
        "unanswered": unanswered,
        "throttled": by_broker(plan_format.throttled(others, *RATES)),
        "throttled_disks": by_broker(plan_format.throttled(others, DISK_RATE)),
    }


def by_broker(rates: dict[int, int]) -> dict[str, int]:
    return {str(broker): rate for broker, rate in rates.items()}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    module.finish(lambda: planned(module))


if __name__ == "__main__":
    main()
