"""The plan of a deployment, made of the results of each planner. Pure.

The value is JSON: the same state and the same inventory give the same bytes. It holds no secret. For secrets in a
file that changes it holds a salted digest, made on the host (``node/files/secret_digest.py``): another secret makes
another plan.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.difference import differences_from
from ansible.module_utils.kraft.node.files.plan import NEW
from ansible.module_utils.kraft.operations.config.settings import Entity
from ansible.module_utils.kraft.secret_values import shown

#: Format of the file. A plan of another format is refused.
FORMAT = 3
#: Steps that no plan shows: this one makes a cache, in the background, and has no visible effect.
UNPLANNED = ("appcds_archive",)
Json = dict[str, Any]


def deployment_plan(
    desired: Mapping[str, Any],
    hosts: Mapping[str, Mapping[str, Any]],
    live: Iterable[Mapping[str, Any]],
    batches: Iterable[Mapping[str, Any]],
    resources: Mapping[str, Any] | None = None,
) -> Json:
    """Return the plan. `live`: ``overrides`` of ``kafka_change_plan``; `batches`: of it, too. `desired`: a fact.

    `resources`: of ``operations/resources/reviewed.py``.

    `hosts`: name -> ``facts`` (of ``kafka_host_info``) and ``process`` (of ``kafka_node`` in check mode). The order of
    the batches is left out: the active controller goes last, and leadership moves by itself.
    """
    cluster = desired["cluster"]
    return {
        "format": FORMAT,
        "cluster": {"name": cluster["name"], "id": cluster["cluster_id"]},
        "hosts": {name: of_host(one) for name, one in sorted(hosts.items())},
        "live": {str(Entity(one["type"], one["name"])): of_overrides(one["config"]) for one in live},
        "restarts": sorted(sorted(node["host"] for node in batch["nodes"]) for batch in batches),
        "resources": dict(resources or {}),
    }


def of_overrides(config: Mapping[str, Mapping[str, str | None]]) -> Json:
    """Return key -> value that counts (``effective``), and the override before (``old``) and after (``new``)."""
    return {
        key: {name: None if value is None else shown(value, key) for name, value in sorted(values.items())}
        for key, values in sorted(config.items())
    }


def of_host(looked: Mapping[str, Any]) -> Json:
    """Return the work on one host, and the state that it follows from (``found``)."""
    facts, process = looked["facts"], looked["process"]
    return {
        "found": {"release": facts["current_release"], "running": bool(facts["service"]["pid"])},
        "prepare": prepared(facts),
        "steps": {
            name: step.get("wanted", {}) for name, step in sorted(facts["steps"].items()) if is_planned(name, step)
        },
        "files": {one["after_header"]: changed_lines(one) for one in process["diff"] if is_of_files(one)},
        "secrets": dict(sorted(process["secret_digests"].items())),
        "process": list(process["actions"]),
        "differences": {
            " ".join(filter(None, (one.file, one.key))): {"old": one.old, "new": one.new}
            for one in differences_from(process["differences"])
        },
    }


def is_of_files(diff: Mapping[str, str]) -> bool:
    """Check whether a diff of ``kafka_node`` is about files; the other one is about the process."""
    return diff["after_header"][:1] == "/" or diff["after_header"] == NEW


def is_planned(name: str, step: Mapping[str, Any]) -> bool:
    return bool(step["changed"]) and name not in UNPLANNED


def prepared(facts: Mapping[str, Any]) -> list[str]:
    """Return the missing parts that role kafka_host installs. Kernel settings are a separate step."""
    accounts = [f"{kind} {facts[kind]['name']}" for kind in ("group", "user") if not facts[kind]["exists"]]
    disks = [f"disk {device}" for device, disk in sorted(facts["disks"].items()) if not disk["mounts"]]
    return [*(["java"] if facts["java"] is None else []), *accounts, *disks]


def changed_lines(diff: Mapping[str, str]) -> list[str]:
    """Return the removed (``-``) and added (``+``) lines of Ansible's diff, each after its place."""
    before, after = (diff[side].splitlines() for side in ("before", "after"))
    return list(difflib.unified_diff(before, after, n=0, lineterm=""))[2:]  # without the two headers


def changes(plan: Mapping[str, Any]) -> bool:
    """Check whether the plan changes hosts or settings."""
    work = ("prepare", "steps", "files", "process")
    return bool(plan["live"] or plan["restarts"] or any(host[each] for host in plan["hosts"].values() for each in work))
