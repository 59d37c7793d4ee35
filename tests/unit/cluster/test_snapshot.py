from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Sequence
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster import gather, responses
from ansible.module_utils.kraft.cluster.client import Question
from ansible.module_utils.kraft.cluster.health import caught_up, delay
from ansible.module_utils.kraft.cluster.shutdown_check import judge
from ansible.module_utils.kraft.cluster.snapshot import (
    Broker,
    Feature,
    LogDir,
    Reassignment,
    Snapshot,
    from_dict,
    written_id,
)
from ansible.module_utils.kraft.errors import UnansweredError
from kafka.cluster import get_ip_port_afi

from tests.unit.cluster.snapshots import broker, cluster, partition, quorum, topic


def test_a_snapshot_survives_json() -> None:
    snapshot = Snapshot(
        cluster_id="x",
        brokers=(broker(1, "a"), broker(2, fenced=True)),
        topics=(topic("t", partition(0, [1, 2], [1])),),
        quorum=quorum(1),
        min_insync={"t": 2},
        log_dirs=(LogDir(1, "/data"),),
        topic_bytes={"t": 5},
        features=(Feature("kraft.version", 1, 0, 1),),
        reassignments=(Reassignment("t", 0, (2,), ()),),
        unanswered={"configs": "why"},
        late=("configs",),
    )
    data = json.loads(json.dumps(snapshot.to_dict()))
    assert from_dict(data) == snapshot
    assert data["controller_id"] == 1


@pytest.mark.parametrize(
    ("host", "address"), [("10.0.0.1", "10.0.0.1:9092"), ("k1", "k1:9092"), ("fd00::1", "[fd00::1]:9092")]
)
def test_a_broker_is_asked_at_an_address_that_a_client_reads_as_it_is_meant(host: str, address: str) -> None:
    """Without brackets the port would be taken for a part of an IPv6 address."""
    assert Broker(1, host, 9092).address == address
    assert get_ip_port_afi(Broker(1, host, 9092).address)[:2] == (host, 9092)


def test_parts_not_asked_for_stay_unknown() -> None:
    assert from_dict(Snapshot("x").to_dict()) == Snapshot("x")
    assert Snapshot("x").controller_id == -1


def test_an_id_is_written_as_kafka_writes_it() -> None:
    assert written_id(uuid.UUID("b6b783de-ebf4-4009-a867-4cd26e1f7ba7")) == "treD3uv0QAmoZ0zSbh97pw"
    assert written_id(uuid.UUID(int=0)) == ""
    assert written_id("00000000-0000-0000-0000-000000000000") == ""
    assert written_id(None) == ""


def replica(node: int, end: int, caught_up: int) -> dict[str, Any]:
    return {
        "replica_id": node,
        "replica_directory_id": "00000000-0000-0000-0000-000000000000",
        "log_end_offset": end,
        "last_caught_up_timestamp": caught_up,
        "last_fetch_timestamp": caught_up,
    }


def test_distances_are_counted_from_the_leaders_own_entry() -> None:
    voters = [replica(1, 100, 50_000), replica(2, 97, 49_200), replica(3, -1, -1)]
    found = responses.quorum(
        {"leader_id": 1, "leader_epoch": 4, "high_watermark": 99, "current_voters": voters, "observers": []}
    )
    assert [(one.lag, one.behind_ms) for one in found.voters] == [(0, 0), (3, 800), (None, None)]


def test_a_leader_whose_clock_was_set_back_shows_no_distance_in_time() -> None:
    """Kafka keeps the latest time of a voter. The dead one (2) lacks records, the other one does not."""
    voters = [replica(1, 500, 50_000), replica(2, 97, 650_000), replica(3, 500, 650_400)]
    found = responses.quorum(
        {"leader_id": 1, "leader_epoch": 4, "high_watermark": 499, "current_voters": voters, "observers": []}
    )
    assert [one.behind_ms for one in found.voters] == [0, -600_000, -600_400]
    assert [caught_up(one) for one in found.voters] == [True, False, True]
    assert delay(found.voters[1]).startswith("is 403 records behind the leader, whose clock was set back by 600.0 s")
    assert judge(cluster(leader=found), [2]).allows()
    assert not judge(cluster(leader=found), [3]).allows()


