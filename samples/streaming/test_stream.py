"""Your test: no Kafka is needed. Files take the place of the topic, and the driver dies at the worst moment."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import stream
from pyspark.sql import SparkSession

COLUMNS = (
    "key binary, value binary, headers array<struct<key: string, value: binary>>, topic string, partition int, "
    "offset long, timestamp timestamp, timestampType int"
)


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    found = stream.session()
    found.conf.set("spark.databricks.delta.snapshotPartitions", "2")  # 50 by default: tasks for a large table
    yield found
    found.stop()


def test_a_batch_that_is_tried_again_is_not_written_twice(spark: SparkSession, tmp_path: Path) -> None:
    """The driver dies after the table's commit and before the checkpoint's, so Spark runs the last batch again."""
    topic = tmp_path / "topic"
    topic.mkdir()
    config: dict[str, Any] = {
        "table": (tmp_path / "table").as_uri(),
        "checkpoint": (tmp_path / "checkpoint").as_uri(),
        "trigger": {"availableNow": True},
    }
    for batch in range(2):
        kafka = [{"value": "YQ==", "topic": "orders", "partition": 0, "offset": batch * 10 + n} for n in range(10)]
        (topic / f"{batch}.json").write_text("\n".join(json.dumps(row) for row in kafka))
        source = spark.readStream.schema(COLUMNS).json(topic.as_uri())
        stream.start(source, config).awaitTermination()
    (tmp_path / "checkpoint/commits/1").unlink()
    (tmp_path / "checkpoint/commits/.1.crc").unlink(missing_ok=True)
    stream.start(spark.readStream.schema(COLUMNS).json(topic.as_uri()), config).awaitTermination()
    written = spark.read.format("delta").load(config["table"])
    assert sorted(row.offset for row in written.collect()) == list(range(20))


def test_a_path_without_a_scheme_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    config = {"table": str(tmp_path), "checkpoint": tmp_path.as_uri(), "trigger": {"availableNow": True}}
    with pytest.raises(ValueError, match="has no scheme"):
        stream.start(spark.readStream.schema(COLUMNS).json(tmp_path.as_uri()), config)
