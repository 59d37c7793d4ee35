"""TLS between nodes: the modules act as the node on whose host they run, and all others are refused."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.errors import AccessError
from ansible.module_utils.kraft.spec.desired.node_client import client_parameter

from tests.integration.certificates import certify
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.patience import until
from tests.integration.secured_cluster import SecuredNodes

Module = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    directory = tmp_path_factory.mktemp("secured_nodes")
    certify(directory)
    cluster = SecuredNodes.start(directory, 3)
    yield cluster
    cluster.stop()


@pytest.fixture
def client(secured: KafkaCluster) -> dict[str, Any]:
    """Return the client that role kafka derives, for the host of node 1."""
    found = [
        {"name": name, "address": f"127.0.0.1:{port}", "protocol": "SSL", "purpose": purpose}
        for node in secured.nodes.values()
        for name, purpose, port in (
            ("INTERNAL", "inter_broker", node.internal_port),
            ("CONTROLLER", "controller", node.controller_port),
        )
    ]
    derived = client_parameter(found, "/opt/kafka", secured.cluster_id)
    return {**derived, "node": str(secured.nodes[1].config), "python_path": None}


def test_modules_ask_brokers_and_controllers_as_the_node(
    secured: KafkaCluster, client: dict[str, Any], run_module: Module
) -> None:
    ids = list(secured.nodes)
    found = run_module("kafka_cluster_info", client=client, gather=["quorum", "topics", "log_dirs"])["snapshot"]
    assert found["unanswered"] == {}
    assert {one["port"] for one in found["brokers"]} == {node.internal_port for node in secured.nodes.values()}
    expected = {"cluster_id": secured.cluster_id, "broker_ids": ids, "voter_ids": ids}
    assert run_module("kafka_health", client=client, expected=expected, node_id=1, unit="", timeout=20)["healthy"]
    controllers = [{"node_id": n, "address": f"127.0.0.1:{secured.nodes[n].controller_port}"} for n in ids]
    view = run_module("kafka_connectivity_info", client=client, controllers=controllers, node_id=1, timeout=30)
    assert [one["error"] for one in view["controllers"]] == ["", "", ""]
    assert {one["leader_id"] for one in view["controllers"]} <= set(ids)
    own = [f"127.0.0.1:{port}" for port in (secured.nodes[1].internal_port, secured.nodes[1].controller_port)]
    view = until(  # a busy machine may need longer than a handshake is given
        lambda: run_module("kafka_connectivity_info", client=client, controllers=controllers, node_id=1, secured=own),
        lambda found: not any(one["error"] for one in found["certificates"]),
    )
    assert [(one["address"], one["error"]) for one in view["certificates"]] == [(address, "") for address in own]
    assert {one["certificate"] for one in view["certificates"]} == {(secured.directory / "ca.pem").read_text()}


def test_modules_change_the_cluster_as_the_node(client: dict[str, Any], run_module: Module) -> None:
    made = run_module("kafka_topic", client=client, name="secured", partitions=3, replication_factor=3)
    assert made["changed"]
    found = run_module("kafka_safety_check", client=client, node_ids=[2])
    assert found["allowed"], found


def test_who_shows_no_certificate_gets_in_nowhere(secured: KafkaCluster, client: dict[str, Any]) -> None:
    ways = [client, *client["others"]]
    addresses = [each for way in ways for each in way["bootstrap_servers"]]
    assert len(addresses) == 6
    trusted = {"security_protocol": "SSL", "ca_file": str(secured.directory / "ca.pem")}
    with Client({"bootstrap_servers": addresses, **trusted}) as stranger:
        for address in addresses:
            with pytest.raises(AccessError):
                stranger.send(address, stranger.request("DescribeClusterRequest"))


@pytest.mark.parametrize(
    ("ciphers", "accepted"), [("ECDHE+AESGCM", True), ("ECDHE+CHACHA20", True), ("ECDHE+AES:!AESGCM:!AESCCM", False)]
)
def test_of_tls_1_2_only_ciphers_that_authenticate_are_offered(
    secured: KafkaCluster, ciphers: str, accepted: bool
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(f"{ciphers}:@SECLEVEL=0")
    context.check_hostname = False
    context.load_verify_locations(secured.directory / "ca.pem")
    context.load_cert_chain(secured.directory / "node.pem")
    for port in (secured.nodes[1].internal_port, secured.nodes[1].controller_port):
        with (
            nullcontext() if accepted else pytest.raises(ssl.SSLError, match="handshake failure"),
            socket.create_connection(("127.0.0.1", port), timeout=10) as plain,
            context.wrap_socket(plain) as connection,
        ):
            assert connection.version() == "TLSv1.2"
