"""Where a node differs from what the inventory says, in words. Pure: what the modules returned in check mode in.

Secrets never get here: ``kafka_node`` and ``kafka_files`` compare them on the host and say only that they differ.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.node.differences import setting_of
from ansible.module_utils.kraft.node.plan import ENABLE, FLIP, PLACE

Result = Mapping[str, Any]
EDITED = "put back as wanted: "
LONG = 160


def unread(result: Result | None) -> str:
    """Why a task has no answer; '' where it has one."""
    if result is None or result.get("skipped"):
        return "nothing was asked"
    if result.get("unreachable") or result.get("failed"):
        text = " ".join(str(result.get("msg") or "no reason given").split())
        return text if len(text) <= LONG else f"{text[:LONG]}..."
    return ""


def process(result: Result, settled: Collection[str]) -> Iterator[str]:
    """From ``kafka_node`` with ``state: started`` in check mode. `settled`: settings that hold by a live change."""
    if "start" in result.get("actions", ()) or not result.get("running"):
        yield "Kafka does not run"
        return
    reasons = [one for one in result.get("reasons", ()) if setting_of(one) not in settled]
    yield from (f"runs with something else: {one}" for one in reasons)
    actions = result.get("actions", ())
    if PLACE in actions:
        yield f"edited in place: {', '.join(edited(result)) or 'the files of the next start'}"
    if FLIP in actions:
        yield f"`current` leads to release {result.get('current') or '(none)'}, which is not the one that runs"
    if ENABLE in actions:
        yield "the unit is not enabled: Kafka would not start with the machine"


def edited(result: Result) -> list[str]:
    """Names of the files that somebody has edited in place, from the module's diff."""
    lines = [line for diff in result.get("diff") or () for line in str(diff.get("after", "")).splitlines()]
    return [line[len(EDITED) :] for line in lines if line.startswith(EDITED)]


def staged(result: Result) -> Iterator[str]:
    """From ``kafka_files`` in check mode."""
    for path in result.get("changed_paths", ()):
        yield f"waits for the next start, and is not what the inventory says: {path}"


def kernel(result: Result) -> Iterator[str]:
    """From ``kafka_sysctl`` in check mode. What the host does not grant is no drift: deploying said so."""
    for name in result.get("changed_settings", ()):
        yield f"kernel: {name} is not what was set"
    if result.get("changed") and not result.get("changed_settings"):
        yield "kernel: the settings for the next boot are not what was written"


def node_drift(results: Mapping[str, Result | None], settled: Collection[str]) -> list[str]:
    """All of a node's drift. `results`: ``process``, ``staged``, ``kernel`` as registered."""
    kernel_result, first = results.get("kernel") or {}, unread(results.get("process"))
    if first:
        reason = unread(kernel_result) if kernel_result.get("unreachable") else first
        return [f"could not be looked at: {reason}"]
    out = [*process(results.get("process") or {}, settled)]
    for name, read in (("staged", staged), ("kernel", kernel)):
        result = results.get(name)
        reason = unread(result)
        out += [f"{name} not compared: {reason}"] if reason else read(result or {})
    return out


def strangers(snapshot: Snapshot | None, about: Mapping[str, Any]) -> Iterator[str]:
    """Brokers that are registered and voters that count, and no host of the inventory has their node id."""
    for broker in snapshot.brokers if snapshot else ():
        if broker.node_id not in about["broker_ids"]:
            state = "away (fenced)" if broker.fenced else f"serving at {broker.address}"
            yield (
                f"broker {broker.node_id} is registered, {state}, and in no inventory: new features must wait for it; "
                "if it is gone for good, take its registration away (module kafka_broker_registration)"
            )
    for voter in snapshot.quorum.voters if snapshot and snapshot.quorum else ():
        if voter.node_id not in about["controller_ids"]:
            yield (
                f"controller {voter.node_id} is a voter and in no inventory: it counts for the majority; "
                "if it is gone for good, take it out (module kafka_quorum_voter, state: absent)"
            )
