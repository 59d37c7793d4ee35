"""Frame of the comparison for ``python -m spark_jobs.proof``: report and page in any case, the exit code."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone
from time import monotonic

from pyspark.sql import SparkSession

from spark_jobs import masters, one_run, private_file, report, session
from spark_jobs.cli import parser, with_config
from spark_jobs.errors import EXIT_FAILED, EXIT_PROVEN, SmokeError, UnreachableError
from spark_jobs.page import proof as page
from spark_jobs.progress import SESSION_UP, Progress
from spark_jobs.proof import groups, meanwhile, topics
from spark_jobs.proof.comparison import Comparison
from spark_jobs.proof.config import ProofConfig, load
from spark_jobs.proof.law import TARGET
from spark_jobs.proof.report_schema import SCHEMA_VERSION, Pace, Report, Undecided
from spark_jobs.proof.topics import SIDES
from spark_jobs.proof.verdict import fault_text, pause, remedies, switch, verdict, without_offsets
from spark_jobs.report_schema import Verdict
from spark_jobs.verdict import unreachable

PAGE = "page.html"


def main(arguments: Sequence[str]) -> int:
    """Run the proof; the exit code."""
    described = parser("proof", "Compare topics of two clusters, record by record.", "spark_jobs/proof/config.py")
    return with_config(arguments, masters.add_arguments(described), load, _run)


def _run(config: ProofConfig, options: Namespace) -> int:
    progress = Progress(config.output_dir)
    one_run.clear(config.output_dir)
    progress.begin()
    draft = begun(config, progress)
    _write(draft, config, progress)  # in case that this run is killed
    try:
        _on_a_session(draft, config, progress, options)
    except Exception as error:
        reason = str(error) if isinstance(error, SmokeError) else f"a defect of this job ({type(error).__name__})"
        draft["verdict"] = unreachable(reason)
        if not isinstance(error, UnreachableError):
            draft["verdict"]["outcome"] = "undecided"
        _write(draft, config, progress)
        raise
    path = _write(draft, config, progress)
    for sentence in draft["verdict"]["sentences"]:
        progress.report(sentence)
    for topic in draft["topics"]:
        for fault in topic["examples"]:
            progress.report(fault_text(topic, fault))
    if config.before_switch and draft["verdict"]["outcome"] == "proven":
        for sentence in switch(draft["source"], draft["target"], draft["topics"], draft["groups"]):
            progress.report(sentence)
    progress.report(f"{draft['verdict']['outcome']}; {path}")
    return EXIT_PROVEN if draft["verdict"]["outcome"] == "proven" else EXIT_FAILED


def _write(draft: Report, config: ProofConfig, progress: Progress) -> str:
    path = report.write(draft, progress, config.output_dir, Report)
    private_file.write(config.output_dir / PAGE, page.render(draft))
    return str(path)


def begun(config: ProofConfig, progress: Progress) -> Report:
    """Return the report of a run that has nothing yet but its configuration."""
    return Report(
        schema=SCHEMA_VERSION,
        run_id=config.run_id,
        started=report.iso(progress.started),
        finished=report.iso(progress.started),
        seconds=0.0,
        verdict=unreachable("it was interrupted."),
        source=config.source.bootstrap_servers,
        target=config.target.bootstrap_servers,
        topics=[],
        groups=[],
        undecided=[],
        pace=None,
        spark=None,
    )


def _on_a_session(draft: Report, config: ProofConfig, progress: Progress, options: Namespace) -> None:
    before = progress.seconds
    spark = session.open_session(config.run_id, masters.named(options.conf), options.master)
    try:
        draft["spark"] = session.spark_section(spark, progress.seconds - before)
        progress.report(f"Spark {spark.version} {SESSION_UP} {spark.sparkContext.master}")
        with session.explaining():
            session.require_executor(spark)
            prove(spark, config, draft, progress)
    finally:
        spark.stop()


def prove(spark: SparkSession, config: ProofConfig, draft: Report, progress: Progress) -> None:
    """Compare topics and groups on an open session; fills ``draft``. Kafka's and Spark's errors pass through."""
    clusters = [topics.Cluster.at(spark, address) for address in (config.source, config.target)]
    pairs = topics.found(config, clusters)
    unstamped = [pair for pair in pairs if pair.target.append_time]
    clusters = [
        replace(cluster, append_time=frozenset(pair.sides[side].name for pair in unstamped))
        for side, cluster in enumerate(clusters)
    ]
    offsets = groups.committed(clusters, pairs, config.groups)
    log_ends = groups.ends(clusters, pairs) if config.groups else []
    began = monotonic()
    compared = Comparison(
        clusters, pairs, progress.report, groups.marks(pairs, offsets), config.target_deletions_allowed
    )
    draft["topics"] = compared.compare()
    draft["pace"] = _pace(draft, monotonic() - began)
    draft["groups"] = groups.positions(compared, offsets, log_ends)
    if config.set_offsets:
        draft["groups"] = groups.to_set(draft["groups"])
    at_rest = config.before_switch
    # In this order: a transaction that ends between the two answers has made the source grow.
    draft["undecided"] = [
        Undecided(topic=topic, side=SIDES[side], offsets=count)
        for side, cluster in enumerate(clusters)
        for topic, count in topics.undecided(cluster, [pair.sides[side] for pair in pairs], at_rest).items()
    ]
    changed = meanwhile.since(compared, offsets, draft["groups"]) if at_rest else meanwhile.replaced(compared)
    draft["verdict"] = verdict(draft["topics"], draft["groups"], config.duplicates_allowed, changed, draft["undecided"])
    draft["verdict"]["sentences"] += without_offsets(config.groups, draft["groups"])
    if config.before_switch and draft["verdict"]["outcome"] == "failed":
        draft["verdict"]["sentences"] += remedies(draft["verdict"]["sentences"])
    if draft["verdict"]["outcome"] == "proven":
        refused = groups.set_offsets(clusters[TARGET], draft["groups"], config.topics)
        draft["verdict"] = Verdict(outcome="failed", sentences=refused) if refused else draft["verdict"]
    if config.before_switch and draft["verdict"]["outcome"] == "proven":
        draft["verdict"]["sentences"] += pause(draft["topics"], datetime.now(timezone.utc))


def _pace(draft: Report, seconds: float) -> Pace:
    records = sum(topic["source_records"] + topic["target_records"] for topic in draft["topics"])
    return Pace(records=records, seconds=round(seconds, 2), records_per_s=round(records / seconds, 1))
