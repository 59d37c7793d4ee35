"""Which nodes a roll restarts, and what is said where a batch fails."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.kraft.operations.roll import nodes, outcome

from tests.unit.differences import OF_THE_UNIT, plain, setting
from tests.unit.problems import named
from tests.wording_files import Wording

DESIRED = {"nodes": {f"kraft{one}": {"node_id": one, "roles": ["broker"]} for one in (1, 2)}}
BATCH = {
    "node_ids": [1, 2],
    "nodes": [
        {"host": f"kraft{one}", "node_id": one, "ready": True, "differences": plain(OF_THE_UNIT)} for one in (1, 2)
    ],
}


def restarted(host: str, *actions: str, **more: Any) -> dict[str, Any]:
    return {"ansible_loop_var": "rolled", "rolled": {"host": host}, "actions": list(actions), **more}


def test_stale_nodes_are_listed_with_their_reasons() -> None:
    looked = {
        "kraft1": {"process": {"stale": False, "differences": []}},
        "kraft2": {"process": {"stale": True, "differences": plain(OF_THE_UNIT), "started_at": 71}},
    }
    assert nodes.stale(looked, DESIRED) == [
        {"host": "kraft2", "node_id": 2, "started_at": 71, "differences": plain(OF_THE_UNIT)}
    ]


def test_a_node_whose_only_difference_is_settled_live_is_not_restarted() -> None:
    threads, partitions = plain(setting("num.io.threads 8 -> 12"), setting("num.partitions 1 -> 3"))
    looked = {
        "kraft1": {"process": {"stale": True, "differences": [threads]}},
        "kraft2": {"process": {"stale": True, "differences": [threads, partitions]}},
    }
    settled = {"kraft1": ["num.io.threads"], "kraft2": ["num.io.threads"]}
    assert nodes.stale(looked, DESIRED, settled) == [
        {"host": "kraft2", "node_id": 2, "started_at": 0, "differences": [partitions]}
    ]


def test_kafka_is_asked_only_where_something_differs_and_somebody_ran_before() -> None:
    node = {"node_id": 1, "roles": ["broker"], "properties": {"num.io.threads": "8"}, "secrets": []}
    desired = {"cluster": {"version": "4.3.1"}, "nodes": {"kraft1": node}}

    def asked(always: bool = False, written: bool = False, **started: Any) -> int:
        paths = ["server.properties"] if written else []
        looked = {
            "kraft1": {"process": {"stale": False, "differences": [], "actions": [], "changed_paths": paths, **started}}
        }
        return len(nodes.change_nodes(looked, desired, always))

    assert asked() == 0
    assert asked(stale=True, differences=plain(OF_THE_UNIT)) == 1
    assert asked(written=True) == 1
    assert asked(always=True) == 1
    assert asked(written=True, actions=["start"]) == 0


def test_a_broker_that_is_left_out_of_the_run_is_left_alone() -> None:
    process = {"stale": True, "differences": plain(setting("num.io.threads 8 -> 12")), "actions": [], "running": True}
    node = {"roles": ["broker"], "properties": {"num.io.threads": "12"}, "secrets": []}
    desired = {"cluster": {"version": "4.3.1"}, "nodes": {f"kraft{one}": {"node_id": one, **node} for one in (1, 2)}}
    looked: dict[str, Any] = {"kraft1": {"process": process}, "kraft2": {"process": None}}
    for down in (False, True):
        assert [one["host"] for one in nodes.stale(looked, desired, down=down)] == ["kraft1"]
    assert [one["host"] for one in nodes.change_nodes(looked, desired)] == ["kraft1"]
    assert nodes.change_nodes({"kraft2": looked["kraft2"]}, desired, always=True) == []


def test_a_maintenance_takes_nodes_that_are_down_too() -> None:
    looked = {
        "kraft1": {"process": {"stale": False, "differences": [], "running": True}},
        "kraft2": {"process": {"stale": False, "differences": [], "running": False, "started_at": 0}},
    }
    assert nodes.stale(looked, DESIRED) == []
    assert [node["host"] for node in nodes.stale(looked, DESIRED, down=True)] == ["kraft2"]


def test_a_failed_maintenance_says_why_and_which_hosts_are_left(wording: Wording) -> None:
    batches = [{"nodes": [{"host": name} for name in names]} for names in (["k3"], ["k1", "k4"], ["k2"])]
    said = outcome.maintenance_failure(batches, "k4", {"msg": "no such package"}, {"unreachable": False})
    beside = outcome.maintenance_failure(batches, "k1", {}, {"changed": True})
    gone = outcome.maintenance_failure(batches, "k2", {"msg": "Timed out"}, {"unreachable": True})
    assert '{"kafka_restart_nodes": ["k1", "k4", "k2"]}' in said
    assert '{"kafka_restart_nodes": ["k2"]}' in gone
    wording([said, beside, gone])


def test_only_what_was_kept_in_this_batch_is_gone_back_to() -> None:
    refused = {
        "ansible_loop_var": "rolled",
        "rolled": {"host": "kraft2"},
        "failed": True,
        "msg": "release 4.3.1 is not complete",
    }
    results = {"results": [restarted("kraft1", "keep", "restart"), refused]}
    assert outcome.to_revert(BATCH, results) == ["kraft1"]


def test_the_failure_names_reason_and_outcome_for_each_node(wording: Wording) -> None:
    failure = {"results": [{"failed": True, "msg": "Node 1 is not healthy"}, {"failed": False}]}
    said = outcome.batch_failure(BATCH, ["kraft1"], failure)
    lines = said.splitlines()
    assert lines[0] == "Node 1 is not healthy"
    assert named(lines[1:3]) == [["kraft1", "1"], ["kraft2", "2"]]
    assert all("restarted because of unit" in line for line in lines[1:3])
    wording(lines)
