"""Nodes that a fault breaks, and the promise of the nodes' timeouts."""

from __future__ import annotations

import dataclasses

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Broker, Partition, Quorum, Snapshot, Topic
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.operations.drill import faults

NODES = {"k1": 1, "k2": 2, "k3": 3}


def snapshot(leaders: tuple[int, ...] = (1, 3, 3), controller: int = 1, fenced: tuple[int, ...] = ()) -> Snapshot:
    partitions = tuple(Partition(at, leader, (1, 2, 3), (1, 2, 3)) for at, leader in enumerate(leaders))
    return Snapshot(
        cluster_id="a3JhZnR3cmlnaHQtZGVtbw",
        brokers=tuple(Broker(one, f"k{one}", 9092, fenced=one in fenced) for one in (1, 2, 3)),
        topics=(Topic("orders", False, partitions),),
        quorum=Quorum(controller, 7, 100, ()),
    )


def test_a_broker_is_the_one_that_leads_most_but_never_the_active_controller() -> None:
    assert faults.hosts("broker_killed", snapshot(), NODES) == ["k3"]
    assert faults.hosts("node_frozen", snapshot(controller=3), NODES) == ["k1"]
    assert faults.hosts("host_rebooted", snapshot(leaders=(), controller=1), NODES) == ["k2"]
    assert faults.hosts("broker_killed", snapshot(fenced=(3,)), NODES) == ["k2"]


def test_the_active_controller_may_be_a_host_without_a_broker() -> None:
    assert faults.hosts("controller_killed", snapshot(controller=101), {**NODES, "c1": 101}) == ["c1"]


def test_every_node_is_every_node_whoever_leads() -> None:
    assert faults.hosts("all_killed", snapshot(controller=-1), NODES) == ["k1", "k2", "k3"]


@pytest.mark.parametrize("name", ["broker_killed", "controller_killed"])
def test_without_an_active_controller_nothing_is_broken(name: str) -> None:
    with pytest.raises(KraftError, match="no leader"):
        faults.hosts(name, snapshot(controller=-1), NODES)


def test_without_an_answer_about_leaders_no_broker_is_the_one_that_leads_most() -> None:
    unknown = dataclasses.replace(snapshot(), topics=None, unanswered={"topics": "k1:9092 is late"})
    with pytest.raises(KraftError, match="not known which broker leads most partitions: k1:9092 is late"):
        faults.hosts("broker_killed", unknown, NODES)
    assert faults.hosts("controller_killed", unknown, NODES) == ["k1"]
    assert faults.hosts("all_killed", unknown, NODES) == ["k1", "k2", "k3"]


@pytest.mark.parametrize(
    ("name", "fenced", "nodes", "words"),
    [
        ("broker_killed", (2, 3), {"k1": 1}, ("no broker serves beside", "node 1", "leave broker_killed out")),
        ("broker_killed", (), {"k1": 1}, ("node 3 is no node of the inventory", "leave broker_killed out")),
        ("controller_killed", (), {"k2": 2}, ("node 1 is no node of the inventory", "leave controller_killed out")),
    ],
)
def test_a_fault_that_no_host_can_have_says_what_to_do(
    name: str, fenced: tuple[int, ...], nodes: dict[str, int], words: tuple[str, ...]
) -> None:
    with pytest.raises(KraftError) as refused:
        faults.hosts(name, snapshot(fenced=fenced), nodes)
    assert all(one in str(refused.value) for one in ("kafka_drill_faults", *words))


@pytest.mark.parametrize(
    ("name", "settings", "seconds"),
    [
        ("broker_killed", {}, 12.0),
        ("controller_killed", {}, 15.0),
        ("broker_killed", {"broker.session.timeout.ms": "3000"}, 6.0),
        ("node_frozen", {"broker.session.timeout.ms": "3000"}, 33.0),
        (
            "controller_killed",
            {
                "broker.session.timeout.ms": "3000",
                "controller.quorum.fetch.timeout.ms": "1000",
                "controller.quorum.election.timeout.ms": "500",
            },
            7.5,
        ),
        ("log_dir_unreadable", {"broker.session.timeout.ms": "3000"}, 8.0),
        ("disk_full", {"broker.session.timeout.ms": "3000"}, 8.0),
        ("node_cut_off", {}, 43.0),
        ("controller_cut_off", {"socket.connection.setup.timeout.ms": "4000"}, 37.0),
        ("host_rebooted", {}, 3.0),
        ("all_killed", {}, None),
    ],
)
def test_the_bound_is_the_sum_of_the_timeouts(name: str, settings: dict[str, str], seconds: float | None) -> None:
    assert faults.bound_seconds(name, [settings, settings], 30) == seconds


def test_the_slowest_node_counts() -> None:
    assert faults.bound_seconds("broker_killed", [{"broker.session.timeout.ms": "3000"}, {}], 30) == 12.0


def test_what_stops_every_client_is_for_tests_alone() -> None:
    assert faults.drill_refusals(["broker_killed", "all_killed"], "test", 30) == []
    assert len(faults.drill_refusals(["broker_killed", "all_killed"], "production", 30)) == 1
    assert len(faults.drill_refusals([], "test", 30)) == 1
    assert len(faults.drill_refusals(["node_frozen"], "test", 0)) == 1


@pytest.mark.parametrize("name", ["log_dir_unreadable", "disk_full"])
def test_a_log_dir_that_cannot_be_written_stays_so_until_kafka_must_notice(name: str) -> None:
    assert faults.drill_refusals([name], "production", 10) == []
    assert len(faults.drill_refusals(["broker_killed", name], "production", 9)) == 1
    assert faults.drill_refusals(["node_frozen"], "production", 9) == []


def test_hosts_are_examined_for_what_not_every_host_can_have() -> None:
    assert faults.examined(["broker_killed", "node_frozen"]) == []
    assert faults.examined(["disk_full", "node_cut_off", "controller_cut_off", "disk_full"]) == ["cut_off", "full"]


def desired(host: str, client: str = "") -> dict[str, object]:
    """A node of ``kafka_desired`` whose clients may come by another address."""
    ports = {"client": 9092, "inter_broker": 19092, "controller": 9093}
    found = [
        {"purpose": purpose, "port": port, "advertised": {"host": client or host, "port": port + 1}}
        if purpose == "client"
        else {"purpose": purpose, "port": port, "advertised": {"host": host, "port": port}}
        for purpose, port in ports.items()
    ]
    return {"listeners": found}


def test_a_host_is_cut_off_from_other_nodes_and_never_from_itself_or_from_where_clients_are_sent() -> None:
    nodes = {"k1": desired("10.0.0.1"), "k2": desired("10.0.0.2", "203.0.113.9"), "k3": desired("k3.internal")}
    found = faults.cut("k1", nodes)
    assert found["peers"] == ["10.0.0.2", "k3.internal"]
    assert found["ports"] == [9092, 9093, 19092]


def test_ports_of_others_are_those_that_are_advertised_too() -> None:
    nodes = {"k1": desired("10.0.0.1"), "k2": desired("10.0.0.2")}
    nodes["k2"]["listeners"][0]["advertised"]["port"] = 29092  # type: ignore[index]
    assert 29092 in faults.cut("k1", nodes)["ports"]
