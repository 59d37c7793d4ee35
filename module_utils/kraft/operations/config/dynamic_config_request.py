"""Live changes to request of each node: control side, with Kafka's definitions and the whole desired state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.difference import differences_from
from ansible.module_utils.kraft.spec.inventory.definitions import CLUSTER_WIDE, load, nearest_version

#: Classes that a broker would load again.
CLASSES = ("metric.reporters", "config.providers")
#: Settings that Kafka changes for one broker only. The others change sockets and identities: they need a restart.
OF_ONE_BROKER = ("cordoned.log.dirs",)


def live_keys(version: str) -> frozenset[str]:
    """Return the settings that we change while a broker runs; Kafka allows more."""
    found = load(nearest_version(version)).server.values()
    wide = {one.name for one in found if one.update == CLUSTER_WIDE and not one.secret}
    return frozenset(wide.difference(CLASSES).union(OF_ONE_BROKER))


def change_nodes(
    hosts: Iterable[str], found: Mapping[str, Mapping[str, Any]], desired: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return one entry for each of `hosts`, in the form of ``kafka_change_plan``.

    `found` is what ``kafka_node`` returned on each host, `desired` is ``kafka_desired``'s fact.
    """
    keys = live_keys(desired["cluster"]["version"])
    return [_entry(host, desired["nodes"][host], found[host], keys) for host in hosts]


def _entry(host: str, node: Mapping[str, Any], found: Mapping[str, Any], keys: frozenset[str]) -> dict[str, Any]:
    differences = list(found["differences"]) if found["stale"] else []
    gone = {one.setting for one in differences_from(differences)} - set(node["properties"])
    declared = {key: value for key, value in node["properties"].items() if key in keys.difference(node["secrets"])}
    return {
        "host": host,
        "node_id": node["node_id"],
        "serves": "broker" in node["roles"],
        "wanted": {**dict.fromkeys(gone & keys), **declared},
        "differences": differences,
        "client_moves": list(found.get("client_moves", ())) if found["stale"] else [],
        "started": "start" in found.get("actions", ()),
    }
