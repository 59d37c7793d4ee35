"""The ends of logs that groups read: each leader is asked at its own address."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.client import Question
from ansible.module_utils.kraft.monitoring.groups import Asked, log_ends


class Cluster:
    """A client of two brokers at `hosts`, each the leader of one partition of ``orders``."""

    def __init__(self, hosts: tuple[str, str]) -> None:
        self.hosts, self.asked = hosts, list[str]()

    def request(self, kind: str, **fields: Any) -> dict[str, Any]:
        return {"kind": kind, **fields}

    def struct(self, _: str, __: str, **fields: Any) -> dict[str, Any]:
        return fields

    def error(self, _: str, code: int, __: str | None) -> None:
        assert code == 0

    def send_all(self, questions: list[Question], _: float) -> list[dict[str, Any]]:
        return [self.answer(one) for one in questions]

    def answer(self, question: Question) -> dict[str, Any]:
        self.asked.append(question.address)
        if question.request["kind"] == "MetadataRequest":
            brokers = [{"node_id": at, "host": host, "port": 9092} for at, host in enumerate(self.hosts)]
            led = [{"partition_index": at, "leader_id": at} for at, _ in enumerate(self.hosts)]
            return {"brokers": brokers, "topics": [{"name": "orders", "partitions": led}]}
        (topic,) = question.request["topics"]
        ends = [{**one, "error_code": 0, "offset": 100 + one["partition_index"]} for one in topic["partitions"]]
        return {"topics": [{"name": topic["name"], "partitions": ends}]}


@pytest.mark.parametrize(
    ("hosts", "addresses"),
    [
        (("10.0.0.1", "10.0.0.2"), {"10.0.0.1:9092", "10.0.0.2:9092"}),
        (("fd00::1", "fd00::2"), {"[fd00::1]:9092", "[fd00::2]:9092"}),
    ],
)
def test_each_leader_is_asked_for_the_ends_of_its_logs(hosts: tuple[str, str], addresses: set[str]) -> None:
    cluster: Any = Cluster(hosts)
    found = log_ends(Asked(cluster, "own:9092"), [("orders", 0), ("orders", 1)])
    assert found == {("orders", 0): 100, ("orders", 1): 101}
    assert cluster.asked[0] == "own:9092"
    assert set(cluster.asked[1:]) == addresses
