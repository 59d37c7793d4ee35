from __future__ import annotations

import dataclasses
import re
from typing import Any, cast
from unittest import mock

import pytest
from ansible.module_utils.kraft.cluster import health_wait, slow_progress
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.health import Expected
from ansible.module_utils.kraft.cluster.health_wait import Look, Node, UnhealthyError, Watch
from ansible.module_utils.kraft.cluster.shutdown_check import SESSION_MS
from ansible.module_utils.kraft.cluster.snapshot import Broker, LogDir, Quorum, Replica, Snapshot
from ansible.module_utils.kraft.errors import (
    AccessError,
    KraftError,
    OtherClusterError,
    ToolError,
    UnansweredError,
    UnreachableError,
)
from ansible.module_utils.kraft.node.service.unit_state import ServiceState

from tests.unit.cluster.snapshots import broker, cluster, partition, quorum, topic, voter
from tests.unit.problems import named, values
from tests.wording_files import Wording

THREE = Expected("x", frozenset({1, 2, 3}), frozenset({1, 2, 3}))
ONE = dataclasses.replace(THREE, only=frozenset({1}))
RUNNING = ServiceState(installed=True, active=True, pid=7, state="active", sub_state="running")
BAD_PROPERTY = (
    "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)",
    "org.apache.kafka.common.config.ConfigException: Invalid value 0 for configuration num.io.threads: at least 1",
)


