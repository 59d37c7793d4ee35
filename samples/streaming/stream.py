"""Kafka into a Delta table, each record exactly once: copy this folder, and change ``rows`` and ``stream.json``.

    spark-submit --packages org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0,io.delta:delta-spark_2.13:4.4.0 \
        stream.py stream.json

Spark notes the offsets of each micro-batch in the checkpoint before it reads them, and Delta notes the number of the
batch in the same commit as its rows. A batch that is tried again has the same offsets, and a batch that the table has
already is skipped. So after any end, of an executor, the driver or a broker, run the same line again.

Two things would break this: a second query on the same checkpoint, and a new checkpoint for the same table.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
KAFKA = {
    "startingOffsets": "earliest",  # of the first run; every later one goes on from the checkpoint
    "failOnDataLoss": "true",  # records that Kafka deleted before they were read end the query, and are not skipped
    "includeHeaders": "true",
    "kafka.isolation.level": "read_committed",
    # A frozen broker keeps its connections: a request ends, and another broker is asked, before the task gives up.
    "kafka.request.timeout.ms": "6000",
    "kafkaConsumer.pollTimeoutMs": "60000",
}


def rows(kafka: DataFrame) -> DataFrame:
    """Kafka's rows to rows of the table. Keep partition and offset: they identify the record of a row."""
    return kafka.select("key", "value", "headers", "topic", "partition", "offset", "timestamp", "timestampType")


def source(spark: SparkSession, config: Mapping[str, Any]) -> DataFrame:
    """Read the topic. The options of ``client_file``, then those of ``kafka``, come after those above."""
    client = json.loads(Path(config["client_file"]).read_text())["read"] if config.get("client_file") else {}
    return spark.readStream.format("kafka").options(**{**KAFKA, **client, **config["kafka"]}).load()


def start(stream: DataFrame, config: Mapping[str, Any]) -> StreamingQuery:
    """Start writing to the table. Paths carry a scheme, so they do not depend on Hadoop's default file system."""
    for name in ("table", "checkpoint"):
        if "://" not in config[name] and not config[name].startswith("file:/"):
            raise ValueError(f"{name}: {config[name]} has no scheme: write file:///… or hdfs://…")
    writer = rows(stream).writeStream.format("delta").outputMode("append")
    return writer.option("checkpointLocation", config["checkpoint"]).trigger(**config["trigger"]).start(config["table"])


def session() -> SparkSession:
    """Open a session on spark-submit's master, with Delta's SQL."""
    builder = SparkSession.builder.appName("stream")
    for name, value in DELTA.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def main(path: str) -> None:
    """Run until the query ends; a failed query ends the process with 1, so that its supervisor starts it again."""
    config = json.loads(Path(path).read_text())
    spark = session()
    start(source(spark, config), config).awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
