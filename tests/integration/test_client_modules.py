"""The modules that ask and change a running cluster, against real brokers."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster import gather, shutdown_check
from ansible.module_utils.kraft.cluster.client import ApiError, Client, DeniedError, Question
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.cluster.health import Expected
from ansible.module_utils.kraft.cluster.leaders import Displaced, ask_leaders
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.errors import RefusedError, UnreachableError
from ansible.module_utils.kraft.operations.deployment.comparison import moved
from ansible.module_utils.kraft.operations.resources import reviewed
from ansible.module_utils.kraft.operations.roll.decision import Sight, decide
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.structs import OffsetAndMetadata

from tests.integration.client_calls import quorum_of, raised
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_node import free_ports
from tests.integration.patience import until
from tests.unit.problems import named, values

ROOT = Path(__file__).resolve().parents[2]
Module = Callable[..., dict[str, Any]]


@pytest.fixture
def client(kafka_cluster: KafkaCluster) -> dict[str, Any]:
    return {"bootstrap_servers": [kafka_cluster.bootstrap_servers]}


@pytest.fixture
def topic(client: dict[str, Any], run_module: Module) -> Callable[..., dict[str, Any]]:
    def run(**params: Any) -> dict[str, Any]:
        return run_module("kafka_topic", client=client, timeout=30, **params)

    return run


def described(run_module: Module, client: dict[str, Any], name: str) -> dict[str, Any]:
    found = run_module("kafka_cluster_info", client=client, gather=["topics"])["snapshot"]["topics"]
    return next((one for one in found if one["name"] == name), {})


def leaders_of(run_module: Module, client: dict[str, Any], name: str) -> list[int]:
    return [one["leader"] for one in described(run_module, client, name)["partitions"]]


def test_quorum_info_shows_every_voter_with_the_directory_id_that_it_was_formatted_with(
    kafka_cluster: KafkaCluster, client: dict[str, Any], run_module: Module
) -> None:
    quorum = quorum_of(run_module, client)
    voters = {one["node_id"]: one["directory_id"] for one in quorum["voters"]}
    assert voters == {node.node_id: node.directory_id for node in kafka_cluster.nodes.values()}
    assert quorum["leader_id"] in voters
    assert all(one["behind_ms"] < 10_000 for one in quorum["voters"])


def test_quorum_info_waits_for_controllers_that_are_known_elsewhere(
    kafka_cluster: KafkaCluster, client: dict[str, Any], run_module: Module
) -> None:
    there = [
        {"node_id": node.node_id, "address": f"127.0.0.1:{node.controller_port}"}
        for node in kafka_cluster.nodes.values()
    ]
    assert quorum_of(run_module, client, controllers=there)["voters"]
    moving = [*there[1:], {"node_id": there[0]["node_id"], "address": "127.0.0.1:1"}]
    refused = quorum_of(run_module, client, timeout=1, controllers=moving)
    assert f"controllers {there[0]['node_id']} at 127.0.0.1:1 yet" in refused


def test_cluster_info_gathers_everything(
    kafka_cluster: KafkaCluster, client: dict[str, Any], run_module: Module, topic: Module
) -> None:
    topic(name="gathered", partitions=2, replication_factor=2, config={"min.insync.replicas": 1})
    parts = ["quorum", "topics", "configs", "log_dirs", "features", "reassignments"]
    found = run_module("kafka_cluster_info", client=client, gather=parts)["snapshot"]
    assert found["unanswered"] == {}
    assert [one["node_id"] for one in found["brokers"]] == sorted(kafka_cluster.nodes)
    assert found["min_insync"]["gathered"] == 1
    assert {one["node_id"] for one in found["log_dirs"]} == set(kafka_cluster.nodes)
    assert {one["name"]: one["level"] for one in found["features"]}["kraft.version"] == 1
    assert found["reassignments"] == []


def test_cluster_info_knows_the_largest_topics_and_the_groups_that_are_behind(
    kafka_cluster: KafkaCluster, client: dict[str, Any], run_module: Module, topic: Module
) -> None:
    topic(name="measured", partitions=2, replication_factor=2)
    producer = KafkaProducer(bootstrap_servers=kafka_cluster.bootstrap_servers)
    for number in range(100):
        producer.send("measured", b"x" * 1000, partition=number % 2)
    producer.flush()
    producer.close()
    for name, offset in (("near", 40), ("far", 5)):
        consumer = KafkaConsumer(bootstrap_servers=kafka_cluster.bootstrap_servers, group_id=name)
        consumer.assign([TopicPartition("measured", number) for number in (0, 1)])
        consumer.commit({TopicPartition("measured", number): OffsetAndMetadata(offset, "", -1) for number in (0, 1)})
        consumer.close(autocommit=False)
    found = until(  # a busy machine may be late
        lambda: run_module("kafka_cluster_info", client=client, gather=["topics", "log_dirs"], lag=True),
        lambda seen: not seen["lag"]["unanswered"] and seen["lag"]["asked"] == seen["lag"]["listed"],
    )
    assert found["snapshot"]["topic_bytes"]["measured"] > 2 * 100_000
    lags = {one["name"]: (one["lag"], one["partitions"], one["state"]) for one in found["lag"]["groups"]}
    assert (lags["far"], lags["near"]) == ((90, 2, "Empty"), (20, 2, "Empty"))
    assert (found["lag"]["unanswered"], found["lag"]["asked"]) == ([], found["lag"]["listed"])


def test_cluster_info_asks_only_for_what_is_wanted(client: dict[str, Any], run_module: Module) -> None:
    found = run_module("kafka_cluster_info", client=client, gather=["brokers"])["snapshot"]
    assert len(found["brokers"]) == 3
    assert found["topics"] is None
    assert found["quorum"] is None


def test_a_healthy_cluster_is_recognised_at_once_from_every_node(
    kafka_cluster: KafkaCluster, client: dict[str, Any], run_module: Module
) -> None:
    ids = list(kafka_cluster.nodes)
    wanted = {"cluster_id": kafka_cluster.cluster_id, "broker_ids": ids, "voter_ids": ids}
    for node_id in ids:
        found = run_module("kafka_health", client=client, expected=wanted, node_id=node_id, unit="", timeout=60)
        assert found["healthy"], found
        assert found["waited"] < 30
        assert found["all_healthy"]


def test_a_node_that_serves_says_whether_the_others_do_too(
    kafka_cluster: KafkaCluster, client: dict[str, Any], run_module: Module
) -> None:
    ids = [*kafka_cluster.nodes, 9]
    wanted = {"cluster_id": kafka_cluster.cluster_id, "broker_ids": ids, "voter_ids": ids[:-1], "only": ids[:1]}
    found = run_module("kafka_health", client=client, expected=wanted, node_id=ids[0], unit="", timeout=20)
    assert (found["healthy"], found["all_healthy"]) == (True, False)


def test_health_names_what_is_missing(kafka_cluster: KafkaCluster, client: dict[str, Any], run_module: Module) -> None:
    wanted = {"cluster_id": kafka_cluster.cluster_id, "broker_ids": [1, 2, 3, 4], "voter_ids": [1, 2, 3, 5]}
    found = until(  # a controller that a busy machine holds up is one more problem
        lambda: run_module("kafka_health", client=client, expected=wanted, unit="", timeout=1),
        lambda seen: len(seen["problems"]) == 2,
    )
    assert found["failed"]
    assert named(found["problems"]) == [["5", "1", "2", "3"], ["4"]]
    assert "controller 5 is not a voter" in found["msg"]


def test_health_refuses_another_cluster(client: dict[str, Any], run_module: Module) -> None:
    found = run_module("kafka_health", client=client, expected={"cluster_id": "x"}, unit="", timeout=1)
    assert found["failed"]
    assert "and x is expected" in found["msg"]


def listeners(kafka_cluster: KafkaCluster) -> list[dict[str, Any]]:
    """Every controller as ``kafka_connectivity_info`` takes it."""
    nodes = kafka_cluster.controllers
    return [{"node_id": one.node_id, "address": f"127.0.0.1:{one.controller_port}"} for one in nodes]


def test_every_controller_says_whom_it_follows_at_its_own_listener(
    kafka_cluster: KafkaCluster, client: dict[str, Any], run_module: Module
) -> None:
    broker = kafka_cluster.bootstrap_servers.split(",")[0]
    asked = {"client": client, "controllers": listeners(kafka_cluster), "broker": broker, "timeout": 15}

    def look() -> tuple[list[dict[str, Any]], dict[str, Any]]:
        quorum = quorum_of(run_module, client)
        said = {"leader_id": quorum["leader_id"], "epoch": quorum["leader_epoch"], "error": ""}
        wanted = [{"node_id": one, **said} for one in sorted(kafka_cluster.nodes)]
        return wanted, run_module("kafka_connectivity_info", node_id=quorum["leader_id"], **asked)

    # On a busy machine another one may be elected between the two questions.
    wanted, found = until(look, lambda seen: seen[1]["controllers"] == seen[0])
    assert found["controllers"] == wanted
    leader = wanted[0]["leader_id"]
    assert found["broker"] == {"address": broker, "error": ""}
    assert found["quorum"]["leader_id"] == leader
    assert len(found["quorum"]["voters"]) == 3
    assert found["registered"] == sorted(kafka_cluster.nodes)
    other = next(one for one in kafka_cluster.nodes if one != leader)
    seen = run_module("kafka_connectivity_info", node_id=other, **asked)
    assert (seen["quorum"], seen["registered"]) == (None, None)


def test_who_does_not_answer_is_said_and_harms_no_one(client: dict[str, Any], run_module: Module) -> None:
    with contextlib.ExitStack() as servers:  # they accept connections and never answer
        frozen = [servers.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(10)]
        silent = [f"127.0.0.1:{one.getsockname()[1]}" for one in frozen]
        nobody = [{"node_id": at, "address": one} for at, one in enumerate(["127.0.0.1:1", *silent], 1)]
        asked = {"client": client, "controllers": nobody, "broker": silent[0], "node_id": 1, "timeout": 1}
        began = time.monotonic()
        found = run_module("kafka_connectivity_info", **asked)
        took = time.monotonic() - began
    assert named(one["error"] for one in found["controllers"]) == [["127.0.0.1:1"], *([one] for one in silent)]
    assert found["broker"]["error"] == found["controllers"][1]["error"]
    assert "connections" in found["broker"]["error"]
    assert took < 15, "they were asked one after the other"  # each costs two seconds at least


def test_a_broker_is_asked_more_than_it_is_sent_at_a_time(client: dict[str, Any]) -> None:
    with Client(client) as asked:
        address = asked.reach()
        known, unknown = asked.request("ListGroupsRequest"), asked.request("ListGroupsRequest", min_version=99)
        answers = asked.send_all([Question(address, one) for one in [unknown, *[known] * 40]])
    assert [isinstance(one, dict) for one in answers] == [False, *[True] * 40]


def test_a_connection_that_nothing_takes_leaves_no_socket_open(client: dict[str, Any]) -> None:
    """A service that looks for years would run out of them; Python frees a cycle when it likes."""
    gone = f"127.0.0.1:{free_ports(1)[0]}"
    gc.disable()
    try:
        with Client(client) as asked:
            question = Question(gone, asked.request("ListGroupsRequest"))
            before = open_files()
            answers = [asked.send_all([question])[0] for _ in range(20)]
            assert {type(one) for one in answers} == {UnreachableError}
            assert open_files() <= before + 1  # the selector's own
    finally:
        gc.enable()


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_health_says_whom_the_controllers_follow_where_the_brokers_know_no_leader(
    kafka_cluster: KafkaCluster, client: dict[str, Any], run_module: Module
) -> None:
    addresses = [one["address"] for one in listeners(kafka_cluster)]
    for node_id in (2, 3):
        kafka_cluster.stop_node(node_id)
    # The last leader gives up by itself within 3 s: it hears of no majority.
    first = f"The controller at {addresses[0]} "
    found = until(
        lambda: run_module("kafka_health", client=client, controllers=addresses, unit="", timeout=8),
        lambda seen: first in seen["msg"] and f"{first}does not answer" not in seen["msg"],
    )
    for node_id in (2, 3):
        kafka_cluster.start_node(node_id)
    run_module("kafka_health", client=client, unit="", timeout=60)
    assert first in found["msg"]
    assert [f"The controller at {one} does not answer" in found["msg"] for one in addresses] == [False, True, True]


def test_in_check_mode_health_reports_and_does_not_fail(run_module: Module) -> None:
    nobody = {"bootstrap_servers": ["127.0.0.1:1"]}
    found = run_module("kafka_health", check_mode=True, client=nobody, timeout=60)
    assert not found.get("failed")
    assert not found["healthy"]
    assert found["problems"] == ["127.0.0.1:1: nothing listens"]


def test_a_roll_is_planned_with_the_active_controller_last(
    kafka_cluster: KafkaCluster, client: dict[str, Any], run_module: Module
) -> None:
    nodes = [{"host": f"kafka{one}", "node_id": one} for one in sorted(kafka_cluster.nodes)]

    def look() -> tuple[int, dict[str, Any], int]:
        before = quorum_of(run_module, client)["leader_id"]
        plan = run_module("kafka_change_plan", kind="restart", client=client, nodes=nodes, together=3)
        return before, plan, quorum_of(run_module, client)["leader_id"]

    # On a busy machine another one may be elected meanwhile.
    _, found, leader = until(look, lambda seen: seen[0] == seen[2])
    assert found["answers"]
    assert all(batch["checked"] for batch in found["batches"])
    assert [len(batch["node_ids"]) for batch in found["batches"]] == [1] * len(nodes)
    [last] = found["batches"][-1]["nodes"]
    assert (last["node_id"], last["host"], last["keep"]) == (leader, f"kafka{leader}", True)


def test_a_roll_of_another_cluster_is_not_planned(client: dict[str, Any], run_module: Module) -> None:
    nodes = [{"host": "kafka1", "node_id": 1}]
    found = run_module(
        "kafka_change_plan", kind="restart", client=client, nodes=nodes, expected={"cluster_id": "other"}
    )
    assert "and other is expected" in found["msg"]


def test_where_nothing_can_be_reached_nodes_go_unchecked_one_by_one(run_module: Module) -> None:
    nodes = [{"host": f"kafka{one}", "node_id": one, "started_at": one % 2} for one in (1, 2, 3)]
    closed = {"bootstrap_servers": ["127.0.0.1:1"]}
    found = run_module("kafka_change_plan", kind="restart", client=closed, nodes=nodes, timeout=0)
    assert not found["answers"]
    assert [(batch["node_ids"], batch["checked"]) for batch in found["batches"]] == [
        ([one], False) for one in (1, 2, 3)
    ]
    assert [batch["nodes"][0]["keep"] for batch in found["batches"]] == [True, False, True]
    heard = [{"host": "kafka2", "answer": "known", "running_seconds": 5}]
    assert (
        "kafka2 had an answer"
        in run_module("kafka_change_plan", kind="restart", client=closed, nodes=nodes, timeout=0, looks=heard)["msg"]
    )


def test_no_roll_is_planned_while_a_broker_takes_connections_and_stays_silent(run_module: Module) -> None:
    """A frozen process keeps its sockets, and a busy one its clients: late is not down."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        there = {"bootstrap_servers": [f"127.0.0.1:{silent.getsockname()[1]}"]}
        nodes = [{"host": "kafka1", "node_id": 1}]
        found = run_module("kafka_change_plan", kind="restart", client=there, nodes=nodes, timeout=0)
    assert found["failed"]
    assert "accepts connections and does not answer" in found["msg"]


