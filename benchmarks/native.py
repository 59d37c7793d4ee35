"""Kafka's own measuring tools, run from the control machine with the JVM options of Apache's own scripts."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from benchmarks.lab import ARCHIVE, FailedError

PRODUCER, CONSUMER = "kafka-producer-perf-test.sh", "kafka-consumer-perf-test.sh"
JVM = {
    "KAFKA_HEAP_OPTS": "-Xmx512M",
    "KAFKA_JVM_PERFORMANCE_OPTS": "-XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:+ExplicitGCInvokesConcurrent",
}
#: The options of Spark's sink (``spark_jobs.kafka_io``).
PRODUCER_OPTIONS = ("acks=all", "batch.size=262144", "linger.ms=20")
SENT = re.compile(r"^(\d+) records sent, ([\d.]+) records/sec", re.MULTILINE)
SECONDS = 300.0


def unpacked(directory: Path) -> Path:
    """Return Kafka's tools in `directory`, unpacked if they are missing."""
    home = directory / ARCHIVE.name.removesuffix(".tgz")
    if not home.is_dir():
        directory.mkdir(parents=True, exist_ok=True)
        subprocess.run(["tar", "-xzf", ARCHIVE, "-C", directory], check=True)  # noqa: S603, S607
    return home


def sent_rate(output: str) -> float:
    """Return the records a second over a producer's whole run: its last summary line."""
    found = SENT.findall(output)
    if not found:
        raise FailedError(f"{PRODUCER} said nothing of a rate:\n{output[-500:]}")
    return float(found[-1][1])


def read_rate(output: str) -> float:
    """Return the records a second while fetching, without the time in which the group was formed."""
    lines = [line.split(", ") for line in output.splitlines() if ", " in line]
    heading = next((line for line in lines if "fetch.nMsg.sec" in line), [])
    values = lines[-1] if lines else []
    if not heading or len(values) != len(heading) or values is heading:
        raise FailedError(f"{CONSUMER} said nothing of a rate:\n{output[-500:]}")
    rate = float(values[heading.index("fetch.nMsg.sec")])
    if rate <= 0:
        raise FailedError(f"{CONSUMER} read nothing:\n{output[-500:]}")
    return rate


def run(home: Path, *words: str) -> str:
    done = subprocess.run(  # noqa: S603 - the tools that were just unpacked
        [str(home / "bin" / words[0]), *words[1:]],
        env={**os.environ, **JVM, "LOG_DIR": "/tmp"},  # noqa: S108 - the tools log to stderr
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise FailedError(f"{words[0]} failed:\n{(done.stdout + done.stderr)[-1000:]}")
    return done.stdout


def secured(options: Path | None) -> list[str]:
    """Return the words that name a file with the client's security; it holds a password, which argv never does."""
    return ["--command-config", str(options)] if options else []


def write(home: Path, bootstrap: str, topic: str, records: int, size: int, file: Path | None = None) -> float:  # noqa: PLR0913, PLR0917
    """Return the producer tool's records a second; `file`: the client's settings, in Java's properties."""
    numbers = ["--num-records", str(records), "--record-size", str(size), "--throughput", "-1"]
    options = ["--producer-props", f"bootstrap.servers={bootstrap}", *PRODUCER_OPTIONS]
    return sent_rate(run(home, PRODUCER, "--topic", topic, *numbers, *options, *secured(file)))


def read(home: Path, bootstrap: str, topic: str, records: int, file: Path | None = None) -> float:
    """Return the consumer tool's records a second; `file` as above."""
    options = [*secured(file), "--messages", str(records), "--timeout", str(int(SECONDS * 500))]  # ms without a record
    return read_rate(run(home, CONSUMER, "--bootstrap-server", bootstrap, "--topic", topic, *options))
