"""Eligible leader replicas: which partitions are asked for, page by page, and what is said without an answer."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.eligible import with_eligible
from ansible.module_utils.kraft.cluster.snapshot import Topic
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

    def ask(self, address: str, request: Any, seconds: float = 0, pick: Any = None) -> dict[str, Any]:
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


def test_without_an_answer_nothing_is_eligible() -> None:
    assert seen(Paged(UnreachableError("late"))) == (WHOLE, SHORT, SINGLE)


@pytest.mark.parametrize(("nodes", "blamed"), [({1}, False), ({2}, True), ({1, 2}, True)])
def test_a_node_that_may_not_lead_is_not_blamed_for_a_partition_without_a_leader(nodes: set[int], blamed: bool) -> None:
    away = dataclasses.replace(partition(0, [1, 2], [], -1), eligible=(2,))
    found = [one.rule for one in of_partitions(nodes, lacking(cluster(topic("a", away))))]
    assert found == ["under_replicated", *["no_leader"] * blamed]
