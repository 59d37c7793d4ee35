"""A partition that differs and is small, or that Spark cannot read: both sides are in memory, the law decides. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from spark_jobs.proof.account import Account
from spark_jobs.proof.group_positions import Course
from spark_jobs.proof.held import HeldReader, log, wrong_timestamps
from spark_jobs.proof.law import SOURCE, TARGET, Heads, Pair, accounted
from spark_jobs.proof.pairing import Pairing
from spark_jobs.proof.record_by_record import Partition
from spark_jobs.proof.report_schema import Fault
from spark_jobs.proof.stretches import Part, Stretch
from spark_jobs.proof.topics import SIDES, SPARK_ENDS_MS, TopicPair
from spark_jobs.proof.unmatched_records import CHANGED

Marks = tuple[Collection[int], Collection[int]]


def judged(pair: TopicPair, reader: HeldReader, account: Account, marks: Marks) -> Course:
    """Account for each record of the partition that ``reader`` holds. ``marks``: offsets that groups have committed."""
    number = reader.number
    held = reader.sides[SOURCE]
    sizes = (len(held), len(reader.sides[TARGET]))
    account.read(*sizes, 0, max((one.timestamp for one in held), default=0))
    logs = (log(reader, side, pair.sides[side].window, pair.compacted[side]) for side in (SOURCE, TARGET))
    found, heads = accounted(*logs), Heads.at(marks)
    if found:
        pairs = found.pairs
        account.paired += len(pairs)
        account.excuse(found.excused, number)
        for side, offsets in enumerate(found.heads):
            heads.take(side, offsets)
    else:
        pairs = _named(pair, reader, account, heads)
    _explain(reader, account)
    if pair.target.append_time:
        _timestamps(reader, pairs, account)
    return Course(len(pairs), sizes, pairs, heads=heads)


def _explain(reader: HeldReader, account: Account) -> None:
    """Explain why Spark has not read the partition, if it could not."""
    for name, held in zip(SIDES, reader.sides):
        strange = next((one.offset for one in held if abs(one.timestamp) > SPARK_ENDS_MS), None)
        if strange is not None:
            account.rules.append(
                f"Spark cannot read partition {reader.number}: the timestamp of offset {strange} on the {name} is out "
                "of Spark's range. The native client has read and compared this partition."
            )


def _named(pair: TopicPair, reader: HeldReader, account: Account, heads: Heads) -> Sequence[Pair]:
    """Name the faults; the pairs around them, and by ``heads`` what a side has deleted before."""
    number = reader.number
    here, there = (
        Part(side.window.starts[number], side.window.ends[number], len(held), side.window.starts[number] - 1)
        for side, held in zip(pair.sides, reader.sides)
    )
    pairing = Pairing(pairs=[], heads=heads)
    Partition(reader, pair, number).compare(Stretch(here, there, True), account, pairing)
    return pairing.pairs or []


def _timestamps(reader: HeldReader, pairs: Sequence[Pair], account: Account) -> None:
    """Check timestamps, left out before; that is right only for those that the target's brokers have set."""
    stamped = {one.offset for one in reader.sides[TARGET] if one.stamped}
    account.stamped(sum(there in stamped for _, there in pairs))
    for here, there in wrong_timestamps(reader, pairs):
        account.paired -= 1
        account.fault(
            Fault(
                kind=CHANGED,
                partition=reader.number,
                source_offset=here,
                target_offset=there,
                fields=["timestamp"],
            )
        )
