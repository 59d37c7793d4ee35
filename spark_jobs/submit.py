"""Runs the Spark job with spark-submit: finds Java, Spark and the connector first, and says what is missing.

    python -m spark_jobs.submit --config smoke.json [--master local[*]] [--timeout 600] [--jars DIRECTORY] [--conf K=V]…

The native smoke test comes first, so that a dead cluster fails before a JVM is started. Spark's own output goes to
``spark.log`` in the configuration's ``output_dir``; its last lines are shown when the job breaks. Exit codes are those
of ``smoke.py``; a run that exceeds the timeout is ended and counts as unreachable (2).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from spark_jobs import appcds, config, native_smoke_command, private_file, report
from spark_jobs.cli import guarded, parser
from spark_jobs.config import SmokeConfig
from spark_jobs.errors import EXIT_DEFECT, EXIT_FAILED, InstallationError, UnreachableError
from spark_jobs.installation import JARS, JARS_REMEDY, JAVA_REMEDY, local_settings, spark_home
from spark_jobs.progress import Progress
from spark_jobs.verdict import unreachable

ROOT = Path(__file__).resolve().parents[1]
LOG = "spark.log"
SHOWN_LINES = 30
JAVA_MAJOR = 17
CONNECTOR = "spark-sql-kafka-0-10_"
LOGGING = f"-Dlog4j2.configurationFile={(ROOT / 'spark_jobs/log4j2.properties').as_uri()}"
# Up to this many records a run is mostly starting up: the quick compiler alone saves a third of its processor time.
SHORT_RUN = 1_000_000
SHORT_RUN_JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
LONG_RUN_JAVA = "-XX:+UseParallelGC"
GRACE_SECONDS = 10
#: Names of settings that Spark hides in its logs (spark.redaction.regex); the path of a file is no secret.
SECRET = re.compile(r"(?!.*file$).*(secret|password|token|access[.]?key)", re.IGNORECASE)
PLACE_FOR_SECRETS = "write it into the file spark-defaults.conf of the folder that SPARK_CONF_DIR names"


@dataclass(frozen=True)
class Tools:
    """What was found on this machine."""

    spark_submit: Path
    jars: tuple[Path, ...]


def main(arguments: Sequence[str]) -> int:
    """Check, make the native smoke test, run spark-submit; the exit code."""
    return guarded(lambda: _run(_parsed(arguments)))


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    made = parser("submit", "Run the Spark smoke test with spark-submit.")
    made.add_argument("--master", default="local[*]", help="Spark master: local[*], spark://host:port, yarn, k8s://…")
    made.add_argument("--timeout", type=float, default=600.0, help="seconds for the Spark job")
    made.add_argument("--jars", type=Path, default=JARS, help="directory of the Kafka connector's jars")
    made.add_argument("--conf", action="append", default=[], type=setting, metavar="K=V", help="repeatable")
    return made.parse_args(arguments)


def setting(text: str) -> str:
    """``name=value`` for spark-submit's ``--conf``."""
    name, equals, _ = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"{name!r} is not a setting and its value: spark.executor.memory=2g is")
    if SECRET.match(name):
        raise argparse.ArgumentTypeError(f"{name} is a secret, and everybody sees command lines; {PLACE_FOR_SECRETS}")
    return text


def _run(options: argparse.Namespace) -> int:
    settings = config.load(options.config)
    tools = find_tools(os.environ, options.jars)
    private_file.directory(settings.output_dir)
    native_smoke_command.saved_or_made(settings, Progress(settings.output_dir))
    line = command(tools, options.master, options.conf, settings.records, options.config)
    log = settings.output_dir / LOG
    code = _watched(line, options.timeout, log)
    if code is None:
        raise _timed_out(settings, options.timeout)
    if code not in range(EXIT_DEFECT) or (code == EXIT_FAILED and not _judged(settings)):
        sys.stderr.write(f"spark-submit ended with {code}; the end of {log}:\n{tail(log)}\n")
        return EXIT_DEFECT
    sys.stderr.write(tail(log) + "\n" if code else "")
    return code


def _judged(settings: SmokeConfig) -> bool:
    """Whether the job left this run's verdict: spark-submit itself ends with the same 1 when it cannot start."""
    path = settings.output_dir / report.FILE
    found = json.loads(path.read_text()) if path.is_file() else {}
    return bool(found.get("run_id") == settings.run_id)


def find_tools(environment: Mapping[str, str], jars: Path) -> Tools:
    """Java 17, pyspark's spark-submit and the connector, or an ``InstallationError`` that says which is missing."""
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
        answer = subprocess.run(  # noqa: S603  (the user's own Java)
            [java, "-version"], capture_output=True, text=True, timeout=30, check=False
        ).stderr
    except OSError as error:
        raise InstallationError(f"{java} cannot be run ({error.strerror}): {JAVA_REMEDY}") from None
    version = re.search(r'version "(\d+)', answer)
    if version is None or int(version[1]) < JAVA_MAJOR:
        raise InstallationError(
            f"{java} is not Java {JAVA_MAJOR} or newer ({answer.partition(chr(10))[0]}): {JAVA_REMEDY}"
        )


def command(tools: Tools, master: str, settings: Sequence[str], records: int, config_path: Path) -> list[str]:
    """The whole spark-submit line."""
    java = SHORT_RUN_JAVA if records <= SHORT_RUN else LONG_RUN_JAVA
    local = local_settings(tools.jars) if master.startswith("local") else {}
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


def _watched(line: Sequence[str], timeout: float, log: Path) -> int | None:
    """Run the line in a process group of its own; its exit code, or null when it had to be ended after ``timeout``."""
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_HOME": str(Path(line[0]).parents[1])}
    with private_file.opened(log) as errors:
        process = subprocess.Popen(  # noqa: S603  (a line that command() made)
            line, env=environment, stderr=errors, start_new_session=True
        )
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the whole group: spark-submit's JVM and the Python that it started."""
    for number, seconds in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, GRACE_SECONDS)):
        if process.poll() is not None:
            return
        os.killpg(process.pid, number)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            continue


def _timed_out(settings: SmokeConfig, timeout: float) -> UnreachableError:
    """The error, after a report that says the same."""
    progress = Progress(settings.output_dir)
    reason = f"it did not end within {timeout:.0f} s; how far it came is in {settings.output_dir / 'progress.log'}"
    draft = report.begun(settings, progress)
    draft["verdict"] = unreachable(reason)
    report.write(draft, progress, settings.output_dir)
    return UnreachableError(reason)


def tail(log: Path) -> str:
    """The last lines of Spark's output."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-SHOWN_LINES:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
