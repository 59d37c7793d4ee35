"""The steady client beside the start of Spark: its numbers, and how it and the job agree about its end."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import Producer

from spark_jobs import steady
from spark_jobs.record_format import MIN_RECORD_BYTES, Workload, encode
from spark_jobs.steady import FEWEST, RESULT, RUNNING, Times

FOUND: Any = {"p50_ms": 1.0}


def config(directory: Path, run_id: str = "ours") -> Any:
    return SimpleNamespace(output_dir=directory, run_id=run_id)


def test_percentiles_are_those_of_the_nearest_rank() -> None:
    seconds = [one / 1000 for one in range(200, 0, -1)]
    assert steady.percentiles(seconds) == {"p50_ms": 100.0, "p99_ms": 198.0, "max_ms": 200.0}
    assert steady.percentiles([0.00125]) == {"p50_ms": 1.25, "p99_ms": 1.25, "max_ms": 1.25}


def timed(records: int, acknowledged: int | None = None) -> Times:
    times = Times()
    for one in range(records):
        times.sent[one] = at = one / steady.RATE
        times.returned[one] = at + 0.004
        if one < (records if acknowledged is None else acknowledged):
            times.acknowledged[one] = at + (0.5 if one < steady.RATE else 0.002)
    return times


def test_records_of_the_time_in_which_connections_are_made_do_not_count() -> None:
    found = timed(400).result(0.0)
    assert found is not None
    assert (found["records"], found["seconds"], found["records_per_s"]) == (300, 3.0, 100)
    assert found["acknowledged"] == {"p50_ms": 2.0, "p99_ms": 2.0, "max_ms": 2.0}
    assert found["returned"]["max_ms"] == 4.0


def test_too_few_records_are_no_measurement() -> None:
    assert timed(steady.RATE + FEWEST - 1).result(0.0) is None
    assert timed(400, acknowledged=steady.RATE + FEWEST - 1).result(0.0) is None


def test_a_record_that_failed_is_not_acknowledged() -> None:
    times = Times()
    times.delivered(1, None)
    times.delivered(2, SimpleNamespace(code=lambda: 7))  # type: ignore[arg-type]
    assert list(times.acknowledged) == [1]


def test_records_of_others_are_not_its_own() -> None:
    own = Workload("~ours.1", 10, MIN_RECORD_BYTES, 2, 1)
    other = Workload("~ours.2", 10, MIN_RECORD_BYTES, 2, 1)

    def message(value: Any, error: Any = None) -> Any:
        return SimpleNamespace(value=lambda: value, error=lambda: error)

    assert steady.own_sequence(message(encode(own, 7, 0)[1]), own) == 7
    assert steady.own_sequence(message(encode(other, 7, 0)[1]), own) is None
    assert [steady.own_sequence(one, own) for one in (None, message(None), message(b"x"), message(b"", "bad"))] == [
        None
    ] * 4


def test_the_client_ends_when_the_job_asks_for_its_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(_: Any, goes_on: Any, __: Any) -> Any:
        while goes_on():
            sleep(0.01)
        return FOUND

    monkeypatch.setattr(steady, "measure", measure)
    with steady.beside(config(tmp_path)):
        assert (tmp_path / RUNNING).read_text() == "ours"
        assert steady.finished(config(tmp_path), 60.0) == FOUND
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def brokers() -> Iterator[str]:
    """Three brokers that librdkafka plays inside this process; they make a topic when it is asked for."""
    host = Producer({"test.mock.num.brokers": 3, "bootstrap.servers": "none", "log_level": 0})
    yield ",".join(f"{one.host}:{one.port}" for one in host.list_topics("smoke", timeout=60).brokers.values())
    host.purge()


@pytest.mark.parametrize("reached", [True, False])
def test_it_measures_what_brokers_answer_and_nothing_where_none_does(
    brokers: str, reached: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seconds in {
        "SHORTEST": 1.0,
        "WARM_UP": 0.2,
        "DRAIN_SECONDS": 20.0 if reached else 2.0,
        "ADMIN_SECONDS": 20.0 if reached else 0.3,
    }.items():
        monkeypatch.setattr(steady, name, seconds)
    monkeypatch.setattr(steady, "FEWEST", 20)
    asked: Any = config(Path())
    asked.bootstrap_servers, asked.client_options, asked.cluster = brokers if reached else "127.0.0.1:1", {}, {}
    asked.topic, asked.partitions = "smoke", 4
    found = steady.measure(asked, lambda: False, threading.Event())
    assert (found is not None) == reached
    if found:
        assert 20 <= found["records"] <= 100
        assert 0 < found["acknowledged"]["p50_ms"] <= found["acknowledged"]["max_ms"]


def test_it_ends_at_once_where_its_result_is_no_longer_wanted(brokers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would measure for two minutes. Its brokers may take seconds to answer."""
    for name, seconds in {"LONGEST": 120.0, "WARM_UP": 60.0, "ADMIN_SECONDS": 40.0}.items():
        monkeypatch.setattr(steady, name, seconds)
    asked: Any = config(Path())
    asked.bootstrap_servers, asked.client_options, asked.cluster, asked.topic = brokers, {}, {}, "smoke"
    asked.partitions, began, left = 4, monotonic(), threading.Event()
    threading.Timer(0.3, left.set).start()
    assert steady.measure(asked, lambda: True, left) is None
    assert monotonic() - began < 60


def test_a_client_that_is_still_measuring_is_ended_with_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    def measure(_: Any, __: Any, left: Any) -> Any:
        assert left.wait(60)
        ended.set()

    monkeypatch.setattr(steady, "DRAIN_SECONDS", 20.0)  # three of them for its end
    monkeypatch.setattr(steady, "measure", measure)
    with pytest.raises(ZeroDivisionError), steady.beside(config(tmp_path)):
        raise ZeroDivisionError
    assert ended.wait(60)
    assert list(tmp_path.iterdir()) == []


def test_the_job_waits_for_the_shortest_measurement_although_spark_is_ready_at_once() -> None:
    """With a class archive Spark starts within a second: the client still measures then."""
    assert steady.SHORTEST + steady.DRAIN_SECONDS < steady.WAIT_SECONDS


@pytest.mark.parametrize("left", [None, "theirs", "ours"])
def test_the_job_waits_only_for_a_client_of_its_own_run(tmp_path: Path, left: str | None) -> None:
    """A killed run leaves its mark behind; if it has the same id, the wait is short."""
    if left:
        (tmp_path / RUNNING).write_text(left)
    seconds, began = 0.2 if left == "ours" else 60.0, monotonic()
    assert steady.finished(config(tmp_path), seconds) is None
    waited = monotonic() - began
    assert waited >= seconds if left == "ours" else waited < seconds / 2


@pytest.mark.parametrize(
    "text", ['{"run_id": "theirs", "steady": {}}', "{", "[]", '{"run_id": "ours", "steady": null}']
)
def test_a_result_of_another_run_or_of_none_is_not_taken(tmp_path: Path, text: str) -> None:
    (tmp_path / RESULT).write_text(text)
    assert steady.finished(config(tmp_path), 0.2) is None
    (tmp_path / RESULT).write_text(json.dumps({"run_id": "ours", "steady": FOUND}))
    assert steady.finished(config(tmp_path), 0.2) == FOUND
