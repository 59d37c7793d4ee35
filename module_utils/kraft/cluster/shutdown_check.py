"""Check whether a node may go down now. Pure: one snapshot in, reasons in words out.

A node may go if, without it, the caught-up controllers are still a majority and every partition keeps its effective
min.insync.replicas in sync. Eligible leader replicas (KIP-966) are not in sync: they do not count.
Controllers are counted without it whatever its own state: a late one, or one that the leader has not heard from yet,
may be needed a second later. A fenced broker blocks no partition.
Effects that no waiting can change are separate: a replication factor at or below min.insync.replicas (which Kafka caps
at the replication factor) while every replica is in sync, a quorum of one or two. They hold the node back unless they
are accepted by name; otherwise a roll would never end.
The rules are those of Strimzi's KafkaRoller (KafkaQuorumCheck, KafkaAvailability).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from ansible.module_utils.kraft.cluster.health import LARGEST_DELAY_MS, caught_up, delay, listed, may_lead
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, Unknown, Unreachable, never
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Partition, Quorum, Replica, Snapshot

NAMED = 5
#: Kafka's broker.session.timeout.ms: a controller that has not fetched for longer is taken to be away.
SESSION_MS = 9000
#: The remedy for unavoidable effects of a shutdown.
REMEDY = (
    "give such topics more replicas, or accept that they are unavailable meanwhile: -e kafka_accept_unavoidable=true"
)
#: Required parts of a snapshot.
PARTS = ("quorum", "topics", "configs", "reassignments")


@dataclasses.dataclass(frozen=True)
class Verdict:
    """``reasons`` may pass with time; ``unavoidable`` ones will not. ``away``: other nodes that do not serve."""

    reasons: tuple[str, ...] = ()
    unavoidable: tuple[str, ...] = ()
    away: tuple[str, ...] = ()

    def allows(self, accept_unavoidable: bool = False) -> bool:
        return not self.reasons and (accept_unavoidable or not self.unavoidable)

    def sentences(self) -> tuple[str, ...]:
        return (*self.reasons, *(f"unavoidable: {text}" for text in self.unavoidable))


def judge(snapshot: Snapshot, node_ids: Iterable[int], largest_delay_ms: int = LARGEST_DELAY_MS) -> Verdict:
    """Check whether all of `node_ids` may go down together, from a snapshot that holds PARTS."""
    going = frozenset(node_ids)
    quorum_reasons, quorum_unavoidable = _quorum(snapshot.quorum, going, largest_delay_ms)
    serving = going & snapshot.unfenced
    partition_reasons, partition_unavoidable = _partitions(snapshot, serving)
    return Verdict(
        (*unknown(snapshot), *quorum_reasons, *partition_reasons, *_moves(snapshot, serving)),
        (*quorum_unavoidable, *partition_unavoidable),
    )


def leaderless(seen: Outcome[Snapshot]) -> bool:
    """Check whether a batch that was planned unchecked may still go: nothing is reachable, or there is no leader.

    A broker without a leader is late with the quorum. A denied, untrusted or unreadable answer shows nothing.
    """
    if isinstance(seen, Known):
        quorum = seen.value.quorum
        return quorum.leader_id == NO_NODE if quorum else "quorum" in seen.value.late
    if isinstance(seen, Unknown):
        return seen.late
    return isinstance(seen, Unreachable) or never(seen)


def majority(voters: int) -> int:
    return voters // 2 + 1


def unknown(snapshot: Snapshot) -> tuple[str, ...]:
    """Return a clause for each of PARTS that the snapshot lacks, whether it was requested or not."""
    held = (snapshot.quorum, snapshot.topics, snapshot.min_insync, snapshot.reassignments)
    missing = (part for part, value in zip(PARTS, held) if value is None and part not in snapshot.unanswered)
    return (*snapshot.unknown, *(f"{part} is not known: it was not asked for" for part in missing))


def _quorum(quorum: Quorum | None, going: frozenset[int], largest_delay_ms: int) -> tuple[Sequence[str], Sequence[str]]:
    """Return reasons and unavoidable effects of the controllers."""
    if quorum is None:
        return (), ()
    if quorum.leader_id == NO_NODE:
        return ("the controllers have no leader",), ()
    voters = {voter.node_id: voter for voter in quorum.voters}
    ready = {one for one, voter in voters.items() if caught_up(voter, largest_delay_ms)}
    left, needed = ready - going, majority(len(voters))
    if not going & voters.keys() or len(left) >= needed:
        return (), ()
    behind = [f"controller {one} {delay(voters[one])}; " for one in voters if one not in ready]
    enough = f"only {len(left)} of {len(voters)} controllers are" if left else f"none of {len(voters)} controllers is"
    counts = f"{enough} caught up, and {needed} are needed"
    rest = counts if len(voters) > 1 else "no controller is left"
    text = f"{''.join(behind)}without {listed(going & voters.keys())} {rest}"
    late = [one for one in going & voters.keys() if one not in ready and not silent(voters[one], quorum)]
    waiting_helps = late or len(voters.keys() - going) >= needed
    return ((text,), ()) if waiting_helps else ((), (text,))


def silent(voter: Replica, quorum: Quorum) -> bool:
    """Check that a voter has not fetched for longer than a session.

    One that the leader has never heard from may still come, until that leader was observed for as long.
    """
    if voter.last_fetch_ms < 0:
        return quorum.watched_ms > SESSION_MS
    now = max((one.last_caught_up_ms for one in quorum.voters if one.node_id == quorum.leader_id), default=-1)
    return now - voter.last_fetch_ms > SESSION_MS


def decided(quorum: Quorum | None, largest_delay_ms: int = LARGEST_DELAY_MS) -> bool:
    """Check that there is a leader, and each voter is known to have caught up with it or to be silent."""
    if quorum is None or quorum.leader_id == NO_NODE:
        return False
    return all(caught_up(one, largest_delay_ms) or silent(one, quorum) for one in quorum.voters)


def _partitions(snapshot: Snapshot, serving: frozenset[int]) -> tuple[Sequence[str], Sequence[str]]:
    """Return reasons and unavoidable effects of the partitions that the serving nodes hold."""
    if not serving or snapshot.topics is None:
        return (), ()
    reasons: list[str] = []
    unavoidable: list[str] = []
    for topic in snapshot.topics:
        configured = (snapshot.min_insync or {}).get(topic.name)
        for partition in topic.partitions:
            held = serving & frozenset(partition.replicas)
            least = None if configured is None else min(configured, len(partition.replicas))
            if held:
                found = _partition(f"{topic.name}-{partition.partition}", partition, held, least)
                (unavoidable if _hopeless(partition, held, least) else reasons).extend(found)
    return _shortened(reasons), _shortened(unavoidable)


def risks(snapshot: Snapshot, node_ids: Iterable[int]) -> tuple[str, ...]:
    """Return effects that no waiting avoids when `node_ids` go down one by one; checked before the first one goes."""
    going = frozenset(node_ids)
    voters = [one.node_id for one in snapshot.quorum.voters] if snapshot.quorum else []
    few = going.intersection(voters) and len(voters) - 1 < majority(len(voters))
    quorum = (f"{len(voters)} controllers are a majority only together",) if few else ()
    tight = [
        f"partition {topic.name}-{one.partition}: {len(one.replicas)} replicas, {least} of them must be in sync"
        for topic in snapshot.topics or ()
        for least in [(snapshot.min_insync or {}).get(topic.name, 0)]
        for one in topic.partitions
        if least >= len(one.replicas) and going.intersection(one.replicas)
    ]
    return (*quorum, *_shortened(tight))


def _hopeless(partition: Partition, held: frozenset[int], least: int | None) -> bool:
    """Check whether waiting is useless: even with every replica in sync, too few are left. False if none is left.

    A partition with a single replica is away while its broker is: there is no other one that could stay. If
    several are in sync and none leads, an election will end.
    """
    if least is None or partition.under_replicated:
        return False
    stay, single = set(partition.replicas) - held, len(partition.replicas) == 1
    return len(stay) < least and (single or (bool(stay) and partition.leader != NO_NODE))


def _partition(name: str, partition: Partition, held: frozenset[int], least: int | None) -> Iterator[str]:
    isr, also = frozenset(partition.isr), may_lead(partition)
    if least is None:
        yield f"partition {name}: its min.insync.replicas is not known"
    elif partition.leader == NO_NODE:
        yield f"partition {name} has no leader, and {listed(held)} holds a replica{also}"
    elif held & isr and len(isr - held) < least:
        yield f"partition {name}: in sync {listed(isr)} of min {least} would fall to {len(isr - held)}{also}"
    elif not held & isr and len(isr) < least:
        yield f"partition {name}: only {listed(isr)} in sync of min {least}, and {listed(held)} is catching up{also}"


def _moves(snapshot: Snapshot, serving: frozenset[int]) -> tuple[str, ...]:
    """Return partitions that are moving to a node: their moves would start again."""
    found = [
        f"partition {one.topic}-{one.partition} is being moved to {listed(serving & frozenset(one.adding))}"
        for one in snapshot.reassignments or ()
        if serving & frozenset(one.adding)
    ]
    return _shortened(found)


def _shortened(texts: Sequence[str]) -> tuple[str, ...]:
    rest = (f"and {len(texts) - NAMED} partitions more",) if len(texts) > NAMED else ()
    return (*texts[:NAMED], *rest)
