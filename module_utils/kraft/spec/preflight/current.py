"""The deployed cluster as the hosts were found: how to reach its nodes now, and which hosts run Kafka. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.node.identity import Identity, is_foreign
from ansible.module_utils.kraft.node.service.deployed import controllers_now, listeners_now


def current(found: Mapping[str, Mapping[str, Any]], desired: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return ``{client, nodes, controllers, looked, running, looks}``.

    `found`: host -> facts of ``kafka_host_info``, of those that were inspected; they are ``looked``. A host that is
    another node than `desired` (``kafka_desired``) has for it, or another cluster's, is in no other list.
    ``controllers``: those of `desired`, each at its current address, if that is known. ``looks``: for
    ``kafka_change_plan``.
    """
    own = {host: facts for host, facts in found.items() if host in desired["nodes"] and _is_own(host, facts, desired)}
    deployed = [facts["deployed"] for facts in own.values()]
    return {
        **listeners_now(deployed),
        "controllers": controllers_now(desired["cluster"]["controllers"], deployed),
        "looked": list(found),
        "running": [host for host, facts in own.items() if facts["service"]["pid"]],
        "looks": [_look(host, facts) for host, facts in own.items()],
    }


def _is_own(host: str, facts: Mapping[str, Any], desired: Mapping[str, Any]) -> bool:
    found = Identity.from_facts(facts["identity"])
    return not is_foreign(found, desired["cluster"]["cluster_id"], desired["nodes"][host]["node_id"])


def _look(host: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    answer = (facts.get("health") or {}).get("answer", "")
    return {"host": host, "answer": answer, "running_seconds": facts["service"].get("age")}
