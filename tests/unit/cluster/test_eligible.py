"""Eligible leader replicas: which partitions are asked for, page by page, and what is said without an answer."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster import eligible
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.eligible import with_eligible
from ansible.module_utils.kraft.cluster.health import may_lead
from ansible.module_utils.kraft.cluster.snapshot import Topic, from_dict
from ansible.module_utils.kraft.errors import KraftError, UnreachableError
from ansible.module_utils.kraft.status.effects import lacking, of_partitions

from tests.unit.cluster.snapshots import cluster, partition, topic

WHOLE = topic("whole", partition(0, [1, 2, 3]), partition(1, [1, 2, 3], [1, 2]))
SHORT = topic("short", partition(0, [1, 2], [1]), partition(1, [1, 2], [], -1))
SINGLE = topic("single", partition(0, [2]))


class Paged(Client):
    """A client that answers with one partition at a time; notes the topics and the place that were asked for."""

    def __init__(self, error: KraftError | None = None) -> None:
        self.error_of, self.asked = error, list[tuple[list[str], int]]()

    def request(self, name: str, /, **fields: Any) -> Any:
        return SimpleNamespace(kind=name, **fields)

    def struct(self, request: str, name: str, /, **fields: Any) -> Any:
        return SimpleNamespace(kind=(request, name), **fields)

    def send(self, address: str, request: Any, seconds: float = 0, pick: Any = None) -> dict[str, Any]:
        assert (address, seconds, pick) == ("a:1", 1, None)
        at = request.cursor.partition_index if request.cursor else 0
        self.asked.append(([one.name for one in request.topics], at))
        if self.error_of:
            raise self.error_of
        one = {"partition_index": at, "eligible_leader_replicas": [2 - at], "last_known_elr": None}
        after = None if at else {"topic_name": "short", "partition_index": 1}
        return {"topics": [{"name": "short", "partitions": [one]}], "next_cursor": after}


def seen(client: Client) -> tuple[Topic, ...]:
    return with_eligible(client, "a:1", (WHOLE, SHORT, SINGLE), {"whole": 2, "short": 2, "single": 2}, 1)


def test_only_partitions_that_lack_something_are_asked_for_page_by_page() -> None:
    client = Paged()
    whole, short, single = seen(client)
    assert client.asked == [(["short"], 0), (["short"], 1)]
    assert [one.eligible for one in short.partitions] == [(2,), (1,)]
    assert (whole, single) == (WHOLE, SINGLE)


def test_a_whole_cluster_costs_no_request() -> None:
    client = Paged()
    assert with_eligible(client, "a:1", (WHOLE, SINGLE), {"whole": 2, "single": 2}, 1) == (WHOLE, SINGLE)
    assert client.asked == []


def test_without_an_answer_they_are_unknown_where_a_partition_lacks_something() -> None:
    whole, short, single = seen(Paged(UnreachableError("late")))
    assert [one.eligible for one in short.partitions] == [None, None]
    assert (whole, single) == (WHOLE, SINGLE)
    assert {may_lead(one) for one in short.partitions} == {"; eligible leaders unknown"}
    assert [may_lead(one) for one in whole.partitions] == ["", ""]


def test_a_partition_beyond_the_pages_that_are_read_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eligible, "PAGES", 1)
    assert [one.eligible for one in seen(Paged())[1].partitions] == [(2,), None]


def test_unknown_stays_unknown_in_a_report() -> None:
    unknown = cluster(topic("a", dataclasses.replace(partition(0, [1, 2], [1]), eligible=None)))
    assert from_dict(unknown.to_dict()).topics == unknown.topics


def test_a_node_may_be_to_blame_where_the_eligible_replicas_are_unknown() -> None:
    away = dataclasses.replace(partition(0, [1, 2], [2], -1), eligible=None)
    assert "no_leader" in [one.rule for one in of_partitions({1}, lacking(cluster(topic("a", away))))]


@pytest.mark.parametrize(("nodes", "blamed"), [({1}, False), ({2}, True), ({1, 2}, True)])
def test_a_node_that_may_not_lead_is_not_blamed_for_a_partition_without_a_leader(nodes: set[int], blamed: bool) -> None:
    away = dataclasses.replace(partition(0, [1, 2], [], -1), eligible=(2,))
    found = [one.rule for one in of_partitions(nodes, lacking(cluster(topic("a", away))))]
    assert found == ["under_replicated", *["no_leader"] * blamed]
