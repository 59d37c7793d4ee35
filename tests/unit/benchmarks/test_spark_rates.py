"""The output of Kafka's tools is parsed correctly, and Spark's rates are compared with theirs."""

from __future__ import annotations

import pytest

from benchmarks.lab import FailedError
from benchmarks.native import read_rate, sent_rate
from benchmarks.spark import rows

PRODUCED = """61441 records sent, 12288.2 records/sec (1.17 MB/sec), 712.0 ms avg latency, 1011.0 ms max latency.
500000 records sent, 64935.06 records/sec (6.19 MB/sec), 300.12 ms avg latency, 1011.00 ms max latency, 300 ms 50th.
"""
CONSUMED = """start.time, end.time, data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, nMsg.sec, rebalance.time.ms, \
fetch.time.ms, fetch.MB.sec, fetch.nMsg.sec
2026-11-21 20:00:00:000, 2026-11-21 20:00:05:000, 57.2, 11.4, 500000, 100000.0, 3000, 2000, 28.6, 250000.0
"""


def test_the_producers_rate_is_that_of_the_whole_run() -> None:
    assert sent_rate(PRODUCED) == 64935.06


def test_the_consumers_rate_leaves_out_the_forming_of_the_group() -> None:
    assert read_rate(CONSUMED) == 250000.0


@pytest.mark.parametrize("output", ["", "WARN nothing, at all", CONSUMED.splitlines()[0]])
def test_an_output_without_a_rate_is_an_error(output: str) -> None:
    for parse in (sent_rate, read_rate):
        with pytest.raises(FailedError, match="said nothing of a rate"):
            parse(output)


def test_a_consumer_that_read_nothing_is_an_error() -> None:
    with pytest.raises(FailedError, match="read nothing"):
        read_rate(CONSUMED.replace("250000.0", "0.0"))


def test_cold_and_warm_rounds_are_apart() -> None:
    rates = {"native read": [100.0, 200.0, 200.0], "Spark read": [20.0, 180.0, 160.0], "audit": [10.0, 30.0, 30.0]}
    native, read, audit = rows(rates)
    assert native == ["native read", "100/s", "200 (200 to 200)", "-", "-", "-"]
    assert read[1:5] == ["20/s", "170 (160 to 180)", "0.20", "0.85 (0.80 to 0.90)"]
    assert (read[5], audit[5]) == ("≥ 0.8 of native read: kept", "≥ 0.75 of Spark read: **missed**")
