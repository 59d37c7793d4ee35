from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible.module_utils.kraft.node.identity import Disk, Identity

SOURCE = Path(__file__).resolve().parents[3] / "plugins/filter/kraft.py"
SPEC = importlib.util.spec_from_file_location("kraft_filters", SOURCE)
assert SPEC is not None
assert SPEC.loader is not None
FILTERS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(FILTERS)

CLUSTER: dict[str, Any] = {"cluster_id": "ours", "install_dir": "/opt/kafka", "node_listeners": []}
DESIRED = {"nodes": {f"kraft{one}": {"node_id": one, "roles": ["broker"]} for one in (1, 2)}}


def test_a_name_that_is_no_node_is_refused_with_the_nearest_one() -> None:
    hosts = ["kraft1", "kraft2", "kraft3"]
    assert FILTERS.kraft_hosts_named(["kraft3", "kraft1"], hosts, "kafka_restart_nodes") == ["kraft1", "kraft3"]
    assert FILTERS.kraft_hosts_named("kraft2", hosts, "kafka_restart_nodes") == ["kraft2"]
    with pytest.raises(AnsibleFilterError) as error:
        FILTERS.kraft_hosts_named(["kraf2"], hosts, "kafka_restart_nodes")
    said = "kafka_restart_nodes: 'kraf2' is no node of this cluster (kraft1, kraft2, kraft3); did you mean kraft"
    assert said in str(error.value)


def test_listeners_now_are_those_of_the_hosts_that_were_looked_at() -> None:
    def facts(port: int, pid: int, cluster_id: str = "ours", node_id: int = 1) -> dict[str, Any]:
        disk = Disk("/data", True, cluster_id, node_id)
        listeners = [
            {"name": "C", "address": f"k:{port}", "protocol": "PLAINTEXT", "purpose": "client"},
            {"name": "I", "address": f"k:1{port}", "protocol": "PLAINTEXT", "purpose": "inter_broker"},
        ]
        deployed = {"roles": ["broker"], "listeners": listeners, "node_id": str(node_id)}
        identity = Identity(True, (disk,)).as_facts()
        health = {"answer": "known"} if pid else None
        service = {"pid": pid, "age": 7.5}
        return {"service": service, "deployed": deployed, "identity": identity, "health": health}

    found: dict[str, Any] = {
        "k1": facts(9092, 0),
        "k2": facts(9192, 7, node_id=2),
        "k3": {},
        "foreign": facts(9292, 7, "theirs", 4),
        "swapped": facts(9392, 7, node_id=1),
    }
    nodes = {host: {"node_id": number} for number, host in enumerate(found, 1)}
    wanted = {"name": "I", "address": "k:29092", "protocol": "PLAINTEXT", "purpose": "inter_broker"}
    desired = {"cluster": {**CLUSTER, "controllers": [], "node_listeners": [wanted]}, "nodes": nodes}
    now = FILTERS.kraft_now(list(found), found.values(), desired)
    clients = {name: now.pop(name)["bootstrap_servers"] for name in ("node_client", "present_client")}
    present = ["k:19092", "k:19192"]
    assert clients == {"node_client": ["k:29092", *present], "present_client": present}
    assert now == {
        "client": ["k:9092", "k:9192"],
        "nodes": [
            {"name": "I", "address": address, "protocol": "PLAINTEXT", "purpose": "inter_broker"}
            for address in ("k:19092", "k:19192")
        ],
        "controllers": [],
        "looked": ["k1", "k2", "foreign", "swapped"],
        "running": ["k2"],
        "looks": [
            {"host": "k1", "answer": "", "running_seconds": 7.5},
            {"host": "k2", "answer": "known", "running_seconds": 7.5},
        ],
    }


@pytest.mark.parametrize(
    ("in_play", "running", "but", "asked"),
    [
        (["k1", "k2", "k3"], ["k1", "k2", "k3"], [], "k1"),
        (["k3", "k2"], ["k2", "k3"], [], "k2"),  # the inventory's order, and k1 is not in the run
        (["k1", "k2", "k3"], ["k2", "k3"], [], "k2"),
        (["k1", "k2", "k3"], ["k1", "k2", "k3"], ["k1"], "k2"),
        (["k1"], ["k1"], ["k1"], "k1"),  # no other host is there
        (["k1", "k2"], ["k1"], ["k1"], "k1"),  # what does not run may never have been deployed
        (["k1", "k2", "k3"], [], [], "k1"),
        (["k1", "k2", "k3"], ["k3"], [], "k3"),  # the others did not answer the look
        (["k1", "k2"], [], ["k1"], "k2"),
    ],
)
def test_the_host_that_is_asked_is_in_the_run_and_runs_kafka(
    in_play: list[str], running: list[str], but: list[str], asked: str
) -> None:
    assert FILTERS.kraft_asked(["k1", "k2", "k3"], in_play, running, but) == asked


def test_a_run_without_a_host_that_could_be_asked_is_refused_with_those_that_could() -> None:
    with pytest.raises(AnsibleFilterError, match="k1, k2") as error:
        FILTERS.kraft_asked(["k1", "k2"], ["k3"], ["k3"])
    assert "--limit" in str(error.value)


def test_a_controller_is_not_looked_for_where_a_foreign_host_was_deployed() -> None:
    def facts(address: str, cluster_id: str) -> dict[str, Any]:
        listeners = [{"name": "C", "address": address, "protocol": "PLAINTEXT", "purpose": "controller"}]
        deployed = {"node_id": "1", "roles": ["controller"], "listeners": listeners}
        identity = Identity(True, (Disk("/data", True, cluster_id, 1),)).as_facts()
        return {"deployed": deployed, "identity": identity, "service": {"pid": 0}}

    controllers = [{"node_id": 1, "address": "k1:9093"}]
    nodes = {"k1": {"node_id": 1}, "x1": {"node_id": 7}}
    desired = {"cluster": {**CLUSTER, "controllers": controllers}, "nodes": nodes}
    found = [facts("k1:19093", "ours"), facts("x1:9093", "theirs")]
    assert FILTERS.kraft_now(nodes, found, desired)["controllers"] == [{"node_id": 1, "address": "k1:19093"}]


def test_a_step_that_had_nothing_to_do_is_shown_as_the_look_found_it() -> None:
    looked = {"kernel": {"changed": False, "unmet": []}}
    skipped, done = {"skipped": True}, {"changed": True, "unmet": ["vm.swappiness"]}
    facts = {"steps": looked, "limits": {"nofile_hard": 9}}
    found = FILTERS.kraft_results(["k1", "k2", "k3", "k4"], [facts] * 3 + [{}], kernel=[skipped, done, {}, skipped])
    assert [one["kernel"] for one in found.values()] == [looked["kernel"], done, looked["kernel"], skipped]
    assert FILTERS.kraft_results(["k1"], [facts], kernel=[])["k1"]["kernel"] == looked["kernel"]
    assert FILTERS.kraft_results(["k1"], [], kernel=[{}])["k1"]["kernel"] is None
    assert [one["nofile_hard"] for one in found.values()] == [9, 9, 9, None]
