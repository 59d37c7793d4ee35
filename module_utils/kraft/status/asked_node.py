"""Through which node the cluster is asked: one whose broker answers, on the leader's side of the network. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.leadership import Leadership, best_claims, claims_from, leadership
from ansible.module_utils.kraft.status.evidence import foreign, unread


def asked_through(looked: Mapping[str, Mapping[str, Any]], desired: Mapping[str, Any]) -> dict[str, str]:
    """Return ``{host, address, first}`` of the broker to query, empty if no broker answers on its own host.

    ``first``: the first host, where our own overrides are noted, as long as it is on that side, too; else the same.

    `looked`: host -> its registered results; ``view`` (``kafka_connectivity_info``) is read. A broker that
    is cut off from the leader still answers, from its former knowledge and without the quorum: it is the
    last choice.
    """
    nodes, cluster_id = desired["nodes"], desired["cluster"]["cluster_id"]
    own = {host: one for host, one in looked.items() if not foreign(nodes[host], one, cluster_id)}
    views: dict[str, Any] = {host: one["view"] for host, one in own.items() if not unread(one.get("view"))}
    claims = {desired["nodes"][host]["node_id"]: claims_from(view["controllers"]) for host, view in views.items()}
    voters = desired["cluster"]["controller_ids"]
    led = leadership(best_claims(claims, voters), voters)
    serving = {host: view for host, view in views.items() if view["broker"] and not view["broker"]["error"]}
    if not serving:
        return {}
    host = max(serving, key=lambda one: _reaches_leader(serving[one], led))  # of equals the first
    first = next(iter(looked))
    beside = first in views and _reaches_leader(views[first], led)
    return {"host": host, "address": serving[host]["broker"]["address"], "first": first if beside else host}


def _reaches_leader(view: Mapping[str, Any], led: Leadership) -> bool:
    return any(one["node_id"] == led.leader_id and not one["error"] for one in view["controllers"])
