"""The account of a deployment by the law's text alone: a count in plain Python, without the code of the audit.

Each partition of one log is a separate case: its writers, its faults, its order. So one Spark job checks many cases.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle
from typing import Any

from hypothesis import strategies as st
from pyspark.sql import SparkSession

from spark_jobs import aggregate, audit
from spark_jobs.record_format import Workload, encode
from tests.unit.spark.kafka_log import EVENT_MS, TIMES, Entry, KafkaLog, flipped

CASES = 100
WORKLOAD = Workload("oracle", CASES * 24, 100, CASES, 3)
STRANGER = Workload("stranger", WORKLOAD.records, 100, CASES, 3)
KINDS = ("drop", "copy", "late", "early", "flip", "cut", "null", "header", "time", "move", "foreign", "stranger", "far")
OURS = ("intact", "corrupt")
STRIPES = 9  # of three writers, for 100 partitions: at most twelve in each
Log = list[Entry]
Plans = list[list[tuple[str, int, int]]]  # of each case: kind, place, more


def strange(kind: str, more: int) -> Entry:
    """A record that the run did not write, of no run, of another one, or with a number beyond the run's."""
    if kind == "foreign":
        return Entry(0, None, bytes([more % 256]) * (more % 150))
    if kind == "stranger":
        return Entry(0, *encode(STRANGER, more, 0))
    return Entry(0, *encode(replace(WORKLOAD, records=WORKLOAD.records * 9), WORKLOAD.records + more, EVENT_MS))


def damaged(log: Log, kind: str, place: int, more: int) -> Log:
    """The log of one partition after one fault at `place`; `more` chooses a bit, a distance or a partition."""
    at = place % len(log) if log else 0
    if kind in ("foreign", "stranger", "far") or not log:
        return [*log[:at], strange(kind, more), *log[at:]]
    one, rest = log[at], log[:at] + log[at + 1 :]
    if kind == "drop":
        return rest
    if kind in ("late", "early"):
        to = min(at + 1 + more % 5, len(rest)) if kind == "late" else max(at - 1 - more % 5, 0)
        return [*rest[:to], one, *rest[to:]]
    if kind == "copy":
        to = min(at + 1 + more % 9, len(log))
        return [*log[:to], one, *log[to:]]
    return [*log[:at], changed(one, kind, more), *log[at + 1 :]]


def changed(one: Entry, kind: str, more: int) -> Entry:
    """Return one record after a random fault."""
    value = one.value or b""
    if kind == "flip" and one.value and one.key:
        return flipped(one, more % (8 * (len(one.value) + len(one.key))))
    if kind == "time" and value[26:38].isdigit() and int(value[26:38]) < WORKLOAD.records:
        key, value = encode(WORKLOAD, int(value[26:38]), EVENT_MS + (1 if more % 2 else -1) * 10**7)
        return replace(one, key=key, value=value)
    given: dict[str, Any] = {
        "cut": {"value": value[: more % 100]},
        "null": {"value": None},
        "header": {"headers": (("trace", None),)},
        "move": {"partition": 1 + more % (CASES - 1)},
    }
    return replace(one, **given.get(kind, {}))