def test_no_roll_is_planned_while_settings_of_topics_are_denied(
    client: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Brokers answer all else: before, every node would have been restarted at once."""

    def denied(*_: object) -> dict[str, int]:
        raise DeniedError("DescribeConfigs", "TopicAuthorizationFailed", "denied", retriable=False)

    monkeypatch.setattr(gather, "min_insync", denied)
    nodes = {1: True, 2: True, 3: True}
    with Client(client) as asking:
        seen = gather.Patience().observe(asking, shutdown_check.PARTS, 60_000)
    with pytest.raises(RefusedError, match="TopicAuthorizationFailed"):
        decide(Sight(seen), nodes, Expected(voter_ids=frozenset(nodes)), 3, 120)


def test_leaders_that_moved_come_back(
    kafka_cluster: KafkaCluster, client: dict[str, Any], run_module: Module, topic: Module
) -> None:
    topic(name="led", partitions=3, replication_factor=3)
    kafka_cluster.stop_node(2)
    kafka_cluster.start_node(2)
    run_module("kafka_health", client=client, unit="", timeout=60)
    assert 2 not in leaders_of(run_module, client, "led")
    predicted = run_module("kafka_reassignment", client=client, state="led", broker_ids=[2], check_mode=True)
    done = run_module("kafka_reassignment", client=client, state="led", broker_ids=[2])
    assert (done["elected"], done["refused"]) == (predicted["elected"], [])
    # Brokers hear of it one after the other.
    assert 2 in until(lambda: leaders_of(run_module, client, "led"), lambda leaders: 2 in leaders)
    again = partial(run_module, "kafka_reassignment", client=client, state="led", broker_ids=[2])
    assert not until(again, lambda seen: not seen["changed"])["changed"]


def test_only_the_leader_of_a_partition_passes_for_it(
    run_module: Module, client: dict[str, Any], topic: Module
) -> None:
    topic(name="whose", partitions=1, replication_factor=3)
    (leader,) = leaders_of(run_module, client, "whose")
    with Client(client) as asked:
        brokers = observe(asked, ("topics",), asked.reach()).brokers
        addresses = {broker.node_id: broker.address for broker in brokers}
        until_answered(lambda: ask_leaders(asked, addresses, [Displaced("whose", 0, leader)]), 60)
        for follower in addresses.keys() - {leader}:
            ask = partial(ask_leaders, asked, addresses, [Displaced("whose", 0, follower)])
            # It hears of the topic later than the leader.
            error = until(partial(raised, ask), lambda found: found and not isinstance(found, UnreachableError))
            assert isinstance(error, ApiError)
            assert "NotLeader" in str(error)


def test_a_topic_is_created_once_with_what_it_should_have(
    client: dict[str, Any], run_module: Module, topic: Module
) -> None:
    asked = {
        "name": "made",
        "partitions": 4,
        "replication_factor": 2,
        "config": {"retention.ms": 1000, "preallocate": True},
    }
    predicted = run_module("kafka_topic", check_mode=True, client=client, **asked)
    assert described(run_module, client, "made") == {}
    made = topic(**asked)
    assert made["changed"]
    assert made["topics"] == predicted["topics"]
    assert made["topics"][0]["config"] == {"preallocate": "true", "retention.ms": "1000"}
    assert len(described(run_module, client, "made")["partitions"]) == 4
    assert not topic(**asked)["changed"]


def test_more_partitions_than_kafka_takes_at_once_are_asked_for_in_portions(
    client: dict[str, Any], run_module: Module
) -> None:
    topics = [{"name": f"large-{number}", "partitions": 4000} for number in range(3)]
    assert len(run_module("kafka_topic", check_mode=True, client=client, topics=topics)["topics"]) == len(topics)


def test_check_mode_knows_what_kafka_would_choose(client: dict[str, Any], run_module: Module) -> None:
    found = run_module("kafka_topic", check_mode=True, client=client, name="defaults")
    assert found["topics"][0]["steps"] == ["create: partitions 1, replicas 3"]


def test_settings_are_set_and_reset(client: dict[str, Any], run_module: Module, topic: Module) -> None:
    topic(name="settings", config={"retention.ms": 1000, "cleanup.policy": ["compact", "delete"]})
    change = {"name": "settings", "config": {"retention.ms": None, "segment.ms": 7000}}
    predicted = run_module("kafka_topic", check_mode=True, client=client, **change)
    made = topic(**change)
    assert made["topics"] == predicted["topics"]
    assert made["topics"][0]["steps"] == ["set segment.ms: default -> 7000", "reset retention.ms: 1000 -> default"]
    assert made["topics"][0]["config"] == {"cleanup.policy": "compact,delete", "segment.ms": "7000"}
    assert not topic(**change)["changed"]


def test_what_kafka_refuses_is_all_listed_and_nothing_is_changed(client: dict[str, Any], run_module: Module) -> None:
    for check_mode in (True, False):
        entries = [
            {"name": "innocent", "partitions": 1},
            {"name": "wrong", "config": {"retention.ms": "soon"}},
            {"name": "unknown", "config": {"no.such.setting": 1}},
        ]
        found = run_module("kafka_topic", check_mode=check_mode, client=client, topics=entries)
        assert found["failed"]
        assert len(found["problems"]) == 2
        assert "topic wrong: InvalidConfig" in found["msg"]
        assert "Not a number of type LONG" in found["msg"]
        assert "Unknown topic config name: no.such.setting" in found["msg"]
    assert described(run_module, client, "innocent") == {}


def test_partitions_go_up_and_never_down(client: dict[str, Any], run_module: Module, topic: Module) -> None:
    topic(name="wider", partitions=2)
    assert topic(name="wider", partitions=5)["topics"][0]["steps"] == ["add partitions: 2 -> 5"]
    assert len(described(run_module, client, "wider")["partitions"]) == 5
    refused = topic(name="wider", partitions=4)
    assert refused["failed"]
    assert "The topic has 5 partitions, and 4 are configured" in refused["msg"]


def test_more_replicas_than_brokers_are_refused(topic: Module) -> None:
    refused = topic(name="much", replication_factor=4)
    assert refused["failed"]
    assert {"much", "4", "3"} <= values(refused["msg"])


def test_replicas_are_added_and_taken_away_without_moving_leaders_or_losing_records(
    kafka_cluster: KafkaCluster, client: dict[str, Any], run_module: Module, topic: Module
) -> None:
    topic(name="moved", partitions=3, replication_factor=1)
    producer = KafkaProducer(bootstrap_servers=kafka_cluster.bootstrap_servers.split(","), acks="all")
    for number in range(300):
        producer.send("moved", b"x" * 1000, partition=number % 3)
    producer.close()
    leaders = [one["leader"] for one in described(run_module, client, "moved")["partitions"]]
    for factor in (3, 2):
        made = topic(name="moved", replication_factor=factor)
        assert len(made["topics"][0]["steps"]) == 3
        now = described(run_module, client, "moved")["partitions"]
        assert [one["leader"] for one in now] == leaders
        assert [len(one["replicas"]) for one in now] == [factor] * 3
        assert in_sync(run_module, client, "moved", factor) == [factor] * 3
        assert not topic(name="moved", replication_factor=factor)["changed"]
    consumer = KafkaConsumer(bootstrap_servers=kafka_cluster.bootstrap_servers.split(","))
    ends = consumer.end_offsets([TopicPartition("moved", n) for n in range(3)])
    consumer.close()
    assert sum(ends.values()) == 300


def in_sync(run_module: Module, client: dict[str, Any], name: str, factor: int) -> list[int]:
    """Replicas in sync of each partition; the broker that is asked may hear of them last."""
    return until(
        lambda: [len(one["isr"]) for one in described(run_module, client, name)["partitions"]],
        lambda found: set(found) == {factor},
    )


def test_partitions_and_replicas_can_be_raised_together(
    client: dict[str, Any], run_module: Module, topic: Module
) -> None:
    topic(name="grown", partitions=1, replication_factor=1, config={"min.insync.replicas": 1})
    topic(name="grown", partitions=3, replication_factor=3, config={"min.insync.replicas": 2})
    assert in_sync(run_module, client, "grown", 3) == [3, 3, 3]


def test_several_topics_are_one_task_and_absent_is_idempotent(topic: Module) -> None:
    made = topic(topics=[{"name": f"many-{n}", "partitions": 2} for n in range(20)])
    assert [one["changed"] for one in made["topics"]] == [True] * 20
    gone = [{"name": f"many-{n}", "state": "absent"} for n in range(20)]
    some = [each["name"] for each in gone[1:]]
    for check_mode in (True, False):
        refused = topic(topics=gone, delete_topics=some, check_mode=check_mode)
        assert [each.split(":")[0] for each in refused["problems"]] == ["topic many-0"]
        assert f"-e kafka_delete_topics=many-0,{','.join(some)}" in refused["msg"]
    assert topic(topics=gone, delete_topics=["many-0", *some])["changed"]
    assert not topic(topics=gone)["changed"]


def test_a_topic_that_was_made_again_is_another_deletion(topic: Module) -> None:
    gone: dict[str, Any] = {"name": "again", "state": "absent", "delete_topics": ["again"]}
    told = []
    for _ in range(2):
        topic(name="again", partitions=2)
        predicted = topic(**gone, check_mode=True)["topics"][0]["steps"]
        assert topic(**gone)["topics"][0]["steps"] == predicted
        told += predicted
    assert [re.fullmatch(r"delete: topic id [\w-]{22}, partitions 2", each) is not None for each in told] == [True] * 2
    assert told[0] != told[1]


def test_a_plan_no_longer_fits_topics_that_were_changed_after_it_was_approved(
    client: dict[str, Any], run_module: Module, topic: Module
) -> None:
    wanted = [{"name": "cut", "config": {"retention.ms": 14}}, {"name": "old", "state": "absent"}]

    def planned() -> dict[str, Any]:
        asked: dict[str, Any] = {"client": client, "topics": wanted, "delete_topics": ["old"]}
        result = run_module("kafka_resources", check_mode=True, **asked)
        return reviewed.resources_plan({"found": reviewed.RUNNING, "result": result}, "salt")

    topic(topics=[{"name": "cut", "partitions": 1, "config": {"retention.ms": 7}}, {"name": "old", "partitions": 1}])
    approved = planned()
    assert planned() == approved
    topic(name="cut", config={"retention.ms": 365})
    topic(name="old", state="absent", delete_topics=["old"])
    topic(name="old", partitions=1)
    places = [each.variable for each in moved(approved, planned())]
    assert places == ["topic_ids > old", "topics > cut", "topics > old"]


def test_kafkas_own_topics_are_not_deleted(client: dict[str, Any], topic: Module) -> None:
    with Client(client) as asking:
        request = asking.request("FindCoordinatorRequest", key_type=0, coordinator_keys=["group"], min_version=4)
        asking.send(asking.reach(), request)
    deadline = time.monotonic() + 30
    while not (refused := topic(name="__consumer_offsets", state="absent")).get("failed"):
        assert not refused["changed"], "it was deleted"
        assert time.monotonic() < deadline, "the broker did not make the topic"
        time.sleep(0.1)  # brokers hear of a new topic one after the other
    assert "never deleted" in refused["msg"]


def test_no_one_to_ask_is_said_after_the_timeout(run_module: Module) -> None:
    nobody = {"bootstrap_servers": ["127.0.0.1:1,127.0.0.1:2"]}
    for module, params in (("kafka_cluster_info", {}), ("kafka_topic", {"name": "a"})):
        found = run_module(module, client=nobody, timeout=1, **params)
        assert found["failed"]
        assert named(found["msg"].split("; ")) == [["127.0.0.1:1"], ["127.0.0.1:2"]]


def test_a_module_runs_as_ansible_ships_it_with_the_zip(kafka_cluster: KafkaCluster, tmp_path: Path) -> None:
    """AnsiballZ, an interpreter without kafka-python, and the zip that is copied to hosts."""
    subprocess.run([sys.executable, "-m", "dist", "client"], cwd=ROOT, check=True)
    shipped = tmp_path / "kafka_python.zip"
    shipped.write_bytes((ROOT / ".cache/client/kafka_python.zip").read_bytes())
    client = {"bootstrap_servers": [kafka_cluster.bootstrap_servers], "python_path": str(shipped)}
    command = [str(Path(sys.executable).parent / "ansible"), "-i", "localhost,", "-c", "local", "localhost"]
    command += ["-e", "ansible_python_interpreter=/usr/bin/python3", "-m", "kafka_cluster_info"]
    environment = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "NO_COLOR": "1"}
    done = subprocess.run(
        [*command, "-a", json.dumps({"client": client})],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert kafka_cluster.cluster_id in done.stdout


def test_a_topic_that_another_broker_has_just_made_is_not_refused(client: dict[str, Any], topic: Module) -> None:
    with Client(client) as asking:
        made = asking.request("CreateTopicsRequest", topics=[("late", 2, 3, [], [])], timeout_ms=30_000)
        asking.send(asking.addresses[-1], made, 40)
    assert not topic(name="late", partitions=2, replication_factor=3).get("failed")
    with Client(client) as asking:
        gone = asking.request("DeleteTopicsRequest", topics=[("late", None)], timeout_ms=30_000)
        asking.send(asking.addresses[-1], gone, 40)
    assert not topic(name="late", state="absent").get("failed")
