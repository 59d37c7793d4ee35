"""Plan live changes of a running cluster: ask the brokers, decide, and have Kafka validate each change."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.retry import PAUSE, until_answered
from ansible.module_utils.kraft.difference import differences_from
from ansible.module_utils.kraft.errors import KraftError, OtherClusterError
from ansible.module_utils.kraft.node.release.manifest import read_text
from ansible.module_utils.kraft.node.service.client_moves import Move
from ansible.module_utils.kraft.operations.config import managed_overrides, plan_format
from ansible.module_utils.kraft.operations.config.admin import ConfigAdmin, Current
from ansible.module_utils.kraft.operations.config.live import Decision, Node, decide, undeclared
from ansible.module_utils.kraft.operations.config.plan import Change
from ansible.module_utils.kraft.operations.config.settings import ALL_BROKERS, shown
from ansible.module_utils.kraft.operations.disks.throttle import RATE as DISK_RATE
from ansible.module_utils.kraft.operations.reassignment.throttle import RATES


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


def overrides(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Return the changes for a plan that is reviewed: the effective value, and the old and the new override."""
    out: dict[str, dict[str, dict[str, str | None]]] = {}
    for one in changes:
        values = {"effective": one.value, "old": one.before, "new": one.after}
        hidden = {name: None if value is None else shown(value, one.secret) for name, value in values.items()}
        out.setdefault(one.entity.name, {})[one.key] = hidden
    return [{"type": "broker", "name": name, "config": config} for name, config in out.items()]


def live_plan(params: dict[str, Any], warn: Callable[[str], None], check_mode: bool) -> dict[str, Any]:
    """Return the module's result. If no node answers, everything is left to restarts. Raises OtherClusterError."""
    nodes = wanted_nodes(params)
    started = {one["node_id"] for one in params["nodes"] if one["started"]}
    decision, refused, others, unanswered = Decision((), {}), dict[str, str](), list[Any](), list[str]()
    try:
        with Client(params["client"], warn=warn) as client:
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
        "overrides": overrides(decision.changes),
        "settled": {host: sorted(keys) for host, keys in decision.settled.items()},
        "differs": plan_format.live_lines([one for one in decision.changes if one.matters], len(nodes)),
        "undeclared": plan_format.drift_lines(others),
        "unanswered": unanswered,
        "throttled": by_broker(plan_format.throttled(others, *RATES)),
        "throttled_disks": by_broker(plan_format.throttled(others, DISK_RATE)),
    }


def by_broker(rates: dict[int, int]) -> dict[str, int]:
    return {str(broker): rate for broker, rate in rates.items()}
