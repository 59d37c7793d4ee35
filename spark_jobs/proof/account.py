"""The account of one topic: counts, and the first examples of each kind of fault. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timezone

from spark_jobs import report
from spark_jobs.proof.law import COMPACTED, DELETED, TARGET, Excused
from spark_jobs.proof.report_schema import EXAMPLES, Exempt, Fault, Topic
from spark_jobs.proof.topics import TopicPair
from spark_jobs.proof.unmatched_records import FAULTS, LOST_HEAD, Judgement

STAMPED = "timestamps_set_by_target"
EXCEPTIONS = (*DELETED, *COMPACTED, STAMPED)
LOST = DELETED[TARGET]


@dataclass
class Account:
    """The account so far. ``deletions_allowed``: the target may have deleted records that the source still holds."""

    deletions_allowed: bool = False
    source_records: int = 0
    target_records: int = 0
    paired: int = 0
    newest: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    excused: Excused = field(default_factory=Excused)
    examples: dict[str, list[Fault]] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)

    def read(self, source: int, target: int, paired: int, newest: int) -> None:
        """Add one partition's records on both sides, those known to be equal, and the source's newest."""
        self.source_records += source
        self.target_records += target
        self.paired += paired
        self.newest = max(self.newest, newest)

    def judged(self, judgement: Judgement, partition: int) -> None:
        """Take in a judgement; faults come in the order of partitions and offsets, so the first stay."""
        for fault in sorted(judgement.faults, key=_offset):
            self.fault(fault)
        self.faults.update(judgement.unnamed)
        self.excuse(judgement.excused, partition)

    def fault(self, fault: Fault) -> None:
        self.faults[fault["kind"]] += 1
        some = self.examples.setdefault(fault["kind"], [])
        if len(some) < EXAMPLES:
            some.append(fault)

    def excuse(self, excused: Excused, partition: int) -> None:
        """Add excused records. A record that the target alone has deleted is a fault, unless that is allowed."""
        lost = 0 if self.deletions_allowed else excused.records[LOST]
        offsets = excused.first.get(LOST, [])[:lost]
        for offset in offsets:
            self.fault(Fault(kind=LOST_HEAD, partition=partition, source_offset=offset, target_offset=None, fields=[]))
        self.faults[LOST_HEAD] += lost - len(offsets)
        for kind, records in excused.records.items():
            if kind != LOST or not lost:
                self.excused.take(kind, [], excused.at_most[kind], records)

    def stamped(self, records: int) -> None:
        """Add paired records with timestamps of the target's brokers, which are not compared."""
        self.excused.take(STAMPED, [], records, records)

    def in_words(self) -> str:
        return ", ".join(f"{count:,} {kind}" for kind, count in self.faults.items() if count) or "no fault"

    def topic(self, pair: TopicPair) -> Topic:
        """Return the topic in the report's form."""
        return Topic(
            source=pair.source.name,
            target=pair.target.name,
            partitions=len(pair.partitions),
            source_records=self.source_records,
            target_records=self.target_records,
            paired=self.paired,
            newest=_moment(self.newest),
            faults={kind: self.faults[kind] for kind in FAULTS},
            excused={
                kind: Exempt(records=self.excused.records[kind], at_most=self.excused.at_most[kind])
                for kind in EXCEPTIONS
            },
            rules=[*pair.rules, *self.rules],
            examples=[fault for kind in FAULTS for fault in self.examples.get(kind, [])],
        )


def _moment(epoch_ms: int) -> str | None:
    """Format a moment; null for records without timestamps, and for any number that is no time."""
    try:
        return report.iso(datetime.fromtimestamp(epoch_ms / 1000, timezone.utc)) if epoch_ms > 0 else None
    except (OverflowError, ValueError, OSError):
        return None


def _offset(fault: Fault) -> int:
    offsets = (fault["source_offset"], fault["target_offset"])
    return next(offset for offset in offsets if offset is not None)
