"""Modules and another cluster, against two real ones: they query no foreign cluster, and change nothing there."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import kafka_host_info
import pytest
from ansible.module_utils.kraft.cluster.client import Client, Question
from ansible.module_utils.kraft.cluster.gather import patiently
from ansible.module_utils.kraft.errors import LateError, OtherClusterError
from ansible.module_utils.kraft.node import certificate

from tests.integration.client_calls import CALLS
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.patience import until
from tests.integration.secured_cluster import PASSWORD, start_secured

Module = Callable[..., dict[str, Any]]
NOBODY = "127.0.0.1:1"


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    cluster = start_secured(tmp_path_factory.mktemp("foreign"))
    yield cluster
    cluster.stop()


@pytest.fixture
def filled(foreign: KafkaCluster, run_module: Module) -> KafkaCluster:
    """Return the foreign cluster with its own topic, user, ACL and quota."""
    acl = {"principal": "User:their-user", "topic": "theirs", "operations": ["read"]}
    made = run_module(
        "kafka_resources",
        client={"bootstrap_servers": [foreign.bootstrap_servers]},
        topics=[{"name": "theirs", "partitions": 1, "replication_factor": 1}],
        users=[{"name": "their-user", "password": PASSWORD}],
        acls=[acl],
        quotas=[{"user": "their-user", "producer_byte_rate": 1000000}],
    )
    assert not made.get("failed"), made
    return foreign


def contents(cluster: KafkaCluster) -> str:
    """Return everything that modules could have changed there."""
    anything = dict.fromkeys(("resource_type_filter", "pattern_type_filter", "operation", "permission_type"), 1)
    anybody = dict.fromkeys(("resource_name_filter", "principal_filter", "host_filter"))
    with Client({"bootstrap_servers": [cluster.bootstrap_servers]}) as client:
        requests = [
            client.request("DescribeAclsRequest", **anything, **anybody),
            client.request("DescribeUserScramCredentialsRequest", users=None),
            client.request("DescribeClientQuotasRequest", components=[], strict=False),
            client.request("DescribeConfigsRequest", resources=[(4, "1", ["num.io.threads"])]),
        ]
        questions = [Question(cluster.bootstrap_servers, one) for one in requests]
        answers = until(
            lambda: client.send_all(questions), lambda found: not any(isinstance(one, LateError) for one in found)
        )
        seen = patiently(client, ("topics", "features", "quorum"), 60)
    topics = [(one.name, len(one.partitions)) for one in seen.topics or ()]
    voters = [one.node_id for one in seen.quorum.voters] if seen.quorum else []
    return json.dumps([answers, topics, voters, [str(one) for one in seen.features or ()]], default=str)


def put_in(value: Any, words: dict[str, str]) -> Any:
    """`value` with the addresses in place of their names."""
    if isinstance(value, dict):
        return {key: put_in(each, words) for key, each in value.items()}
    if isinstance(value, list):
        return [put_in(each, words) for each in value]
    return value.format(**words) if isinstance(value, str) and value.startswith("{") else value


@pytest.fixture
def params(
    kafka_cluster: KafkaCluster, filled: KafkaCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], dict[str, Any]]:
    """Return a module's arguments: it expects our cluster, and its addresses are the foreign one's."""
    (node,) = filled.nodes.values()
    words = {
        "ours": kafka_cluster.bootstrap_servers.split(",")[0],
        "foreign": filled.bootstrap_servers,
        "foreign_controller": f"127.0.0.1:{node.controller_port}",
        "directory": str(tmp_path),
    }
    client = {"bootstrap_servers": [filled.bootstrap_servers], "cluster_id": kafka_cluster.cluster_id}
    monkeypatch.setattr(certificate, "is_unloaded", lambda: True)
    monkeypatch.setattr(kafka_host_info, "observe_host", lambda *_: {"service": {"pid": 1}})
    (tmp_path / certificate.NODE).write_text("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n")

    def made(module: str) -> dict[str, Any]:
        if module == "kafka_host_info":
            return {"health": {"client": client, "expected": {}, "node_id": 1}}
        return {"client": client, **put_in(CALLS[module], words)}

    return made


@pytest.mark.parametrize("module", CALLS)
def test_a_module_refuses_another_cluster(
    module: str,
    params: Callable[[str], dict[str, Any]],
    kafka_cluster: KafkaCluster,
    filled: KafkaCluster,
    run_module: Module,
) -> None:
    before, began = contents(filled), time.monotonic()
    found = run_module(module, **params(module))
    assert f"belongs to cluster {filled.cluster_id}, and {kafka_cluster.cluster_id} is expected" in json.dumps(found)
    assert not found.get("changed"), found
    assert found.get("failed") or module in ("kafka_connectivity_info", "kafka_host_info"), found
    assert time.monotonic() - began < 30, "it waited for what does not pass"
    assert contents(filled) == before


def test_a_topic_is_not_made_in_the_cluster_of_a_foreign_host_that_comes_first(
    kafka_cluster: KafkaCluster, filled: KafkaCluster, run_module: Module
) -> None:
    asked = {"name": "strayed", "partitions": 1, "replication_factor": 1}
    first = {"bootstrap_servers": [filled.bootstrap_servers, NOBODY], "cluster_id": kafka_cluster.cluster_id}
    before = contents(filled)
    assert run_module("kafka_topic", client=first, **asked)["failed"]
    both = {**first, "bootstrap_servers": [filled.bootstrap_servers, kafka_cluster.bootstrap_servers]}
    for _ in range(5):
        assert not run_module("kafka_topic", client=both, timeout=30, **asked).get("failed")
    assert contents(filled) == before
    assert '"strayed"' in contents(kafka_cluster)
    assert run_module("kafka_topic", client=both, name="strayed", state="absent", delete_topics=["strayed"])["changed"]


def test_addresses_that_are_asked_directly_are_refused_and_not_taken_for_silent(
    kafka_cluster: KafkaCluster, foreign: KafkaCluster
) -> None:
    (node,) = foreign.nodes.values()
    controller = f"127.0.0.1:{node.controller_port}"
    own = [f"127.0.0.1:{one.controller_port}" for one in kafka_cluster.controllers]
    options = {"bootstrap_servers": [kafka_cluster.bootstrap_servers], "cluster_id": kafka_cluster.cluster_id}
    with Client(options) as client:
        cluster = client.request("DescribeClusterRequest", endpoint_type=2)
        answers = client.send_all([Question(one, cluster) for one in [controller, *own]])
        with pytest.raises(OtherClusterError) as error:
            client.send(foreign.bootstrap_servers, client.request("MetadataRequest", topics=[]))
    assert isinstance(answers[0], OtherClusterError)
    assert [one["cluster_id"] for one in answers[1:] if isinstance(one, dict)] == [kafka_cluster.cluster_id] * len(own)
    assert (error.value.address, error.value.found) == (foreign.bootstrap_servers, foreign.cluster_id)


def test_a_skipped_bootstrap_server_is_named(kafka_cluster: KafkaCluster, foreign: KafkaCluster) -> None:
    said: list[str] = []
    servers = [foreign.bootstrap_servers, *kafka_cluster.bootstrap_servers.split(",")]
    options = {"bootstrap_servers": servers, "cluster_id": kafka_cluster.cluster_id}
    with Client(options, warn=said.append) as client:
        with pytest.raises(OtherClusterError):
            client.reach(servers[:1])
        for _ in range(3):
            assert client.reach() in servers[1:]
    assert len(said) == 1
    assert servers[0] in said[0]
    assert foreign.cluster_id in said[0]
