"""Nodes that join or leave, and the cluster before and after."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.spec.desired.membership import named, split, with_members


def node(node_id: int, *roles: str) -> dict[str, Any]:
    own = {"node_id": node_id, "rack": None}
    return {
        "node_id": node_id,
        "roles": list(roles),
        "directory_id": f"d{node_id}",
        "voter_listeners": [],
        "as_broker": own,
    }


STATE: dict[str, Any] = {
    "cluster": {
        "name": "k",
        "cluster_id": "id",
        "broker_ids": [1, 3],
        "controller_ids": [1, 2],
        "controllers": [{"node_id": 1, "address": "k1:9093"}, {"node_id": 2, "address": "k2:9093"}],
    },
    "nodes": {"k1": node(1, "broker", "controller"), "k2": node(2, "controller"), "k3": node(3, "broker")},
}
WHOLE = {"cluster_id": "id", "broker_ids": [1, 3], "voter_ids": [1, 2]}


def test_the_whole_cluster_is_expected_and_keeps_its_description() -> None:
    cluster = with_members(STATE, [], [])
    assert {name: cluster[name] for name in STATE["cluster"]} == STATE["cluster"]
    assert cluster["expected"] == cluster["leaving"]["expected"] == cluster["joining"]["before"]["expected"] == WHOLE
    assert cluster["controller_addresses"] == ["k1:9093", "k2:9093"]
    assert cluster["joining"]["others"] == cluster["leaving"]["others"] == ["k1", "k2", "k3"]
    assert not cluster["joining"]["hosts"] + cluster["leaving"]["hosts"] + cluster["leaving"]["node_ids"]


def test_a_node_that_joins_is_a_voter_or_a_broker_and_no_member_before() -> None:
    joining = with_members(STATE, ["k2", "k3"], [])["joining"]
    assert joining["controllers"] == [{"node_id": 2, "directory_id": "d2", "voter_listeners": []}]
    assert joining["brokers"] == [{"node_id": 3, "rack": None}]
    assert joining["others"] == ["k1"]
    before = {"cluster_id": "id", "broker_ids": [1], "voter_ids": [1]}
    assert joining["before"] == {"expected": before, "controller_addresses": ["k1:9093"]}


def test_a_node_that_leaves_is_not_expected_afterwards() -> None:
    cluster = with_members(STATE, [], ["k1", "k3"])
    leaving = cluster["leaving"]
    assert (leaving["node_ids"], leaving["broker_ids"], leaving["controller_ids"]) == ([1, 3], [1, 3], [1])
    assert leaving["controllers_left"] == [{"node_id": 2, "address": "k2:9093"}]
    assert leaving["expected"] == {"cluster_id": "id", "broker_ids": [], "voter_ids": [2]}
    assert (leaving["others"], cluster["expected"]) == (["k2"], WHOLE)


@pytest.mark.parametrize("names", ["k3, k1", ["k3", "k1"]])
def test_names_are_a_list_or_a_text_with_commas(names: str | list[str]) -> None:
    assert sorted(split(names)) == ["k1", "k3"]
    assert named(names, ["k1", "k2", "k3"], "kafka_add_nodes") == ["k1", "k3"]


def test_an_unknown_name_is_refused_with_its_variable() -> None:
    with pytest.raises(RefusedError) as error:
        named("kraft9", ["kraft1"], "kafka_add_nodes")
    assert "kafka_add_nodes: 'kraft9' is no node of this cluster (kraft1); did you mean kraft1?" in str(error.value)


@pytest.mark.parametrize("names", [",", " ", " , ", "\n"])
def test_a_text_that_names_no_host_is_refused(names: str) -> None:
    """Two unset variables with a comma in between: remove_nodes.yml took them as all machines of the cluster."""
    with pytest.raises(RefusedError, match="kafka_ec2_terminate"):
        named(names, ["k1", "k2"], "kafka_ec2_terminate")
    assert named("", ["k1", "k2"], "kafka_ec2_terminate") == named([], ["k1", "k2"], "kafka_ec2_terminate") == []
