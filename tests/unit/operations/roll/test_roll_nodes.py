"""Nodes that a roll restarts, and the messages about a failed batch."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.shutdown_check import SESSION_MS
from ansible.module_utils.kraft.cluster.snapshot import Broker, Quorum, Replica
from ansible.module_utils.kraft.difference import REQUEST, Difference
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.roll import due_nodes, outcome

from tests.unit.cluster.snapshots import broker, cluster, quorum, voter
from tests.unit.differences import OF_THE_UNIT, plain, setting
from tests.unit.problems import named
from tests.wording_files import Wording

DESIRED = {"nodes": {f"kraft{one}": {"node_id": one, "roles": ["broker"]} for one in (1, 2)}}
BATCH: dict[str, Any] = {
    "node_ids": [1, 2],
    "checked": True,
    "nodes": [
        {"host": f"kraft{one}", "node_id": one, "keep": True, "differences": plain(OF_THE_UNIT)} for one in (1, 2)
    ],
}


def restarted(host: str, *actions: str, **more: Any) -> dict[str, Any]:
    return {"ansible_loop_var": "rolled", "rolled": {"host": host}, "actions": list(actions), **more}


def test_stale_nodes_are_listed_with_their_reasons() -> None:
    looked = {
        "kraft1": {"stale": False, "differences": []},
        "kraft2": {"stale": True, "differences": plain(OF_THE_UNIT), "started_at": 71},
    }
    assert due_nodes.stale(looked, DESIRED, list(looked)) == [
        {"host": "kraft2", "node_id": 2, "started_at": 71, "differences": plain(OF_THE_UNIT)}
    ]


def test_a_node_whose_only_difference_is_settled_live_is_not_restarted() -> None:
    threads, partitions = plain(setting("num.io.threads 8 -> 12"), setting("num.partitions 1 -> 3"))
    looked = {
        "kraft1": {"stale": True, "differences": [threads]},
        "kraft2": {"stale": True, "differences": [threads, partitions]},
    }
    settled = {"kraft1": ["num.io.threads"], "kraft2": ["num.io.threads"]}
    assert due_nodes.stale(looked, DESIRED, list(looked), settled) == [
        {"host": "kraft2", "node_id": 2, "started_at": 0, "differences": [partitions]}
    ]


def test_kafka_is_asked_only_where_something_differs_and_someone_ran_before() -> None:
    node = {"node_id": 1, "roles": ["broker"], "properties": {"num.io.threads": "8"}, "secrets": []}
    desired = {"cluster": {"version": "4.3.1"}, "nodes": {"kraft1": node}}

    def asked(always: bool = False, written: bool = False, **started: Any) -> int:
        paths = ["server.properties"] if written else []
        looked = {"kraft1": {"stale": False, "differences": [], "actions": [], "changed_paths": paths, **started}}
        return len(due_nodes.change_nodes(looked, desired, always))

    assert asked() == 0
    assert asked(stale=True, differences=plain(OF_THE_UNIT)) == 1
    assert asked(written=True) == 1
    assert asked(always=True) == 1
    assert asked(written=True, actions=["start"]) == 0


def test_a_broker_that_is_left_out_of_the_run_is_left_alone() -> None:
    process = {"stale": True, "differences": plain(setting("num.io.threads 8 -> 12")), "actions": [], "running": True}
    node = {"roles": ["broker"], "properties": {"num.io.threads": "12"}, "secrets": []}
    desired = {"cluster": {"version": "4.3.1"}, "nodes": {f"kraft{one}": {"node_id": one, **node} for one in (1, 2)}}
    looked: dict[str, Any] = {"kraft1": process, "kraft2": None}
    for down in (False, True):
        assert [one["host"] for one in due_nodes.stale(looked, desired, list(looked), down=down)] == ["kraft1"]
    assert [one["host"] for one in due_nodes.change_nodes(looked, desired)] == ["kraft1"]
    assert due_nodes.change_nodes({"kraft2": looked["kraft2"]}, desired, always=True) == []


def test_a_maintenance_takes_nodes_that_are_down_too() -> None:
    looked = {
        "kraft1": {"stale": False, "differences": [], "running": True},
        "kraft2": {"stale": False, "differences": [], "running": False, "started_at": 0},
    }
    assert due_nodes.stale(looked, DESIRED, list(looked)) == []
    assert [node["host"] for node in due_nodes.stale(looked, DESIRED, list(looked), down=True)] == ["kraft2"]


def test_a_failed_maintenance_says_why_and_which_hosts_are_left(wording: Wording) -> None:
    batches = [{"nodes": [{"host": name} for name in names]} for names in (["k3"], ["k1", "k4"], ["k2"])]
    said = outcome.maintenance_failure(batches, "k4", {"msg": "no such package"}, {"unreachable": False})
    beside = outcome.maintenance_failure(batches, "k1", {}, {"changed": True})
    gone = outcome.maintenance_failure(batches, "k2", {"msg": "Timed out"}, {"unreachable": True})
    assert '{"kafka_restart_nodes": ["k1", "k4", "k2"]}' in said
    assert '{"kafka_restart_nodes": ["k2"]}' in gone
    wording([said, beside, gone])


WANTED = {"broker_ids": [1, 2, 3], "voter_ids": [1, 2, 3]}
NODES = {f"kraft{one}": {"node_id": one} for one in (1, 2, 3)}
REFUSED = {"ansible_loop_var": "rolled", "rolled": {"host": "kraft2"}, "failed": True, "msg": "not complete"}
KEPT = [{}, {"results": [restarted("kraft1", "keep", "restart"), REFUSED]}]
BATCHES = [{**BATCH, "node_ids": [4], "nodes": []}, BATCH, {"node_ids": [3], "nodes": [{"host": "kraft3"}]}]
NOTHING = {"answer": "unreachable", "snapshot": None}


def seen(*brokers: Broker, leader: Quorum | None = None) -> dict[str, Any]:
    return {"answer": "known", "snapshot": cluster(brokers=brokers, leader=leader).to_dict()}


DOWN = seen(broker(1, fenced=True), broker(2), broker(3))


def test_only_what_was_kept_in_this_batch_is_gone_back_to() -> None:
    assert outcome.to_revert(BATCH, KEPT, DOWN, WANTED) == ["kraft1"]
    assert outcome.to_revert(BATCH, [{"results": []}], DOWN, WANTED) == []


def test_a_node_that_serves_is_not_reverted_because_another_one_died() -> None:
    """Broker 3 went away while node 1 restarted."""
    gone = seen(broker(1), broker(2), broker(3, fenced=True))
    assert outcome.to_revert(BATCH, KEPT, gone, WANTED) == []
    assert outcome.to_revert({**BATCH, "checked": False}, KEPT, gone, WANTED) == []


@pytest.mark.parametrize(
    ("entry", "watched_ms", "reverted"),
    [
        (voter(1, None), SESSION_MS, []),
        (voter(1, None), SESSION_MS + 1, ["kraft1"]),
        (voter(1, SESSION_MS), 0, []),
        (voter(1, SESSION_MS + 1), 0, ["kraft1"]),
    ],
)
def test_a_node_that_a_new_leader_has_not_heard_of_is_not_reverted_before_a_session_is_over(
    entry: Replica, watched_ms: int, reverted: list[str]
) -> None:
    leader = dataclasses.replace(quorum(2, entry, voter(2), voter(3)), watched_ms=watched_ms)
    look = seen(broker(1), broker(2), broker(3), leader=leader)
    assert outcome.to_revert(BATCH, KEPT, look, WANTED) == reverted


def test_nothing_is_reverted_while_it_is_not_known_who_serves() -> None:
    electing = seen(broker(1, fenced=True), leader=quorum(-1))
    for look in (NOTHING, {"answer": "unknown", "snapshot": None}, electing):
        assert outcome.to_revert(BATCH, KEPT, look, WANTED) == []
        assert outcome.to_revert({**BATCH, "checked": False}, KEPT, look, WANTED) == ["kraft1"]
    alone = {"broker_ids": [1, 2], "voter_ids": [1, 2]}
    assert outcome.to_revert(BATCH, KEPT, NOTHING, alone) == ["kraft1"]
    assert outcome.to_revert(BATCH, KEPT, electing, alone) == []


def test_the_results_of_an_earlier_roll_of_the_run_are_not_those_of_this_one() -> None:
    """The shutdown check forbids the restart, and the registered results are those of the last roll's last batch."""

    def roll(started_at: int, *results: dict[str, Any]) -> dict[str, Any]:
        batch = {**BATCH, "nodes": [{**node, "started_at": started_at} for node in BATCH["nodes"]]}
        went = {"steps": [{"failed": True, "msg": "not now"}, {"results": [*results]}], "look": DOWN, "undo": []}
        return outcome.undo(batch, went, WANTED, BATCHES, NODES)

    kept = restarted("kraft1", "keep", "restart")
    kept["rolled"]["started_at"] = 71
    found = roll(72, kept, {"failed": True, "msg": "no reason"})
    assert found["hosts"] == []
    assert "kraft1 (node 1): was not restarted." in found["message"]
    assert "not now\nno reason\n" in found["message"]
    found = roll(71, kept)
    assert found["hosts"] == ["kraft1"]
    assert "kraft1 (node 1), restarted because of" in found["message"]


