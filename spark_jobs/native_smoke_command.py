"""The first tier: one record to every partition and back, by a native client, before a JVM is started.

    python -m spark_jobs.native_smoke_command --config smoke.json

On success ``native_smoke.json`` is written to the configuration's ``output_dir``, where the Spark job finds it.
If the cluster does not answer, it is a ``report.json`` about that. Exit codes: 0 every partition answered;
2 the cluster cannot be reached; 3 usage or configuration; 4 a defect.
"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from spark_jobs import native_smoke, one_run, private_file, report
from spark_jobs.cli import parser, with_config
from spark_jobs.config import SmokeConfig, load
from spark_jobs.errors import EXIT_PROVEN, SmokeError, UnreachableError
from spark_jobs.native import TopicView
from spark_jobs.native_smoke import NativeSmoke
from spark_jobs.progress import Progress
from spark_jobs.verdict import ended

FILE = "native_smoke.json"


def main(arguments: Sequence[str]) -> int:
    """Make the native smoke test; the exit code."""
    described = parser("native_smoke", "Send a record to each partition and read it back.")
    return with_config(arguments, described, load, _run)


def _run(config: SmokeConfig, _: Namespace) -> int:
    report.require_unused(config)
    one_run.clear(config.output_dir)
    made(config, Progress(config.output_dir))
    return EXIT_PROVEN


def saved_or_made(config: SmokeConfig, progress: Progress) -> NativeSmoke:
    """Return this run's native smoke test, made before or now. UsageError for a run id of before."""
    report.require_unused(config)
    return saved(config) or made(config, progress)


def taken(config: SmokeConfig, progress: Progress) -> NativeSmoke:
    """Return the same, for one run only: the next one makes its own. The report of an older run is removed."""
    report.require_unused(config)
    one_run.clear(config.output_dir)
    found = saved_or_made(config, progress)
    (config.output_dir / FILE).unlink(missing_ok=True)
    return found


def made(config: SmokeConfig, progress: Progress) -> NativeSmoke:
    """Make the native smoke test and save it; a cluster that does not answer leaves a report behind."""
    progress.begin()
    try:
        found = native_smoke.run(config)
    except SmokeError as error:
        draft = report.begun(config, progress)
        draft["verdict"] = ended(draft, str(error), not isinstance(error, UnreachableError))
        report.write(draft, progress, config.output_dir)
        raise
    _save(config, found)
    nodes = len({entry["leader"] for entry in found.result["partitions"]})
    progress.report(
        f"native client: {config.partitions} partitions led by {nodes} brokers answered in {found.result['ms']:.0f} ms"
    )
    return found


def saved(config: SmokeConfig) -> NativeSmoke | None:
    """Return the native smoke test in ``output_dir`` if it is this run's, of this topic with all its partitions."""
    path = config.output_dir / FILE
    if not path.is_file():
        return None
    content = json.loads(path.read_text())
    made = (content["run_id"], content["topic"], len(content["leaders"]))
    if made != (config.run_id, config.topic, config.partitions):
        return None
    view = TopicView(
        leaders={int(partition): leader for partition, leader in content["leaders"].items()},
        brokers={int(node): address for node, address in content["brokers"].items()},
        replication_factor=content["replication_factor"],
    )
    return NativeSmoke(content["native_smoke"], view)


def _save(config: SmokeConfig, found: NativeSmoke) -> Path:
    path = config.output_dir / FILE
    content = {
        "run_id": config.run_id,
        "topic": config.topic,
        "native_smoke": found.result,
        "leaders": found.view.leaders,
        "brokers": found.view.brokers,
        "replication_factor": found.view.replication_factor,
    }
    private_file.write(path, json.dumps(content, indent=2) + "\n")
    return path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
