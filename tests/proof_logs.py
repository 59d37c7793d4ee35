"""Generated logs and copies: transactions, repeats, null and empty, deletions, Kafka's cleaner, planted faults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import cast

from hypothesis import strategies as st

from tests.proof_oracle import Headers, Rec, Side

KEYS = (None, b"", b"a", b"b", b"c", b"d")
HEADERS: tuple[Headers, ...] = ((), (("h", b"1"), ("h", None)), (("", b""),), (("h", None), ("h", b"1")))
BEGIN = 1_700_000_000_000
STAMP = 2 * BEGIN  # what a broker of the target sets
Message = tuple[bytes | None, bytes | None, Headers, int]


@dataclass
class Written:
    """A log on a broker: what consumers see by offset, and the offset behind all."""

    records: list[tuple[int, Message]] = field(default_factory=list)
    start: int = 0
    end: int = 0
    aborted: list[int] = field(default_factory=list)

    def append(self, message: Message) -> None:
        self.records.append((self.end, message))
        self.end += 1

    def abort(self) -> None:
        """Append a record of an aborted transaction."""
        self.aborted.append(self.end)
        self.end += 1

    def mark(self) -> None:
        """Append the marker of a transaction: an offset without a record."""
        self.end += 1

    def delete(self, start: int) -> None:
        """Delete like DeleteRecords and retention."""
        self.start = max(self.start, min(start, self.end))
        self.records = [one for one in self.records if one[0] >= self.start]
        self.aborted = [offset for offset in self.aborted if offset >= self.start]

    def clean(self, end: int, deletions: bool) -> None:
        """Clean like Kafka: the last record of each key stays, of records without a key none. Offsets stay.

        Aborted records go.
        """
        self.aborted = [offset for offset in self.aborted if offset >= end]
        last = {one[1][0]: one[0] for one in self.records if one[0] < end}
        self.records = [
            (offset, message)
            for offset, message in self.records
            if offset >= end
            or (message[0] is not None and last[message[0]] == offset and not (deletions and message[1] is None))
        ]

    def side(self, compacted: bool) -> Side:
        records = tuple(Rec(offset, *message, message[3] == STAMP) for offset, message in self.records)
        return Side(records, self.start, self.end, compacted, tuple(self.aborted))


@dataclass(frozen=True)
class Case:
    """Both sides of a partition, and offsets of a group on both; ``planted``: names of faults made on purpose."""

    source: Side
    target: Side
    group: tuple[int, int]
    planted: tuple[str, ...] = ()

    @property
    def stamped(self) -> bool:
        """The target's broker has set the timestamps."""
        return any(one.stamped for one in self.target.records)


