"""The probe's account by the law's text alone: a count in plain Python, without the code of the account.

Each partition is a separate case with its own producer: its log, the content of the topic, and faults.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from pyspark.sql import SparkSession

from spark_jobs.probe import audit, reconcile, verdict
from spark_jobs.probe.client import EVENTS
from spark_jobs.probe.events import ACK, EPOCH, FAILED, RECEIPT, RETRY, SEND, Event, write_part
from spark_jobs.probe.records import encode

RUN, BYTES = "20261122T000000", 100
MS = 1000
KAFKA = "key binary, value binary, partition int, offset long"
PARTS = 3  # files of a log
FAULTS = (
    *(
        "not held",
        "again",
        "later",
        "earlier",
        "elsewhere",
        "flipped",
        "cut",
        "null",
        "foreign",
        "stranger",
        "unlogged",
    ),
    *("unanswered", "given up", "given up and held", "not sent", "not received", "received twice", "late answer"),
    *("epoch", "foreign epoch", "retry"),
)
BAD = ("lost", "duplicated", "reordered", "misplaced")
Key = tuple[int, int]  # partition and sequence of a record


@dataclass
class Case:
    """One partition: events by record, and values with the partition that holds them, in the order of the log."""

    partition: int
    logged: dict[int, dict[str, list[int]]] = field(default_factory=dict)
    more: list[Event] = field(default_factory=list)
    held: list[tuple[int, bytes | None]] = field(default_factory=list)

    @property
    def source(self) -> str:
        return f"producer-{self.partition}"

    def events(self) -> list[Event]:
        return [
            Event(kind, at, self.source if kind != RECEIPT else "consumer-0", self.partition, number)
            for number, kinds in self.logged.items()
            for kind, times in kinds.items()
            for at in times
        ] + self.more


def worked(partition: int, size: int) -> Case:
    """Everything went well: a record each 10 ms, answered after 4."""
    case = Case(partition)
    for number in range(size):
        at = number * 10 * MS
        case.logged[number] = {SEND: [at], ACK: [at + 4 * MS], RECEIPT: [at + 8 * MS]}
        case.held.append((partition, encode(RUN, partition, number, BYTES)))
    return case


def made(dice: Random, partition: int, partitions: int) -> tuple[Case, list[str]]:
    case = worked(partition, dice.randint(0, 12))
    planted = dice.choices(FAULTS, k=dice.choice((0, 0, 1, 2, 3)))
    for kind in planted:
        content(case, kind, dice, partitions)
        log(case, kind, dice)
    return case, planted


def content(case: Case, kind: str, dice: Random, partitions: int) -> None:
    """Plant a fault in the topic."""
    at = dice.randrange(len(case.held)) if case.held else 0
    strange = {
        "foreign": bytes([dice.randrange(256)]) * dice.randrange(120),
        "stranger": encode("another", case.partition, at, BYTES),
        "unlogged": encode(RUN, case.partition, 20 + at, BYTES),
    }
    if kind in strange:
        case.held.insert(at, (case.partition, strange[kind]))
    if not case.held:
        return
    place, value = one = case.held[at]
    if kind in ("not held", "later", "earlier"):
        del case.held[at]
    if kind in ("later", "earlier", "again"):
        low, high = (0, at) if kind == "earlier" else (at, len(case.held))
        case.held.insert(dice.randint(low, high), one)
    changed: dict[str, tuple[int, bytes | None]] = {
        "elsewhere": (dice.randrange(partitions), value),
        "flipped": (place, flipped(value or b"-", dice)),
        "cut": (place, (value or b"")[: dice.randrange(BYTES)]),
        "null": (place, None),
    }
    if kind in changed:
        case.held[at] = changed[kind]


def flipped(value: bytes, dice: Random) -> bytes:
    damaged = bytearray(value)
    damaged[dice.randrange(len(damaged))] ^= 1 << dice.randrange(8)
    return bytes(damaged)


def log(case: Case, kind: str, dice: Random) -> None:
    """Plant a fault in the probe's log."""
    if not case.logged:
        return
    number = dice.choice(list(case.logged))
    one = case.logged[number]
    at = number * 10 * MS
    if kind in ("unanswered", "given up", "given up and held"):
        one.pop(ACK, None)
    if kind in ("given up", "given up and held"):
        one[FAILED] = [at + dice.choice((3, 30)) * MS]
    if kind == "given up":
        case.held = [held for held in case.held if held[1] != encode(RUN, case.partition, number, BYTES)]
    if kind == "late answer" and ACK in one:
        one[ACK] = [at + 60 * MS]
    if kind == "received twice":
        one[RECEIPT] = [at + 8 * MS, at + 90 * MS]
    one.pop({"not sent": SEND, "not received": RECEIPT}.get(kind, ""), None)
    moment = at + dice.choice((-1, 0, 2, 4, 5, 30)) * MS
    whose = {"epoch": case.source, "foreign epoch": "producer-none"}.get(kind)
    if whose:
        case.more.append(Event(EPOCH, moment, whose))
        if dice.random() < 0.7 and case.held:  # its producer sent it once more
            case.held.append((case.partition, encode(RUN, case.partition, number, BYTES)))
    if kind == "retry":
        case.more.append(Event(RETRY, moment, case.source, case.partition, detail="x"))


