"""Causes of exceptions of Kafka, Spark, Java and Hadoop: a table, first row first.

A row's expression is looked for in each line of the exceptions, the innermost first, and then in Spark's message, which
has the text of what was thrown on an executor. The line that fits is shown as the cause.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from spark_jobs.errors import InstallationError, SmokeError, UnreachableError
from spark_jobs.installation import JARS_REMEDY, JAVA_REMEDY

MOST = 300  # letters of a cause


@dataclass(frozen=True)
class Row:
    """An expression, the error with its exit code, and the sentence before the cause."""

    pattern: str
    error: type[SmokeError]
    says: str


KAFKA = r"org\.apache\.kafka\.common\.(?:errors\.|config\.)?"
TABLE = (
    Row(r"JAVA_GATEWAY_EXITED", InstallationError, f"Java did not start, so Spark could not ({JAVA_REMEDY})"),
    Row(
        r"Module jdk\.\S+ not found|FindException",
        InstallationError,
        f"this Java lacks a module that Spark needs ({JAVA_REMEDY})",
    ),
    Row(
        r"find (?:the )?data source: kafka|\bkafka010\.|NotFoundException: org\.apache\.kafka",
        InstallationError,
        f"Spark has no Kafka connector ({JARS_REMEDY})",
    ),
    Row(
        r"[Mm]asters are unresponsive|Master removed|stopped SparkContext|Could not parse Master URL"
        r"|Master must either be|HADOOP_CONF_DIR or YARN_CONF_DIR must be set",
        InstallationError,
        "the Spark master does not answer, gave up, or is none (kafka_smoke_master)",
    ),
    Row(
        r"has not accepted any resources|is above the max threshold",
        InstallationError,
        "the Spark master gave no executor: ask for less (kafka_smoke_spark_settings), or free cores and memory",
    ),
    Row(
        KAFKA + r"(?:Record(?:Batch)?TooLarge|Invalid(?:Record|Timestamp|Topic|Configuration)|PolicyViolation"
        r"|UnsupportedVersion|UnsupportedCompressionType)Exception",
        InstallationError,
        "Kafka refuses the records or their settings: change the topic's limits, or the records",
    ),
    Row(
        KAFKA + r"\w*(?:Authorization|Authentication|SslHandshake)\w*Exception",
        InstallationError,
        "Kafka refuses the login, or it has no right to this",
    ),
    Row(
        KAFKA + r"(?:UnknownTopic(?:OrPartition|Id)Exception|InconsistentTopicIdException)",
        InstallationError,
        "the topic is gone: something deleted it during the run, so find that first",
    ),
    Row(
        r"NoSuchFileException|FileNotFoundException|AccessDeniedException|Failed to load SSL keystore",
        InstallationError,
        "a file or folder cannot be read: executors need the client's files at the same path, and Spark its folders",
    ),
    Row(
        r"UnsatisfiedLinkError|NoClassDefFoundError|ClassNotFoundException|NoSuchMethodError"
        r"|UnsupportedClassVersionError|IncompatibleClassChangeError",
        InstallationError,
        "Java cannot load what it needs: see folders without exec rights, spark-defaults.conf and the jars",
    ),
    Row(
        r"UnknownHostException|No resolvable bootstrap urls",
        InstallationError,
        "a host name does not resolve: correct /etc/hosts, DNS or the name",
    ),
    Row(r"No space left on device|Disk quota exceeded", InstallationError, "a disk is full: free space"),
    Row(
        r"OutOfMemoryError|GC overhead limit",
        InstallationError,
        "Spark's memory is used up: give more (spark.driver.memory, spark.executor.memory) or write fewer records",
    ),
    Row(
        r"BindException|could not bind on",
        InstallationError,
        "the driver cannot listen on its address: correct spark.driver.host and spark.driver.bindAddress",
    ),
    Row(
        KAFKA + r"\w*ConfigException|KafkaException: Failed to construct",
        InstallationError,
        "Kafka's client does not take its settings (kafka_smoke_client_options)",
    ),
    Row(
        KAFKA + r"\w+|Cannot fetch record|Topic \S+ not present in metadata",
        UnreachableError,
        "Kafka stopped answering",
    ),
    Row(
        r"org\.apache\.hadoop|on connection exception|(?:hdfs|webhdfs|viewfs)://",
        InstallationError,
        "Hadoop's file system does not answer or refuses: unset HADOOP_CONF_DIR, or repair it",
    ),
    Row(
        r"Lost executor|ExecutorLostFailure|Executor heartbeat timed out"
        r"|Job \d+ cancelled because SparkContext was shut down",
        InstallationError,
        "Spark lost an executor: see its log, and its memory",
    ),
    Row(
        r"\bTimeoutException",
        InstallationError,
        "Spark waited too long for its own parts: the machine is too busy, or executors do not reach the driver",
    ),
)


def meaning(lines: Sequence[str], text: str) -> SmokeError | None:
    """Return the error of the first row that fits, or null if none does.

    ``lines``: the exceptions' own lines, the innermost first. ``text``: the whole message, many lines.
    """
    frames = re.compile(r"\s*(at |\.\.\. )")
    said = [*lines, *(line for line in text.splitlines() if not frames.match(line))]
    for row in TABLE:
        line = next((line for line in said if re.search(row.pattern, line)), None)
        if line is not None:
            return row.error(f"{row.says}: {line.strip()[:MOST]}")
    return None
