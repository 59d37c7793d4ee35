"""Each class of exception that Kafka, Spark, Java and Hadoop throw has one meaning and one exit code."""

from __future__ import annotations

import re

import pytest

from spark_jobs import causes
from spark_jobs.errors import EXIT_UNREACHABLE, EXIT_USAGE

STAGE = "org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 1 times"
KAFKA = "org.apache.kafka.common."
#: the innermost line of what was thrown, the number of its row, the exit code
SEEN = [
    ("[JAVA_GATEWAY_EXITED] Java gateway process exited", 0, EXIT_USAGE),
    ("java.lang.module.FindException: Module jdk.incubator.vector not found", 1, EXIT_USAGE),
    ("Failed to find data source: kafka. Deploy the application", 2, EXIT_USAGE),
    ("java.lang.ClassNotFoundException: org.apache.spark.sql.kafka010.KafkaBatchPartition", 2, EXIT_USAGE),
    ("java.lang.ClassNotFoundException: org.apache.kafka.common.serialization.ByteArraySerializer", 2, EXIT_USAGE),
    ("org.apache.spark.SparkException: All masters are unresponsive! Giving up.", 3, EXIT_USAGE),
    ("Exception: Master must either be yarn or start with spark, k8s, or local", 3, EXIT_USAGE),
    ("When running with master 'yarn' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set", 3, EXIT_USAGE),
    ("Initial job has not accepted any resources; check your cluster UI", 4, EXIT_USAGE),
    (f"{KAFKA}errors.RecordTooLargeException: The message is 1000088 bytes", 5, EXIT_USAGE),
    (f"{KAFKA}errors.InvalidTimestampException: One or more records have been rejected", 5, EXIT_USAGE),
    (f"{KAFKA}errors.PolicyViolationException: no", 5, EXIT_USAGE),
    (f"{KAFKA}errors.SaslAuthenticationException: Authentication failed", 6, EXIT_USAGE),
    (f"{KAFKA}errors.TopicAuthorizationException: Not authorized to access topics: [x]", 6, EXIT_USAGE),
    (f"{KAFKA}errors.UnknownTopicOrPartitionException: This server does not host this topic-partition.", 7, EXIT_USAGE),
    (f"{KAFKA}errors.UnknownTopicIdException: This server does not host this topic ID.", 7, EXIT_USAGE),
    ("java.nio.file.NoSuchFileException: /home/ops/ca.pem", 8, EXIT_USAGE),
    ("java.io.FileNotFoundException: File file:/var/events does not exist", 8, EXIT_USAGE),
    ("java.lang.UnsatisfiedLinkError: /mnt/libzstd-jni.so: failed to map segment", 9, EXIT_USAGE),
    ("java.lang.ClassNotFoundException: com.example.Catalog", 9, EXIT_USAGE),
    ("java.lang.NoClassDefFoundError: Could not initialize class com.github.luben.zstd.Zstd", 9, EXIT_USAGE),
    ("java.net.UnknownHostException: nowhere-host: nowhere-host: Name or service not known", 10, EXIT_USAGE),
    (f"{KAFKA}config.ConfigException: No resolvable bootstrap urls given in bootstrap.servers", 10, EXIT_USAGE),
    ("java.io.IOException: No space left on device", 11, EXIT_USAGE),
    ("java.lang.OutOfMemoryError: Java heap space", 12, EXIT_USAGE),
    ("java.net.BindException: Cannot assign requested address: Service 'sparkDriver' failed", 13, EXIT_USAGE),
    (f"{KAFKA}config.ConfigException: Invalid value x for configuration acks", 14, EXIT_USAGE),
    (f"{KAFKA}errors.TimeoutException: Expiring 116 record(s) for smoke-0:60000 ms has passed", 15, EXIT_UNREACHABLE),
    (f"{KAFKA}errors.NotEnoughReplicasException: Messages are rejected", 15, EXIT_UNREACHABLE),
    (
        "java.util.concurrent.TimeoutException: Cannot fetch record for offset 0 in 20000 milliseconds",
        15,
        EXIT_UNREACHABLE,
    ),
    ("java.net.ConnectException: Call From a/10.0.0.1 to nn:8020 failed on connection exception", 16, EXIT_USAGE),
    ("org.apache.hadoop.security.AccessControlException: Permission denied: user=ops", 16, EXIT_USAGE),
    (f"{STAGE}: ExecutorLostFailure (executor 2 exited: Exit status: 137)", 17, EXIT_USAGE),
    ("java.util.concurrent.TimeoutException: Futures timed out after [300 seconds]", 18, EXIT_USAGE),
]


@pytest.mark.parametrize(("thrown", "row", "code"), SEEN, ids=[line[:60] for line, _, _ in SEEN])
@pytest.mark.parametrize("as_text", [False, True], ids=["as a cause", "as text of an executor"])
def test_what_was_thrown_has_one_meaning(thrown: str, row: int, code: int, as_text: bool) -> None:
    frames = "\n\tat org.apache.kafka.common.utils.Utils.x\n\tat org.apache.hadoop.UserGroupInformation.doAs"
    lines, text = ([STAGE], f"{STAGE}: {thrown}{frames}") if as_text else ([thrown, STAGE], STAGE + frames)
    found = causes.meaning(lines, text)
    assert found is not None
    assert found.exit_code == code
    assert str(found).startswith(causes.TABLE[row].says)
    assert thrown in str(found)


def test_each_row_was_seen() -> None:
    assert {row for _, row, _ in SEEN} == set(range(len(causes.TABLE)))
    assert all(len(re.sub(r"\(.*\)", "", row.says).split()) <= 25 for row in causes.TABLE)


@pytest.mark.parametrize("text", ["java.lang.NullPointerException", f"{STAGE}: ArithmeticException: overflow", ""])
def test_what_no_row_knows_is_a_defect(text: str) -> None:
    assert causes.meaning([text], text) is None