def law(cases: list[Case]) -> tuple[dict[int, Counter[str]], set[Key]]:
    """By partition the counts; and the lost records."""
    places: dict[Key, list[tuple[int, int]]] = defaultdict(list)
    for place, offset, value in rows(cases):
        key = number_of(value or b"")
        if key:
            places[key].append((place, offset))
    logged = {(case.partition, number): kinds for case in cases for number, kinds in case.logged.items() if kinds}
    epochs = {
        case.source: [one.at_us for one in case.more if one.kind == EPOCH and one.source == case.source]
        for case in cases
    }
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    lost = set()
    for key in places.keys() | logged.keys():
        found = one_record(key, places[key], logged.get(key, {}), epochs.get(f"producer-{key[0]}", []))
        counts[key[0]].update(found)
        lost |= {key} if found["lost"] else set()
    for partition, behind in reordered(places).items():
        counts[partition]["reordered"] += behind
    return counts, lost


def number_of(value: bytes) -> Key | None:
    """Return partition and number of a record that is byte for byte as it was sent; a bit may make it another one."""
    digits = (value[21:26], value[27:39])
    if not all(part.isdigit() for part in digits):
        return None
    partition, number = map(int, digits)
    return (partition, number) if value == encode(RUN, partition, number, BYTES) else None


def one_record(
    key: Key, places: list[tuple[int, int]], logged: dict[str, list[int]], epochs: list[int]
) -> dict[str, int]:
    sent, acked, failed = (logged.get(kind, []) for kind in (SEND, ACK, FAILED))
    answered = (acked or failed or [2**62])[0]
    again = bool(sent) and any(sent[0] <= at <= answered for at in epochs)
    more = max(0, len(places) - 1)
    resent = min(1, more) if again else 0
    receipts = len(logged.get(RECEIPT, []))
    return {
        "sent": bool(sent),
        "acked": bool(acked),
        "failed": bool(failed),
        "unanswered": bool(sent) and not acked and not failed,
        "lost": bool(acked) and not places,
        "duplicated": more - resent,
        "resent": resent,
        "misplaced": sum(place != key[0] for place, _ in places),
        "unlogged": bool(places) and not sent and not acked,
        "received": bool(acked) and receipts > 0,
        "redelivered": max(0, receipts - 1),
    }


def reordered(places: dict[Key, list[tuple[int, int]]]) -> Counter[int]:
    """First copies in their partition behind the first copy of a later record of that partition."""
    firsts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (partition, number), held in places.items():
        firsts[partition] += (
            [(number, min(offset for place, offset in held if place == partition))]
            if any(place == partition for place, _ in held)
            else []
        )
    return Counter(
        {
            partition: sum(any(later > number and before < at for later, before in run) for number, at in run)
            for partition, run in firsts.items()
        }
    )


def rows(cases: list[Case]) -> list[tuple[int, int, bytes | None]]:
    """Partition, offset and value of all that the topic holds."""
    ends: Counter[int] = Counter()
    found = []
    for case in cases:
        for place, value in case.held:
            found.append((place, ends[place], value))
            ends[place] += 1
    return found


def agree(spark: SparkSession, directory: Path, seed: int, size: int) -> Counter[str]:
    """Compare the account with the law, by partition; returns the outcomes."""
    dice = Random(seed)  # noqa: S311
    pairs = [made(dice, number, size) for number in range(size)]
    cases = [case for case, _ in pairs]
    (directory / EVENTS).mkdir(parents=True)
    events = [event for case in cases for event in case.events()]
    for part in range(PARTS):
        write_part(directory / EVENTS / f"part-{part}.parquet", events[part::PARTS])
    kafka = [(None, value, place, offset) for place, offset, value in rows(cases)]
    found = reconcile.content(spark.createDataFrame(kafka, KAFKA), RUN, BYTES).cache()
    read = audit.read_events(spark, directory)
    judged = reconcile.outcomes(reconcile.records(read), found, reconcile.epochs(read)).cache()
    behind = {row["partition"]: row["reordered"] for row in reconcile.reordered(found).collect()}
    counts, lost = law(cases)
    results: dict[int, dict[str, Any]] = {
        row["partition"]: {**row.asDict(), "reordered": behind.get(row["partition"], 0)}
        for row in reconcile.by_partition(judged).collect()
    }
    assert results.keys() == counts.keys()
    outcomes: Counter[str] = Counter()
    for partition, row in results.items():
        expected = {name: counts[partition][name] for name in row if name != "partition"}
        planted = pairs[partition][1] if partition < size else []
        assert {name: row[name] for name in expected} == expected, (seed, partition, planted)
        good = expected["acked"] and not any(expected[name] for name in BAD)
        assert verdict.outcome(verdict.totals([row])) == (verdict.PROVEN if good else verdict.FAILED)
        outcomes["proven" if good else "failed"] += 1
    named = {(row["partition"], row["sequence"]) for row in reconcile.lost_examples(judged, 10**6).collect()}
    assert named == lost
    found.unpersist()
    judged.unpersist()
    return outcomes
