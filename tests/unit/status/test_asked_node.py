"""The cluster is asked through a broker that answers, on the leader's side of the network."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.leadership import Claim
from ansible.module_utils.kraft.status.asked_node import asked_through

DESIRED = {
    "cluster": {"controller_ids": [1, 2, 3], "cluster_id": "x"},
    "nodes": {f"kafka{one}": {"node_id": one} for one in (1, 2, 3, 4)},
}


def view(node_id: int, leader_id: int = 1, without: tuple[int, ...] = (), broker: str | None = "") -> dict[str, Any]:
    claims = [Claim(one, error="x") if one in without else Claim(one, leader_id, 1) for one in (1, 2, 3)]
    own = None if broker is None else {"address": f"kafka{node_id}:9092", "error": broker}
    return {"view": {"controllers": [dataclasses.asdict(one) for one in claims], "broker": own}}


AWAY: dict[str, Any] = {"view": {"unreachable": True, "msg": "timed out"}}
SKIPPED: dict[str, Any] = {"view": None}
#: Result for a host that was never deployed, in the form of ``kafka_attempt``.
FAILED: dict[str, Any] = {"view": {"failed": False, "changed": False, "error": "kafka-python cannot be imported"}}


@pytest.mark.parametrize(
    ("looked", "asked", "first"),
    [
        ([view(1), view(2), view(3)], 1, 1),
        # kafka1 is cut off from the leader.
        ([view(1, -1, without=(2, 3)), view(2, 2, without=(1,)), view(3, 2, without=(1,))], 2, 2),
        # kafka1's process hangs; our notes on it can still be read.
        ([view(1, broker="hangs"), view(2, 2), view(3, 2)], 2, 1),
        ([AWAY, view(2, 2), view(3, 2)], 2, 2),
        ([FAILED, view(2, 2), view(3, 2)], 2, 2),
        ([SKIPPED, SKIPPED, view(3, -1, without=(1, 2))], 3, 3),
        # Dedicated controllers have no broker.
        ([view(1, broker=None), view(2, broker=None), view(3, broker=None), view(4)], 4, 1),
    ],
)
def test_a_broker_on_the_leaders_side_is_asked(looked: list[dict[str, Any]], asked: int, first: int) -> None:
    given = {f"kafka{number}": one for number, one in enumerate(looked, 1)}
    assert asked_through(given, DESIRED) == {
        "host": f"kafka{asked}",
        "address": f"kafka{asked}:9092",
        "first": f"kafka{first}",
    }


@pytest.mark.parametrize("looked", [[], [AWAY], [view(1, broker="hangs"), SKIPPED], [view(1, broker=None)]])
def test_where_no_broker_answers_no_one_is_asked(looked: list[dict[str, Any]]) -> None:
    assert asked_through({f"kafka{number}": one for number, one in enumerate(looked, 1)}, DESIRED) == {}
