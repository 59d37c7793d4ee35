"""One real cluster for a whole session; tests that stop or break nodes make one of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.kafka_cluster import KafkaCluster


@pytest.fixture(scope="session")
def kafka_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    cluster = KafkaCluster.start(tmp_path_factory.mktemp("kafka"))
    yield cluster
    cluster.stop()
