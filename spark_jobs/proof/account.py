"""The account of one topic: counts, and the first examples of each kind of fault. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timezone

from spark_jobs import report
from spark_jobs.proof.judgement import FAULTS, NOT_HELD, Judgement
from spark_jobs.proof.report_schema import EXAMPLES, Fault, Topic
from spark_jobs.proof.topics import TopicPair


@dataclass
class Account:
    """What is known so far."""

    source_records: int = 0
    target_records: int = 0
    paired: int = 0
    newest: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    not_held: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[Fault]] = field(default_factory=dict)

    def read(self, source: int, target: int, paired: int, newest: int) -> None:
        """One partition's records on both sides, those of them that lie in equal blocks, and the source's newest."""
        self.source_records += source
        self.target_records += target
        self.paired += paired
        self.newest = max(self.newest, newest)

    def judged(self, judgement: Judgement) -> None:
        """Take in a judgement; faults come in the order of partitions and offsets, so the first stay."""
        self.not_held.update(judgement.not_held)
        for fault in sorted(judgement.faults, key=_offset):
            self.faults[fault["kind"]] += 1
            some = self.examples.setdefault(fault["kind"], [])
            if len(some) < EXAMPLES:
                some.append(fault)

    def in_words(self) -> str:
        return ", ".join(f"{count:,} {kind}" for kind, count in self.faults.items()) or "no fault"

    def topic(self, pair: TopicPair) -> Topic:
        """As the report has it."""
        return Topic(
            source=pair.source.name,
            target=pair.target.name,
            partitions=len(pair.partitions),
            source_records=self.source_records,
            target_records=self.target_records,
            paired=self.paired,
            newest=_moment(self.newest),
            faults={kind: self.faults[kind] for kind in FAULTS},
            not_held={kind: self.not_held[kind] for kind in NOT_HELD},
            rules=pair.rules,
            examples=[fault for kind in FAULTS for fault in self.examples.get(kind, [])],
        )


def _moment(epoch_ms: int) -> str | None:
    """Null for records without timestamps, and for what is no time: producers may stamp their records with anything."""
    try:
        return report.iso(datetime.fromtimestamp(epoch_ms / 1000, timezone.utc)) if epoch_ms > 0 else None
    except (OverflowError, ValueError, OSError):
        return None


def _offset(fault: Fault) -> int:
    offsets = (fault["source_offset"], fault["target_offset"])
    return next(offset for offset in offsets if offset is not None)
