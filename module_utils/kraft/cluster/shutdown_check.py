"""May node N go down now, and if not, why not? Pure: one snapshot in, reasons in words out.

A node that serves may go when, without it, the caught-up controllers are still a majority and every partition keeps
its effective min.insync.replicas in sync. A node that does not serve anyway (fenced, not registered, far behind) harms
nobody by going. What cannot be kept whatever one does is named apart: a replication factor at or below
min.insync.replicas (which Kafka caps at the replication factor), a quorum of one or two. It holds the node back unless
it is accepted by name; otherwise a roll would never end.
The rules are those of Strimzi's KafkaRoller (KafkaQuorumCheck, KafkaAvailability).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from ansible.module_utils.kraft.cluster.health import LARGEST_DELAY_MS, caught_up, delay, listed
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Partition, Quorum, Snapshot

NAMED = 5
#: What a snapshot must hold to be judged.
PARTS = ("quorum", "topics", "configs", "reassignments")


@dataclasses.dataclass(frozen=True)
class Verdict:
    """``reasons`` may pass with time; ``unavoidable`` will not."""

    reasons: tuple[str, ...] = ()
    unavoidable: tuple[str, ...] = ()

    def allows(self, accept_unavoidable: bool = False) -> bool:
        return not self.reasons and (accept_unavoidable or not self.unavoidable)

    def sentences(self) -> tuple[str, ...]:
        return (*self.reasons, *(f"unavoidable: {text}" for text in self.unavoidable))


def judge(snapshot: Snapshot, node_ids: Iterable[int], largest_delay_ms: int = LARGEST_DELAY_MS) -> Verdict:
    """Whether all of `node_ids` may go down together, from a snapshot that holds PARTS."""
    going = frozenset(node_ids)
    quorum_reasons, quorum_unavoidable = _quorum(snapshot.quorum, going, largest_delay_ms)
    serving = going & snapshot.unfenced
    partition_reasons, partition_unavoidable = _partitions(snapshot, serving)
    return Verdict(
        (*snapshot.unknown, *quorum_reasons, *partition_reasons, *_moves(snapshot, serving)),
        (*quorum_unavoidable, *partition_unavoidable),
    )


def majority(voters: int) -> int:
    return voters // 2 + 1


def _quorum(quorum: Quorum | None, going: frozenset[int], largest_delay_ms: int) -> tuple[Sequence[str], Sequence[str]]:
    """Reasons and unavoidable ones of the controllers."""
    if quorum is None:
        return (), ()
    if quorum.leader_id == NO_NODE:
        return ("the controllers have no leader",), ()
    ready = {voter.node_id for voter in quorum.voters if caught_up(voter, largest_delay_ms)}
    left, needed = ready - going, majority(len(quorum.voters))
    if not ready & going or len(left) >= needed:
        return (), ()
    behind = [f"controller {voter.node_id} {delay(voter)}; " for voter in quorum.voters if voter.node_id not in ready]
    text = (
        f"{''.join(behind)}without {listed(going & ready)} only {len(left)} of {len(quorum.voters)} controllers "
        f"are caught up, and {needed} are needed"
    )
    possible = len({voter.node_id for voter in quorum.voters} - going)
    return ((text,), ()) if possible >= needed else ((), (text,))


def _partitions(snapshot: Snapshot, serving: frozenset[int]) -> tuple[Sequence[str], Sequence[str]]:
    """Reasons and unavoidable ones of the partitions that the serving nodes hold."""
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


def _hopeless(partition: Partition, held: frozenset[int], least: int | None) -> bool:
    """Whether even with every replica in sync too few would be left."""
    return least is not None and len(set(partition.replicas) - held) < least


def _partition(name: str, partition: Partition, held: frozenset[int], least: int | None) -> Iterator[str]:
    isr = frozenset(partition.isr)
    if least is None:
        yield f"partition {name}: its min.insync.replicas is not known"
    elif partition.leader == NO_NODE:
        yield f"partition {name} has no leader, and {listed(held)} holds a replica"
    elif held & isr and len(isr - held) < least:
        yield f"partition {name}: in sync {listed(isr)} of min {least} would fall to {len(isr - held)}"
    elif not held & isr and len(isr) < least:
        yield f"partition {name}: only {listed(isr)} in sync of min {least}, and {listed(held)} is catching up"


def _moves(snapshot: Snapshot, serving: frozenset[int]) -> tuple[str, ...]:
    """Partitions on their way to a node would start anew."""
    found = [
        f"partition {one.topic}-{one.partition} is being moved to {listed(serving & frozenset(one.adding))}"
        for one in snapshot.reassignments or ()
        if serving & frozenset(one.adding)
    ]
    return _shortened(found)


def _shortened(texts: Sequence[str]) -> tuple[str, ...]:
    rest = (f"and {len(texts) - NAMED} partitions more",) if len(texts) > NAMED else ()
    return (*texts[:NAMED], *rest)
