"""Spark's exceptions become messages with remedies."""

from __future__ import annotations

import time
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkRuntimeError
from pyspark.sql import SparkSession

from spark_jobs import session
from spark_jobs.errors import InstallationError, UnreachableError


class Thrown:
    """A Java exception with causes, the innermost last."""

    def __init__(self, *lines: str) -> None:
        self.lines = lines

    def getCause(self) -> Any:  # noqa: N802  (Java's name)
        return Thrown(*self.lines[1:]) if len(self.lines) > 1 else None

    def toString(self) -> str:  # noqa: N802
        return self.lines[0]


def raised(message: str, *causes: str) -> AnalysisException:
    error = AnalysisException(message)
    error._origin = Thrown(message, *causes) if causes else None  # type: ignore[attr-defined]
    return error


def test_a_java_that_does_not_start_is_named() -> None:
    error = PySparkRuntimeError(errorClass="JAVA_GATEWAY_EXITED", messageParameters={})
    meaning = session.explained(error)
    assert isinstance(meaning, InstallationError)
    assert "install a Java runtime 17" in str(meaning)


def test_a_missing_connector_is_named() -> None:
    meaning = session.explained(raised("Failed to find data source: kafka. Deploy the application …"))
    assert isinstance(meaning, InstallationError)
    assert "make client" in str(meaning)


def test_executors_without_the_jars_are_named() -> None:
    cause = "java.lang.ClassNotFoundException: org.apache.spark.sql.kafka010.KafkaBatchPartition"
    assert isinstance(session.explained(raised("Job aborted", cause)), InstallationError)


@pytest.mark.parametrize(
    "cause",
    [
        "org.apache.kafka.common.errors.TimeoutException: Topic smoke not present in metadata after 30000 ms.",
        "org.apache.kafka.common.errors.NotEnoughReplicasException: Messages are rejected",
        "org.apache.kafka.common.KafkaException: Unexpected error",
        "java.util.concurrent.TimeoutException: Cannot fetch record for offset 7 in 20000 milliseconds",
    ],
)
def test_a_cluster_that_stops_answering_is_unreachable_with_the_innermost_cause(cause: str) -> None:
    meaning = session.explained(raised("Job aborted", "org.apache.spark.SparkException: Writing job failed.", cause))
    assert isinstance(meaning, UnreachableError)
    assert str(meaning) == f"Kafka stopped answering: {cause}"
    assert meaning.exit_code == 2


def test_a_master_that_does_not_answer_is_named() -> None:
    error = raised("Cannot call methods on a stopped SparkContext. All masters are unresponsive! Giving up.")
    assert isinstance(session.explained(error), InstallationError)


def test_a_frame_of_a_stack_says_nothing() -> None:
    error = raised(
        "java.lang.NullPointerException\n\tat org.apache.kafka.common.utils.Utils.x\n\tat org.apache.hadoop.Y"
    )
    assert session.explained(error) is error


class Slow:
    """A session whose master gives no executor for a while."""

    def __init__(self, master: str, seconds: float) -> None:
        self.sparkContext = self
        self.master, self._seconds = master, seconds

    def range(self, *_: Any, **__: Any) -> Any:
        return self

    def collect(self) -> None:
        time.sleep(self._seconds)


@pytest.mark.parametrize(
    ("master", "seconds", "refused"), [("yarn", 60, True), ("yarn", 0, False), ("local[2]", 60, False)]
)
def test_a_master_that_gives_no_executor_is_named(master: str, seconds: float, refused: bool) -> None:
    slow: Any = Slow(master, seconds)
    if refused:
        with pytest.raises(InstallationError, match="gave no executor within 0 s"):
            session.require_executor(slow, 0.2)
    else:
        session.require_executor(slow, 0.2 if seconds else 60)


def test_an_error_of_unknown_meaning_stays_what_it_is() -> None:
    error = raised("division by zero")
    assert session.explained(error) is error
    with pytest.raises(AnalysisException), session.explaining():
        raise error


def test_a_real_missing_connector_is_recognised(spark: SparkSession) -> None:
    with pytest.raises(InstallationError, match="no Kafka connector"), session.explaining():
        spark.read.format("kafka").load()


def test_the_report_names_sparks_parts(spark: SparkSession) -> None:
    described = session.spark_section(spark, 7.77)
    assert (described["master"], described["session_seconds"], described["connector"]) == ("local[2]", 7.8, "")
    assert int(described["java"].partition(".")[0]) >= 17
