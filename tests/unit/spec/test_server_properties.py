"""server.properties of each kind of node."""

from __future__ import annotations

import re
from typing import Any

import pytest
from ansible.module_utils.kraft.identity import directory_id
from ansible.module_utils.kraft.spec.desired import quorum
from ansible.module_utils.kraft.spec.desired.describe import desired_state
from ansible.module_utils.kraft.spec.desired.files import properties_text
from ansible.module_utils.kraft.spec.desired.server_properties import DEFAULTS, server_settings
from ansible.module_utils.kraft.spec.inventory.definitions import load, nearest_version
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.spec.inventory import CLUSTER_ID, LISTENERS, ROOT, cluster

DEDICATED = {
    "k1": {"kafka_process_roles": ["controller"]},
    "k2": {"kafka_process_roles": ["broker"], "kafka_rack": "b"},
}


def test_combined_node_knows_all_its_listeners() -> None:
    made = cluster()
    lines = server_settings(made, made.nodes[0])
    assert lines["process.roles"] == "broker,controller"
    assert lines["listeners"] == "CLIENT://10.0.0.1:9092,INTERNAL://10.0.0.1:19092,CONTROLLER://10.0.0.1:9093"
    assert lines["advertised.listeners"] == lines["listeners"]
    assert lines["inter.broker.listener.name"] == "INTERNAL"
    assert lines["controller.listener.names"] == "CONTROLLER"
    assert lines["controller.quorum.bootstrap.servers"] == "10.0.0.1:9093,10.0.0.2:9093,10.0.0.3:9093"
    assert "controller.quorum.voters" not in lines
    assert (lines["default.replication.factor"], lines["min.insync.replicas"]) == ("3", "2")
    assert list(lines) == sorted(lines)


def test_mere_controller_opens_no_broker_listener() -> None:
    made = cluster(2, DEDICATED)
    lines = server_settings(made, made.nodes[0])
    assert lines["process.roles"] == "controller"
    assert lines["listeners"] == lines["advertised.listeners"] == "CONTROLLER://10.0.0.1:9093"
    assert lines["listener.security.protocol.map"] == "CONTROLLER:PLAINTEXT"
    assert "inter.broker.listener.name" not in lines
    assert "broker.rack" not in lines


def test_mere_broker_knows_the_controllers_listener_without_opening_it() -> None:
    made = cluster(2, DEDICATED)
    lines = server_settings(made, made.nodes[1])
    assert lines["listeners"] == "CLIENT://10.0.0.2:9092,INTERNAL://10.0.0.2:19092"
    assert lines["controller.listener.names"] == "CONTROLLER"
    assert lines["listener.security.protocol.map"] == "CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT"
    assert lines["controller.quorum.bootstrap.servers"] == "10.0.0.1:9093"
    assert lines["broker.rack"] == "b"


def test_static_quorum_names_voters_and_has_no_directory_ids() -> None:
    ports = {
        f"k{at}": {"kafka_listeners": [*LISTENERS[:2], {**LISTENERS[2], "port": at * 10000 + 9093}]} for at in (1, 2, 3)
    }
    made = cluster(3, ports, kafka_quorum="static")
    lines = server_settings(made, made.nodes[0])
    assert lines["controller.quorum.voters"] == "1@10.0.0.1:19093,2@10.0.0.2:29093,3@10.0.0.3:39093"
    assert "controller.quorum.bootstrap.servers" not in lines
    described = desired_state(made)
    assert described["cluster"]["initial_controllers"] == ""
    assert described["nodes"]["k1"]["directory_id"] is None


def test_initial_controllers_are_the_same_for_all_and_in_order_of_id() -> None:
    made = cluster(3, {"k1": {"kafka_node_id": 30, "kafka_directory_id": "AbCdEfGhIjKlMnOpQrStUQ"}})
    assert quorum.initial_controllers(made) == ",".join(
        [
            f"2@10.0.0.2:9093:{directory_id(CLUSTER_ID, 2)}",
            f"3@10.0.0.3:9093:{directory_id(CLUSTER_ID, 3)}",
            "30@10.0.0.1:9093:AbCdEfGhIjKlMnOpQrStUQ",
        ]
    )


def test_addresses_of_version_six_stand_in_brackets() -> None:
    made = cluster(1, kafka_address="fd00::1")
    assert server_settings(made, made.nodes[0])["listeners"].startswith("CLIENT://[fd00::1]:9092,")
    assert quorum.bootstrap_servers(made) == "[fd00::1]:9092"
    assert quorum.initial_controllers(made).startswith("1@[fd00::1]:9093:")


