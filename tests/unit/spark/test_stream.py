"""The second reading of a topic, as a stream."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_jobs import kafka_io, run
from spark_jobs.progress import Progress
from spark_jobs.record_format import Workload
from tests.unit.spark.kafka_log import SCHEMA, KafkaLog

WORKLOAD = Workload("stream", 40, 100, 2, 2)
WINDOW = kafka_io.Window({0: 0, 1: 0}, {0: 20, 1: 20})


class Files:
    """A topic whose records are Parquet files: Spark streams them like those of Kafka."""

    def __init__(self, spark: SparkSession, directory: Path) -> None:
        self._spark, self._directory = spark, directory

    def stream(self, _: kafka_io.Window) -> DataFrame:
        return self._spark.readStream.schema(SCHEMA).parquet(self._directory.as_uri())


def streamed(spark: SparkSession, directory: Path, rows: list[dict[str, Any]]) -> Any:
    topic = cast("kafka_io.TopicIo", Files(spark, directory))
    bench = run.Bench(spark, WORKLOAD, topic, cast("Any", None), Progress(directory.parent))
    return run._stream(bench, WINDOW, rows)[0]


def test_a_topic_that_has_lost_everything_is_read_as_a_stream_all_the_same(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "topic").mkdir()
    found = streamed(spark, tmp_path / "topic", [])
    assert (found["batches"], found["records"], found["same_as_batch"]) == (0, 0, True)


def test_a_stream_counts_what_it_reads(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.createDataFrame(KafkaLog.from_workload(WORKLOAD).rows(), SCHEMA)
    rows.coalesce(1).write.parquet(str(tmp_path / "topic"))
    found = streamed(spark, tmp_path / "topic", [])
    assert (found["batches"], found["records"], found["same_as_batch"]) == (1, 40, False)


def test_the_checkpoint_is_on_this_machine_whatever_hadoops_default_is(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a scheme Spark takes the path to ``fs.defaultFS``; nothing listens there."""
    (tmp_path / "topic").mkdir()
    context: Any = spark.sparkContext
    hadoop = context._jsc.hadoopConfiguration()
    before = hadoop.get("fs.defaultFS")
    real, paths = kafka_io.drain, list[str]()

    def drain(stream: DataFrame, checkpoint: str) -> Any:
        paths.append(checkpoint)
        hadoop.set("fs.defaultFS", "hdfs://127.0.0.1:1")
        return real(stream, checkpoint)

    monkeypatch.setattr(kafka_io, "drain", drain)
    try:
        assert streamed(spark, tmp_path / "topic", [])["records"] == 0
    finally:
        hadoop.set("fs.defaultFS", before)
    assert paths[0].startswith(f"file://{tmp_path}/checkpoint-")
    assert not list(tmp_path.glob("checkpoint-*"))
