"""Does on a session what the jobs do, without a cluster, so that Java loads the classes that they need (appcds.py)."""

from __future__ import annotations

import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as sf

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from spark_jobs import session  # noqa: E402 - spark-submit starts this file, not the package

#: Nothing listens there: what needs a broker fails soon, after it has loaded its classes.
NOWHERE = {"kafka.bootstrap.servers": "127.0.0.1:9", "fetchOffset.numRetries": "1"}
READING = {"subscribe": "none", "kafka.request.timeout.ms": "400", "kafka.default.api.timeout.ms": "500"}
WRITING = {"topic": "none", "kafka.max.block.ms": "500", "kafka.acks": "all"}
RECORDS = 20_000


def records(spark: SparkSession) -> DataFrame:
    """Make records like the jobs: a key, a value with a checksum, a partition."""
    sequence = sf.col("id")
    value = sf.concat_ws("|", sequence.cast("string"), sf.sha2(sequence.cast("string"), 256))
    return spark.range(0, RECORDS, 1, 4).select(
        sequence.alias("sequence"),
        (sequence % 6).cast("int").alias("partition"),
        sf.encode(sequence.cast("string"), "UTF-8").alias("key"),
        sf.encode(value, "UTF-8").alias("value"),
        sf.current_timestamp().alias("timestamp"),
    )


def account(made: DataFrame) -> None:
    """Account like the audits: decode, number, join both sides, aggregate, collect a few rows."""
    order = Window.partitionBy("partition").orderBy("sequence")
    read = made.withColumn("text", sf.decode("value", "UTF-8")).withColumn("previous", sf.lag("sequence").over(order))
    joined = made.select("sequence", "partition").join(
        read.select("sequence", sf.col("partition").alias("found"), "previous", sf.crc32("text").alias("sum")),
        on="sequence",
        how="full_outer",
    )
    joined.groupBy("partition").agg(
        sf.count("*"),
        sf.sum(sf.when(sf.col("found").isNull(), 1).otherwise(0)),
        sf.max("previous"),
        sf.percentile_approx("sequence", [0.5, 0.99]),
        sf.collect_list(sf.when(sf.col("previous").isNull(), sf.struct("sequence", "sum"))),
    ).orderBy("partition").collect()


def train(spark: SparkSession, scratch: Path) -> None:
    """Do everything once."""
    made = records(spark).cache()
    account(made)
    made.select("sequence", "partition").write.json(str(scratch / "rows"))
    account(made.join(spark.read.json(str(scratch / "rows")).select("sequence"), on="sequence"))
    with suppress(PySparkException, Py4JJavaError):
        made.select("key", "value").write.format("kafka").mode("append").options(**NOWHERE, **WRITING).save()
    with suppress(PySparkException, Py4JJavaError):
        spark.read.format("kafka").options(**NOWHERE, **READING).load().count()


def main() -> None:
    """Open a session like the jobs, and train."""
    spark = session.open_session("appcds")
    spark.sparkContext.setLogLevel("OFF")
    with tempfile.TemporaryDirectory() as scratch:
        train(spark, Path(scratch))
    spark.stop()


if __name__ == "__main__":
    main()
