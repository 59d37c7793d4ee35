"""Give brokers back the partitions whose preferred leaders they are. No replica moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ansible.module_utils.kraft.cluster import leaders
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.cluster.retry import until_answered

ANSWER_SECONDS = 10.0
NAMED = 20


def ensure_preferred_leaders(client: Client, broker_ids: Sequence[int], check_mode: bool) -> dict[str, Any]:
    """Observe, plan, elect for these brokers, or for all; the module's result, with a warning about refusals."""
    address = until_answered(client.reach, ANSWER_SECONDS)
    snapshot = until_answered(lambda: observe(client, ("topics",), address), ANSWER_SECONDS)
    moves = leaders.displaced(snapshot, broker_ids or [broker.node_id for broker in snapshot.brokers])
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
        "warnings": list(filter(None, [warning(election.refused)])),
    }


def warning(refused: Sequence[str]) -> str:
    """Return the warning about elections that Kafka refused; empty if it refused none."""
    if not refused:
        return ""
    more = f" and {len(refused) - NAMED} more" if len(refused) > NAMED else ""
    named = "; ".join(refused[:NAMED])
    return f"Leaders stay where they are, because Kafka refused the election: {named}{more}. Run rebalance.yml later."
