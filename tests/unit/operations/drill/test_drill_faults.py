"""Which nodes a fault breaks, and what the nodes' timeouts promise."""

from __future__ import annotations

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


def test_a_cluster_of_one_broker_has_none_to_lose() -> None:
    with pytest.raises(KraftError, match="no broker beside the active controller"):
        faults.hosts("broker_killed", snapshot(fenced=(2, 3)), {"k1": 1})


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
        ("host_rebooted", {}, 3.0),
        ("all_killed", {}, None),
    ],
)
def test_the_bound_is_the_sum_of_the_timeouts(name: str, settings: dict[str, str], seconds: float | None) -> None:
    assert faults.bound_seconds(name, [settings, settings], 30) == seconds


def test_the_slowest_node_counts() -> None:
    assert faults.bound_seconds("broker_killed", [{"broker.session.timeout.ms": "3000"}, {}], 30) == 12.0


def test_what_stops_every_client_is_for_tests_alone() -> None:
    assert faults.problems(["broker_killed", "all_killed"], "test", 30) == []
    assert len(faults.problems(["broker_killed", "all_killed"], "production", 30)) == 1
    assert len(faults.problems([], "test", 30)) == 1
    assert len(faults.problems(["node_frozen"], "test", 0)) == 1


def test_an_unreadable_log_dir_lasts_until_kafka_must_notice() -> None:
    assert faults.problems(["log_dir_unreadable"], "production", 10) == []
    assert len(faults.problems(["broker_killed", "log_dir_unreadable"], "production", 9)) == 1
    assert faults.problems(["node_frozen"], "production", 9) == []
