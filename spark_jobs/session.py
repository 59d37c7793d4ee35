"""The Spark session: small, quiet settings, and real messages when Spark cannot start or loses the cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_jobs import appcds
from spark_jobs.errors import InstallationError, UnreachableError
from spark_jobs.installation import JARS, JARS_REMEDY, JAVA_REMEDY, local_settings
from spark_jobs.report_schema import Spark

SUBMITTED = "PYSPARK_GATEWAY_PORT"  # set by spark-submit
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.python.authenticate.socketTimeout": "120s",  # 15 s for Python to fetch a result: too short on a busy machine
    "spark.sql.adaptive.enabled": "true",
    # A second copy of a running task would write its records twice; and failed tasks of the write must be remembered.
    "spark.speculation": "false",
    "spark.ui.retainedJobs": "1000",
    "spark.ui.retainedStages": "1000",
    "spark.sql.streaming.numRecentProgressUpdates": "1000",
    "spark.sql.streaming.metricsEnabled": "false",
    # Every query has a consumer group of its own, so no query uses a consumer that another one left. By default the
    # consumers stay for five minutes with what they fetched, and fill the heap.
    "spark.kafka.consumer.cache.timeout": "2s",
    "spark.kafka.consumer.cache.evictorThreadRunInterval": "1s",
    "spark.kafka.consumer.fetchedData.cache.timeout": "2s",
    "spark.kafka.consumer.fetchedData.cache.evictorThreadRunInterval": "1s",
}


def open_session(run_id: str, more: Mapping[str, str] = MappingProxyType({})) -> SparkSession:
    """A session on the master that spark-submit was given; started without spark-submit, on this machine's cores.

    ``more``: settings beyond those of every session.
    """
    builder = SparkSession.builder.appName(f"kraftwright-smoke-{run_id}")
    for name, value in {**SETTINGS, **more}.items():
        builder = builder.config(name, value)
    if SUBMITTED not in os.environ:
        for name, value in _alone(more).items():
            builder = builder.config(name, value)
    try:
        spark = builder.getOrCreate()
    except (PySparkException, Py4JError) as error:
        raise explained(error) from error
    spark.sparkContext.setLogLevel("ERROR")
    spark.conf.set("spark.sql.shuffle.partitions", shuffle_partitions(spark.sparkContext.defaultParallelism))
    return spark


def _alone(more: Mapping[str, str]) -> dict[str, str]:
    """What spark-submit would have been given."""
    jars = sorted(JARS.glob("*.jar"))
    java = f"{more.get(JAVA_OPTIONS, '')} {appcds.options(os.environ, jars)}".strip()
    named = {"spark.master": "local[*]", "spark.jars": ",".join(str(jar) for jar in jars), JAVA_OPTIONS: java}
    return {**named, **local_settings(jars)}


def shuffle_partitions(cores: int) -> int:
    """Twice the cores: adaptive execution merges what is too small, and more only costs task starts."""
    return max(2, 2 * cores)


def describe(spark: SparkSession, session_seconds: float) -> Spark:
    """What the report says of Spark."""
    context = spark.sparkContext
    jars = [Path(jar).stem for jar in context.getConf().get("spark.jars", "").split(",")]
    return Spark(
        version=spark.version,
        master=str(context.master),
        connector=", ".join(sorted((jar for jar in jars if "kafka" in jar), reverse=True)),
        java=str(_jvm(spark).System.getProperty("java.version")),
        session_seconds=round(session_seconds, 1),
    )


@contextmanager
def explaining() -> Iterator[None]:
    """Turns what Spark raises inside into this project's errors where their meaning is known."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        meaning = explained(error)
        if meaning is error:
            raise
        raise meaning from error


def explained(error: Exception) -> Exception:
    """The error that says what to do, or the given one when nothing more is known about it."""
    text, cause = str(error), root_cause(error)
    if "JAVA_GATEWAY_EXITED" in text:
        return InstallationError(f"Java did not start, so Spark could not: {JAVA_REMEDY}")
    if "find the data source: kafka" in text or "data source: kafka" in text or "kafka010" in cause:
        return InstallationError(f"Spark has no Kafka connector: {JARS_REMEDY}")
    if "masters are unresponsive" in text or "stopped SparkContext" in text or "Master removed" in text:
        return InstallationError(f"the Spark master does not answer or gave up: {cause}")
    if "org.apache.kafka.common" in cause or "TimeoutException" in cause or "Cannot fetch record" in text:
        return UnreachableError(f"Kafka stopped answering: {cause}")
    return error


def root_cause(error: Exception) -> str:
    """The innermost Java exception in one line, or the error's own first line."""
    thrown = _java_exception(error)
    if thrown is None:
        return str(error).partition("\n")[0]
    while thrown.getCause() is not None:
        thrown = thrown.getCause()
    return str(thrown.toString()).partition("\n")[0]


def _java_exception(error: Exception) -> Any:
    return error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)


def _jvm(spark: SparkSession) -> Any:
    return spark.sparkContext._jvm