class Brokers:
    """Answers by address; None refuses the connection. Replaces client and gather."""

    def __init__(self, answers: dict[str, Snapshot | None]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def reach(self) -> str:
        for address, answer in self.answers.items():
            if answer is not None:
                return address
        raise UnreachableError("nothing listens")

    def observe(self, _client: object, _parts: object, address: str, _seconds: float) -> Snapshot:
        self.asked.append(address)
        answer = self.answers[address]
        if answer is None:
            raise UnreachableError(f"{address}: nothing listens")
        return answer


def watching(
    monkeypatch: pytest.MonkeyPatch, brokers: Brokers, node_id: int | None = None, node: Node | None = None
) -> Watch:
    monkeypatch.setattr(health_wait, "observe", brokers.observe)
    monkeypatch.setattr(slow_progress, "log_dirs", lambda *_: ())
    monkeypatch.setattr("ansible.module_utils.kraft.cluster.health_wait.time.sleep", lambda _: None)
    return Watch(cast(Client, brokers), THREE, node_id, node)


def ticking() -> Any:
    now = iter(range(10_000))
    return lambda: float(next(now))


def node(*states: ServiceState, lines: tuple[str, ...] = ()) -> Node:
    left = list(states)
    return Node(lambda: left.pop(0) if len(left) > 1 else left[0], lambda: lines)


def test_the_node_is_asked_at_its_own_listener(monkeypatch: pytest.MonkeyPatch) -> None:
    ill = cluster(topic("a", partition(0, [1, 2], [1])))
    brokers = Brokers({"kafka1:9092": cluster(), "kafka2:9092": ill})
    seen = watching(monkeypatch, brokers, node_id=2).observe()
    assert brokers.asked == ["kafka1:9092", "kafka2:9092"]
    assert "under-replicated" in seen.problems[0]


def test_a_node_that_does_not_answer_is_a_problem_though_others_believe_in_it(
    monkeypatch: pytest.MonkeyPatch, wording: Wording
) -> None:
    brokers = Brokers({"kafka1:9092": cluster(), "kafka2:9092": cluster()})
    watched = watching(monkeypatch, brokers, node_id=2)
    assert not watched.observe().problems
    brokers.answers["kafka2:9092"] = None
    assert named(watched.observe().problems) == [["2", "kafka2:9092"]]
    wording(watched.observe().problems)


def test_a_node_without_a_client_listener_is_judged_by_the_brokers(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Brokers({"kafka1:9092": cluster()})
    assert not watching(monkeypatch, brokers, node_id=9).observe().problems
    assert brokers.asked == ["kafka1:9092"]


def test_it_waits_until_the_cluster_is_healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Brokers({"kafka1:9092": None})
    looks = iter([None, cluster(brokers=[broker(1)]), cluster()])

    def reach() -> str:
        brokers.answers["kafka1:9092"] = next(looks)
        return Brokers.reach(brokers)

    monkeypatch.setattr(brokers, "reach", reach)
    assert not watching(monkeypatch, brokers).wait(60, ticking()).problems


def test_the_deadline_shows_problems_cause_and_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Brokers({"kafka1:9092": cluster(brokers=[broker(1), broker(3)])})
    watched = watching(monkeypatch, brokers, 2, node(RUNNING, lines=BAD_PROPERTY))
    with pytest.raises(UnhealthyError) as failure:
        watched.wait(30, ticking())
    text = str(failure.value)
    assert "Node 2 is not healthy after" in text
    assert "  - broker 2 is not registered" in text
    assert {"num.io.threads", "0", "1"} <= values(failure.value.diagnosis.cause)
    assert "num.io.threads" in values(failure.value.diagnosis.remedy)


def test_a_failed_unit_ends_the_wait_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = dataclasses.replace(RUNNING, active=False, state="failed", result="exit-code", exit_status=1)
    watched = watching(monkeypatch, Brokers({}), 2, node(failed))
    with pytest.raises(UnhealthyError, match=r"after [0-3] s: .*exit-code.* 1\)"):
        watched.wait(1000, ticking())


def test_a_stopped_unit_ends_the_wait_though_the_cluster_still_lists_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = dataclasses.replace(RUNNING, active=False, state="inactive")
    watched = watching(monkeypatch, Brokers({"kafka1:9092": cluster()}), 9, node(stopped))
    with pytest.raises(UnhealthyError, match=r"does not run \(inactive\)"):
        watched.wait(1000, ticking())


def test_a_unit_in_the_middle_of_a_restart_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = dataclasses.replace(RUNNING, active=False, state="deactivating", job=True)
    watched = watching(monkeypatch, Brokers({}), 9, node(stopping))
    with pytest.raises(UnhealthyError) as failure:
        watched.wait(1000, ticking())
    assert "does not run" not in str(failure.value)


CRASHED = dataclasses.replace(RUNNING, pid=0, sub_state="auto-restart", state="activating", result="exit-code")


def test_a_crash_with_a_known_cause_that_no_waiting_heals_ends_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = watching(monkeypatch, Brokers({}), 2, node(CRASHED, lines=BAD_PROPERTY))
    with pytest.raises(UnhealthyError, match="it has crashed"):
        watched.wait(1000, ticking())


def test_a_crash_of_unknown_cause_is_given_another_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = watching(monkeypatch, Brokers({"kafka1:9092": cluster()}), 9, node(CRASHED, RUNNING))
    assert not watched.observe().problems
    assert not watched.wait(1000, ticking()).problems


def test_crashing_again_and_again_ends_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    states = [dataclasses.replace(CRASHED, restarts=n) for n in (4, 5, 6, 7)]
    watched = watching(monkeypatch, Brokers({}), 2, node(*states))
    with pytest.raises(UnhealthyError, match="restarted 2 times by systemd"):
        watched.wait(1000, ticking())


def test_a_node_that_recovers_its_logs_is_waited_for_as_long_as_it_advances(monkeypatch: pytest.MonkeyPatch) -> None:
    away, said = cluster(brokers=[broker(1), broker(2, fenced=True), broker(3)]), iter(range(40))
    brokers = Brokers({"kafka1:9092": away})
    watched = watching(monkeypatch, brokers, 2, Node(lambda: RUNNING, lambda: (), lambda: f"segment {next(said, 40)}"))
    with pytest.raises(UnhealthyError, match="time is up") as failure:
        watched.wait(10, ticking())
    assert int(re.findall(r"after (\d+) s", str(failure.value))[0]) > 80


def test_a_replica_that_is_filled_is_waited_for_as_long_as_it_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    behind = cluster(topic("a", partition(0, [1, 2, 3], [1, 3]), partition(1, [1, 3])))
    sizes, asked = iter(range(40)), []

    def grown(_: object, brokers: list[Broker], __: float, partitions: dict[str, list[int]]) -> list[LogDir]:
        asked.append((brokers[0].node_id, partitions))
        return [LogDir(2, "/data", used_bytes=next(sizes, 40) if brokers[0].node_id == 2 else 40)]

    watched = watching(monkeypatch, Brokers({"kafka1:9092": behind}))
    monkeypatch.setattr(slow_progress, "log_dirs", grown)
    with pytest.raises(UnhealthyError, match="time is up") as failure:
        watched.wait(10, ticking())
    assert int(re.findall(r"after (\d+) s", str(failure.value))[0]) > 80
    assert asked[:2] == [(1, {"a": [0]}), (2, {"a": [0]})]


def test_a_replica_that_grows_and_never_catches_up_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under traffic its leader grows as fast as it does, or faster."""
    behind = cluster(topic("a", partition(0, [1, 2, 3], [1, 3])))
    sizes = iter(range(10_000))
    watched = watching(monkeypatch, Brokers({"kafka1:9092": behind}))
    grown = {1: 2, 2: 1}
    monkeypatch.setattr(
        slow_progress,
        "log_dirs",
        lambda _, brokers, *__: [LogDir(1, "/", used_bytes=grown[brokers[0].node_id] * next(sizes))],
    )
    with pytest.raises(UnhealthyError, match="time is up") as failure:
        watched.wait(10, ticking())
    assert int(re.findall(r"after (\d+) s", str(failure.value))[0]) < 40


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        (UnreachableError("nothing listens"), "unreachable"),
        (UnansweredError("accepts connections and does not answer"), "unknown"),
        (AccessError("denied"), "unknown"),
    ],
)
def test_a_look_says_whether_nothing_is_there_or_nothing_is_known(
    monkeypatch: pytest.MonkeyPatch, error: KraftError, answer: str
) -> None:
    brokers = Brokers({"kafka1:9092": cluster(), "kafka2:9092": cluster()})
    watched = watching(monkeypatch, brokers, node_id=2)
    assert watched.observe().as_dict(THREE)["answer"] == "known"

    def refuse(*_: object) -> Snapshot:
        raise error

    monkeypatch.setattr(health_wait, "observe", refuse)
    assert watched.observe().as_dict(THREE)["answer"] == answer


def test_a_host_without_the_unit_is_not_judged_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = watching(monkeypatch, Brokers({"kafka1:9092": cluster()}), 9, node(ServiceState()))
    assert not watched.wait(10, ticking()).problems


def test_a_systemd_that_does_not_answer_ends_no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    def late() -> ServiceState:
        raise ToolError("Connection timed out")

    watched = watching(monkeypatch, Brokers({"kafka1:9092": cluster()}), 9, Node(late, lambda: ()))
    assert not watched.wait(10, ticking()).problems


def test_the_timeout_grows_while_replicas_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look finds one replica more; with a fixed deadline the wait would have ended after five."""
    brokers = Brokers({"kafka1:9092": cluster()})
    missing = iter(range(40, -1, -1))

    def observe(*_: object) -> Snapshot:
        behind = next(missing)
        return cluster(topic("a", *(partition(n, [1, 2], [1] if n < behind else [1, 2]) for n in range(40))))

    watched = watching(monkeypatch, brokers)
    monkeypatch.setattr(health_wait, "observe", observe)
    assert not watched.wait(5, ticking()).problems


def waited_for(monkeypatch: pytest.MonkeyPatch, *later: Snapshot) -> tuple[Look, int]:
    """Return what a node that is healthy itself sees of the others, and the number of its observations."""
    looks = [*later]
    observe = mock.Mock(side_effect=lambda *_: looks.pop(0) if len(looks) > 1 else looks[0])
    brokers = Brokers({"kafka1:9092": cluster()})
    watching(monkeypatch, brokers)
    monkeypatch.setattr(health_wait, "observe", observe)
    return Watch(cast(Client, brokers), ONE, 1).wait_for_others(5, 10, ticking()), observe.call_count


def test_a_healthy_node_waits_a_moment_for_those_that_started_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = cluster(topic("a", partition(0, [2, 3], [2])))
    seen, looks = waited_for(monkeypatch, elsewhere, elsewhere, cluster())
    assert seen.all_healthy(ONE)
    assert looks == 3
    seen, looks = waited_for(monkeypatch, elsewhere)
    assert not seen.problems
    assert not seen.all_healthy(ONE)
    assert looks < 10


def test_a_node_that_dies_while_it_waits_for_others_is_not_healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere, own = (cluster(topic("a", partition(0, [2, 3], [2]))), cluster(topic("a", partition(0, [1, 2], [2]))))
    with pytest.raises(UnhealthyError, match="time is up"):
        waited_for(monkeypatch, elsewhere, elsewhere, own)
    seen, _ = waited_for(monkeypatch, elsewhere, elsewhere, own, own, own, own, own, own, cluster())
    assert seen.all_healthy(ONE)


def test_a_cluster_that_stays_healthy_is_seen_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Brokers({"kafka1:9092": cluster()})
    assert not watching(monkeypatch, brokers).stay(20, clock=ticking()).problems
    assert len(brokers.asked) >= 10


def test_trouble_that_lasts_ends_an_observation_and_a_hiccup_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    ill, looks = cluster(topic("a", partition(0, [1, 2], [1]))), iter(range(1000))
    brokers = Brokers({"kafka1:9092": cluster()})
    seen = watching(monkeypatch, brokers)
    monkeypatch.setattr(health_wait, "observe", lambda *_: ill if next(looks) == 3 else cluster())
    assert not seen.stay(20, clock=ticking()).problems
    monkeypatch.setattr(health_wait, "observe", lambda *_: ill)
    with pytest.raises(UnhealthyError, match=r"before\.\n.*under-replicated"):
        seen.stay(20, clock=ticking())


class Foreign(Brokers):
    def reach(self) -> str:
        raise OtherClusterError("kafka1:9092", "theirs", "ours")


@pytest.mark.parametrize("stays", [False, True])
def test_another_cluster_ends_the_wait_at_once(monkeypatch: pytest.MonkeyPatch, stays: bool) -> None:
    watched = watching(monkeypatch, Foreign({}), node_id=1)
    with pytest.raises(UnhealthyError) as error:
        watched.stay(60, ticking()) if stays else watched.wait(60, ticking())
    assert named(error.value.look.problems) == [["kafka1:9092", "kafka_cluster_id"]]
    assert error.value.look.hopeless


@pytest.mark.parametrize(
    ("entry", "silent_ms"), [(voter(2, None), SESSION_MS), (voter(2, 5000), 0)], ids=["not heard of", "late"]
)
def test_a_look_until_all_is_known_goes_on_while_a_voter_may_still_come(
    monkeypatch: pytest.MonkeyPatch, entry: Replica, silent_ms: int
) -> None:
    brokers = Brokers({"seed:9092": cluster(leader=quorum(1, voter(1), entry, voter(3)))})
    seen = watching(monkeypatch, brokers).until_known(30, ticking()).snapshot
    assert seen
    assert seen.quorum
    assert len(brokers.asked) > 1
    assert seen.quorum.watched_ms > silent_ms


@pytest.mark.parametrize("leader", [quorum(1), quorum(1, voter(1), voter(2, SESSION_MS + 1), voter(3))])
def test_a_look_until_all_is_known_is_one_look_where_it_is(monkeypatch: pytest.MonkeyPatch, leader: Quorum) -> None:
    brokers = Brokers({"seed:9092": cluster(leader=leader)})
    assert watching(monkeypatch, brokers).until_known(30, ticking()).answer == "known"
    assert brokers.asked == ["seed:9092"]
    assert watching(monkeypatch, Brokers({"seed:9092": None})).until_known(30, ticking()).answer == "unreachable"


def test_a_look_until_all_is_known_waits_for_a_leader_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Brokers({"seed:9092": cluster(leader=quorum(-1))})
    assert watching(monkeypatch, brokers).until_known(30, ticking()).answer == "known"
    assert 10 < len(brokers.asked) < 40