def test_without_a_leader_no_distance_is_known() -> None:
    found = responses.quorum(
        {
            "leader_id": -1,
            "leader_epoch": 4,
            "high_watermark": -1,
            "current_voters": [replica(1, 5, 5)],
            "observers": [],
        }
    )
    assert found.voters[0].lag is None


def test_topics_that_vanished_are_left_out() -> None:
    part = {"partition_index": 0, "leader_id": 1, "replica_nodes": [1], "isr_nodes": [1], "offline_replicas": []}
    found = responses.topics(
        {
            "topics": [
                {"name": "b", "error_code": 0, "is_internal": False, "partitions": [part]},
                {"name": "a", "error_code": 3, "is_internal": False, "partitions": []},
            ]
        }
    )
    assert [one.name for one in found] == ["b"]


def test_a_topic_has_the_id_that_another_of_its_name_has_not() -> None:
    identifier = uuid.UUID("b6b783de-ebf4-4009-a867-4cd26e1f7ba7")
    one = {"name": "b", "error_code": 0, "is_internal": False, "partitions": [], "topic_id": identifier}
    (found,) = responses.topics({"topics": [one]})
    assert found.topic_id == "treD3uv0QAmoZ0zSbh97pw"
    assert from_dict(cluster(found).to_dict()).topics == (found,)


def test_features_that_are_not_finalised_have_level_zero() -> None:
    found = responses.features(
        {
            "finalized_features": [{"name": "m", "max_version_level": 30, "min_version_level": 30}],
            "supported_features": [
                {"name": "m", "min_version": 7, "max_version": 30},
                {"name": "k", "min_version": 0, "max_version": 1},
            ],
        }
    )
    assert found == (Feature("k", 0, 0, 1), Feature("m", 30, 7, 30))


def test_an_offline_log_directory_carries_its_error() -> None:
    answer = {"results": [{"error_code": 56, "log_dir": "/d", "total_bytes": -1, "usable_bytes": -1, "topics": []}]}
    assert responses.log_dirs(2, answer, {56: "offline"}) == (LogDir(2, "/d", "offline"),)


class Disks:
    """A client of brokers, some of them silent."""

    def __init__(self, silent: Collection[str]) -> None:
        self.silent = silent

    def request(self, name: str, **fields: Any) -> dict[str, Any]:
        return {"name": name, **fields}

    def error(self, *_: Any) -> None:
        return None

    def reach(self) -> str:
        return "kafka1:9092"

    patience = 0.0

    def send_all(self, questions: Sequence[Question], _: float) -> list[Any]:
        return [self.answer(one.address, one.request["name"]) for one in questions]

    def answer(self, address: str, name: str) -> Any:
        if name == "DescribeClusterRequest":
            brokers = [{"broker_id": one, "host": f"kafka{one}", "port": 9092, "rack": None} for one in range(1, 7)]
            return {"cluster_id": "x", "brokers": brokers}
        if address in self.silent:
            return UnansweredError(f"{address} is late")
        sizes = [{"name": "orders", "partitions": [{"partition_size": 3}, {"partition_size": 4}]}]
        room = {"error_code": 0, "total_bytes": 10, "usable_bytes": 2}
        return {"results": [{**room, "log_dir": one, "topics": sizes} for one in ("/a", "/b")]}


def test_a_broker_that_is_late_spoils_nothing_of_the_other_log_dirs() -> None:
    client: Any = Disks([f"kafka{one}:9092" for one in (2, 3, 4, 5)])
    found = gather.observe(client, ["log_dirs"])
    assert found.log_dirs is not None
    assert [(one.node_id, one.path, one.used_bytes, one.replicas) for one in found.log_dirs] == [
        (1, "/a", 7, 2), (1, "/b", 7, 2), (6, "/a", 7, 2), (6, "/b", 7, 2),
    ]  # fmt: skip
    assert found.topic_bytes == {"orders": 28}
    reason = found.unanswered["log_dirs"]
    assert [f"kafka{one}:9092" in reason for one in (1, 2, 3, 4, 5)] == [False, True, True, True, False]
    assert "1 more" in reason
