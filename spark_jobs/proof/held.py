"""Partitions whose records are in memory, as numbers: for the law, and for a closer look."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spark_jobs.kafka_io import Window
from spark_jobs.proof.alignment import Pair
from spark_jobs.proof.law import SOURCE, TARGET, Log, Row
from spark_jobs.proof.pairing import Record
from spark_jobs.proof.unmatched_records import Details


class Held(NamedTuple):
    """A record. ``whole``: all that is compared; ``value``: null if the record's is; ``stamped``: by its broker."""

    offset: int
    whole: int
    key: int
    value: int | None
    headers: int
    timestamp: int
    keyless: bool
    stamped: bool


@dataclass(frozen=True)
class HeldReader:
    """``record_by_record.Reader`` of one partition, whose records of both sides are here.

    ``hidden``: by side the offsets of aborted records, in order, if that side is compacted.
    """

    sides: tuple[Sequence[Held], Sequence[Held]]
    number: int
    hidden: tuple[Sequence[int], Sequence[int]] = ((), ())

    def records(self, windows: Sequence[Window]) -> list[list[Record]]:
        return [
            [
                Record(one.offset, one.whole)
                for one in held
                if window.starts[self.number] <= one.offset < window.ends[self.number]
            ]
            for held, window in zip(self.sides, windows)
        ]

    def details(self, side: int, offsets: Sequence[int]) -> dict[int, Details]:
        wanted = set(offsets)
        return {
            one.offset: Details(one.key, one.value, one.headers, one.timestamp, one.keyless)
            for one in self.sides[side]
            if one.offset in wanted
        }

    def originals(self, wholes: Collection[int]) -> dict[int, int]:
        return {one.whole: one.offset for one in reversed(self.sides[SOURCE]) if one.whole in wholes}

    def extents(self, side: int, keys: Collection[int]) -> dict[int, Pair]:
        found: dict[int, Pair] = {}
        for one in self.sides[side]:
            if one.key in keys:
                found[one.key] = (found.get(one.key, (one.offset, 0))[0], one.offset)
        return found

    def aborted(self, side: int) -> Sequence[int]:
        return self.hidden[side]


def log(reader: HeldReader, side: int, window: Window, compacted: bool) -> Log:
    """Return one side of the partition, for the law."""
    rows = [
        Row(one.offset, one.whole, None if one.keyless else one.key, one.value is None) for one in reader.sides[side]
    ]
    return Log(rows, window.starts[reader.number], window.ends[reader.number], compacted, reader.hidden[side])


def wrong_timestamps(reader: HeldReader, pairs: Sequence[Pair]) -> list[Pair]:
    """Return pairs whose timestamps differ, although no broker of the target has set them."""
    here, there = ({one.offset: one for one in reader.sides[side]} for side in (SOURCE, TARGET))
    return [
        (mine, theirs)
        for mine, theirs in pairs
        if not there[theirs].stamped and here[mine].timestamp != there[theirs].timestamp
    ]
