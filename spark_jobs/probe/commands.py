"""The commands: start a probe, stop it, account for its records."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from pathlib import Path

from spark_jobs import private_file, session, submit
from spark_jobs.errors import EXIT_FAILED, EXIT_PROVEN, SmokeError, UnreachableError
from spark_jobs.installation import JARS
from spark_jobs.page import probe as page
from spark_jobs.probe import audit, client, process, settings
from spark_jobs.probe.topic import ProbeTopic

KEPT = 10
ANSWER_SECONDS = 5.0
PAGE = "page.html"
JAVA_OPTIONS = {session.JAVA_OPTIONS: f"{submit.SHORT_RUN_JAVA} {submit.LOGGING}"}
GRACE_SECONDS = 15.0  # beside the two waits of a stop


def start(home: Path, config: Path, if_answers: bool) -> int:
    """End and account for a probe that a killed run has left; then make the topic and start a probe of our own."""
    wanted = settings.load(config)
    submit.find_tools(os.environ, JARS)  # what is missing is reported before anything is changed
    private_file.directory(home)
    code = _settle(home)
    if code != EXIT_PROVEN:
        return code
    topic = ProbeTopic(wanted)
    if not topic.answers(ANSWER_SECONDS):
        if if_answers:
            print_line(
                f"No broker answers at {wanted.everywhere} and no node was ever started: there is nothing to probe."
            )
            return EXIT_PROVEN
        raise UnreachableError(
            f"the probe was asked for, and no broker answers at {wanted.everywhere}. "
            "See playbooks/cluster_status.yml, or run without the probe: -e kafka_probe=false"
        )
    replicas = topic.make()
    directory = _prepared(home, wanted)
    try:
        process.start(home, directory, wanted.ready_seconds)
    except UnreachableError:
        with contextlib.suppress(UnreachableError):
            topic.remove()
        raise
    shape = f"{wanted.partitions} partitions, {replicas} replicas"
    print_line(f"The probe writes {wanted.rate:g} records/s to {wanted.topic}: {shape}. Its log: {directory}")
    return EXIT_PROVEN


def stop(home: Path) -> int:
    """End the probe and account for its records; nothing to do if none was started."""
    left = process.find(home)
    if left is None:
        print_line("No probe was running.")
        return EXIT_PROVEN
    wanted = settings.load(left.directory / settings.FILE)
    if left.pid is None:
        print_line("The probe had ended before it was stopped; what it wrote down is accounted for.")
    process.stop(home, 2 * wanted.drain_seconds + GRACE_SECONDS)
    code = account_for(left.directory)
    process.forget(home)
    if code == EXIT_PROVEN:  # otherwise the topic is the evidence
        ProbeTopic(wanted).remove()
    return code


def account_for(directory: Path) -> int:
    """Audit the probe in ``directory``, show the result, leave ``audit.json`` and a page."""
    spark = session.open_session("probe", JAVA_OPTIONS)
    try:
        with session.explaining():
            result = audit.audit(spark, directory)
    finally:
        spark.stop()
    private_file.write(directory / PAGE, page.render(result))
    for sentence in result["sentences"]:
        print_line(sentence)
    print_line(f"{result['outcome']}; {directory / PAGE}")
    return audit.exit_code(result)


def run(home: Path, config: Path) -> int:
    """Run the probe itself, as started by ``process.start``."""
    process.hold(home, config.parent)
    client.run(settings.load(config), config.parent)
    return EXIT_PROVEN


def print_line(text: str) -> None:
    """Print a line at once, for observers."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _settle(home: Path) -> int:
    """End a probe that another run has left, and account for it; forget one whose topic is gone.

    A fault ends this run. An undecided account does not: its probe was killed, as a rule with the run.
    """
    left = process.find(home)
    if left is None:
        return EXIT_PROVEN
    print_line(f"A probe of an earlier run was left in {left.directory}:")
    try:
        code = stop(home)
    except SmokeError as error:
        process.forget(home)
        print_line(f"it cannot be accounted for: {error}")
        return EXIT_PROVEN
    return EXIT_PROVEN if code == EXIT_FAILED and audit.is_undecided(left.directory) else code


def _prepared(home: Path, wanted: settings.ProbeSettings) -> Path:
    """Make the probe's directory with its settings; of the earlier ones the newest stay."""
    for old in sorted(path for path in home.iterdir() if path.is_dir())[: 1 - KEPT or None]:
        shutil.rmtree(old)
    directory = home / wanted.run_id
    directory.mkdir()
    settings.save(wanted, directory)
    return directory
