"""Filters of the roles: thin names for pure functions of ``module_utils/kraft``."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleFilterError

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control.files import text_of
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.node.identity import Identity, is_foreign
from ansible.module_utils.kraft.node.machine import ungranted
from ansible.module_utils.kraft.node.service.deployed import controllers_now, listeners_now, secured_addresses
from ansible.module_utils.kraft.node.service.unit import fingerprinted
from ansible.module_utils.kraft.operations.config import dynamic_config_request
from ansible.module_utils.kraft.operations.features import upgrade
from ansible.module_utils.kraft.secret_values import is_secret
from ansible.module_utils.kraft.spec.desired import client_files, contributions, files, plugins
from ansible.module_utils.kraft.spec.desired.node_client import client_parameter
from ansible.module_utils.kraft.spec.inventory.releases import release_features
from ansible.module_utils.kraft.spec.preflight.network import questions
from ansible.module_utils.kraft.status.through import asked_through
from ansible.module_utils.kraft.terms import INTER_BROKER

#: Keys in the facts of a host that belong to its node beside the results that its tasks registered.
FACTS = ("service", "removed", "log_dirs", "deployed", "user", "identity", "current_release_age")


def kraft_directory(path: str, owner: str, group: str, mode: str) -> dict[str, str]:
    """Return one entry of ``kafka_files``' ``directories``, for ``map``."""
    return {"path": path, "owner": owner, "group": group, "mode": mode}


def kraft_holds_secret(text: str) -> bool:
    """Check whether a text must not be shown, such as an address with credentials."""
    return is_secret("", text)


def kraft_properties_text(node: Mapping[str, Any], *layers: Mapping[str, Any]) -> str:
    """Return ``server.properties`` with its secrets, for the node's own file; `layers` are the host's variables."""
    try:
        return files.properties_text(node, layers)
    except KraftError as error:
        raise AnsibleFilterError(str(error)) from error


def kraft_client_files(cluster: Mapping[str, Any], options: Mapping[str, str]) -> dict[str, str | None]:
    """Return files for clients: name -> content. `cluster`: of ``kafka_desired``; `options`: of the smoke test."""
    try:
        return client_files.client_files(cluster["name"], cluster["clients"], options, text_of)
    except KraftError as error:
        raise AnsibleFilterError(f"kafka_smoke_client_options: {error}") from error