def test_advertised_address_is_what_others_are_told() -> None:
    public = {"bind": "0.0.0.0", "advertised": {"host": "kafka.example.com", "port": 443}}  # noqa: S104
    made = cluster(kafka_listeners=[{**LISTENERS[0], **public}, *LISTENERS[1:]])
    lines = server_settings(made, made.nodes[0])
    assert lines["listeners"].startswith("CLIENT://0.0.0.0:9092,")
    assert lines["advertised.listeners"].startswith("CLIENT://kafka.example.com:443,")
    assert desired_state(made)["cluster"]["bootstrap_servers"] == ",".join(["kafka.example.com:443"] * 3)


def test_threads_follow_cores_once_they_are_known() -> None:
    blind, seen = cluster(), cluster(facts={"cpus": 24, "memory_mb": 65536})
    assert server_settings(blind, blind.nodes[0])["num.io.threads"] == "8"
    assert server_settings(seen, seen.nodes[0])["num.io.threads"] == "24"
    assert server_settings(seen, seen.nodes[0])["num.network.threads"] == "12"


def test_each_layer_overrides_the_one_before() -> None:
    made = cluster(
        kafka_config={"num.io.threads": 9, "log.retention.hours": 24, "num.partitions": 6},
        kafka_group_config={"num.io.threads": 10, "num.partitions": 12},
        kafka_host_config={"num.io.threads": 11},
    )
    lines = server_settings(made, made.nodes[0])
    assert (lines["num.io.threads"], lines["num.partitions"], lines["log.retention.hours"]) == (
        "11",
        "12",
        "24",
    )


KEYS = st.sampled_from(["a", "b", "c", "num.io.threads"])
LAYER = st.dictionaries(KEYS, st.integers())


@settings(max_examples=50, deadline=None)
@given(LAYER, LAYER, LAYER)
def test_the_narrowest_layer_that_names_a_key_wins(
    wide: dict[str, int], middle: dict[str, int], narrow: dict[str, int]
) -> None:
    made = cluster(kafka_config=wide, kafka_group_config=middle, kafka_host_config=narrow)
    lines = server_settings(made, made.nodes[0])
    for key, value in {**wide, **middle, **narrow}.items():
        assert lines[key] == str(value)


@pytest.mark.parametrize(("brokers", "factor", "in_sync"), [(3, "3", "2"), (2, "2", "1"), (1, "1", "1")])
def test_a_test_cluster_has_no_more_replicas_than_brokers(brokers: int, factor: str, in_sync: str) -> None:
    made = cluster(brokers)
    lines = server_settings(made, made.nodes[0])
    for key in ("default", "offsets.topic", "transaction.state.log", "share.coordinator.state.topic"):
        assert lines[f"{key}.replication.factor"] == factor
    assert lines["min.insync.replicas"] == lines["transaction.state.log.min.isr"] == in_sync


def test_description_holds_everything_that_roles_read() -> None:
    described: dict[str, Any] = desired_state(cluster(facts={"cpus": 2, "memory_mb": 4096}))
    node = described["nodes"]["k2"]
    assert node["heap_mb"] == 2048
    assert "-Xmx2048m" in node["derived_jvm_options"]
    assert properties_text(node, []).startswith("# Written by Kraftwright")
    assert node["metadata_log_dir"] == "/opt/kafka/kraft-logs/kafka-logs1"
    assert node["listeners"][0]["advertised"] == {"host": "10.0.0.2", "port": 9092}
    assert described["cluster"]["voters"][1] == {
        "node_id": 2,
        "host": "k2",
        "address": "10.0.0.2",
        "port": 9093,
        "directory_id": directory_id(CLUSTER_ID, 2),
    }


def test_a_dead_node_is_noticed_sooner_where_that_is_wanted() -> None:
    slow, fast = cluster(), cluster(kafka_failure_detection="fast")
    assert "broker.session.timeout.ms" not in server_settings(slow, slow.nodes[0])
    lines = server_settings(fast, fast.nodes[0])
    assert (lines["broker.session.timeout.ms"], lines["broker.heartbeat.interval.ms"]) == ("2400", "400")
    assert lines["controller.quorum.fetch.timeout.ms"] == "1000"


def test_the_page_on_tuning_lists_every_default_that_differs_from_kafkas() -> None:
    known = load(nearest_version("4.4.0")).server
    differing = {key: (known[key].default, value) for key, value in DEFAULTS.items() if known[key].default != value}
    rows = re.findall(r"^\| `([a-z.]+)` \| (\d+) \| (\d+) \|", (ROOT / "docs/tuning.md").read_text(), re.MULTILINE)
    assert {key: (theirs, ours) for key, theirs, ours in rows} == differing
