"""Settings changed while real brokers run: without a restart, seen to count, and back again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.operations.config import managed_overrides
from confluent_kafka import KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.killed_modules import kills
from tests.integration.patience import until
from tests.unit.differences import plain, setting
from tests.unit.problems import named, values

Module = Callable[..., dict[str, Any]]
IO = "num.io.threads"


@pytest.fixture
def config(kafka_cluster: KafkaCluster, run_module: Module) -> Callable[..., dict[str, Any]]:
    client = {"bootstrap_servers": [kafka_cluster.bootstrap_servers]}

    def run(name: str, kind: str = "broker", check_mode: bool = False, **settings: Any) -> dict[str, Any]:
        wanted = {key.replace("_", "."): value for key, value in settings.items()}
        entities = [{"type": kind, "name": name, "config": wanted}]
        return run_module("kafka_config", check_mode=check_mode, client=client, entities=entities, timeout=20)

    return run


def found(result: dict[str, Any], key: str) -> dict[str, Any]:
    setting: dict[str, Any] = result["entities"][0]["settings"][key]
    return setting


def test_threads_are_changed_live_in_steps_and_go_back_and_no_process_is_restarted(
    kafka_cluster: KafkaCluster, config: Callable[..., dict[str, Any]]
) -> None:
    pids = {node.process.pid for node in kafka_cluster.nodes.values() if node.process}
    planned = config("1", check_mode=True, num_io_threads=20)
    assert planned["entities"][0]["steps"] == ["broker 1: num.io.threads 4 -> 20"]
    assert config("1", num_io_threads=20)["changed"]
    again = config("1", num_io_threads=20)
    assert not again["changed"]
    assert found(again, IO) == {"value": "20", "source": "DYNAMIC_BROKER", "read_only": False}
    assert until(lambda: "from 16 to 20" in kafka_cluster.nodes[1].log.read_text())
    assert config("1", num_io_threads=None)["changed"]
    assert found(config("1", num_io_threads=None), IO)["source"] == "STATIC_BROKER"
    assert {node.process.pid for node in kafka_cluster.nodes.values() if node.process} == pids


def test_a_default_of_all_brokers_counts_on_each_of_them(config: Callable[..., dict[str, Any]]) -> None:
    config("", message_max_bytes=900000)
    for node_id in ("1", "2", "3"):
        seen = found(config(node_id, check_mode=True, message_max_bytes=None), "message.max.bytes")
        assert seen == {"value": "900000", "source": "DYNAMIC_DEFAULT_BROKER", "read_only": False}
    config("", message_max_bytes=None)
    assert found(config("2", message_max_bytes=None), "message.max.bytes")["source"] == "DEFAULT"


def test_min_insync_replicas_is_the_clusters_and_kafkas_refusal_is_shown(config: Callable[..., dict[str, Any]]) -> None:
    assert config("", min_insync_replicas=1)["changed"]
    assert config("", min_insync_replicas=2)["changed"]
    for name in ("", "1"):
        refused = config(name, min_insync_replicas=None if name == "" else 1)
        assert refused["failed"]
        assert "while ELR is enabled" in refused["msg"]


def variables(refused: dict[str, Any]) -> list[str]:
    """Entity and key of every refusal."""
    return [": ".join(one.split(": ")[:2]) for one in refused["problems"]]


def rows(found: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """Label and values of each line of the plan, without its heading."""
    return [(line[2:12].strip(), named([line[12:]])[0]) for line in found["plan"][1:]]


def test_a_topics_own_setting_is_changed_live(
    kafka_cluster: KafkaCluster, run_module: Module, config: Callable[..., dict[str, Any]]
) -> None:
    client = {"bootstrap_servers": [kafka_cluster.bootstrap_servers]}
    run_module("kafka_topic", client=client, name="live", partitions=1, replication_factor=3, timeout=30)
    assert config("live", "topic", retention_ms=60000)["changed"]
    seen = found(config("live", "topic", retention_ms=60000), "retention.ms")
    assert seen["source"] == "DYNAMIC_TOPIC"
    assert variables(config("live", "topic", retention=1)) == ["topic live: retention"]


@pytest.mark.parametrize("key", ["advertised.listeners", "log.retention.hours", "num.partitions", "node.id"])
def test_what_kafka_reads_at_its_start_is_refused(key: str, config: Callable[..., dict[str, Any]]) -> None:
    refused = config("1", **{key: "1"})
    assert variables(refused) == [f"broker 1: {key}"]
    assert "kafka_config" in values(refused["problems"][0])


@pytest.mark.parametrize("changed", ["CLIENT", "INTERNAL", "neither"])
def test_kafka_itself_takes_no_advertised_listeners_live_whichever_they_are_for(
    kafka_cluster: KafkaCluster, changed: str
) -> None:
    """Should a later Kafka take them, a machine's new address would no longer need a restart (docs/ec2.md)."""
    node = kafka_cluster.nodes[1]
    ports = {"CLIENT": node.client_port, "INTERNAL": node.internal_port}
    hosts = {name: "127.0.0.9" if name == changed else "127.0.0.1" for name in ports}
    value = ",".join(f"{name}://{hosts[name]}:{port}" for name, port in ports.items())
    entry = ConfigEntry("advertised.listeners", value, incremental_operation=AlterConfigOpType.SET)
    asked = ConfigResource(ResourceType.BROKER, "1", incremental_configs=[entry])
    client = AdminClient({"bootstrap.servers": f"127.0.0.1:{node.client_port}"})
    (answer,) = client.incremental_alter_configs([asked], request_timeout=20).values()
    with pytest.raises(KafkaException, match=r"Cannot update these configs dynamically: \[advertised.listeners\]"):
        answer.result(30)


