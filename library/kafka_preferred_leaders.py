#!/usr/bin/python
"""Let brokers lead again what they are the preferred leaders of."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_preferred_leaders
short_description: Gives brokers back the partitions that they should lead (internal)
description:
  - Elects the preferred leader of each partition whose first replica is on one of the given brokers, is in sync, and
    does not lead. The preferred leader's election is clean; no record is at risk.
  - One partition first, then twice as many while the new leader keeps up, since a broker that has just started takes
    long for what it does for the first time, and clients of all partitions of one election wait for the last of them.
  - Refusals by Kafka are reported and are no failure, since an in-sync replica leads the partition all the same.
options:
  node_ids:
    description: The brokers; left out, all of them.
    type: list
    elements: int
extends_documentation_fragment: [kafka_client]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Give a broker its partitions back
  kafka_preferred_leaders:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    node_ids: [1]
"""

RETURN = r"""
elected:
  description: Number of partitions whose leader was moved, or would be.
  returned: always
  type: int
refused:
  description: Refusals by Kafka, as sentences.
  returned: always
  type: list
  elements: str
"""

from collections.abc import Sequence
from typing import Any

from ansible.module_utils.kraft.cluster import leaders
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule

ANSWER_SECONDS = 10.0
ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "node_ids": {"type": "list", "elements": "int"},
}
NAMED = 20


def ensure_preferred_leaders(client: Client, node_ids: list[int] | None, check_mode: bool) -> dict[str, Any]:
    """Observe, plan, elect; the module's result."""
    address = until_answered(client.reach, ANSWER_SECONDS)
    snapshot = until_answered(lambda: observe(client, ("topics",), address), ANSWER_SECONDS)
    wanted = node_ids if node_ids is not None else [broker.node_id for broker in snapshot.brokers]
    moves = leaders.displaced(snapshot, wanted)
    lines = "".join(f"{one.topic}-{one.partition}\n" for one in moves[:NAMED])
    more = f"and {len(moves) - NAMED} more\n" if len(moves) > NAMED else ""
    diff = [{"before": "", "after": f"preferred leaders of\n{lines}{more}"}] if moves else []
    election = leaders.PreferredLeaderElection(client, address, snapshot)
    if not check_mode:
        election.run(moves)
    return {
        "changed": len(moves) > len(election.refused),
        "elected": len(moves) - len(election.refused),
        "refused": election.refused,
        "diff": diff,
    }


def warning(refused: Sequence[str]) -> str:
    """Return the warning about elections that Kafka refused; empty if it refused none."""
    if not refused:
        return ""
    more = f" and {len(refused) - NAMED} more" if len(refused) > NAMED else ""
    named = "; ".join(refused[:NAMED])
    return f"Leaders stay where they are, because Kafka refused the election: {named}{more}. Run rebalance.yml later."


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        with Client(module.params["client"], warn=module.warn) as client:
            result = ensure_preferred_leaders(client, module.params["node_ids"], module.check_mode)
    except KraftError as error:
        module.fail_json(msg=str(error))
    if said := warning(result["refused"]):
        module.warn(said)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
