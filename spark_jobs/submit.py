"""Runs the Spark job with spark-submit: finds Java, Spark and the connector first, and reports missing ones.

    python -m spark_jobs.submit --config smoke.json [--master local[*]] [--timeout 600] [--jars DIRECTORY] [--conf K=V]…

The native smoke test comes first, so that a dead cluster fails before a JVM is started. Spark's own output goes to
``spark.log`` in the configuration's ``output_dir``; its last lines are shown when the job breaks. Exit codes are those
of ``smoke.py``; a run that exceeds the timeout is ended with 3: more time, or a faster machine, is needed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from spark_jobs import (
    appcds,
    causes,
    config,
    environment,
    masters,
    native_smoke_command,
    one_run,
    private_file,
    report,
    steady,
)
from spark_jobs.cli import Parser, parser, with_config
from spark_jobs.config import SmokeConfig
from spark_jobs.errors import (
    EXIT_DEFECT,
    EXIT_FAILED,
    EXIT_PROVEN,
    EXIT_UNREACHABLE,
    InstallationError,
    SmokeError,
    TimedOutError,
)
from spark_jobs.installation import JARS, JARS_REMEDY, JAVA_REMEDY, local_settings, spark_home
from spark_jobs.progress import CHECKPOINT, SESSION_UP, Progress, last_line, steps
from spark_jobs.verdict import ended

ROOT = Path(__file__).resolve().parents[1]
LOG = "spark.log"
SHOWN_LINES = 30
JAVA_MAJOR = 17
MODULE = "jdk.incubator.vector"  #: one that a trimmed Java lacks, and that Spark starts Java with
RECORDS_A_SECOND = 5000  #: all passes together, on a busy machine
CONNECTOR = "spark-sql-kafka-0-10_"
LOGGING = f"-Dlog4j2.configurationFile={(ROOT / 'spark_jobs/log4j2.properties').as_uri()}"
# Up to this many records a run is mostly starting up: the quick compiler alone saves a third of its processor time.
SHORT_RUN = 1_000_000
SHORT_RUN_JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
LONG_RUN_JAVA = "-XX:+UseParallelGC"
GRACE_SECONDS = 10
VERDICTS = {EXIT_PROVEN: "proven", EXIT_FAILED: "failed"}  #: the outcome in the job's report after these exit codes


@dataclass(frozen=True)
class Tools:
    """Tools found on this machine."""

    spark_submit: Path
    jars: tuple[Path, ...]


def main(arguments: Sequence[str]) -> int:
    """Check, make the native smoke test, run spark-submit; return the exit code."""
    return with_config(arguments, _parser(), config.load, _run)


def _parser() -> Parser:
    made = masters.add_arguments(parser("submit", "Run the Spark smoke test with spark-submit."))
    made.add_argument("--timeout", type=float, default=600.0, help="seconds for the Spark job")
    made.add_argument("--jars", type=Path, default=JARS, help="directory of the Kafka connector's jars")
    return made


def _run(settings: SmokeConfig, options: argparse.Namespace) -> int:
    report.require_unused(settings)
    one_run.clear(settings.output_dir)
    try:
        tools = find_tools(os.environ, options.jars)
    except InstallationError as error:
        raise _broken(settings, error) from None
    native_smoke_command.saved_or_made(settings, Progress(settings.output_dir))
    line = command(tools, options.master, options.conf, settings.records, options.config)
    log = settings.output_dir / LOG
    seconds = options.timeout + settings.records / RECORDS_A_SECOND
    with steady.beside(settings):
        code = _watched(line, seconds, log, options.master)
    if code is None:
        raise _broken(settings, TimedOutError(_too_long(settings, seconds, options.master)))
    if code < 0:
        raise _broken(settings, InstallationError(_killed(settings, -code)))
    if code not in range(EXIT_DEFECT) or (code in VERDICTS and not _judged(settings, VERDICTS[code])):
        known = causes.meaning([], log.read_text(errors="replace"))
        if known and code == EXIT_FAILED:
            raise _broken(settings, known)
        sys.stderr.write(f"spark-submit ended with {code}; the end of {log}:\n{tail(log)}\n")
        return EXIT_DEFECT
    sys.stderr.write(tail(log) + "\n" if code else "")
    return code


def _judged(settings: SmokeConfig, outcome: str) -> bool:
    """Check whether the job left this verdict of this run.

    spark-submit itself ends with 1 if it cannot start, and with 0 if it waits for no driver (deploy mode cluster).
    """
    found = report.of_run(settings)
    return bool(found and found["verdict"]["outcome"] == outcome)


def find_tools(environment: Mapping[str, str], jars: Path) -> Tools:
    """Find Java 17, pyspark's spark-submit and the connector; raise ``InstallationError`` for a missing one."""
    check_java(environment)
    home = spark_home()
    found = tuple(sorted(jars.glob("*.jar")))
    if not any(jar.name.startswith(CONNECTOR) for jar in found):
        raise InstallationError(f"no {CONNECTOR}*.jar in {jars}: {JARS_REMEDY}")
    return Tools(home / "bin" / "spark-submit", found)


