"""Results of molecule's drivers for an operation and its observations."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import sweeps
from check_mode import hold_prediction
from deployments import Point
from operate import hold_died
from operations import LOCKED_SECONDS, Operation
from operators import ADVICE, State, wrong
from runs import Outcome, workers_of
from sweep import chains
from witness import Seen, _look


def outcome(*changed: str) -> Outcome:
    lines = [dict(zip(("host", "task"), line.split(": ")), changed=True) for line in changed]
    return Outcome(0, "", 1.0, tuple(lines))


def test_moments_are_the_same_for_a_seed_and_others_for_another() -> None:
    operation = Operation("an upgrade", "upgrade_cluster", kills=3, lasts=40)
    assert list(operation.moments(7)) == list(operation.moments(7)) != list(operation.moments(8))


def test_deaths_together_go_no_further_than_the_operation_lasts() -> None:
    operation = Operation("an upgrade", "upgrade_cluster", kills=3, lasts=40)
    deaths = [moment["after"] - LOCKED_SECONDS for moment in operation.moments(7)]
    assert len(deaths) == 3
    assert min(deaths) >= 0
    assert sum(deaths) <= 40


def test_the_long_sweep_takes_one_random_death_of_an_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    operation = Operation("grow", "add_nodes", kill={"said": "left to move"}, kills=3, lasts=40)
    monkeypatch.setenv("KRAFT_SWEEP", "long")
    assert len(list(operation.moments(7))) == 2


def test_a_run_that_ends_before_its_late_moment_fails_nothing() -> None:
    hold_died({"an upgrade": 1, "a move": 0, "a removal": 0, "a join": 1})
    hold_died({"an upgrade": 0})


def test_where_most_runs_end_before_their_moments_the_entries_are_wrong() -> None:
    with pytest.raises(AssertionError, match="a move, a removal"):
        hold_died({"an upgrade": 1, "a move": 0, "a removal": 0})


def test_named_moment_comes_before_random_ones() -> None:
    kill = {"said": "left to move"}
    operation = Operation("grow", "add_nodes", kill=kill, kills=3, lasts=40)
    assert [moment == kill for moment in operation.moments(7)] == [True, False, False, False]
    assert list(Operation("grow", "add_nodes", kill=kill).moments(7)) == [kill]


@pytest.mark.parametrize("happened", [(), ("kafka1: b",), ("kafka1: a", "kafka2: a")])
def test_what_happens_must_have_been_predicted(happened: tuple[str, ...]) -> None:
    with pytest.raises(AssertionError):
        hold_prediction(outcome("kafka1: a"), outcome(*happened), left=False)


def test_run_does_what_was_predicted_in_any_order() -> None:
    hold_prediction(outcome("kafka1: a", "kafka2: a"), outcome("kafka2: a", "kafka1: a"), left=True)


def test_something_happens_unless_killed_runs_may_have_done_it_all() -> None:
    with pytest.raises(AssertionError, match="nothing was predicted"):
        hold_prediction(outcome(), outcome(), left=True)
    hold_prediction(outcome(), outcome(), left=False)


def test_loop_over_hosts_is_one_batch() -> None:
    run = Outcome(0, "", 1.0, tuple({"host": host, "task": "Restart the node"} for host in ("a, b", "c")))
    assert run.hosts_of("Restart the node") == [{"a", "b"}, {"c"}]


def test_partition_with_too_few_in_sync_is_noted_with_the_fewest() -> None:
    def topic(in_sync: list[int], replicas: list[int]) -> list[dict[str, object]]:
        partition = {"partition_index": 0, "isr_nodes": in_sync, "replica_nodes": replicas}
        return [{"name": "orders", "partitions": [partition]}]

    seen = Seen()
    for in_sync, replicas in (([1, 2], [1, 2, 3]), ([1], [1]), ([1], [1, 2, 3]), ([], [1, 2, 3]), ([1], [1, 2, 3])):
        _look(topic(in_sync, replicas), seen)
    assert (seen.short, seen.looks) == ({"orders-0": 0}, 5)


def test_most_nodes_that_were_down_together_are_counted() -> None:
    assert Seen().most_down == 0
    assert Seen({frozenset(), frozenset({"a"}), frozenset({"a", "b"})}).most_down == 2


def test_points_that_go_on_make_a_chain_with_those_before_them() -> None:
    def point(name: str, begin: str, goes_on: bool) -> Point:
        return Point(name, begin, goes_on=goes_on, random=True)

    a, b, c = point("a", "empty", False), point("b", "empty", True), point("c", "changed", True)
    assert chains([a, b, c]) == [[a, b], [c]]
    assert chains([b]) == [[b]]
    assert chains([a, a]) == [[a], [a]]


def test_each_sweep_takes_what_the_shorter_ones_take() -> None:
    entries = [{"name": "a", "sweep": "short"}, {"name": "b"}, {"name": "c", "sweep": "all"}]
    found = {sweep: [one["name"] for one in sweeps.taken(entries, sweep)] for sweep in sweeps.SWEEPS}
    assert found == {"short": ["a"], "long": ["a", "b"], "all": ["a", "b", "c"]}


def test_workers_of_a_killed_run_are_known_by_their_program_and_what_it_was_given() -> None:
    command = [sys.executable, "-c", "input()", "ansible-playbook"]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, env={**os.environ, "OF_THIS_TEST": "1"})
    try:
        assert worker.pid in workers_of("OF_THIS_TEST=1")
        assert worker.pid not in workers_of("OF_THIS_TEST=2")
    finally:
        worker.communicate(b"\n")
    assert worker.pid not in workers_of("OF_THIS_TEST=1")


@pytest.mark.parametrize(
    ("report", "advised"),
    [
        ("Do next  ansible-playbook -i mine site.yml  # deploy it\n", "-i mine site.yml  "),
        (
            "Do next  ansible -i mine k3 -b -a 'df'  # free space\n"
            "  ansible-playbook -i mine playbooks/x.yml -e a=b  # start it\n"
            "  ansible-playbook -i mine playbooks/y.yml  # look again\n",
            "-i mine playbooks/x.yml -e a=b  ",
        ),
        ("To collect diagnostics: ansible-playbook -i mine playbooks/support_bundle.yml\n", None),
    ],
)
def test_the_first_playbook_that_a_report_advises_is_followed(report: str, advised: str | None) -> None:
    found = ADVICE.search(report)
    assert (found[1] if found else None) == advised


@pytest.mark.parametrize(
    ("run", "count"),
    [
        (Outcome(2, "the host has\n  no Kafka\n", 1.0), 0),
        (Outcome(0, "the host has no Kafka\n", 1.0), 1),
        (Outcome(2, "the host has Kafka\n", 1.0), 1),
        (Outcome(2, "the host has no Kafka\nTraceback (most recent call last)\n", 1.0), 1),
        (Outcome(2, "the host has no Kafka\n1\n2\n3\n", 1.0), 1),
    ],
)
def test_code_sentence_and_number_of_lines_of_a_state_are_compared(run: Outcome, count: int) -> None:
    state = State("gone", {"status": [2, "the host has no Kafka"]}, lines={"status": 3})
    assert len([*wrong(state, "status", run)]) == count
