"""Filters of the roles: thin names for pure functions of ``module_utils/kraft``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleFilterError

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.operations.config import dynamic_config_request
from ansible.module_utils.kraft.spec.desired import files, membership
from ansible.module_utils.kraft.spec.host_rules.current import current
from ansible.module_utils.kraft.status.asked_node import asked_through

#: Keys in the facts of a host that belong to its node beside the results that its tasks registered.
FACTS = ("service", "removed", "log_dirs", "deployed", "user", "identity", "current_release_age")


def kraft_node_files(
    node: Mapping[str, Any], texts: Mapping[str, str], layers: Iterable[Mapping[str, Any]], options: Iterable[str]
) -> list[dict[str, Any]]:
    """Return the node's own files for ``kafka_node``, with their secrets.

    `texts`: templates as rendered, by ``log4j2.yaml`` and ``kafka.service``. `layers` of settings and `options` of
    the JVM: the host's variables. Raises for a hidden setting that no layer gives.
    """
    try:
        return files.node_files(node, texts, layers, options)
    except KraftError as error:
        raise AnsibleFilterError(str(error)) from error


def kraft_results(
    hosts: Sequence[str], facts: Iterable[Mapping[str, Any] | None], **registered: Iterable[Mapping[str, Any] | None]
) -> dict[str, dict[str, Any]]:
    """Return host -> results of its tasks by name; null if a task did not run.

    `facts`: of ``kafka_host_info``, empty if there are none. `registered`: name -> what that task registered, if any
    did. All are in the order of `hosts`. ``nofile_hard`` and what FACTS names come from the facts.
    """
    given = {name: dict(zip(hosts, each)) for name, each in registered.items()}
    inspected = dict(zip(hosts, facts))
    return {
        host: _results(inspected.get(host) or {}, {name: each.get(host) for name, each in given.items()})
        for host in hosts
    }


def _results(facts: Mapping[str, Any], registered: Mapping[str, Mapping[str, Any] | None]) -> dict[str, Any]:
    steps = facts.get("steps") or {}
    found = {name: _result(each, steps.get(name)) for name, each in registered.items()}
    picked = {name: facts.get(name) for name in FACTS}
    return {**found, **picked, "nofile_hard": (facts.get("limits") or {}).get("nofile_hard")}


def _result(registered: Mapping[str, Any] | None, looked: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return a task's result or, if the inspection found nothing to do for it, the inspection's result."""
    return looked if looked and (not registered or registered.get("skipped")) else registered or None


def kraft_now(hosts: Iterable[str], facts: Iterable[Mapping[str, Any]], desired: Mapping[str, Any]) -> dict[str, Any]:
    """Return how to reach the deployed nodes now, and who runs Kafka, as ``spec/host_rules/current.py`` has it.

    `facts`: of ``kafka_host_info``, in the order of `hosts`; empty for one that was not inspected.
    """
    return current({host: each for host, each in zip(hosts, facts) if each}, desired)


def kraft_status(looked: Mapping[str, Mapping[str, Any]], desired: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``through``, the broker to query, empty if none answers, and ``nodes`` for ``kafka_change_plan``.

    `looked`: of `kraft_results`, with ``process`` (``kafka_node``) and ``view`` (``kafka_connectivity_info``). A host
    without inspection has its declaration. A broker that does not answer on its own host is not queried again.
    """
    nothing: dict[str, Any] = {"stale": False, "differences": []}
    found = {host: {**nothing, **(one.get("process") or {})} for host, one in looked.items()}
    silent = {host for host, one in looked.items() if ((one.get("view") or {}).get("broker") or {}).get("error")}
    nodes = dynamic_config_request.change_nodes(found, found, desired)
    return {
        "through": asked_through(looked, desired),
        "nodes": [{**node, "serves": node["serves"] and node["host"] not in silent} for node in nodes],
    }


def kraft_hosts_named(names: Iterable[str] | str, hosts: Iterable[str], variable: str) -> list[str]:
    """Return the `hosts` that a user's `variable` names, in the inventory's order. Raises for unknown names."""
    try:
        return membership.named(names, hosts, variable)
    except KraftError as error:
        raise AnsibleFilterError(str(error)) from error


def kraft_asked(hosts: Iterable[str], in_play: Iterable[str], running: Iterable[str], but: Iterable[str] = ()) -> str:
    """Return the one of `hosts` for queries of the cluster: in the play, with Kafka running, the first.

    `hosts`: candidates, in the inventory's order; `in_play`: ``ansible_play_hosts``; `running`: hosts that ran Kafka
    when they were inspected; `but`: hosts that are about to stop, used only if no other runs. Raises if none is in the
    play.
    """
    every, present, going, up = list(hosts), set(in_play), set(but), set(running)
    able = [host for host in every if host in present]
    if not able:
        text = f"no host of this run can query the cluster: {', '.join(every)} did not answer, or --limit excludes them"
        raise AnsibleFilterError(f"{text}. Run again with one of them.")
    return min(able, key=lambda host: (host not in up, host in going))


class FilterModule:
    """Filters for the kafka roles and playbooks."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_asked": kraft_asked,
            "kraft_hosts_named": kraft_hosts_named,
            "kraft_node_files": kraft_node_files,
            "kraft_now": kraft_now,
            "kraft_results": kraft_results,
            "kraft_status": kraft_status,
        }