def places() -> dict[int, int]:
    """Return the partition of each number. Each stripe gives its numbers to its partitions in turn."""
    found: dict[int, int] = {}
    for stripe in range(STRIPES):
        numbers, own = (
            range(stripe * whole // STRIPES, (stripe + 1) * whole // STRIPES) for whole in (WORKLOAD.records, CASES)
        )
        found.update(zip(numbers, cycle(own)))
    return found


HOME = places()
FAULT = st.tuples(st.sampled_from(KINDS), st.integers(0, 40), st.integers(0, 2000))
PLANS = st.lists(st.lists(FAULT, min_size=1, max_size=4), min_size=CASES, max_size=CASES)


def planted(plans: Plans) -> KafkaLog:
    whole, logs = KafkaLog.from_workload(WORKLOAD), defaultdict[int, Log](list)
    for entry in whole.entries:
        logs[entry.partition].append(replace(entry, partition=0))
    for case, faults in enumerate(plans):
        for kind, place, more in faults:
            logs[case] = damaged(logs[case], kind, place, more)
    placed = [(case, entry) for case, log in sorted(logs.items()) for entry in log]
    whole.entries = [replace(entry, partition=(case + entry.partition) % CASES) for case, entry in placed]
    return whole


def digits(value: bytes, start: int) -> int | None:
    part = value[start : start + 12] if start >= 0 else b""
    return int(part) if len(part) == 12 and part.isdigit() else None


def number_of(entry: Entry) -> tuple[str, int | None]:
    """Return a record's kind and number: the one that both ends name, or that payload or key confirm."""
    value, key = entry.value, entry.key or b""
    if value is None:
        return "null", None
    tag = f"{zlib.crc32(b'oracle'):08x}-".encode()
    if not value.startswith(b"kw1 oracle          ") and not key.startswith(tag):
        return ("other" if value.startswith(b"kw1 ") else "foreign"), None
    front, back = digits(value, 26), digits(value, 88)
    for number in (front, back):
        usable = number is not None and number < WORKLOAD.records and value[39:52].isdigit()
        if number is not None and usable and (key, value) == encode(WORKLOAD, number, int(value[39:52])):
            return "intact", number
    known = [n if n is not None and n < WORKLOAD.records else None for n in (front, back)]
    for number in known:
        if number is not None and (front == back or value[64:87] == encode(WORKLOAD, number, 0)[1][64:87]):
            return "corrupt", number
    if known[0] is not None and key == WORKLOAD.key_of(known[0]):
        return "corrupt", known[0]
    return "corrupt", None


def law(log: KafkaLog) -> tuple[dict[int, Counter[str]], set[tuple[str, int, int]]]:
    """By partition the counts, and kind, partition and offset of each record with a fault."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    faults: set[tuple[str, int, int]] = set()
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    ends: Counter[int] = Counter()
    for entry in log.entries:
        partition, offset = entry.partition, ends[entry.partition]
        ends[partition] += 1
        kind, number = number_of(entry)
        counts[partition]["unexpected"] += kind not in OURS
        faults |= {(one, partition, offset) for one in of_itself(entry, kind, number)}
        if number is not None:
            found[number].append((partition, offset))
    for number in range(WORKLOAD.records):
        counts[HOME[number]]["lost"] += number not in found  # in whatever partition
    faults |= set(copies_and_order(found))
    for kind, partition, _ in faults:
        counts[partition][kind] += 1
    return counts, faults


def of_itself(entry: Entry, kind: str, number: int | None) -> Iterator[str]:
    """The faults that need no other record."""
    if kind == "corrupt":
        yield kind
    if kind in OURS and entry.headers:
        yield "foreign_headers"
    if kind == "intact" and not TIMES[0] <= int((entry.value or b"")[39:52]) <= TIMES[1]:
        yield "odd_times"
    if number is not None and entry.partition != HOME[number]:
        yield "misplaced"


def copies_and_order(found: dict[int, list[tuple[int, int]]]) -> Iterator[tuple[str, int, int]]:
    """Further copies, and first copies behind a later number in their partition."""
    firsts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, places in found.items():
        here = sorted(offset for partition, offset in places if partition == HOME[number])
        elsewhere = sorted(place for place in places if place[0] != HOME[number])
        ordered = [(HOME[number], offset) for offset in here] + elsewhere
        yield from (("duplicated", *place) for place in ordered[1:])
        firsts[HOME[number]] += [(number, offset) for offset in here[:1]]
    for partition, run in firsts.items():
        for number, offset in run:
            if any(later > number and earlier < offset for later, earlier in run):
                yield "out_of_order", partition, offset


def summarized(log: KafkaLog) -> list[dict[str, Any]]:
    """The one pass of the audit in plain Python: a row for each record without a fault, at its own offset."""
    rows: list[dict[str, Any]] = []
    ends, seen = Counter[int](), {number: place for place, number in places_in_order()}
    for entry in log.entries:
        partition, offset = entry.partition, ends[entry.partition]
        ends[partition] += 1
        kind, number = number_of(entry)
        faults = kind != "intact" or list(of_itself(entry, kind, number))
        if number is not None and not faults and offset == seen[number]:
            rows.append({"partition": partition, "visible": 1, "offsets": offset, "offset_sum": offset})
    return rows


def places_in_order() -> Iterator[tuple[int, int]]:
    """Place and number: how many smaller numbers the same partition has."""
    before: Counter[int] = Counter()
    for number in range(WORKLOAD.records):
        yield before[HOME[number]], number
        before[HOME[number]] += 1


def sound(log: KafkaLog) -> set[int]:
    """By the law, the partitions without any fault, which hold all their numbers."""
    counts, faults = law(log)
    bad = {partition for _, partition, _ in faults} | {case for case in range(CASES) if counts[case]["unexpected"]}
    held = {(entry.partition, number_of(entry)[1]) for entry in log.entries}
    return {case for case in range(CASES) if case not in bad} - {
        home for number, home in HOME.items() if (home, number) not in held
    }


def agree(spark: SparkSession, plans: Plans) -> int:
    """Compare the audit's counts and named records with the law; returns the number of cases with a fault."""
    log = planted(plans)
    judged = log.judged(spark).cache()
    rows: list[dict[str, Any]] = [row.asDict() for row in audit.reconcile(judged).collect()]
    results = aggregate.per_partition(rows, WORKLOAD, log.spans(), {})
    counts, faults = law(log)
    names = ("lost", "corrupt", "misplaced", "foreign_headers", "unexpected", "duplicated", "out_of_order")
    for result in results:
        case = result["partition"]
        assert {name: result[name] for name in names} == {name: counts[case][name] for name in names}, plans[case]  # type: ignore[literal-required]
    named = audit.first_faults(judged, 10**6).collect()
    assert {(row["kind"], row["partition"], row["offset"]) for row in named} == faults
    summary = [row.asDict() for row in audit.summarize(log.frame(spark), WORKLOAD, TIMES, log.spans()).collect()]
    assert aggregate.proven(summary, WORKLOAD, log.spans()) == sound(log)
    judged.unpersist()
    return sum(any(counts[case][name] for name in names) for case in range(CASES))