def said_of(steps: list[dict[str, Any]], look: dict[str, Any], *undo: dict[str, Any], **batch: Any) -> list[str]:
    went = {"steps": steps, "look": look, "undo": list(undo)}
    return outcome.batch_failure({**BATCH, **batch}, went, WANTED, BATCHES, NODES).splitlines()


def test_the_failure_names_reason_and_outcome_for_each_node(wording: Wording) -> None:
    served = {"results": [{"failed": True, "msg": "Node 1 is not healthy"}, {"failed": False}]}
    back = {"results": [{"ansible_loop_var": "reverted", "reverted": "kraft1", "actions": ["restart"]}]}
    both = {"results": [restarted("kraft1", "restart"), restarted("kraft2", "restart")]}
    lines = said_of([{}, both, served], DOWN, {}, back)
    assert lines[0] == "Node 1 is not healthy"
    assert named(lines[1:3]) == [["kraft1", "1"], ["kraft2", "2"]]
    assert all("restarted because of unit" in line for line in lines[1:3])
    worse = said_of([both, served], DOWN, {"failed": True, "msg": "Node 1 cannot be shut down now"}, {"results": []})
    failed = said_of(
        [both, served], DOWN, {}, back, {"results": [{"failed": True, "msg": "Node 1 is not healthy yet"}]}
    )
    late = seen(broker(1), broker(2), broker(3), leader=quorum(2, voter(1, None), voter(2), voter(3)))
    waited = said_of([both, served], late)
    assert named(waited[1:3]) == [["kraft1", "1"], ["kraft2", "2"]]
    wording([*lines, *worse, *failed, *said_of([both, served], NOTHING), *waited])


