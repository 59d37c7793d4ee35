"""Sentences of the textbook, tried on real brokers; each is also tried where it is wrong, as the page must report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spark_jobs.lessons.measured import HOLDS, WRONG
from spark_jobs.lessons.run import lessons, write
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.lesson_nodes import lab_of

#: A dead broker is noticed after 3 s in place of 9: tests are short.
QUICK = {"broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "500"}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    made = KafkaCluster.start(tmp_path_factory.mktemp("lessons"), properties=QUICK)
    yield made
    made.stop()


def verdicts(report: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["verdict"] for one in report["lessons"]}


def test_acks_one_loses_and_acks_all_does_not(cluster: KafkaCluster, tmp_path: Path) -> None:
    for attempt in range(3):  # a writer that a busy machine has held up had nothing to lose
        report = lessons(lab_of(cluster, f"acks{attempt}"), "tests", ["acks_one", "acks_all"])
        seen = report["observations"].get("acknowledgements", {})
        if seen.get("one", {}).get("lost", 0) >= 190:
            break
    assert verdicts(report) == {"acks_one": HOLDS, "acks_all": HOLDS}, report
    page = write(report, tmp_path).read_text()
    assert "2 of 2 sentences hold" in page
    seen = report["observations"]["acknowledgements"]
    assert seen["one"]["lost"] >= 190
    assert (seen["all"]["acked"], seen["all"]["lost"], seen["all"]["before_the_kill"]) == (201, 0, 1)


@pytest.mark.long
def test_the_other_sentences_hold_but_for_the_port_that_nothing_closes(cluster: KafkaCluster, tmp_path: Path) -> None:
    """Nodes and clients share one host here: the controller port is open, so that sentence is wrong."""
    report = lessons(lab_of(cluster, "others"), "tests")
    found = verdicts(report)
    page = write(report, tmp_path).read_text()
    assert {name for name, verdict in found.items() if verdict != HOLDS} == {"controller_port"}, report
    assert found["controller_port"] == WRONG
    assert "8 of 9 sentences hold; controller_port wrong" in page
