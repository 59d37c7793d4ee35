"""The numbering of a run's records, and their bytes."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jobs.record_format import (
    CHECKSUM,
    KEY_LENGTH,
    MIN_RECORD_BYTES,
    SEQUENCE,
    STRIPE_WIDTH,
    Workload,
    encode,
)

workloads = st.builds(
    Workload,
    run_id=st.just("run-1"),
    records=st.integers(1, 5000),
    record_bytes=st.integers(MIN_RECORD_BYTES, 300),
    partitions=st.integers(1, 40),
    writers=st.integers(1, 30),
)


def test_a_record_reads_as_documented() -> None:
    key, value = encode(Workload("run-1", 200_000, 100, 6, 4), 77_777, 1_795_228_541_053)
    assert key == b"2a6ca8e3-0001-000077"
    assert value.startswith(b"kw1 run-1            0001 000000077777 1795228541053 ")
    assert value.endswith(b" 000000077777")
    assert (len(key), len(value)) == (KEY_LENGTH, 100)


def test_the_checksum_is_that_of_everything_else() -> None:
    key, value = encode(Workload("run-1", 10, 120, 2, 1), 3, 1_795_228_541_053)
    rest = value[: CHECKSUM.start] + value[CHECKSUM.end :]
    assert int(value[CHECKSUM.start : CHECKSUM.end]) == zlib.crc32(key + rest)


@given(workloads)
def test_every_sequence_has_one_stripe(workload: Workload) -> None:
    ranges = [workload.range_of(stripe) for stripe in range(workload.stripes)]
    assert [sequence for numbers in ranges for sequence in numbers] == list(range(workload.records))
    assert all(workload.stripe_of(sequence) == n for n, numbers in enumerate(ranges) for sequence in numbers)


@given(workloads)
def test_every_partition_has_one_writer_which_fills_it_in_the_order_of_its_numbers(workload: Workload) -> None:
    writers: dict[int, set[int]] = {}
    numbers: dict[int, list[int]] = {}
    for sequence in range(workload.records):
        writers.setdefault(workload.partition_of(sequence), set()).add(workload.writer_of(sequence))
        numbers.setdefault(workload.partition_of(sequence), []).append(sequence)
    assert all(len(own) == 1 for own in writers.values())
    assert {writer for own in writers.values() for writer in own} == set(range(workload.tasks))
    assert all(found == list(workload.numbers_in(partition)) for partition, found in numbers.items())
    assert sum(map(workload.expected_in, range(workload.partitions))) == workload.records


@given(workloads)
def test_a_writer_fills_few_partitions_at_a_time(workload: Workload) -> None:
    widths = [len(workload.partitions_of(stripe)) for stripe in range(workload.stripes)]
    assert sum(widths) == workload.partitions
    assert min(widths) >= 1
    assert max(widths) <= STRIPE_WIDTH or workload.stripes + workload.tasks > workload.records
    assert max(widths) - min(widths) <= 1
    assert workload.filled_at_once == workload.tasks * max(widths)


@given(workloads)
def test_a_key_belongs_to_one_stripe_and_one_partition(workload: Workload) -> None:
    owners: dict[bytes, set[tuple[int, int]]] = {}
    for sequence in range(workload.records):
        owner = (workload.stripe_of(sequence), workload.partition_of(sequence))
        owners.setdefault(workload.key_of(sequence), set()).add(owner)
    assert all(len(places) == 1 for places in owners.values())
    assert len(owners) == workload.keys


@given(workloads)
def test_the_expected_numbers_of_all_partitions_are_all_records(workload: Workload) -> None:
    expected = [workload.expected_in(partition) for partition in range(workload.partitions)]
    assert sum(expected) == workload.records
    shares = [
        workload.records / workload.stripes / len(own) for own in map(workload.partitions_of, range(workload.stripes))
    ]
    assert min(shares) - 1 < min(expected) <= max(expected) < max(shares) + 1


@given(workloads, st.data())
def test_a_record_has_the_length_asked_for(workload: Workload, data: st.DataObject) -> None:
    sequence = data.draw(st.integers(0, workload.records - 1))
    _key, value = encode(workload, sequence, 1_795_228_541_053)
    assert len(value) == workload.record_bytes
    assert int(value[SEQUENCE.start : SEQUENCE.end]) == int(value[-SEQUENCE.length :]) == sequence


@pytest.mark.parametrize(("records", "keys"), [(10, 6), (1000, 96), (200_000, 300)])
def test_there_are_enough_records_for_each_key_and_enough_keys(records: int, keys: int) -> None:
    assert Workload("run-1", records, 100, 6, 4).keys == keys