def test_the_failure_of_a_restart_names_who_went_away_and_the_command_that_goes_on(wording: Wording) -> None:
    """Nothing of the inventory is wrong if a node was only asked to restart."""
    asked = [{**node, "differences": plain(Difference(REQUEST, "asked for"))} for node in BATCH["nodes"]]
    batches = [{"node_ids": [1, 2], "nodes": asked}, BATCHES[2]]
    unreachable = {**restarted("kraft2"), "unreachable": True, "msg": "Connection timed out"}
    steps = [{"results": [restarted("kraft1", "restart"), unreachable]}]
    look = seen(broker(1), broker(2, fenced=True), broker(3, fenced=True))
    batch = {"node_ids": [1, 2], "nodes": asked, "checked": True}
    went = {"steps": steps, "look": look, "undo": []}
    said = outcome.batch_failure(batch, went, WANTED, batches, NODES)
    assert '{"kafka_restart_nodes": ["kraft2", "kraft3"]}' in said
    assert "orrect the inventory" not in said
    assert "kraft3 (node 3) does not serve" in said
    wording(said.splitlines())


def test_a_module_that_was_killed_leaves_it_open_whether_the_node_was_restarted(wording: Wording) -> None:
    killed = {**restarted("kraft1"), "failed": True, "msg": "Module result deserialization failed.", "rc": 137}
    del killed["actions"]
    said = said_of([{}, {"results": [{**killed, "module_stdout": ""}, REFUSED]}], DOWN)
    assert named(said[:1]) == [["kraft1", "137"]]
    assert "was not restarted" not in said[2]
    assert "was not restarted" in said[3]
    wording(said)


def test_a_broker_that_is_not_registered_does_not_serve_although_its_controller_follows() -> None:
    voters = quorum(2, voter(1), voter(2), voter(3))
    said = said_of([{"results": [restarted("kraft1", "restart")]}], seen(broker(2), broker(3), leader=voters))
    assert "serves" not in said[0]
    assert not any(line.startswith("kraft3") for line in said)


def test_a_failure_without_words_or_without_a_host_is_shown_as_such(wording: Wording) -> None:
    silent = {"unreachable": True, "msg": "Connection timed out"}
    wording(said_of([{"failed": True}, silent], DOWN)[:2])


def test_a_node_that_no_host_of_the_run_has_is_named_by_its_id() -> None:
    nodes_of_run = {name: node for name, node in NODES.items() if name != "kraft3"}
    went = {"steps": [], "undo": [], "look": seen(broker(1), broker(2), broker(3, fenced=True))}
    (away,) = [
        line
        for line in outcome.batch_failure(BATCH, went, WANTED, BATCHES, nodes_of_run).splitlines()
        if "-> start" in line
    ]
    assert away.startswith("? (node 3)")


