"""The audit finds every injected fault with its exact count, and nothing if nothing was injected."""

from __future__ import annotations

import dataclasses
import operator
import random
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from spark_jobs import aggregate, audit
from spark_jobs.record_format import (
    CHECKSUM,
    EVENT_MS,
    MIN_RECORD_BYTES,
    PAYLOAD_START,
    RUN_ID,
    SEQUENCE,
    STRIPE,
    Workload,
    encode,
)
from tests.unit.spark.kafka_log import EVENT_MS as EVENT
from tests.unit.spark.kafka_log import TIMES, Entry, KafkaLog, clean

WORKLOAD = Workload("run-a", 300, 100, 6, 2)
OTHER = Workload("run-b", 300, 100, 6, 2)
PLACE = operator.itemgetter("partition")
KEYS = 3 * WORKLOAD.keys_per_partition  # of a stripe
BITS = {
    "magic": 3,
    "run id": RUN_ID.start * 8 + 1,
    "stripe": STRIPE.start * 8,
    "number": (SEQUENCE.end - 1) * 8,
    "event time": EVENT_MS.start * 8,
    "checksum": CHECKSUM.start * 8,
    "payload": PAYLOAD_START * 8,
    "last byte": 99 * 8 + 1,
    "key's tag": 100 * 8,
    "key's number": 119 * 8,
}


def misplace(log: KafkaLog, sequence: int) -> None:
    log.change(sequence, lambda entry: dataclasses.replace(entry, partition=(entry.partition + 1) % 3))


def copy_elsewhere(log: KafkaLog, sequence: int) -> None:
    key, value = encode(WORKLOAD, sequence, EVENT)
    log.entries.append(Entry((WORKLOAD.partition_of(sequence) + 1) % 3, key, value))


def swap(log: KafkaLog, first: int, second: int) -> None:
    places = [
        next(n for n, entry in enumerate(log.entries) if entry.value and entry.value[26:38] == b"%012d" % sequence)
        for sequence in (first, second)
    ]
    one, two = (log.entries[place] for place in places)
    log.entries[places[0]], log.entries[places[1]] = two, one


def truncate(log: KafkaLog, sequence: int) -> None:
    log.change(sequence, lambda entry: dataclasses.replace(entry, value=(entry.value or b"")[:50]))


def restamp(log: KafkaLog, sequence: int, event_ms: int) -> None:
    """The same record, intact, made at another time."""
    key, value = encode(WORKLOAD, sequence, event_ms)
    log.change(sequence, lambda entry: dataclasses.replace(entry, key=key, value=value))


def another_tail(log: KafkaLog, sequence: int) -> None:
    """The same record with another number at its end, under a right checksum."""
    key, value = encode(WORKLOAD, sequence, EVENT)
    head, tail = value[: CHECKSUM.start], value[CHECKSUM.end : -1] + b"x"
    made = head + b"%010d" % zlib.crc32(key + head + tail) + tail
    log.change(sequence, lambda entry: dataclasses.replace(entry, value=made))


def corrupt_copy(log: KafkaLog) -> None:
    log.append(9)
    log.flip(9, 700)


def several_at_once(log: KafkaLog) -> None:
    log.drop(0, 1)
    log.append(5)
    log.flip(9, 600)
    misplace(log, 20)
    swap(log, 30, 30 + KEYS)


def add(log: KafkaLog, *entries: Entry) -> None:
    log.entries.extend(entries)


def of_other_run(*sequences: int) -> list[Entry]:
    return [Entry(OTHER.partition_of(sequence), *encode(OTHER, sequence, 0)) for sequence in sequences]


