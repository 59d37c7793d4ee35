"""Order of restarts. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ansible.module_utils.kraft.cluster.health import LARGEST_DELAY_MS, caught_up
from ansible.module_utils.kraft.cluster.snapshot import Snapshot


def order(
    node_ids: Iterable[int],
    snapshot: Snapshot,
    voter_ids: Iterable[int] = (),
    broker_ids: Iterable[int] = (),
    largest_delay_ms: int = LARGEST_DELAY_MS,
) -> tuple[int, ...]:
    """Order `node_ids`: first those that do not serve anyway, then the followers, the active controller last.

    `voter_ids` and `broker_ids` are those of the inventory; without them, those of the snapshot. Among followers,
    dedicated controllers go before brokers. An unready active controller is still last: moving its leadership costs
    every node an election.
    """
    brokers = frozenset(broker_ids) or frozenset(broker.node_id for broker in snapshot.brokers)
    serving = ready(snapshot, voter_ids, brokers, largest_delay_ms)

    def rank(node_id: int) -> tuple[bool, bool, bool, int]:
        return node_id == snapshot.controller_id, node_id in serving, node_id in brokers, node_id

    return tuple(sorted(set(node_ids), key=rank))


def _voters(snapshot: Snapshot) -> frozenset[int]:
    return frozenset(voter.node_id for voter in snapshot.quorum.voters) if snapshot.quorum else frozenset()


def ready(
    snapshot: Snapshot,
    voter_ids: Iterable[int] = (),
    broker_ids: Iterable[int] = (),
    largest_delay_ms: int = LARGEST_DELAY_MS,
) -> frozenset[int]:
    """Return nodes that fulfil all their roles; the ids are as for ``order``."""
    voters = frozenset(voter_ids) or _voters(snapshot)
    brokers = frozenset(broker_ids) or frozenset(broker.node_id for broker in snapshot.brokers)
    seen = snapshot.quorum.voters if snapshot.quorum else ()
    up = frozenset(voter.node_id for voter in seen if caught_up(voter, largest_delay_ms))
    return frozenset(
        node_id
        for node_id in voters | brokers
        if (node_id not in voters or node_id in up) and (node_id not in brokers or node_id in snapshot.unfenced)
    )