@pytest.mark.parametrize(
    ("actions", "look", "blames"),
    [(["restart"], DOWN, True), ([], DOWN, False), (["restart"], seen(broker(1), broker(2), broker(3)), False)],
)
def test_the_inventory_is_blamed_only_for_a_node_that_was_restarted_and_does_not_serve(
    actions: list[str], look: dict[str, Any], blames: bool
) -> None:
    said = said_of([{"results": [restarted("kraft1", *actions)]}], look)
    assert ("orrect the inventory" in said[-1]) == blames


def test_only_batches_that_were_not_reached_are_left(wording: Wording) -> None:
    asked_for = plain(Difference(REQUEST, "asked for"))
    batches = [{"node_ids": [one], "nodes": [{"host": f"kraft{one}", "node_id": one}]} for one in (3, 2, 1)]
    said = []
    for one in (2, 1):
        node = {"host": f"kraft{one}", "node_id": one, "differences": asked_for}
        batch = {"node_ids": [one], "checked": True, "nodes": [node]}
        went = {"steps": [{"results": [restarted(f"kraft{one}", "restart")]}], "undo": [], "look": DOWN}
        said.append(outcome.batch_failure(batch, went, WANTED, batches, NODES).splitlines()[-1])
    assert '{"kafka_restart_nodes": ["kraft1"]}' in said[0]
    assert "kafka_restart_nodes" not in said[1]
    wording(said)


def asked(*hosts: str, checked: bool = True) -> dict[str, Any]:
    """Return a batch as a host returns it, with false data about its nodes."""
    lies = {"node_id": 9, "started_at": 1, "differences": ["a lie"], "keep": True}
    return {"checked": checked, "node_ids": [9], "nodes": [{"host": host, **lies} for host in hosts]}


def due(*hosts: str) -> list[dict[str, Any]]:
    return [{"host": host, "node_id": int(host[-1]), "started_at": 71, "differences": []} for host in hosts]


def test_a_planned_batch_has_the_nodes_that_were_given() -> None:
    first, second = due_nodes.ordered([asked("kraft2"), asked("kraft1", checked=False)], due("kraft1", "kraft2"), 1)
    node = {"host": "kraft2", "node_id": 2, "started_at": 71, "differences": [], "keep": True}
    assert first == {"node_ids": [2], "checked": True, "nodes": [node]}
    assert (second["node_ids"], second["checked"]) == ([1], False)


@pytest.mark.parametrize(
    ("batches", "named"),
    [
        ([asked("kraft1"), asked("localhost")], "localhost"),
        ([asked("kraft1"), asked("\x1b[2Jkraft2")], "?[2Jkraft2"),
        ([asked("kraft1")], "kraft2"),
        ([asked("kraft1"), asked("kraft2"), asked("kraft1")], "kraft1"),
        ([asked("kraft1", "kraft2")], "kraft1, kraft2 together"),
        ([asked("kraft1", "kraft2", checked=False)], "kraft1, kraft2 together"),
    ],
    ids=["another host", "escape sequence", "left out", "twice", "too many", "unchecked"],
)
def test_a_plan_with_other_nodes_than_those_that_are_due_is_refused(batches: list[dict[str, Any]], named: str) -> None:
    together = 1 if batches[0]["checked"] else 2
    with pytest.raises(RefusedError) as refused:
        due_nodes.ordered(batches, due("kraft1", "kraft2"), together)
    assert named in str(refused.value)
    assert "\x1b" not in str(refused.value)


def test_a_node_that_may_not_be_restarted_is_left_out() -> None:
    looked = {host: {"stale": False, "running": False, "differences": []} for host in ("kraft1", "kraft2")}
    assert [node["host"] for node in due_nodes.stale(looked, DESIRED, ["kraft2"], down=True)] == ["kraft2"]


def test_a_node_is_due_for_a_comparison_or_a_restart() -> None:
    desired = {
        "cluster": {"version": "4.4.0"},
        "nodes": {"kraft1": {"node_id": 1, "roles": ["broker"], "properties": {}, "secrets": []}},
    }
    looked = {"kraft1": {"stale": False, "running": True, "differences": [], "actions": []}}
    assert due_nodes.due(looked, desired, list(looked)) == {"live": [], "restarts": [], "any": False}
    found = due_nodes.due(looked, desired, list(looked), drift=True)
    assert ([one["host"] for one in found["live"]], found["restarts"], found["any"]) == (["kraft1"], [], True)
    looked["kraft1"] |= {"stale": True, "differences": plain(OF_THE_UNIT)}
    found = due_nodes.due(looked, desired, list(looked))
    assert [one["host"] for one in found["restarts"]] == ["kraft1"]
    assert due_nodes.due(looked, desired, [])["restarts"] == []
