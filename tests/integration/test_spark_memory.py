"""Objects that Spark's queries leave in the driver's heap, on real brokers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_jobs.record_format import Workload
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.patience import until
from tests.integration.spark_topic import SparkTopic, create

ROOT = Path(__file__).resolve().parents[2]
RECORDS = 1200
POOLS = "org.apache.spark.sql.kafka010.consumer.KafkaDataConsumer$"


@pytest.fixture
def topic(kafka_cluster: KafkaCluster) -> SparkTopic:
    name = create(kafka_cluster.bootstrap_servers, "spark-memory", 3)
    return SparkTopic(kafka_cluster.bootstrap_servers, name, Workload("memory", RECORDS, 100, 3, 2))


def kept(spark: SparkSession) -> tuple[int, int]:
    """Return the number of consumers, and of lists of fetched records, in Spark's two caches."""
    assert spark._jvm is not None
    loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    kind = loader.loadClass(POOLS)
    pools = [private(kind, name, None) for name in ("consumerPool", "fetchedDataPool")]
    lists = private(pools[1].getClass(), "cache", pools[1]).values().toList()
    return pools[0].size(), sum(lists.apply(number).size() for number in range(lists.size()))


def private(kind: Any, name: str, owner: Any) -> Any:
    """A field that only Java's reflection shows."""
    field = kind.getDeclaredField(name)
    field.setAccessible(True)
    return field.get(owner)


def test_an_ended_query_leaves_no_consumer_and_no_record_in_the_heap(spark: SparkSession, topic: SparkTopic) -> None:
    """Each query has separate consumers. Those of earlier queries once filled the default heap of 1 GB."""
    topic.produce(topic.producer(), range(RECORDS))
    for _ in range(3):
        assert topic.counts(spark, topic.window())["read"] == RECORDS
    assert kept(spark) > (0, 0)
    assert until(lambda: kept(spark), lambda left: left == (0, 0), 90, pause=0.5) == (0, 0)