def test_a_name_that_kafka_would_take_without_a_word_is_refused(config: Callable[..., dict[str, Any]]) -> None:
    assert variables(config("1", num_io_thread=4)) == ["broker 1: num.io.thread"]


def test_a_broker_that_does_not_serve_is_named(kafka_cluster: KafkaCluster, run_module: Module) -> None:
    client = {"bootstrap_servers": [kafka_cluster.bootstrap_servers]}
    entities = [{"name": "9", "config": {IO: 8}}]
    refused = run_module("kafka_config", client=client, entities=entities, timeout=1)
    assert refused["msg"] == "broker 9 does not serve"


@pytest.fixture
def plan(kafka_cluster: KafkaCluster, run_module: Module, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Plans that broker 1 has these settings, and with ``act`` changes what can be changed live."""
    client = {"bootstrap_servers": [kafka_cluster.bootstrap_servers]}
    override_state = str(tmp_path / "live.json")

    def run(wanted: dict[str, Any], *reasons: str, act: bool = True) -> dict[str, Any]:
        node = {
            "host": "kafka1",
            "node_id": 1,
            "wanted": wanted,
            "differences": plain(*map(setting, reasons)),
        }
        common = {"client": client, "override_state": override_state}
        found = run_module("kafka_change_plan", kind="live", check_mode=not act, nodes=[node], timeout=20, **common)
        if act and found["entities"]:
            made = run_module("kafka_config", entities=found["entities"], **common)
            assert made.get("changed"), made
        return found

    return run


def test_what_a_node_declares_is_changed_live_and_goes_when_it_is_no_longer_named(
    plan: Callable[..., dict[str, Any]],
) -> None:
    declared = {IO: "4", "min.insync.replicas": "2"}
    reason = "background.threads (unset) -> 12"
    first = plan({**declared, "background.threads": "12"}, reason)
    assert rows(first) == [("live", ["background.threads", "10", "12", "1"])]
    again = plan({**declared, "background.threads": "12"}, reason)
    assert again["entities"] == []
    assert "background.threads" in again["settled"]["kafka1"]
    gone = plan(declared)
    assert rows(gone) == [("live", ["background.threads", "12", "10", "1"])]
    told = [one["overrides"][0]["config"]["background.threads"] for one in (first, gone)]
    assert [(one["effective"], one["old"], one["new"]) for one in told] == [("10", None, "12"), ("12", "12", None)]
    assert rows(plan(declared)) == [("nothing", ["1"])]


def test_what_the_broker_itself_refuses_is_left_to_a_restart_and_said(plan: Callable[..., dict[str, Any]]) -> None:
    reason = "log.cleaner.dedupe.buffer.size 4194304 -> 1000"
    found = plan({"log.cleaner.dedupe.buffer.size": "1000"}, reason, act=False)
    assert found["entities"] == []
    change = ["log.cleaner.dedupe.buffer.size", "4194304", "1000"]
    restart, refused, *_ = rows(found)
    assert restart == ("restart", ["1", "server.properties", *change])
    assert (refused[0], refused[1][:4]) == ("not live", ["1", *change])


def test_foreign_override_is_shown_and_left_unless_it_hides_what_is_declared(
    config: Callable[..., dict[str, Any]], plan: Callable[..., dict[str, Any]]
) -> None:
    config("1", num_io_threads=6, background_threads=12)
    found = plan({IO: "4", "min.insync.replicas": "2"})
    assert named(found["undeclared"]) == [["background.threads", "12", "1", "DYNAMIC_BROKER"]]
    assert rows(found)[0] == ("live", [IO, "6", "4", "1"])
    assert config("1", background_threads=None)["changed"]


def test_where_no_one_answers_everything_is_left_to_restarts(run_module: Module) -> None:
    client = {"bootstrap_servers": ["127.0.0.1:1"]}
    nodes = [{"host": "kafka1", "node_id": 1, "wanted": {IO: "8"}, "differences": plain(setting(f"{IO} 4 -> 8"))}]
    found = run_module("kafka_change_plan", kind="live", check_mode=True, client=client, nodes=nodes)
    assert found["entities"] == []
    assert rows(found) == [("restart", ["1", "server.properties", IO, "4", "8"]), ("not live", ["127.0.0.1:1"])]
    assert values(found["unanswered"][0]) >= {"127.0.0.1:1"}


def test_changes_whose_module_is_killed_after_each_of_them_are_finished_by_the_next_run(
    kafka_cluster: KafkaCluster, run_module: Module, tmp_path: Path
) -> None:
    """The note of our overrides is written before the first change, so that a killed run leaves none unknown."""
    client, noted = {"bootstrap_servers": [kafka_cluster.bootstrap_servers]}, tmp_path / "live.json"

    def entities(threads: int | None) -> list[dict[str, Any]]:
        settings = {IO: threads, "background.threads": threads and threads - 4}
        return [{"type": "broker", "name": str(one), "config": settings} for one in kafka_cluster.nodes]

    def run(threads: int | None) -> dict[str, Any]:
        override_state = str(noted)
        return run_module(
            "kafka_config", client=client, entities=entities(threads), override_state=override_state, timeout=20
        )

    for threads in (20, None):
        died = kills(lambda wanted=threads: run(wanted), tmp_path / "log")  # type: ignore[misc]
        assert died > 1
        again = run(threads)
        assert not again["changed"], [one["steps"] for one in again["entities"]]
        sources = {one["settings"][IO]["source"] for one in again["entities"]}
        assert sources == {"DYNAMIC_BROKER" if threads else "STATIC_BROKER"}
        ours = frozenset({IO, "background.threads"})
        assert not threads or managed_overrides.read(noted.read_text()) == {str(one): ours for one in (1, 2, 3)}