def kraft_registered(
    hosts: Iterable[str], hostvars: Mapping[str, Any], names: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """Host -> what its tasks registered, by the given `names` (name -> variable); null where a task did not run.

    ``nofile_hard`` and what FACTS names come from the facts of ``kafka_host_info``, where there are any.
    """
    return {host: _registered(hostvars[host], names) for host in hosts}


def _registered(variables: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    facts = (variables.get("ansible_facts") or {}).get("kafka_host") or {}
    steps = facts.get("steps") or {}
    found = {name: _result(variables.get(variable), steps.get(name)) for name, variable in names.items()}
    picked = {name: facts.get(name) for name in FACTS}
    return {**found, **picked, "nofile_hard": (facts.get("limits") or {}).get("nofile_hard")}


def _result(registered: Mapping[str, Any] | None, looked: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return a task's result or, if the inspection found nothing to do for it, the inspection's result."""
    return looked if looked and (registered is None or registered.get("skipped")) else registered


def kraft_picked(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the named ones of `values`."""
    return {name: values.get(name) for name in names}


def kraft_ungranted(looked: Mapping[str, Mapping[str, Any]], nodes: Mapping[str, Any]) -> list[str]:
    """Describe limits that hosts do not grant. `looked`: of `kraft_registered`; `nodes`: of ``kafka_desired``."""
    return ungranted.lines(ungranted.ungranted(looked, nodes), list(looked))


def kraft_now(hosts: Iterable[str], hostvars: Mapping[str, Any], desired: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return ``{client, nodes, looked, running}``: how to reach the deployed nodes now, and the hosts that run Kafka.

    ``looked``: the hosts that ``kafka_host_info`` has inspected. A host that is another node than
    `desired` (``kafka_desired``) has for it, or another cluster's, is in ``looked`` alone.
    """
    looked = list(hosts)
    found = _looked_at(looked, hostvars, desired)
    running = [host for host, facts in found.items() if facts["service"]["pid"]]
    return {
        **listeners_now(facts["deployed"] for facts in found.values()),
        "looked": [host for host in looked if _facts(hostvars[host])],
        "running": running,
    }


def kraft_controllers_now(
    desired: Mapping[str, Any], hosts: Iterable[str], hostvars: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The controllers of `desired` (``kafka_desired``), each with the address at which it is reached now, where that is
    known."""
    found = _looked_at(hosts, hostvars, desired).values()
    return controllers_now(desired["cluster"]["controllers"], (facts["deployed"] for facts in found))


def kraft_broker_now(node: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    """Return the address of this broker for other brokers now: the deployed one, or else that of the desired `node`."""
    now = [one["address"] for one in listeners_now([facts["deployed"]])["nodes"] if one["purpose"] == INTER_BROKER]
    return str(next(iter(now), node["broker_address"]))


def _looked_at(
    hosts: Iterable[str], hostvars: Mapping[str, Any], desired: Mapping[str, Any]
) -> dict[str, Mapping[str, Any]]:
    """Return the facts of the hosts that are the inventory's nodes."""
    found = {host: _facts(hostvars[host]) for host in hosts if host in desired["nodes"]}
    return {host: facts for host, facts in found.items() if facts and _is_own(host, facts, desired)}


def _is_own(host: str, facts: Mapping[str, Any], desired: Mapping[str, Any]) -> bool:
    found = Identity.of(facts["identity"])
    return not is_foreign(found, desired["cluster"]["cluster_id"], desired["nodes"][host]["node_id"])


def _facts(variables: Mapping[str, Any]) -> Mapping[str, Any]:
    return (variables.get("ansible_facts") or {}).get("kafka_host") or {}


def kraft_status_nodes(looked: Mapping[str, Mapping[str, Any]], desired: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return all nodes for ``kafka_config_plan``; for a host without inspection, its declaration.

    `looked`: as `kraft_registered` gives it, with ``process`` (``kafka_node``) and ``view``
    (``kafka_connectivity_info``). A broker that does not answer on its own host is not queried again.
    """
    nothing: dict[str, Any] = {"stale": False, "differences": []}
    found = {host: {**nothing, **(one.get("process") or {})} for host, one in looked.items()}
    silent = {host for host, one in looked.items() if ((one.get("view") or {}).get("broker") or {}).get("error")}
    nodes = dynamic_config_request.change_nodes(found, found, desired)
    return [{**node, "serves": node["serves"] and node["host"] not in silent} for node in nodes]


def kraft_hosts_named(names: Iterable[str] | str, hosts: Iterable[str], variable: str) -> list[str]:
    """Return the `hosts` that a user's `variable` names, in the inventory's order. Raises for unknown names."""
    known = list(hosts)
    asked = [name.strip() for name in names.split(",") if name.strip()] if isinstance(names, str) else list(names)
    for name in asked:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise AnsibleFilterError(f"{variable}: {name!r} is no node of this cluster ({', '.join(known)}){hint}")
    return [host for host in known if host in asked]


def kraft_release_features(release: str | float) -> dict[str, int]:
    """Return feature -> level of `release`, for ``kafka_feature``. Raises for an unknown release."""
    try:
        return release_features(str(release))
    except KraftError as error:
        raise AnsibleFilterError(str(error)) from error


def kraft_voter_listeners(listeners: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the addresses of a node's `listeners` for other controllers, in the form of ``kafka_quorum_voter``."""
    return [{"name": one["name"], **one["advertised"]} for one in listeners if one["purpose"] == "controller"]


def kraft_coming(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return a broker that is not registered yet, for ``kafka_reassignment``."""
    return {"node_id": node["node_id"], "rack": node.get("rack") or None}


def kraft_upgrade_problems(version: str, features: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return reasons against running `version` with these finalised `features` (of ``kafka_cluster_info``)."""
    return [str(problem) for problem in upgrade.upgrade_refusals(str(version), features)]


def kraft_brokers(hosts: Iterable[str], desired: Mapping[str, Any]) -> list[str]:
    """Return those of `hosts` that are brokers, in their order; `desired` is ``kafka_desired``'s fact."""
    return [host for host in hosts if "broker" in desired["nodes"][host]["roles"]]


def kraft_asked(
    hosts: Iterable[str], in_play: Iterable[str], hostvars: Mapping[str, Any], but: Iterable[str] = ()
) -> str:
    """Return the one of `hosts` for queries of the cluster: in the play, with Kafka running, the first.

    `hosts`: candidates, in the inventory's order; `in_play`: ``ansible_play_hosts``; `but`: hosts that are about to
    stop, used only if no other runs. Raises if none is in the play.
    """
    every, present, going = list(hosts), set(in_play), set(but)
    able = [host for host in every if host in present]
    if not able:
        text = f"no host of this run can query the cluster: {', '.join(every)} did not answer, or --limit excludes them"
        raise AnsibleFilterError(f"{text}. Run again with one of them.")
    looked = {host: _facts(hostvars[host]) for host in able}
    running = {host for host, facts in looked.items() if facts and facts["service"]["pid"]}
    return min(able, key=lambda host: (host not in running, host in going))


def controllers(hosts: Iterable[str], desired: Mapping[str, Any]) -> list[str]:
    """Return those of `hosts` that are controllers. The locks of most of them are the lock of the cluster."""
    return [host for host in hosts if "controller" in desired["nodes"][host]["roles"]]


class FilterModule:
    """Filters for the kafka roles and playbooks."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_asked": kraft_asked,
            "kraft_asked_through": asked_through,
            "kraft_certified": client_files.certified,
            "kraft_controllers": controllers,
            "kraft_client": client_parameter,
            "kraft_coming": kraft_coming,
            "kraft_contributed_files": contributions.contributed_files,
            "kraft_contributed_lines": contributions.contributed_lines,
            "kraft_class_path_lines": plugins.class_path_lines,
            "kraft_directory": kraft_directory,
            "kraft_holds_secret": kraft_holds_secret,
            "kraft_hosts_named": kraft_hosts_named,
            "kraft_jvm_options_text": files.jvm_options_text,
            "kraft_properties_text": kraft_properties_text,
            "kraft_brokers": kraft_brokers,
            "kraft_fingerprinted_unit": fingerprinted,
            "kraft_broker_now": kraft_broker_now,
            "kraft_controllers_now": kraft_controllers_now,
            "kraft_now": kraft_now,
            "kraft_client_files": kraft_client_files,
            "kraft_picked": kraft_picked,
            "kraft_questions": questions,
            "kraft_registered": kraft_registered,
            "kraft_status_nodes": kraft_status_nodes,
            "kraft_secured_addresses": secured_addresses,
            "kraft_release_features": kraft_release_features,
            "kraft_ungranted": kraft_ungranted,
            "kraft_voter_listeners": kraft_voter_listeners,
            "kraft_upgrade_problems": kraft_upgrade_problems,
        }
