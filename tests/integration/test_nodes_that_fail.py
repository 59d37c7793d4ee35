"""The gate and health while nodes stop, hang and come back, against real brokers of this file's own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.shutdown_check import silent
from ansible.module_utils.kraft.cluster.snapshot import from_dict

from tests.integration.client_calls import quorum_of
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.patience import until
from tests.integration.raw_probe import RawProbe

Module = Callable[..., dict[str, Any]]
QUICK = {"broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "500"}


@pytest.fixture(scope="module")
def fragile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    cluster = KafkaCluster.start(tmp_path_factory.mktemp("fragile"), properties=QUICK)
    yield cluster
    cluster.stop()


@pytest.fixture
def client(fragile: KafkaCluster) -> dict[str, Any]:
    return {"bootstrap_servers": [fragile.bootstrap_servers]}


@pytest.fixture
def health(fragile: KafkaCluster, client: dict[str, Any], run_module: Module) -> Module:
    ids = list(fragile.nodes)
    wanted = {"cluster_id": fragile.cluster_id, "broker_ids": ids, "voter_ids": ids}
    controllers = fragile.controller_bootstrap.split(",")

    def run(**params: Any) -> dict[str, Any]:
        return run_module("kafka_health", client=client, expected=wanted, unit="", controllers=controllers, **params)

    return run


def soon_so(ask: Callable[[], dict[str, Any]], *words: str) -> dict[str, Any]:
    """Ask until the message has all of the words: on a busy machine another node may be late for a moment, too."""
    return until(ask, lambda found: all(one in found.get("msg", "") for one in words))


def leader(run_module: Module, client: dict[str, Any]) -> int:
    return int(quorum_of(run_module, client)["leader_id"])


def test_a_stopped_node_is_missed_held_against_the_others_and_forgiven_when_it_is_back(
    fragile: KafkaCluster, client: dict[str, Any], run_module: Module, health: Module
) -> None:
    run_module("kafka_topic", client=client, name="orders", partitions=6)
    gate: Module = lambda **params: run_module("kafka_safety_check", client=client, **params)  # noqa: E731
    assert all(gate(node_ids=[node], timeout=60)["allowed"] for node in fragile.nodes)
    assert not gate(node_ids=[1, 2], timeout=1).get("allowed")

    fragile.stop_node(3)
    fenced = "broker 3 is fenced (registered, not serving)"
    missed = soon_so(lambda: health(node_id=3, timeout=2), fenced)
    assert missed["failed"]
    assert fenced in missed["msg"]
    counts = ("without 1 only 1 of 3 controllers are caught up", "of min 2 would fall to 1")
    refused = soon_so(lambda: gate(node_ids=[1], timeout=3), *counts)
    assert refused["failed"]
    assert [one for one in counts if one not in refused["msg"]] == []
    assert gate(node_ids=[3], timeout=60)["allowed"]
    predicted = run_module("kafka_safety_check", check_mode=True, client=client, node_ids=[1])
    assert not predicted.get("failed")
    assert predicted["reasons"]

    fragile.launch_node(3)
    assert gate(node_ids=[1], timeout=120)["allowed"]
    assert health(node_id=3, timeout=120)["healthy"]


def soon(delays: list[float]) -> list[float]:
    return [one for one in delays if one <= 0.3]


def noticed_after(fragile: KafkaCluster, node: int, health: Module) -> float:
    """Return the seconds between the first good answer of a restarted node and its detection by health.

    Without those that the machine needs for two looks now beyond a tenth of a second for each: it may be busy.
    """
    probe = RawProbe(fragile.nodes[node].client_port, set(fragile.nodes))
    fragile.stop_node(node)
    fragile.launch_node(node)
    probe.start()
    assert health(node_id=node, timeout=120)["healthy"]
    noticed = time.monotonic()
    probe.join(120)
    assert probe.moment
    began = time.monotonic()
    assert health(node_id=node, timeout=120)["healthy"]
    look = time.monotonic() - began
    return noticed - probe.moment - 2 * max(0.0, look - 0.1)


@pytest.mark.later
def test_readiness_is_noticed_within_a_third_of_a_second(
    fragile: KafkaCluster, client: dict[str, Any], run_module: Module, health: Module
) -> None:
    """An independent probe polls every 20 ms. A busy machine can only delay it, so two of eight starts count."""
    node = next(one for one in fragile.nodes if one != leader(run_module, client))
    delays: list[float] = []
    while len(delays) < 8 and len(soon(delays)) < 2:
        delays.append(noticed_after(fragile, node, health))
    assert len(soon(delays)) == 2, f"noticed after {delays} s"


def test_a_node_that_hangs_is_not_healthy_though_its_sockets_are_open(
    fragile: KafkaCluster, client: dict[str, Any], run_module: Module, health: Module
) -> None:
    node = next(one for one in fragile.nodes if one != leader(run_module, client))
    fragile.pause_node(node)
    found = health(node_id=node, timeout=4)
    fragile.resume_node(node)
    assert found["failed"]
    assert any(f"{node}" in text for text in found["problems"])
    assert health(node_id=node, timeout=120)["healthy"]


def test_a_lost_majority_is_named_and_only_a_batch_that_was_planned_unchecked_goes(
    fragile: KafkaCluster, client: dict[str, Any], run_module: Module, health: Module
) -> None:
    """The remaining broker answers late about the quorum."""
    for node in (1, 2):
        fragile.kill_node(node)
    time.sleep(3)
    addresses = fragile.controller_bootstrap.split(",")
    words = ("quorum is not known", f"{addresses[0]}: nothing listens", f"The controller at {addresses[2]} follows")
    found = soon_so(lambda: health(node_id=3, timeout=2), *words)
    assert found["failed"]
    assert [one for one in words if one not in found["msg"]] == []
    planned = {"client": client, "node_ids": [3], "timeout": 1}
    assert run_module("kafka_safety_check", once_led=True, **planned)["allowed"]
    assert run_module("kafka_safety_check", **planned)["failed"]
    for node in (1, 2):
        fragile.launch_node(node)
    assert health(node_id=1, timeout=120)["healthy"]


def test_the_look_waits_until_the_dead_controller_is_known(
    fragile: KafkaCluster, client: dict[str, Any], run_module: Module, health: Module
) -> None:
    """A new leader has not heard of any voter yet, so a single look cannot name the dead one."""
    dead = leader(run_module, client)
    fragile.kill_node(dead)

    def known() -> list[int]:
        snapshot = health(check_mode=True, until_known=True)["snapshot"]
        seen = from_dict(snapshot).quorum if snapshot else None
        return [one.node_id for one in seen.voters if silent(one, seen)] if seen else []

    # While this machine is busy, another voter may be silent for a moment.
    assert until(known, lambda found: found == [dead]) == [dead]
    fragile.launch_node(dead)
    assert health(node_id=dead, timeout=120)["healthy"]