FAULTS: dict[str, tuple[Callable[[KafkaLog], None], dict[str, int]]] = {
    "nothing": (lambda _log: None, {}),
    "drops": (lambda log: log.drop(0, 7, 149, 150, 299), {"lost": 5, "read": 295}),
    "a whole key": (lambda log: log.drop(*range(1, 150, KEYS)), {"lost": 10, "read": 290}),
    "everything": (lambda log: log.entries.clear(), {"lost": 300, "read": 0}),
    "copies": (lambda log: log.append(3, 3, 77, 299), {"duplicated": 4, "read": 304}),
    "a swap within a key": (lambda log: swap(log, 10, 10 + KEYS), {"out_of_order": KEYS // 3}),
    "a swap of different keys": (lambda log: swap(log, 10, 13), {"out_of_order": 1}),
    "a swap of different writers": (lambda log: swap(log, 12, 162), {}),
    "a record that came late": (lambda log: log.move_to_end(0), {"out_of_order": 1}),
    "a record that came early": (lambda log: swap(log, 0, 5 * KEYS), {"out_of_order": 5 * KEYS // 3}),
    "another partition": (lambda log: misplace(log, 20), {"misplaced": 1}),
    "a copy in another partition": (
        lambda log: copy_elsewhere(log, 20),
        {"misplaced": 1, "duplicated": 1, "read": 301},
    ),
    "another number at the end, and its checksum": (lambda log: another_tail(log, 9), {"corrupt": 1}),
    "a value cut short": (lambda log: truncate(log, 9), {"corrupt": 1}),
    "a corrupt copy": (corrupt_copy, {"corrupt": 2, "duplicated": 1, "read": 301}),
    "a foreign header": (
        lambda log: log.change(9, lambda entry: dataclasses.replace(entry, headers=(("trace", None),))),
        {"foreign_headers": 1},
    ),
    "a time in the future": (lambda log: restamp(log, 9, EVENT + 10**8), {"odd_times": 1}),
    "another run": (lambda log: add(log, *of_other_run(1, 2, 3)), {"unexpected": 3, "other_runs": 3}),
    "tombstones": (
        lambda log: add(log, Entry(1, b"k", None), Entry(2, encode(WORKLOAD, 2, 0)[0], None)),
        {"unexpected": 2, "null_values": 2},
    ),
    "a value turned null": (
        lambda log: log.change(9, lambda entry: dataclasses.replace(entry, value=None)),
        {"lost": 1, "read": 299, "unexpected": 1, "null_values": 1},
    ),
    "strangers": (
        lambda log: add(log, Entry(0, None, b"hello"), Entry(1, b"", b""), Entry(2, None, b"\xff\xfe" * 90)),
        {"unexpected": 3},
    ),
    "a number out of range": (
        lambda log: add(log, Entry(0, *encode(dataclasses.replace(WORKLOAD, records=900), 600, 0))),
        {"corrupt": 1, "read": 301},
    ),
    "several at once": (
        several_at_once,
        {"lost": 2, "duplicated": 1, "corrupt": 1, "misplaced": 1, "out_of_order": 5, "read": 299},
    ),
}


@pytest.mark.parametrize(("inject", "expected"), FAULTS.values(), ids=FAULTS.keys())
def test_both_ways_of_the_audit_count_exactly_what_was_injected(
    spark: SparkSession, inject: Callable[[KafkaLog], None], expected: dict[str, int]
) -> None:
    log = KafkaLog.from_workload(WORKLOAD)
    inject(log)
    rows = [row.asDict() for row in audit.reconcile(log.judged(spark)).collect()]
    results = aggregate.per_partition(rows, WORKLOAD, log.spans(), {})
    assert aggregate.counts(results, rows, WORKLOAD.records) == {**clean(WORKLOAD), **expected}
    summary = [row.asDict() for row in audit.summarize(log.frame(spark), WORKLOAD, TIMES, log.spans()).collect()]
    quick = aggregate.flawless(summary, WORKLOAD, log.spans())
    assert (None if expected else sorted(rows, key=PLACE)) == (quick and sorted(quick, key=PLACE))


def test_a_flip_in_each_part_of_a_record_is_found_in_its_partition_by_both_ways(spark: SparkSession) -> None:
    """One in each partition, but for the last two, which alone are proven in one pass."""
    workload = Workload("run-a", 300, 100, len(BITS) + 2, 2)
    first = {workload.partition_of(sequence): sequence for sequence in reversed(range(workload.records))}
    log = KafkaLog.from_workload(workload)
    for partition, bit in enumerate(BITS.values()):
        log.flip(first[partition], bit)
    rows = [row.asDict() for row in audit.reconcile(log.judged(spark)).collect()]
    results = aggregate.per_partition(rows, workload, log.spans(), {})
    assert aggregate.counts(results, rows, workload.records) == {**clean(workload), "corrupt": len(BITS)}
    assert [one["corrupt"] for one in sorted(results, key=PLACE)] == [1] * len(BITS) + [0, 0]
    summary = [row.asDict() for row in audit.summarize(log.frame(spark), workload, TIMES, log.spans()).collect()]
    assert aggregate.proven(summary, workload, log.spans()) == {len(BITS), len(BITS) + 1}


def test_a_run_behind_older_records_of_its_topic_is_proven_in_one_pass(spark: SparkSession) -> None:
    log = KafkaLog.from_workload(WORKLOAD)
    before = {partition: 5 + 7 * partition for partition in log.spans()}
    shifted = F.col("offset") + 5 + 7 * F.col("partition")
    spans = {one: (before[one], before[one] + end) for one, (_, end) in log.spans().items()}
    frame = log.frame(spark).withColumn("offset", shifted)
    summary = [row.asDict() for row in audit.summarize(frame, WORKLOAD, TIMES, spans).collect()]
    assert aggregate.proven(summary, WORKLOAD, spans) == set(spans)
    assert sum(row["visible"] for row in summary) == WORKLOAD.records
    spans[2] = (spans[2][0] - 1, spans[2][1] - 1)
    summary = [row.asDict() for row in audit.summarize(frame, WORKLOAD, TIMES, spans).collect()]
    assert aggregate.proven(summary, WORKLOAD, spans) == set(spans) - {2}


def test_a_latency_is_cut_to_two_digits(spark: SparkSession) -> None:
    some = [0, 9, 99, 100, 12_345, 99_999, 100_000, 123_456, 10**12 + 7, 987_654_321_012]
    wanted: dict[int | None, int | None] = {None: None}
    for ms in some:
        short = int(str(ms)[:2] + "0" * len(str(ms)[2:]))
        wanted |= {ms: short, -ms: -short}
    frame = spark.createDataFrame([(ms,) for ms in wanted], "ms long").select("ms", audit._cut("ms").alias("cut"))
    assert {row["ms"]: row["cut"] for row in frame.collect()} == wanted


def test_holes_in_the_offsets_are_not_losses(spark: SparkSession) -> None:
    log = KafkaLog.from_workload(WORKLOAD)
    log.entries = [dataclasses.replace(entry, offset=7 * n) for n, entry in enumerate(log.entries)]
    assert log.counts(spark) == clean(WORKLOAD)


def test_a_flip_of_any_bit_is_one_corrupt_record_and_nothing_else(spark: SparkSession) -> None:
    """A sample of all bits of key and value, one in each of many records."""
    log = KafkaLog.from_workload(WORKLOAD)
    chance = random.Random(7)  # noqa: S311  (damage, not secrets)
    bits = chance.sample(range(8 * 120), 200)
    for sequence, bit in enumerate(bits):
        log.flip(sequence, bit)
    assert log.counts(spark) == {**clean(WORKLOAD), "corrupt": 200}


def test_the_smallest_record_still_tells_which_one_it_was(spark: SparkSession) -> None:
    smallest = dataclasses.replace(WORKLOAD, record_bytes=MIN_RECORD_BYTES)
    log = KafkaLog.from_workload(smallest)
    for sequence in range(0, 300, 2):
        log.flip(sequence, 8 * SEQUENCE.start + sequence % (8 * SEQUENCE.length))
    assert log.counts(spark) == {**clean(smallest), "corrupt": 150}


def same_order_after(workload: Workload, sequence: int) -> range:
    stripe = workload.stripe_of(sequence)
    width = len(workload.partitions_of(stripe))
    return range(sequence + width, workload.range_of(stripe).stop, width)


def oracle(log: KafkaLog) -> dict[str, int]:
    """The same account, the slow and obvious way; no corruption."""
    w = log.workload
    seen: dict[int, list[tuple[int, int]]] = {}
    for _key, value, partition, offset, *_ in log.rows():
        seen.setdefault(int(value[26:38]), []).append((partition, offset))
    right = {s: sorted(offset for p, offset in places if p == w.partition_of(s)) for s, places in seen.items()}
    firsts = {s: offsets[0] for s, offsets in right.items() if offsets}
    behind = [s for s in firsts if any(firsts.get(later, firsts[s]) < firsts[s] for later in same_order_after(w, s))]
    return {
        "lost": w.records - len(seen),
        "duplicated": sum(len(places) - 1 for places in seen.values()),
        "out_of_order": len(behind),
        "misplaced": sum(p != w.partition_of(s) for s, places in seen.items() for p, _ in places),
    }


@pytest.mark.parametrize("seed", range(4))
def test_the_audit_agrees_with_a_slow_account_of_random_damage(spark: SparkSession, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    workload = Workload("random", chance.randint(50, 400), 100, chance.randint(1, 5), chance.randint(1, 4))
    log = KafkaLog.from_workload(workload)
    log.drop(*chance.sample(range(workload.records), 15))
    log.append(*(chance.randrange(workload.records) for _ in range(10)))
    for _ in range(20):
        start = chance.randrange(len(log.entries) - 5)
        log.entries[start], log.entries[start + 4] = log.entries[start + 4], log.entries[start]
    for place in chance.sample(range(len(log.entries)), 5):
        entry = log.entries[place]
        log.entries[place] = dataclasses.replace(entry, partition=(entry.partition + 1) % workload.partitions)
    found: dict[str, Any] = dict(log.counts(spark))
    assert {name: found[name] for name in oracle(log)} == oracle(log)
    assert found["corrupt"] == 0
