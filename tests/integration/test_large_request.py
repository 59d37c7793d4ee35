"""A request that declares millions of elements costs a broker nothing (CVE-2026-111115, CVE-2026-111108)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.large_request import answers, send, with_array, with_tagged_fields

MANY = 20_000_000


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    """Start a broker like a deployed node: without memory it ends itself."""
    patch = pytest.MonkeyPatch()
    patch.setenv("JAVA_TOOL_OPTIONS", "-XX:+ExitOnOutOfMemoryError")
    properties = {"default.replication.factor": "1", "min.insync.replicas": "1"}
    started = KafkaCluster.start(tmp_path_factory.mktemp("large"), 1, properties, heap="512m")
    try:
        yield started
    finally:
        started.stop()
        patch.undo()


@pytest.mark.parametrize(
    ("within", "beyond"),
    [
        (with_tagged_fields(1000), with_tagged_fields(MANY)),
        (with_array(1000), with_array(MANY)),
    ],
    ids=["tagged fields", "array"],
)
def test_a_request_with_very_many_elements_is_refused_and_the_broker_serves_on(
    broker: KafkaCluster, within: bytes, beyond: bytes
) -> None:
    node = broker.nodes[1]
    assert send(node.client_port, within)
    assert not send(node.client_port, beyond)
    assert answers(node.client_port, 90)
    assert node.running
    assert "java.lang.OutOfMemoryError" not in node.log.read_text() + (node.directory / "console.log").read_text()