def message(dice: Random, number: int, repeats: bool, keyed: bool) -> Message:
    key = dice.choice(KEYS[1:] if keyed and dice.random() < 0.95 else KEYS)
    value = dice.choice((None, b"", b"v", b"w")) if repeats or dice.random() < 0.2 else b"%d" % number
    return key, value, dice.choice(HEADERS) if dice.random() < 0.3 else (), BEGIN + (0 if repeats else number // 2)


def history(dice: Random, size: int, repeats: bool, keyed: bool) -> Written:
    """Some of it in transactions: markers and aborted records take offsets."""
    log = Written()
    while len(log.records) < size:
        transaction, aborted = dice.random() < 0.4, dice.random() < 0.3
        for _ in range(dice.randint(1, 4)):
            one = message(dice, log.end, repeats, keyed)
            if transaction and aborted:
                log.abort()
            else:
                log.append(one)
        if transaction:
            log.mark()
    return log


def copy(dice: Random, messages: Sequence[Message]) -> Written:
    """In transactions of the mirror; it was killed in some."""
    log, killed = Written(), dice.random() < 0.3
    for one in messages:
        for _ in range(dice.randint(1, 3) if killed and dice.random() < 0.2 else 0):
            log.abort()
        log.append(one)
        if dice.random() < 0.2:
            log.mark()
    return log


def at(dice: Random, some: list[Message]) -> int:
    return dice.randrange(len(some))


def swap(some: list[Message], one: int, other: int) -> None:
    some[one], some[other] = some[other], some[one]


def drop(some: list[Message], low: int, high: int) -> None:
    del some[low:high]


def change(some: list[Message], number: int, **parts: object) -> None:
    names = ("key", "value", "headers", "timestamp")
    given = dict(zip(names, some[number])) | parts
    some[number] = cast("Message", tuple(given[name] for name in names))


FOREIGN: Message = (b"a", b"foreign", (), BEGIN - 5)
#: Faults of a copy, made in the list of records that it consists of.
FAULTS: dict[str, Callable[[Random, list[Message]], None]] = {
    "one is lost": lambda dice, some: drop(some, n := at(dice, some), n + 1),
    "three are lost": lambda dice, some: drop(some, n := at(dice, some), n + 3),
    "the first are lost": lambda dice, some: drop(some, 0, dice.randint(1, 3)),
    "the last are lost": lambda dice, some: drop(some, len(some) - dice.randint(1, 3), len(some)),
    "all are lost": lambda _, some: some.clear(),
    "value changed": lambda dice, some: change(some, at(dice, some), value=b"WRONG"),
    "value null": lambda dice, some: change(some, at(dice, some), value=None),
    "value empty": lambda dice, some: change(some, at(dice, some), value=b""),
    "key changed": lambda dice, some: change(some, at(dice, some), key=b"other"),
    "key null": lambda dice, some: change(some, at(dice, some), key=None),
    "key empty": lambda dice, some: change(some, at(dice, some), key=b""),
    "key and value swapped": lambda dice, some: change(some, n := at(dice, some), key=some[n][1], value=some[n][0]),
    "header changed": lambda dice, some: change(some, at(dice, some), headers=(("h", b"2"),)),
    "headers reordered": lambda dice, some: change(some, n := at(dice, some), headers=some[n][2][::-1]),
    "timestamp": lambda dice, some: change(some, n := at(dice, some), timestamp=some[n][3] + 1),
    "one is there twice": lambda dice, some: some.insert(n := at(dice, some), some[n]),
    "one is there again, later": lambda dice, some: some.append(some[at(dice, some)]),
    "neighbours swapped": lambda dice, some: swap(some, n := at(dice, some), max(0, n - 1)),
    "two far from each other swapped": lambda dice, some: swap(some, at(dice, some), at(dice, some)),
    "foreign at the start": lambda _, some: some.insert(0, FOREIGN),
    "foreign in the middle": lambda dice, some: some.insert(at(dice, some), FOREIGN),
    "foreign at the end": lambda _, some: some.append(FOREIGN),
}


@st.composite
def cases(draw: st.DrawFn, size: int = 14) -> Case:
    """A pair of logs; in half of them nothing is wrong."""
    dice = Random(draw(st.integers(0, 2**48)))  # noqa: S311
    planted = draw(st.lists(st.sampled_from(sorted(FAULTS)), max_size=2)) if draw(st.booleans()) else []
    return made(dice, tuple(planted), draw(st.booleans()), draw(st.booleans()), size)


def made(dice: Random, planted: tuple[str, ...], repeats: bool, keyed: bool, size: int) -> Case:
    """``keyed``: one side at least is compacted."""
    compacted = (dice.random() < 0.8, dice.random() < 0.5) if keyed else (False, False)
    source = history(dice, dice.randint(0, size), repeats, keyed)
    if dice.random() < 0.2:
        source.delete(dice.randint(0, source.end))
    at_first = dice.randint(0, len(source.records))
    messages = [one for _, one in source.records[:at_first]]
    seen = source.records[at_first - 1][0] if at_first else -1
    if compacted[0] and dice.random() < 0.3:  # the cleaner works while the copy is made
        source.clean(dice.randint(0, source.end), dice.random() < 0.3)
    messages += [one for offset, one in source.records if offset > seen]
    for name in planted:
        if messages:
            FAULTS[name](dice, messages)
    stamped = dice.choice((0.5, 1)) if dice.random() < 0.15 else 0  # of the records; the setting may be newer than some
    target = copy(dice, [(*one[:3], STAMP) if dice.random() < stamped else one for one in messages])
    for log, cleaned in zip((source, target), compacted):
        if cleaned and dice.random() < 0.7:
            log.clean(dice.randint(0, log.end), dice.random() < 0.5)
    for log in (source, target):
        if dice.random() < 0.35:
            log.delete(dice.randint(0, log.end))
    group = (at_source(dice, source), offset(dice, target.start, target.end))
    return Case(source.side(compacted[0]), target.side(compacted[1]), group, planted)


def offset(dice: Random, start: int, end: int) -> int:
    """Return a group's offset: often in the head, which the other side may have deleted."""
    return dice.choice((start, dice.randint(start, min(start + 5, end)), dice.randint(start, end)))


def at_source(dice: Random, log: Written) -> int:
    """Return the same of the source; in some cases retention has passed it."""
    return dice.randint(0, log.start) if dice.random() < 0.15 else offset(dice, log.start, log.end)
