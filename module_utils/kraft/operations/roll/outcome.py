"""End of a failed batch of a roll, or of a maintenance: its rollback and its message."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.health import expected
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, from_dict
from ansible.module_utils.kraft.difference import REQUEST, differences_from
from ansible.module_utils.kraft.node.service.difference_text import sentences
from ansible.module_utils.kraft.operations.roll.decision import known_down
from ansible.module_utils.kraft.operations.roll.restart_order import ready


def undo(
    batch: Mapping[str, Any],
    went: Mapping[str, Any],
    wanted: Mapping[str, Any],
    batches: Iterable[Mapping[str, Any]],
    nodes: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the ``hosts`` that `to_revert` rolls back, and the ``message`` of `batch_failure`."""
    own = {**went, "steps": of_batch(batch, went["steps"])}
    return {
        "hosts": to_revert(batch, own["steps"], own["look"], wanted),
        "message": batch_failure(batch, own, wanted, batches, nodes),
    }


def of_batch(batch: Mapping[str, Any], steps: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the `steps` with results for processes of this `batch` alone.

    If a step was not reached, Ansible still has its results of an earlier batch. That may be one of an earlier roll of
    the run, which has restarted the same hosts, but replaced other processes.
    """
    own = [_process(node) for node in batch["nodes"]]
    return [
        {**step, "results": [one for one in step["results"] if not _item(one) or _process(_item(one)) in own]}
        if "results" in step
        else step
        for step in steps
    ]


def _process(node: Mapping[str, Any]) -> tuple[Any, Any]:
    return node["host"], node.get("started_at")


def to_revert(
    batch: Mapping[str, Any], steps: Iterable[Mapping[str, Any]], look: Mapping[str, Any], wanted: Mapping[str, Any]
) -> list[str]:
    """Return the hosts of a `batch` to roll back: the former record was kept, and the node is known to be down.

    `steps`: registered results of the batch. In that of the loop over its nodes, ``kafka_node`` has ``keep`` among its
    actions if it kept the record. `look`: the result of ``kafka_health`` after the failure; `wanted`: its ``expected``.
    Without a result, a node is rolled back only if no other one is expected, or if the batch went unchecked.
    """
    kept = {one[one["ansible_loop_var"]]["host"] for one in _results(steps) if "keep" in one.get("actions", ())}
    there = [node for node in batch["nodes"] if node["host"] in kept]
    if _known(look):
        down = _down(look, wanted)
        return [node["host"] for node in there if node["node_id"] in down]
    others = {*wanted["broker_ids"], *wanted["voter_ids"]} - {*batch["node_ids"]}
    alone = not batch["checked"] or (look.get("answer") == "unreachable" and not others)
    return [node["host"] for node in there] if alone else []


def _known(look: Mapping[str, Any]) -> bool:
    """Check that the result shows which nodes serve: brokers, and a quorum with a leader."""
    quorum: Mapping[str, Any] = (look.get("snapshot") or {}).get("quorum") or {}
    return int(quorum.get("leader_id", NO_NODE)) != NO_NODE


def _serving(look: Mapping[str, Any], wanted: Mapping[str, Any]) -> frozenset[int]:
    return ready(from_dict(look["snapshot"]), wanted["voter_ids"], wanted["broker_ids"])


def _down(look: Mapping[str, Any], wanted: Mapping[str, Any]) -> frozenset[int]:
    return known_down(from_dict(look["snapshot"]), expected(wanted))


@dataclasses.dataclass(frozen=True)
class Ending:
    """A batch that failed. ``steps``: registered results of its tasks, ``undo``: those of the rollback."""

    batch: Mapping[str, Any]
    steps: Sequence[Mapping[str, Any]]
    undo: Sequence[Mapping[str, Any]]
    look: Mapping[str, Any]
    wanted: Mapping[str, Any]

    @property
    def restarted(self) -> set[str]:
        return {_host(one) for one in _results(self.steps) if "restart" in one.get("actions", ())}

    @property
    def unanswered(self) -> set[str]:
        """Return hosts whose restart gave no result: the host is silent, or its module was killed."""
        return {_host(one) for one in _results(self.steps) if one.get("unreachable") or _is_killed(one)}

    @property
    def serving(self) -> frozenset[int] | None:
        """Return the serving nodes; None if they are unknown."""
        return _serving(self.look, self.wanted) if _known(self.look) else None


def batch_failure(
    batch: Mapping[str, Any],
    went: Mapping[str, Any],
    wanted: Mapping[str, Any],
    batches: Iterable[Mapping[str, Any]],
    nodes: Mapping[str, Mapping[str, Any]],
) -> str:
    """Return the message about a batch of a roll that did not come back.

    `went`: ``steps`` and ``undo``, the registered results of the batch and of the rollback, and ``look``, as for
    `to_revert`, as is `wanted`. `batches`: all of the roll; `nodes`: of ``kafka_desired``.
    """
    ending = Ending(batch, went["steps"], went["undo"], went["look"], wanted)
    lines = [*_errors(ending.steps), *_errors(ending.undo)]
    lines += [_state(node, ending) for node in batch["nodes"]]
    return "\n".join([*lines, *_away(ending, nodes), _next(ending, batches)])


def _results(steps: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [one for step in steps for one in step.get("results", [step])]


def _errors(steps: Iterable[Mapping[str, Any]]) -> list[str]:
    return [_error(one) for one in _results(steps) if one.get("failed") or one.get("unreachable")]


def _error(result: Mapping[str, Any]) -> str:
    text = str(result.get("msg", "no reason given"))
    if _is_killed(result):
        return f"{_host(result)}: the module ended without a result (exit status {result.get('rc')}): {text}"
    return f"{_host(result) or 'A host'} does not answer (ssh): {text}" if result.get("unreachable") else text


def _is_killed(result: Mapping[str, Any]) -> bool:
    """Check that a module gave no result: Ansible then returns what it printed."""
    return "module_stdout" in result


def _host(result: Mapping[str, Any]) -> str:
    item = _item(result)
    return str(item["host"] if isinstance(item, Mapping) else item)


def _item(result: Mapping[str, Any]) -> Any:
    return result.get(result.get("ansible_loop_var", ""), "")


def _state(node: Mapping[str, Any], ending: Ending) -> str:
    """Return the state of one node of the batch."""
    if node["host"] not in ending.restarted:
        what = "whether it was restarted is not known" if node["host"] in ending.unanswered else "was not restarted"
        return f"{node['host']} (node {node['node_id']}): {what}."
    why = "; ".join(sentences(differences_from(node["differences"]))) or "the request"
    return f"{node['host']} (node {node['node_id']}), restarted because of {why}: {_end(node, ending)}."


def _end(node: Mapping[str, Any], ending: Ending) -> str:
    failed = bool(_errors(ending.undo))
    if node["host"] in {_host(one) for one in _results(ending.undo) if one.get("actions")}:
        return "does not serve with its earlier version either" if failed else "runs again with its earlier version"
    if ending.serving is not None and node["node_id"] in ending.serving:
        return "serves and was not changed"
    if _known(ending.look) and node["node_id"] not in _down(ending.look, ending.wanted):
        return "is late, may still start, and was not changed"
    if ending.serving is not None and not failed:
        return "has no earlier version to return to"
    return "was not stopped again, since the shutdown check has no answer"


def _away(ending: Ending, nodes: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return nodes outside the batch that do not serve."""
    every = {*ending.wanted["broker_ids"], *ending.wanted["voter_ids"]}
    gone = every - {*ending.batch["node_ids"]} - ending.serving if ending.serving is not None else set()
    names = {node["node_id"]: host for host, node in nodes.items()}
    return [f"{names.get(one, '?')} (node {one}) does not serve -> start it first." for one in sorted(gone)]


def _next(ending: Ending, batches: Iterable[Mapping[str, Any]]) -> str:
    """Return the next step; the inventory must be corrected only if a node was restarted for its files."""
    stop = "The roll stops here; the nodes after it were not touched."
    changed = [one for node in ending.batch["nodes"] for one in differences_from(node["differences"])]
    if any(one.file != REQUEST for one in changed):
        blamed = ending.serving is None or not ending.serving.issuperset(ending.batch["node_ids"])
        correct = ending.restarted and blamed
        return f"{stop} {'Correct the inventory and run again.' if correct else 'Repair that and run again.'}"
    left = [[*one["nodes"]] for one in batches]
    while left and [node["node_id"] for node in left[0]] != ending.batch["node_ids"]:
        left.pop(0)
    names = [node["host"] for batch in left for node in batch if node["host"] not in ending.restarted]
    again = f"Go on with -e '{json.dumps({'kafka_restart_nodes': names})}'."
    return f"{stop} {again if names else 'No other node was to be restarted.'}"


def maintenance_failure(
    batches: Iterable[Mapping[str, Any]], host: str, failure: Mapping[str, Any], started: Mapping[str, Any]
) -> str:
    """Return the message about a host's failed maintenance: the reason, the state of its node, and the next step.

    `batches`: all of the run, as ``kafka_change_plan`` gives them; `failure`: the failed task's result, empty if that
    was another host's; `started`: the registered result of the start after it.
    """
    left = [[node["host"] for node in batch["nodes"]] for batch in batches]
    while left and host not in left[0]:
        left.pop(0)
    names = [name for batch in left for name in batch]
    why = str(failure.get("msg", ""))
    state = "does not answer, so its node may be down" if started.get("unreachable") else "runs Kafka again"
    again = json.dumps({"kafka_restart_nodes": names})
    return f"{why}\n{host} {state}. The maintenance stops here. Go on with -e '{again}'.".lstrip()
