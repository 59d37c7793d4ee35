from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

from tests.unit.differences import OF_THE_UNIT, plain, setting
from tests.unit.problems import named
from tests.wording_files import Wording

SOURCE = Path(__file__).resolve().parents[3] / "plugins/filter/kraft.py"
SPEC = importlib.util.spec_from_file_location("kraft_filters", SOURCE)
assert SPEC is not None
assert SPEC.loader is not None
FILTERS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(FILTERS)

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
    assert FILTERS.kraft_stale(looked, DESIRED) == [
        {"host": "kraft2", "node_id": 2, "started_at": 71, "differences": plain(OF_THE_UNIT)}
    ]


def test_a_node_whose_only_difference_is_settled_live_is_not_restarted() -> None:
    threads, partitions = plain(setting("num.io.threads 8 -> 12"), setting("num.partitions 1 -> 3"))
    looked = {
        "kraft1": {"process": {"stale": True, "differences": [threads]}},
        "kraft2": {"process": {"stale": True, "differences": [threads, partitions]}},
    }
    settled = {"kraft1": ["num.io.threads"], "kraft2": ["num.io.threads"]}
    assert FILTERS.kraft_stale(looked, DESIRED, settled) == [
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
        return len(FILTERS.kraft_change_nodes(looked, desired, always))

    assert asked() == 0
    assert asked(stale=True, differences=plain(OF_THE_UNIT)) == 1
    assert asked(written=True) == 1
    assert asked(always=True) == 1
    assert asked(written=True, actions=["start"]) == 0


def test_a_broker_that_is_left_out_of_the_run_is_left_alone() -> None:
    process = {"stale": True, "differences": plain(setting("num.io.threads 8 -> 12")), "actions": [], "running": True}
    node = {"roles": ["broker"], "properties": {"num.io.threads": "12"}, "secrets": []}
    desired = {"cluster": {"version": "4.3.1"}, "nodes": {f"kraft{one}": {"node_id": one, **node} for one in (1, 2)}}
    hostvars = {"kraft1": {"ansible_facts": {}, "started": process}, "kraft2": {"ansible_facts": {}}}
    looked = FILTERS.kraft_registered(hostvars, hostvars, {"process": "started"})
    for down in (False, True):
        assert [one["host"] for one in FILTERS.kraft_stale(looked, desired, down=down)] == ["kraft1"]
    assert [one["host"] for one in FILTERS.kraft_change_nodes(looked, desired)] == ["kraft1"]
    assert FILTERS.kraft_change_nodes({"kraft2": looked["kraft2"]}, desired, always=True) == []


def test_a_maintenance_takes_nodes_that_are_down_too() -> None:
    looked = {
        "kraft1": {"process": {"stale": False, "differences": [], "running": True}},
        "kraft2": {"process": {"stale": False, "differences": [], "running": False, "started_at": 0}},
    }
    assert FILTERS.kraft_stale(looked, DESIRED) == []
    assert [node["host"] for node in FILTERS.kraft_stale(looked, DESIRED, down=True)] == ["kraft2"]


def test_a_failed_maintenance_says_why_and_which_hosts_are_left(wording: Wording) -> None:
    batches = [{"nodes": [{"host": name} for name in names]} for names in (["k3"], ["k1", "k4"], ["k2"])]
    said = FILTERS.kraft_maintenance_failure(batches, "k4", {"msg": "no such package"}, {"unreachable": False})
    beside = FILTERS.kraft_maintenance_failure(batches, "k1", {}, {"changed": True})
    gone = FILTERS.kraft_maintenance_failure(batches, "k2", {"msg": "Timed out"}, {"unreachable": True})
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
    assert FILTERS.kraft_to_revert(BATCH, results) == ["kraft1"]


def test_the_failure_names_reason_and_outcome_for_each_node(wording: Wording) -> None:
    failure = {"results": [{"failed": True, "msg": "Node 1 is not healthy"}, {"failed": False}]}
    said = FILTERS.kraft_batch_failure(BATCH, ["kraft1"], failure)
    lines = said.splitlines()
    assert lines[0] == "Node 1 is not healthy"
    assert named(lines[1:3]) == [["kraft1", "1"], ["kraft2", "2"]]
    assert all("restarted because of unit" in line for line in lines[1:3])
    wording(lines)


def test_a_name_that_is_no_node_is_refused_with_the_nearest_one() -> None:
    hosts = ["kraft1", "kraft2", "kraft3"]
    assert FILTERS.kraft_hosts_named(["kraft3", "kraft1"], hosts, "kafka_restart_nodes") == ["kraft1", "kraft3"]
    assert FILTERS.kraft_hosts_named("kraft2", hosts, "kafka_restart_nodes") == ["kraft2"]
    with pytest.raises(AnsibleFilterError) as error:
        FILTERS.kraft_hosts_named(["kraf2"], hosts, "kafka_restart_nodes")
    said = "kafka_restart_nodes: 'kraf2' is no node of this cluster (kraft1, kraft2, kraft3); did you mean kraft"
    assert said in str(error.value)


def test_a_release_becomes_levels_of_features_and_an_unknown_one_is_refused() -> None:
    assert FILTERS.kraft_release_features(4.3)["metadata.version"] == 30
    with pytest.raises(AnsibleFilterError, match=r"kafka_finalize: '4\.33' is no release"):
        FILTERS.kraft_release_features("4.33")


def test_a_voter_is_reached_at_its_controller_listener() -> None:
    listeners = [
        {"name": name, "purpose": purpose, "advertised": {"host": "k3", "port": port}}
        for name, purpose, port in (("CLIENT", "client", 9092), ("CONTROLLER", "controller", 9093))
    ]
    assert FILTERS.kraft_voter_listeners(listeners) == [{"name": "CONTROLLER", "host": "k3", "port": 9093}]


def test_listeners_now_are_those_of_the_hosts_that_were_looked_at() -> None:
    def facts(port: int, pid: int) -> dict[str, Any]:
        listeners = [
            {"name": "C", "address": f"k:{port}", "protocol": "PLAINTEXT", "purpose": "client"},
            {"name": "I", "address": f"k:1{port}", "protocol": "PLAINTEXT", "purpose": "inter_broker"},
        ]
        return {"kafka_host": {"service": {"pid": pid}, "deployed": {"roles": ["broker"], "listeners": listeners}}}

    hostvars: dict[str, Any] = {
        "k1": {"ansible_facts": facts(9092, 0)},
        "k2": {"ansible_facts": facts(9192, 7)},
        "k3": {},
    }
    assert FILTERS.kraft_now(["k1", "k2", "k3"], hostvars) == {
        "client": ["k:9092", "k:9192"],
        "nodes": [
            {"name": "I", "address": address, "protocol": "PLAINTEXT", "purpose": "inter_broker"}
            for address in ("k:19092", "k:19192")
        ],
        "looked": ["k1", "k2"],
        "running": ["k2"],
    }


def test_broker_is_reached_where_it_was_deployed_and_else_where_it_shall_be() -> None:
    listener = {"name": "I", "address": "k1:19092", "protocol": "PLAINTEXT", "purpose": "inter_broker"}
    node = {"broker_address": "k1:29092"}
    for listeners, address in (([listener], "k1:19092"), ([], "k1:29092")):
        facts = {"deployed": {"roles": ["broker"], "listeners": listeners}}
        assert FILTERS.kraft_broker_now(node, facts) == address


def test_a_step_that_had_nothing_to_do_is_shown_as_the_look_found_it() -> None:
    looked = {"kernel": {"changed": False, "unmet": []}}
    skipped, done = {"skipped": True}, {"changed": True, "unmet": ["vm.swappiness"]}
    facts = {"kafka_host": {"steps": looked}}
    hostvars = {
        "kraft1": {"ansible_facts": facts, "kernel_task": skipped},
        "kraft2": {"ansible_facts": facts, "kernel_task": done},
        "kraft3": {"ansible_facts": facts},
        "kraft4": {"ansible_facts": {}, "kernel_task": skipped},
    }
    found = FILTERS.kraft_registered(hostvars, hostvars, {"kernel": "kernel_task"})
    assert [found[host]["kernel"] for host in hostvars] == [looked["kernel"], done, looked["kernel"], skipped]
