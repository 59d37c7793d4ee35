"""Frame of ``run.smoke`` for ``smoke.py``: the report in any case, and the exit code."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from spark_jobs import native_smoke_command, report, run, session
from spark_jobs.cli import parser, with_config
from spark_jobs.config import SmokeConfig, load
from spark_jobs.errors import EXIT_FAILED, EXIT_PROVEN, EXIT_UNREACHABLE, SmokeError, UnreachableError
from spark_jobs.native_smoke import NativeSmoke
from spark_jobs.progress import SESSION_UP, Progress
from spark_jobs.report_schema import Report
from spark_jobs.verdict import ended, missing_text, named

EXIT_CODES = {"proven": EXIT_PROVEN, "failed": EXIT_FAILED, "undecided": EXIT_UNREACHABLE}


def main(arguments: Sequence[str]) -> int:
    """Run the job; the exit code."""
    described = parser("smoke.py", "Write records to Kafka, read them back, account for each.")
    return with_config(arguments, described, load, _run)


def _run(config: SmokeConfig, _: Namespace) -> int:
    progress = Progress(config.output_dir)
    native = native_smoke_command.taken(config, progress)
    draft = report.begun(config, progress)
    draft["native_smoke"] = native.result
    report.write(draft, progress, config.output_dir)  # in case that this run is killed
    try:
        _on_a_session(draft, config, native, progress)
    except Exception as error:
        reason = str(error) if isinstance(error, SmokeError) else f"a defect of this job ({type(error).__name__})"
        draft["verdict"] = ended(draft, reason, not isinstance(error, UnreachableError))
        report.write(draft, progress, config.output_dir)
        if draft["verdict"]["outcome"] == "failed":
            return _told(draft, config, progress)
        raise
    return _told(draft, config, progress)


def _told(draft: Report, config: SmokeConfig, progress: Progress) -> int:
    """Write the report and print its content; return the exit code of its verdict."""
    path = report.write(draft, progress, config.output_dir)
    for sentence in draft["verdict"]["sentences"]:
        progress.report(sentence)
    for missing in draft["first_missing"]:
        progress.report(f"missing: {missing_text(missing)}")
    for fault in draft["first_faults"]:
        progress.report(f"{fault['kind']}: {named(fault)}")
    progress.report(f"{draft['verdict']['outcome']}; {path}")
    return EXIT_CODES[draft["verdict"]["outcome"]]


def _on_a_session(draft: Report, config: SmokeConfig, native: NativeSmoke, progress: Progress) -> None:
    before = progress.seconds
    spark = session.open_session(config.run_id)
    try:
        draft["spark"] = session.spark_section(spark, progress.seconds - before)
        progress.report(f"Spark {spark.version} {SESSION_UP} {spark.sparkContext.master}")
        with session.explaining():
            session.require_executor(spark)
            run.smoke(spark, config, native, draft, progress)
    finally:
        spark.stop()
