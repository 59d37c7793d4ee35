from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster import responses
from ansible.module_utils.kraft.cluster.snapshot import (
    Broker,
    Feature,
    LogDir,
    Reassignment,
    Snapshot,
    directory_id,
    from_dict,
)
from kafka.cluster import get_ip_port_afi

from tests.unit.cluster.snapshots import broker, partition, quorum, topic


def test_a_snapshot_survives_json() -> None:
    snapshot = Snapshot(
        cluster_id="x",
        brokers=(broker(1, "a"), broker(2, fenced=True)),
        topics=(topic("t", partition(0, [1, 2], [1])),),
        quorum=quorum(1),
        min_insync={"t": 2},
        log_dirs=(LogDir(1, "/data"),),
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


def test_a_directory_id_is_written_as_kafka_writes_it() -> None:
    assert directory_id(uuid.UUID("b6b783de-ebf4-4009-a867-4cd26e1f7ba7")) == "treD3uv0QAmoZ0zSbh97pw"
    assert directory_id(uuid.UUID(int=0)) == ""
    assert directory_id("00000000-0000-0000-0000-000000000000") == ""
    assert directory_id(None) == ""


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
