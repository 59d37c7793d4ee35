"""Up to which offset what a node has on its disk is what the cluster has."""

from __future__ import annotations

import dataclasses

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Quorum, Replica, Snapshot
from ansible.module_utils.kraft.operations.resources.stored_users import committed_at

HERE = {"cluster.id": "ours", "node.id": "4"}


def replica(node_id: int, end: int) -> Replica:
    return Replica(node_id, "AAAA", end, 0, 1, 1, 0)


def seen(*voters: Replica, observers: tuple[Replica, ...] = ()) -> Snapshot:
    quorum = Quorum(leader_id=1, leader_epoch=1, high_watermark=100, voters=voters, observers=observers)
    return Snapshot(cluster_id="ours", brokers=(), quorum=quorum)


@pytest.mark.parametrize(
    ("snapshot", "known"),
    [
        (seen(replica(1, 103), replica(4, 100)), 100),
        (seen(replica(1, 103), replica(4, 103)), 100),
        (seen(replica(1, 103), observers=(replica(4, 101),)), 100),
        (seen(replica(1, 103), replica(4, 99)), None),
        (seen(replica(1, 103), replica(4, -1)), None),
        (seen(replica(1, 103), replica(44, 103)), None),
        (dataclasses.replace(seen(replica(4, 103)), cluster_id="another"), None),
        (dataclasses.replace(seen(replica(4, 103)), quorum=None), None),
    ],
)
def test_what_is_committed_is_known_once_the_node_has_it(snapshot: Snapshot, known: int | None) -> None:
    assert committed_at(snapshot, HERE) == known
