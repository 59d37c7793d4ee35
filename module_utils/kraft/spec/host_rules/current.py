"""The deployed cluster as the hosts were found: how to reach its nodes now, and which hosts run Kafka. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.node.identity import Identity, is_foreign
from ansible.module_utils.kraft.node.service.deployed import controllers_now, listeners_now
from ansible.module_utils.kraft.spec.desired.node_client import client_parameter


def current(found: Mapping[str, Mapping[str, Any]], desired: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``{client, nodes, controllers, looked, running, looks, node_client, present_client}``.

    `found`: host -> facts of ``kafka_host_info``, of those that were inspected; they are ``looked``. A host that is
    another node than `desired` (``kafka_desired``) has for it, or another cluster's, is in no other list.
    ``controllers``: those of `desired`, each at its current address, if that is known. ``looks``: for
    ``kafka_change_plan``. The last two are parameters ``client`` of modules: ``node_client`` with the desired addresses
    of the nodes and the current ones, of which some answer while a change of a listener is rolled, and
    ``present_client`` with the current ones alone.
    """
    cluster = desired["cluster"]
    own = {host: facts for host, facts in found.items() if host in desired["nodes"] and _is_own(host, facts, desired)}
    deployed = [facts["deployed"] for facts in own.values()]
    listeners = listeners_now(deployed)
    place = cluster["install_dir"], cluster["cluster_id"]
    return {
        **listeners,
        "node_client": client_parameter([*cluster["node_listeners"], *listeners["nodes"]], *place),
        "present_client": client_parameter(listeners["nodes"], *place),
        "controllers": controllers_now(cluster["controllers"], deployed),
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
