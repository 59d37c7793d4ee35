"""The groups that are the furthest behind: each broker's own, the largest first, and never more than time allows."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.client import Question
from ansible.module_utils.kraft.cluster.lags import Lags
from ansible.module_utils.kraft.cluster.snapshot import LogDir, Snapshot
from ansible.module_utils.kraft.errors import UnansweredError
from ansible.module_utils.kraft.monitoring import group_lag

from tests.unit.cluster.snapshots import broker, cluster, partition, topic
from tests.unit.problems import named

END = 1000


class Brokers:
    """A client of a cluster whose broker at an address coordinates `groups`: name -> committed offset of orders-0."""

    def __init__(self, groups: dict[str, dict[str, int]], silent: str = "") -> None:
        self.groups, self.silent = groups, silent
        self.asked: list[tuple[str, str, int]] = []

    def request(self, kind: str, **fields: Any) -> dict[str, Any]:
        return {"kind": kind, **fields}

    def struct(self, _: str, __: str, **fields: Any) -> dict[str, Any]:
        return fields

    def error(self, what: str, code: int, _: str | None) -> str | None:
        return f"{what}: error {code}" if code else None

    def send_all(self, questions: list[Question], seconds: float) -> list[Any]:
        assert seconds == group_lag.EACH
        return [self.answer(one.address, one.request) for one in questions]

    def answer(self, address: str, request: dict[str, Any]) -> Any:
        kind = request["kind"]
        self.asked.append((address, kind, len(request.get("groups", ()))))
        if address == self.silent:
            return UnansweredError(f"{address} did not answer")
        if kind == "ListGroupsRequest":
            kinds = {one: "Streams" if one == "app" else "Classic" for one in self.groups.get(address, {})}
            asked_for = request.get("types_filter") or ["classic", "consumer", "share", "streams"]
            found = {one: kind for one, kind in kinds.items() if kind.lower() in asked_for}
            return {
                "groups": [
                    {"group_id": one, "group_type": kind, "group_state": "Stable"} for one, kind in found.items()
                ]
            }
        if kind == "OffsetFetchRequest":
            return {"groups": [self.offsets(address, one["group_id"]) for one in request["groups"]]}
        (asked,) = request["topics"]
        ends = [
            {"partition_index": one["partition_index"], "error_code": 0, "offset": END} for one in asked["partitions"]
        ]
        return {"topics": [{"name": asked["name"], "partitions": ends}]}

    def offsets(self, address: str, name: str) -> dict[str, Any]:
        offset = self.groups[address][name]
        places = [{"partition_index": 0, "committed_offset": offset, "error_code": 0}]
        error = 16 if offset < 0 else 0  # NOT_COORDINATOR
        return {"group_id": name, "error_code": error, "topics": [{"name": "orders", "partitions": places}]}


def found(client: Any, snapshot: Snapshot | None = None, clock: Iterator[float] | None = None) -> Lags:
    ticks = clock or count(0.0, 0.0)
    return group_lag.measure(client, snapshot or cluster(topic("orders", partition(0, [1, 2, 3]))), lambda: next(ticks))


def test_the_largest_lag_comes_first_whoever_coordinates_the_group() -> None:
    client = Brokers({"kafka1:9092": {"near": END, "far": 10}, "kafka3:9092": {"middle": 500}})
    lags = found(client)
    assert [(one.name, one.lag, one.partitions, one.state) for one in lags.groups] == [
        ("far", 990, 1, "Stable"),
        ("middle", 500, 1, "Stable"),
        ("near", 0, 1, "Stable"),
    ]
    assert (lags.listed, lags.asked, lags.unanswered) == (3, 3, ())
    assert [one for one in client.asked if one[1] == "ListOffsetsRequest"] == [("kafka1:9092", "ListOffsetsRequest", 0)]


def test_groups_of_kafka_streams_count_too() -> None:
    lags = found(Brokers({"kafka1:9092": {"app": 10, "near": END}}))
    assert [(one.name, one.lag) for one in lags.groups] == [("app", 990), ("near", 0)]
    assert lags.listed == 2


def test_no_more_groups_are_asked_than_time_allows_and_it_is_said() -> None:
    groups = {f"g{one:03}": one for one in range(3 * group_lag.AT_ONCE)}
    lags = found(Brokers({"kafka1:9092": groups}), clock=iter([0.0, 0.1, 0.6, 1.1]))
    assert (lags.listed, lags.asked, len(lags.groups)) == (75, 50, group_lag.SHOWN)


def test_a_group_with_very_many_partitions_ends_the_questions(monkeypatch: Any) -> None:
    monkeypatch.setattr(group_lag, "MOST_PARTITIONS", 25)
    lags = found(Brokers({"kafka1:9092": {f"g{one:03}": 0 for one in range(60)}}))
    assert (lags.listed, lags.asked) == (60, 25)


def test_what_is_not_answered_is_said_and_spoils_nothing() -> None:
    client = Brokers({"kafka1:9092": {"far": 10, "moved": -1}, "kafka2:9092": {"unseen": 1}}, silent="kafka2:9092")
    lags = found(client)
    assert [one.name for one in lags.groups] == ["far"]
    assert (lags.listed, lags.asked) == (2, 2)
    assert lags.unanswered == ("kafka2:9092 did not answer", "group moved: error 16")


def test_brokers_that_are_fenced_or_silent_are_not_asked_again() -> None:
    seen = cluster(topic("orders", partition(0, [1, 2, 3])), brokers=[broker(1), broker(2), broker(3, fenced=True)])
    client = Brokers({"kafka1:9092": {"far": 10}})
    lags = found(client, dataclasses.replace(seen, log_dirs=(LogDir(1, "/d"), LogDir(3, "/d"))))
    assert {address for address, _, _ in client.asked} == {"kafka1:9092"}
    assert named(lags.unanswered) == [["2"]]


def test_a_partition_of_a_silent_leader_is_said_to_be_missing() -> None:
    seen = cluster(topic("orders", partition(0, [2, 1, 3])))
    client = Brokers({"kafka1:9092": {"far": 10}})
    lags = found(client, dataclasses.replace(seen, log_dirs=(LogDir(1, "/d"),)))
    assert (lags.groups, [one.split(":")[0] for one in lags.unanswered]) == ((), ["brokers 2, 3", "group far"])
    assert {address for address, _, _ in client.asked} == {"kafka1:9092"}


def test_a_partition_without_a_leader_has_no_lag() -> None:
    headless = cluster(topic("orders", partition(0, [1, 2, 3], [], leader=-1)))
    lags = found(Brokers({"kafka1:9092": {"far": 10}}), headless)
    assert (lags.groups, lags.listed, lags.asked) == ((), 1, 1)
    assert [one.split(":")[0] for one in lags.unanswered] == ["group far"]


class SlowBrokers(Brokers):
    """Each round of questions takes `seconds`, whatever the number of brokers in it."""

    def __init__(self, groups: dict[str, dict[str, int]], seconds: float) -> None:
        super().__init__(groups)
        self.seconds, self.now, self.rounds = seconds, 0.0, 0

    def send_all(self, questions: list[Question], seconds: float) -> list[Any]:
        self.rounds, self.now = self.rounds + 1, self.now + self.seconds
        return super().send_all(questions, seconds)


@pytest.mark.parametrize(("groups", "seconds"), [(1, 0.3), (60, 0.01), (60, 0.1), (60, 0.5)])
def test_300_brokers_that_answer_within_half_a_second_cost_at_most_two_seconds(groups: int, seconds: float) -> None:
    """One round for the lists, rounds of offsets until one second is over, and one round for the ends."""
    brokers = [broker(one) for one in range(1, 301)]
    names = {one.address: {f"{one.node_id}-{name}": name for name in range(groups)} for one in brokers}
    client = SlowBrokers(names, seconds)
    snapshot = cluster(topic("orders", partition(0, [1, 2, 3])), brokers=brokers)
    lags = group_lag.measure(client, snapshot, lambda: client.now)  # type: ignore[arg-type]
    needed = -(-groups // group_lag.AT_ONCE)
    possible = math.ceil(round(group_lag.SECONDS / seconds, 6))
    full = -(-group_lag.MOST_PARTITIONS // (300 * min(groups, group_lag.AT_ONCE)))
    assert client.rounds <= min(needed, possible, full) + 2
    assert client.now <= 2.0
    assert lags.listed == 300 * groups
    assert lags.asked <= group_lag.MOST_PARTITIONS + 300 * group_lag.AT_ONCE
