"""A broker of 4.3.1 dies of one request (CVE-2026-111115, CVE-2026-111108), and what a limit of requests does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.large_request import answers, send, with_array, with_tagged_fields

LIMIT = 2 * 1024 * 1024


class Of431(KafkaCluster):
    version = "4.3.1"


@pytest.fixture
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[KafkaCluster]:
    """As a node is deployed: without memory it ends itself. ``request.param``: its limit of a request, if any."""
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:+ExitOnOutOfMemoryError")
    properties = {"default.replication.factor": "1", "min.insync.replicas": "1"}
    properties |= {"socket.request.max.bytes": str(LIMIT)} if getattr(request, "param", False) else {}
    started = Of431.start(tmp_path, 1, properties, heap="512m")
    try:
        yield started
    finally:
        started.stop()


def out_of_memory(broker: KafkaCluster) -> bool:
    """Check whether it ended for lack of memory."""
    node = broker.nodes[1]
    if node.process:
        node.process.wait(60)
    return "java.lang.OutOfMemoryError" in (node.directory / "console.log").read_text()


@pytest.mark.parametrize(
    "request_bytes", [with_tagged_fields(20_000_000), with_array(13_000_000)], ids=["tagged fields", "array"]
)
def test_one_request_ends_a_broker_of_a_release_with_the_advisory(broker: KafkaCluster, request_bytes: bytes) -> None:
    node = broker.nodes[1]
    assert answers(node.client_port, 5)
    assert not send(node.client_port, request_bytes, 120)
    assert out_of_memory(broker)


@pytest.mark.parametrize("broker", [True], indirect=True)
def test_a_limit_of_requests_helps_against_few_connections_and_not_against_many(broker: KafkaCluster) -> None:
    node = broker.nodes[1]
    assert not send(node.client_port, with_tagged_fields(20_000_000))
    largest = with_tagged_fields((LIMIT - 100) // 2)
    assert send(node.client_port, largest)
    assert answers(node.client_port, 5)
    threads = [threading.Thread(target=send, args=(node.client_port, largest, 120)) for _ in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert out_of_memory(broker)
