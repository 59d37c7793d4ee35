"""The Spark session: small, quiet settings, and real messages when Spark cannot start or loses the cluster."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_jobs import appcds, causes, environment, masters
from spark_jobs.errors import InstallationError
from spark_jobs.installation import JARS, local_settings, spark_home
from spark_jobs.report_schema import Spark

SUBMITTED = "PYSPARK_GATEWAY_PORT"  # set by spark-submit
EXECUTOR_SECONDS = 120.0  # YARN had given containers, and a busy machine had no JVM in them after 60 s
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
SETTINGS = {
    "spark.ui.enabled": "false",
    # For each column, PySpark looks for the line of Python that made it: a third of the time that a plan takes.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    # Spark's default without kafka: its older source converts each record to an object and back (ADR 106).
    "spark.sql.sources.useV1SourceList": "avro,csv,json,orc,parquet,text",
    "spark.python.authenticate.socketTimeout": "120s",  # 15 s for Python to fetch a result: too short on a busy machine
    # A second copy of a running task would write its records twice; and failed tasks of the write must be remembered.
    "spark.speculation": "false",
    "spark.ui.retainedJobs": "1000",
    "spark.ui.retainedStages": "1000",
    "spark.sql.streaming.numRecentProgressUpdates": "1000",
    "spark.sql.streaming.metricsEnabled": "false",
    # Spark's own expression has no keys and logins of Kafka's clients.
    "spark.redaction.regex": r"(?i)secret|password|token|access[.]?key|keystore[.]key|jaas",
    # Every query has a separate consumer group, so no query uses a consumer that another one left. By default the
    # consumers stay for five minutes with what they fetched, and fill the heap.
    "spark.kafka.consumer.cache.timeout": "2s",
    "spark.kafka.consumer.cache.evictorThreadRunInterval": "1s",
    "spark.kafka.consumer.fetchedData.cache.timeout": "2s",
    "spark.kafka.consumer.fetchedData.cache.evictorThreadRunInterval": "1s",
}


def open_session(
    run_id: str, more: Mapping[str, str] = MappingProxyType({}), master: str = masters.LOCAL_CORES
) -> SparkSession:
    """Open a session on spark-submit's master; without spark-submit, on ``master``.

    ``more``: settings beyond those of every session.
    """
    builder = SparkSession.builder.appName(f"kraftwright-smoke-{run_id}")
    settings = {**SETTINGS, **more}
    if SUBMITTED not in os.environ:
        _clean_environment(master)
        alone = _alone(more, master)
        settings = {**alone, **settings, JAVA_OPTIONS: alone[JAVA_OPTIONS]}
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        spark = builder.getOrCreate()
    except (PySparkException, Py4JError) as error:
        raise explained(error) from error
    spark.sparkContext.setLogLevel("ERROR")
    spark.conf.set("spark.sql.shuffle.partitions", shuffle_partitions(spark.sparkContext.defaultParallelism))
    return spark


def _clean_environment(master: str) -> None:
    """Clean the environment of this process, which Spark's JVM inherits."""
    wanted = environment.of_spark(os.environ, master, sys.executable, str(spark_home()))
    for name in os.environ.keys() - wanted.keys():
        del os.environ[name]
    os.environ.update(wanted)


def _alone(more: Mapping[str, str], master: str) -> dict[str, str]:
    """Return the settings that spark-submit would have passed."""
    jars = sorted(JARS.glob("*.jar"))
    java = f"{more.get(JAVA_OPTIONS, '')} {appcds.options(os.environ, jars)}".strip()
    named = {"spark.master": master, "spark.jars": ",".join(str(jar) for jar in jars), JAVA_OPTIONS: java}
    return {**named, **(local_settings(jars) if masters.is_local(master) else {})}


def shuffle_partitions(cores: int) -> int:
    """Return twice the cores: adaptive execution merges small partitions, and more only costs task starts."""
    return max(2, 2 * cores)


def spark_section(spark: SparkSession, session_seconds: float) -> Spark:
    """Return the report's section about Spark."""
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
    """Convert Spark's exceptions inside to this project's errors if their meaning is known."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        meaning = explained(error)
        if meaning is error:
            raise
        raise meaning from error


def explained(error: Exception) -> Exception:
    """Return the error with a remedy, or the given one if nothing more is known about it."""
    return causes.meaning(chain(error), str(error)) or error


def chain(error: Exception) -> list[str]:
    """Return the Java exceptions behind an error, one line each, the innermost first."""
    thrown = error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)
    lines: list[str] = []
    while thrown is not None:
        lines.insert(0, str(thrown.toString()).partition("\n")[0])
        thrown = thrown.getCause()
    return lines


def require_executor(spark: SparkSession, seconds: float = EXECUTOR_SECONDS) -> None:
    """Raise InstallationError if a master elsewhere runs no task within `seconds`."""
    if masters.is_local(str(spark.sparkContext.master)):
        return
    work = threading.Thread(target=lambda: spark.range(1, numPartitions=1).collect(), daemon=True)
    work.start()
    work.join(seconds)
    if work.is_alive():
        raise InstallationError(
            f"the Spark master gave no executor within {seconds:.0f} s: ask for less (kafka_smoke_spark_settings), or "
            "free cores and memory"
        )


def _jvm(spark: SparkSession) -> Any:
    return spark.sparkContext._jvm
