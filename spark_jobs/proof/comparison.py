"""The comparison on an open session: one pass over both sides, then a closer look at what differs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from spark_jobs.proof import small, stretches
from spark_jobs.proof.account import Account
from spark_jobs.proof.block_reader import Blocks, Places, UnreadableError, first_pass, narrowed
from spark_jobs.proof.group_positions import Course
from spark_jobs.proof.held import Held, HeldReader
from spark_jobs.proof.law import DELETED, SOURCE, TARGET, Excused, Heads
from spark_jobs.proof.native_records import batches
from spark_jobs.proof.pairing import Pairing
from spark_jobs.proof.record_by_record import Partition
from spark_jobs.proof.report_schema import Topic
from spark_jobs.proof.spark_reader import SparkReader
from spark_jobs.proof.stretches import Block, Stretch
from spark_jobs.proof.topics import Cluster, Place, TopicPair, unreadable

Say = Callable[[str], None]  # each step, for observers
Marks = Mapping[Place, tuple[Collection[int], Collection[int]]]  # offsets of groups on both sides
DIRECT = 20_000  # offsets of both sides: the native client reads such a partition faster than Spark begins one
SMALL = 500_000  # offsets of both sides: such a partition is read by the native client if it differs
TOGETHER = 500_000  # offsets that are in memory at the same time


@dataclass
class Comparison:
    """Compared topics, and the results. ``deletions_allowed``: topics that the target may have shortened."""

    clusters: Sequence[Cluster]
    pairs: Sequence[TopicPair]
    report: Say
    marks: Marks = field(default_factory=dict)
    deletions_allowed: Collection[str] = ()
    blocks: Blocks = field(default_factory=dict)
    courses: dict[Place, Course] = field(default_factory=dict)
    accounts: dict[str, Account] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.by_name = {pair.source.name: pair for pair in self.pairs}

    def compare(self) -> list[Topic]:
        """Account for every record of every topic."""
        self.accounts = {pair.source.name: Account(pair.source.name in self.deletions_allowed) for pair in self.pairs}
        places = [(pair.source.name, number) for pair in self.pairs for number in pair.partitions]
        direct = {place for place in places if self._offsets(place) <= DIRECT}
        large = [pair for pair in self.pairs if not direct.issuperset((pair.source.name, n) for n in pair.partitions)]
        strange = unreadable(self.clusters, large)
        bits = stretches.block_bits(sum(map(self._offsets, places)))
        strange |= self._read_blocks(bits, strange | direct)
        if large:
            total = sum(map(stretches.total, self.blocks.values()))
            self.report(f"read {total:,} records of both sides in {sum(map(len, self.blocks.values())):,} blocks")
        differing = self._differing(strange | direct)
        if differing:
            self.report(f"{len(differing)} partitions differ: looking closer")
        native = {*direct, *strange, *self._unstamped(), *(one for one in differing if self._offsets(one) <= SMALL)}
        self._equal(differing.keys() | native)
        self._natively(native)
        self._with_spark({place: one for place, one in differing.items() if place not in native}, bits)
        return [self.accounts[pair.source.name].topic(pair) for pair in self.pairs]

    def _read_blocks(self, bits: int, left_out: Collection[Place]) -> set[Place]:
        """Read all topics at once; if that fails, one by one. Return partitions of topics that Spark cannot read."""
        try:
            self.blocks = first_pass(self.clusters, self.pairs, bits, left_out)
        except UnreadableError:
            self.report("Spark cannot read a record: reading each topic by itself")
            found: set[Place] = set()
            blocks: dict[tuple[int, str, int], list[Block]] = {}
            for pair in self.pairs:
                try:
                    blocks |= first_pass(self.clusters, [pair], bits, left_out)
                except UnreadableError:
                    found |= {(pair.source.name, number) for number in pair.partitions} - {*left_out}
            self.blocks = blocks
            return found
        return set()

    def _differing(self, left_out: Collection[Place]) -> dict[Place, Stretch]:
        found = {}
        for pair in self.pairs:
            for number in pair.partitions:
                place = (pair.source.name, number)
                logs = [(side.window.starts[number], side.window.ends[number]) for side in pair.sides]
                stretch = stretches.without_head(*self.held(pair, number), logs)
                if stretch and place not in left_out:
                    found[place] = stretch
        return found

    def held(self, pair: TopicPair, number: int) -> tuple[Sequence[Block], Sequence[Block]]:
        here, there = (self.blocks.get((side, pair.sides[side].name, number), []) for side in (SOURCE, TARGET))
        return here, there

    def _unstamped(self) -> list[Place]:
        """Return partitions whose timestamps are not compared, although not all were set by the target's brokers."""
        return [
            (pair.source.name, number)
            for pair in self.pairs
            if pair.target.append_time
            for number in pair.partitions
            if any(block.stamped < block.records for block in self.held(pair, number)[TARGET])
        ]

    def _offsets(self, place: Place) -> int:
        return sum(end - start for start, end in self._spans(place))

    def pair(self, place: Place) -> TopicPair:
        return self.by_name[place[0]]

    def _spans(self, place: Place) -> list[tuple[int, int]]:
        windows = (side.window for side in self.pair(place).sides)
        return [(window.starts[place[1]], window.ends[place[1]]) for window in windows]

    def _equal(self, others: Collection[Place]) -> None:
        for pair in self.pairs:
            account = self.accounts[pair.source.name]
            for number in pair.partitions:
                if (pair.source.name, number) not in others:
                    records = self._read(account, pair, number, None)
                    self.courses[pair.source.name, number] = Course(records, (records, records))

    def _read(self, account: Account, pair: TopicPair, number: int, stretch: Stretch | None) -> int:
        """Count the records of a partition that Spark has read; those in equal blocks."""
        here, there = self.held(pair, number)
        records = stretches.total(here)
        equal = records - stretch.source.records if stretch else records
        account.read(records, stretches.total(there), equal, max((block.newest for block in here), default=0))
        if pair.target.append_time:
            account.stamped(equal)
        return equal

    def _natively(self, places: Collection[Place]) -> None:
        """Compare many small partitions at once with the native client."""
        spans = {place: self._spans(place) for place in sorted(places)}
        sizes = {place: (0, sum(end - start for start, end in both)) for place, both in spans.items()}
        for part in batches(sizes, TOGETHER):
            names = {place: [(side.name, place[1]) for side in self.pair(place).sides] for place in part}
            held = [
                cluster.native.read({names[place][side]: spans[place][side] for place in part})
                for side, cluster in enumerate(self.clusters)
            ]
            hidden = [
                self._aborted(side, {place: names[place][side] for place in part}, held[side], spans)
                for side in (SOURCE, TARGET)
            ]
            for place in part:
                both = held[0][names[place][0]], held[1][names[place][1]]
                reader = HeldReader(both, place[1], (hidden[0].get(place, []), hidden[1].get(place, [])))
                account = self.accounts[place[0]]
                self.courses[place] = small.judged(self.pair(place), reader, account, self.marks.get(place, ((), ())))
        if places:
            self.report(f"{len(places)} partitions compared by the native client")

    def _aborted(
        self,
        side: int,
        names: Mapping[Place, Place],
        held: Mapping[Place, Sequence[Held]],
        spans: Mapping[Place, Sequence[tuple[int, int]]],
    ) -> dict[Place, list[int]]:
        """Return the offsets of aborted records if a side is compacted: they are there, so no cleaner took them."""
        asked = {
            name: (start, end)
            for place, name in names.items()
            for start, end in (spans[place][side],)
            if self.pair(place).compacted[side] and len(held[name]) < end - start
        }
        every = self.clusters[side].native.offsets(asked) if asked else {}
        seen = {name: {one.offset for one in held[name]} for name in asked}
        return {
            place: [offset for offset in every[name] if offset not in seen[name]]
            for place, name in names.items()
            if name in asked
        }

    def _with_spark(self, differing: Places, bits: int) -> None:
        """Compare large partitions with Spark, one after the other."""
        for place, stretch in narrowed(self.clusters, self.pairs, differing, bits).items():
            pair, account = self.pair(place), self.accounts[place[0]]
            equal = self._read(account, pair, place[1], stretch)
            marks = self.marks.get(place, ((), ()))
            below = (dict.fromkeys(marks[SOURCE], 0), dict.fromkeys(marks[TARGET], 0))
            pairing = Pairing(below=below, heads=Heads.at(marks))
            if not _head_was_deleted(pair, place[1], stretch, account, pairing.heads):
                reader = SparkReader(self.clusters, pair, place[1])
                Partition(reader, pair, place[1]).compare(stretch, account, pairing)
            if pair.target.append_time:
                account.stamped(pairing.paired)
            here, there = (stretches.total(blocks) for blocks in self.held(pair, place[1]))
            first = _first_on_target(stretch, pairing)
            course = Course(equal + pairing.paired, (here, there), None, stretch, pairing.below, pairing.heads, first)
            self.courses[place] = course
            self.report(f"{place[0]}, partition {place[1]}: {account.in_words()} so far")


def _first_on_target(stretch: Stretch, pairing: Pairing) -> int | None:
    """Return the target's offset of the first pair; null if no record is in front of it."""
    if not pairing.heads.counted:
        return stretch.target.end
    high = pairing.gaps[0].high if 0 in pairing.gaps else None
    return high[TARGET] if high else None


def _head_was_deleted(pair: TopicPair, number: int, stretch: Stretch, account: Account, heads: Heads) -> bool:
    """Check whether one side is empty and its log start explains the other's rest: then nothing must be read."""
    for lacking, (own, other) in enumerate((stretch.sides[::-1], stretch.sides)):
        start = pair.sides[lacking].window.starts[number]
        plain = stretch.at_head and not any(pair.compacted)
        if plain and not other.records and own.records <= start:
            excused = Excused()
            excused.take(DELETED[lacking], [own.start], start, own.records - 1)
            account.excuse(excused, number)
            heads.records[1 - lacking], heads.counted = own.records, False
            return True
    return False
