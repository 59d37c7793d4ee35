"""Differences of a node from the inventory, as text. Pure: the modules' results in check mode in.

Secrets never get here: ``kafka_node`` compares them on the host and reports only that they differ.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.difference import UNIT, differences_from
from ansible.module_utils.kraft.node.service.difference_text import sentences
from ansible.module_utils.kraft.node.service.plan import ENABLE, FLIP, PLACE
from ansible.module_utils.kraft.spec.host_rules.members import TAKE_OUT
from ansible.module_utils.kraft.status.evidence import Result, unreached, unread

UNIT_FILE = "kafka.service"
EDITED = "put back as wanted: "


def process(result: Result, settled: Collection[str]) -> Iterator[str]:
    """Read ``kafka_node`` with ``state: started`` in check mode. `settled`: settings that hold by a live change.

    That Kafka does not run is no difference from the inventory but a cause (``causes.own``).
    """
    if "start" in result.get("actions", ()) or not result.get("running"):
        return
    found = [one for one in differences_from(result.get("differences", ())) if one.setting not in settled]
    yield from (f"runs with something else: {text}" for text in sentences(found))
    actions = result.get("actions", ())
    if PLACE in actions:
        yield f"edited in place: {', '.join(edited(result)) or 'the files of the next start'}"
    if FLIP in actions:
        yield f"`current` leads to release {result.get('current') or '(none)'}, which is not the one that runs"
    if ENABLE in actions:
        yield "the unit is not enabled: Kafka would not start with the machine"


def edited(result: Result) -> list[str]:
    """Return the names of files that were edited in place, from the module's diff."""
    lines = [line for diff in result.get("diff") or () for line in str(diff.get("after", "")).splitlines()]
    return [line[len(EDITED) :] for line in lines if line.startswith(EDITED)]


def staged(result: Result) -> Iterator[str]:
    """Read ``kafka_node`` in check mode: the files that its next start would take.

    A file without which the process runs is one difference already (``process``).
    """
    told = {UNIT_FILE if one.file == UNIT else one.file for one in differences_from(result.get("differences", ()))}
    for path in result.get("changed_paths", ()):
        if posixpath.basename(path) in told and result.get("running"):
            continue
        yield f"waits for the next start, and is not what the inventory says: {path}"


def kernel(result: Result) -> Iterator[str]:
    """Read ``kafka_sysctl`` in check mode. Limits that the host does not grant are no drift, see ``ungranted``."""
    for name in result.get("changed_settings", ()):
        yield f"kernel: {name} is not what was set"
    if result.get("changed") and not result.get("changed_settings"):
        yield "kernel: the settings for the next boot are not what was written"


def node_drift(results: Mapping[str, Any], settled: Collection[str]) -> list[str]:
    """Return all of a node's drift. `results`: ``process`` and ``kernel`` as registered; none without inspection."""
    found = {name: {} if unread(results.get(name)) else results.get(name) or {} for name in ("process", "kernel")}
    return [*process(found["process"], settled), *staged(found["process"]), *kernel(found["kernel"])]


def uncompared(results: Mapping[str, Any]) -> list[str]:
    """Describe the parts that could not be compared on a host: once for all if the host could not be reached."""
    reasons = {name: unread(results.get(name)) for name in ("process", "kernel")}
    away = unreached(results)
    if away:
        return [f"nothing was compared: {away}"]
    view = unread(results["view"]) if results.get("view") else ""
    found = [f"{name} was not compared: {reason}" for name, reason in reasons.items() if reason]
    return [*found, *([f"controllers were not asked: {view}"] if view else [])]


def unread_settings(live: Result | None) -> tuple[str, ...]:
    """Describe why settings of brokers could not be compared. `live`: result of ``kafka_change_plan``, if requested."""
    if live is None or live.get("skipped"):
        return ()
    reasons = [reason] if (reason := unread(live)) else live.get("unanswered", ())
    return tuple(f"settings of brokers were not compared: {reason}" for reason in reasons)


def unknown_nodes(snapshot: Snapshot | None, about: Mapping[str, Any]) -> Iterator[str]:
    """Report registered brokers and counting voters whose node id no host of the inventory has."""
    for broker in snapshot.brokers if snapshot else ():
        if broker.node_id not in about["broker_ids"]:
            state = "away (fenced)" if broker.fenced else f"serving at {broker.address}"
            yield (
                f"broker {broker.node_id} is registered, {state}, and in no inventory: "
                f"new features must wait for it; {TAKE_OUT}"
            )
    for voter in snapshot.quorum.voters if snapshot and snapshot.quorum else ():
        if voter.node_id not in about["controller_ids"]:
            yield (f"controller {voter.node_id} is a voter and in no inventory: it counts for the majority; {TAKE_OUT}")
