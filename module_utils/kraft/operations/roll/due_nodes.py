"""Nodes that a roll restarts, and those whose dynamic settings are queried first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.difference import differences_from
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.config import dynamic_config_request
from ansible.module_utils.kraft.wording import printable


def due(  # noqa: PLR0913 - two of them are switches
    processes: Mapping[str, Mapping[str, Any] | None],
    desired: Mapping[str, Any],
    only: Collection[str],
    settled: Mapping[str, Iterable[str]] | None = None,
    *,
    drift: bool = False,
    down: bool = False,
) -> dict[str, Any]:
    """Return ``live``, nodes of `change_nodes`, ``restarts``, those of `stale`, and ``any``: whether there are some.

    `drift`: settings are compared even if no file differs. `down`: nodes without a process are restarted, too.
    """
    live, restarts = change_nodes(processes, desired, drift), stale(processes, desired, only, settled, down)
    return {"live": live, "restarts": restarts, "any": bool(live or restarts)}


def stale(
    processes: Mapping[str, Mapping[str, Any] | None],
    desired: Mapping[str, Any],
    only: Collection[str],
    settled: Mapping[str, Iterable[str]] | None = None,
    down: bool = False,
) -> list[dict[str, Any]]:
    """Return the hosts whose process must be restarted, for ``kafka_change_plan``; with `down` also those without one.

    `processes`: host -> result of ``kafka_node``; a host that is left out of the run (``--limit``) has none, and is
    left out here. `desired`: ``kafka_desired``'s fact. `only`: hosts that may be restarted.
    `settled`: host -> settings that are changed live, as ``kafka_change_plan`` returned them.
    """
    out = []
    for host, found in _processes(processes).items():
        if host not in only:
            continue
        live = set((settled or {}).get(host, ()))
        differences = [each.as_dict() for each in differences_from(found["differences"]) if each.setting not in live]
        if (found["stale"] and differences) or (down and not found["running"]):
            node_id, started_at = desired["nodes"][host]["node_id"], found.get("started_at", 0)
            out.append({"host": host, "node_id": node_id, "started_at": started_at, "differences": differences})
    return out


def ordered(
    plan: Iterable[Mapping[str, Any]], nodes: Iterable[Mapping[str, Any]], together: int
) -> list[dict[str, Any]]:
    """Return the batches of a `plan` that a host returned for ``kafka_change_plan``, with the given `nodes`.

    The order, ``checked`` and ``keep`` are the host's answer. Raises RefusedError if it names another host, names one
    twice, leaves one out, or puts more than `together` into a batch, or more than one into an unchecked batch.
    """
    given = {str(node["host"]): node for node in nodes}
    found = [(bool(one["checked"]), {str(node["host"]): bool(node["keep"]) for node in one["nodes"]}) for one in plan]
    named = [host for _, keep in found for host in keep]
    if foreign := [host for host in named if host not in given]:
        raise _unusable(f"names {printable(foreign[0][:100])}", given)
    if sorted(named) != sorted(given):
        raise _unusable(f"names {', '.join(named)}", given)
    if large := [keep for checked, keep in found if len(keep) > (together if checked else 1)]:
        raise _unusable(f"restarts {', '.join(large[0])} together", given)
    return [
        {
            "node_ids": [given[host]["node_id"] for host in keep],
            "checked": checked,
            "nodes": [{**given[host], "keep": kept} for host, kept in keep.items()],
        }
        for checked, keep in found
    ]


def _unusable(what: str, due: Iterable[str]) -> RefusedError:
    remedy = "No node was restarted. Inspect the host that returned the plan."
    return RefusedError([f"The plan of the restarts {what}; due are {', '.join(due)}. {remedy}"])


def change_nodes(
    processes: Mapping[str, Mapping[str, Any] | None], desired: Mapping[str, Any], always: bool = False
) -> list[dict[str, Any]]:
    """Return the nodes for ``kafka_change_plan``; none if nothing differs and nothing was written.

    `processes`: host -> result of ``kafka_node``.
    `always`: also if no file differs. If every node was down until now, nothing can be changed live. The state of a
    host that is left out of the run (``--limit``) is unknown, so nothing is changed there.
    """
    found = _processes(processes)
    written = any(one.get("changed_paths") for one in found.values())
    nodes = dynamic_config_request.change_nodes(found, found, desired)
    differs = always or written or any(node["differences"] for node in nodes)
    return nodes if differs and not all(node["started"] for node in nodes) else []


def _processes(processes: Mapping[str, Mapping[str, Any] | None]) -> dict[str, Mapping[str, Any]]:
    """Return the result of each host, without hosts that ``--limit`` leaves out."""
    return {host: found for host, found in processes.items() if found}