def check_java(environment: Mapping[str, str]) -> None:
    """Raise unless the Java that spark-submit will use is there and new enough."""
    home = environment.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else shutil.which("java", path=environment.get("PATH"))
    if java is None:
        raise InstallationError(f"there is no java on PATH and JAVA_HOME is not set: {JAVA_REMEDY}")
    try:
        ended = subprocess.run(  # noqa: S603  (the user's own Java)
            [java, f"--add-modules={MODULE}", "-version"], capture_output=True, text=True, timeout=30, check=False
        )
    except OSError as error:
        raise InstallationError(f"{java} cannot be run ({error.strerror}): {JAVA_REMEDY}") from None
    answer = ended.stderr or ended.stdout
    if MODULE in ended.stdout + ended.stderr and ended.returncode:
        raise InstallationError(f"{java} lacks the module {MODULE}, which Spark needs: {JAVA_REMEDY}")
    version = re.search(r'version "(\d+)', answer)
    if version is None or int(version[1]) < JAVA_MAJOR:
        raise InstallationError(
            f"{java} is not Java {JAVA_MAJOR} or newer ({answer.partition(chr(10))[0]}): {JAVA_REMEDY}"
        )


def command(tools: Tools, master: str, settings: Sequence[str], records: int, config_path: Path) -> list[str]:
    """Return the whole spark-submit line."""
    java = SHORT_RUN_JAVA if records <= SHORT_RUN else LONG_RUN_JAVA
    local = local_settings(tools.jars) if masters.is_local(master) else {}
    named = [f"{name}={value}" for name, value in local.items()] + list(settings)
    return [
        str(tools.spark_submit),
        "--master",
        master,
        "--jars",
        ",".join(str(jar) for jar in tools.jars),
        "--driver-java-options",
        f"{java} {LOGGING} {appcds.options(os.environ, tools.jars)}".rstrip(),
        *(part for setting in named for part in ("--conf", setting)),
        str(ROOT / "spark_jobs" / "smoke.py"),
        "--config",
        str(config_path),
    ]


def _watched(line: Sequence[str], timeout: float, log: Path, master: str) -> int | None:
    """Run the line in a separate process group; its exit code, or null if it had to be ended after ``timeout``."""
    given = environment.of_spark(os.environ, master, sys.executable, str(Path(line[0]).parents[1]))
    inherited, descriptors = one_run.for_child(log.parent)
    with private_file.opened(log) as errors:
        process = subprocess.Popen(  # noqa: S603  (a line that command() made)
            line, env=given | inherited, stderr=errors, start_new_session=True, pass_fds=descriptors
        )
        one_run.note_child(log.parent, process.pid)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end(process)
            for left in log.parent.glob(f"{CHECKPOINT}*"):
                shutil.rmtree(left, ignore_errors=True)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the whole group: spark-submit's JVM and the Python that it started, which outlives a killed JVM."""
    for number, seconds in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, GRACE_SECONDS)):
        if process.poll() is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            return
        os.killpg(process.pid, number)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            continue


def _too_long(settings: SmokeConfig, seconds: float, master: str) -> str:
    done = last_line(settings.output_dir) or "nothing"
    if not (masters.is_local(master) or SESSION_UP in steps(settings.output_dir)):
        return (
            f"{master} did not start the application within {seconds:.0f} s: its queue is full, or it does not answer. "
            "Free resources, name another queue (spark.yarn.queue), and remove the application that waits"
        )
    return (
        f"it did not end within {seconds:.0f} s. Last done: {done}. Give more time (kafka_smoke_timeout), fewer "
        "records, or a machine that is less busy"
    )


def _killed(settings: SmokeConfig, number: int) -> str:
    """Return the message about a driver that a signal ended; Spark itself always exits with a code."""
    done = last_line(settings.output_dir) or "nothing"
    return (
        f"Spark's driver was killed by {signal.Signals(number).name}. Last done: {done}. Find what killed it (the "
        "kernel does so when memory is short: journalctl -k), then run this again"
    )


def _broken(settings: SmokeConfig, error: SmokeError) -> SmokeError:
    """Return the error, after a report with the same message that keeps the job's results."""
    progress = Progress(settings.output_dir)
    draft = report.of_run(settings) or report.begun(settings, progress)
    draft["verdict"] = ended(draft, str(error), reached=error.exit_code != EXIT_UNREACHABLE)
    report.write(draft, progress, settings.output_dir)
    return error


def tail(log: Path) -> str:
    """Return the last lines of Spark's output."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-SHOWN_LINES:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
