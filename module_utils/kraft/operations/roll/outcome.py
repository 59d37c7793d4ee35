"""How a batch of a roll, or of a maintenance, ended where it failed: what is undone, and what is said."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.difference import differences_from
from ansible.module_utils.kraft.node.service.difference_text import sentences


def to_revert(batch: Mapping[str, Any], restarts: Mapping[str, Any]) -> list[str]:
    """Hosts of a `batch` that were restarted and have something to go back to.

    `restarts` is what the loop over the batch's nodes registered: ``kafka_node`` has ``keep`` among its actions where
    it kept what ran before.
    """
    kept = {one[one["ansible_loop_var"]]["host"] for one in restarts["results"] if "keep" in one.get("actions", ())}
    return [node["host"] for node in batch["nodes"] if node["host"] in kept]


def batch_failure(batch: Mapping[str, Any], reverted: Iterable[str], failure: Mapping[str, Any]) -> str:
    """What is said when a batch of a roll did not come back; `failure` is the failed task's result."""
    back = set(reverted)
    results = [one for one in failure.get("results", [failure]) if one.get("failed")]
    lines = [str(one.get("msg", "no reason given")) for one in results]
    for node in batch["nodes"]:
        why = "; ".join(sentences(differences_from(node["differences"]))) or "the request"
        state = "runs again with what it had before" if node["host"] in back else "has nothing to go back to"
        lines.append(f"{node['host']} (node {node['node_id']}), restarted because of {why}: {state}.")
    lines.append("The roll stops here; the nodes after it were not touched. Correct the inventory and run again.")
    return "\n".join(lines)


def maintenance_failure(
    batches: Iterable[Mapping[str, Any]], host: str, failure: Mapping[str, Any], started: Mapping[str, Any]
) -> str:
    """What is said when a host's maintenance failed: why, whether its node runs, and how to go on.

    `batches`: all of the run, as ``kafka_roll_plan`` gives them; `failure`: the failed task's result, nothing where
    that was another host's; `started`: what the start after it registered.
    """
    left = [[node["host"] for node in batch["nodes"]] for batch in batches]
    while left and host not in left[0]:
        left.pop(0)
    names = [name for batch in left for name in batch]
    why = str(failure.get("msg", ""))
    state = "does not answer, so its node may be down" if started.get("unreachable") else "runs Kafka again"
    again = json.dumps({"kafka_restart_nodes": names})
    return f"{why}\n{host} {state}. The maintenance stops here. Go on with -e '{again}'.".lstrip()
