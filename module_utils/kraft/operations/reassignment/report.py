"""Messages of a run of moves: its plan, why it ends early, and what is left."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.snapshot import Reassignment
from ansible.module_utils.kraft.operations.reassignment import leaderless, move_format
from ansible.module_utils.kraft.operations.reassignment.model import known_bytes, placement
from ansible.module_utils.kraft.operations.reassignment.move_format import amount
from ansible.module_utils.kraft.operations.reassignment.work import Desired, Work
from ansible.module_utils.kraft.wording import counted


def stuck(asked: Desired, moving: Sequence[Reassignment], missing: int, away: Collection[int]) -> str:
    named = ", ".join(f"{one.topic}-{one.partition}" for one in moving[:5])
    return f"{counted(len(moving), 'partition')} on the move ({named}), {amount(missing)} missing, and " + stalled(
        asked.timeout, away
    )


def stalled(timeout: float, away: Collection[int]) -> str:
    """Return why moves do not advance, and the remedy. `away`: target brokers that do not serve."""
    text = f"no progress for {timeout:g} s"
    if not away:
        more = "Records may come in faster than they are copied: run again, with a higher kafka_move_throttle."
        return f"{text}. The moves go on by themselves, throttled as they are. {more}"
    who, it = f"{move_format.brokers_named(away)} {'is' if len(away) == 1 else 'are'} away", "it" * (len(away) == 1)
    return (
        f"{text}: {who}, and replicas are on the move to {it or 'them'}. Start {it or 'them'}, then run again. "
        "If a machine is lost, run replace_node.yml for its host first."
    )


def result(work: Work, asked: Desired) -> dict[str, Any]:
    """Return the observed state and the plan, as the module's result."""
    said = move_format.headline(work.moves, () if asked.cancel else work.under_way)
    cancelled = counted(len(work.under_way), "partition")
    steps = [
        *([said] if said else []),
        *([f"give up records that no other broker has: {leaderless.named(work.given_up)}"] if work.given_up else []),
        *([f"cancel the moves of {cancelled}"] if asked.cancel and work.under_way else []),
        *move_format.throttles(work.found, work.aim),
        *([f"elect the preferred leaders of {counted(work.displaced, 'partition')}"] if work.displaced else []),
    ]
    start, ids = placement(work.snapshot), [one.node_id for one in work.snapshot.brokers]
    lines = [*steps, *move_format.brokers(start, work.moves, ids), *move_format.moves(work.moves)]
    stay = f"these partitions have no leader, so they are not moved: {leaderless.named(work.stuck)}"
    found: dict[str, Any] = {
        "warnings": [stay] if work.stuck else [],
        "changed": work.changes,
        "steps": steps,
        "plan": lines if work.changes else [],
        "partitions": sum(bool(one.adding) for one in work.moves),
        "replicas": sum(len(one.adding) for one in work.moves),
        "bytes": known_bytes(work.moves),
        "under_way": len(work.under_way),
    }
    return {**found, "diff": {"before": "", "after": "".join(f"{one}\n" for one in lines)}} if work.changes else found


def kept(away: Collection[int], rate: int, playbook: str) -> str:
    """Report that brokers keep a limit of `rate` bytes per second, and the playbook that removes it."""
    verbs = ("is", "keeps") if len(away) == 1 else ("are", "keep")
    limit = f"a limit of {amount(rate)}/s" if rate else "a limit"
    return (
        f"{move_format.brokers_named(away)} {verbs[0]} away and {verbs[1]} {limit}; the next {playbook} takes it away"
    )
