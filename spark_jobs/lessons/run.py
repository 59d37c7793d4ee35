"""One run of the lessons: experiment after experiment, then the report and the page."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.client_config import split_host_port
from ansible.module_utils.kraft.errors import KraftError
from confluent_kafka import KafkaException

from spark_jobs import json_file, one_run, private_file
from spark_jobs.errors import SmokeError
from spark_jobs.lessons import experiments
from spark_jobs.lessons.lab import Lab, Place
from spark_jobs.lessons.measured import HOLDS
from spark_jobs.lessons.nodes import Host, SshNodes
from spark_jobs.lessons.sentences import SENTENCES, judged, summary
from spark_jobs.page import lessons as page

REPORT, PAGE = REPORTS = "lessons.json", "lessons.html"
#: Names of the observations, and the experiment that makes them.
EXPERIMENTS: Sequence[tuple[tuple[str, ...], Callable[[Lab], dict[str, Any]]]] = (
    (("majority",), experiments.majority),
    (("failover",), experiments.failover),
    (("acknowledgements",), experiments.acknowledgements),
    (("high_watermark",), experiments.high_watermark),
    (("ports",), experiments.ports),
    (("on_tmp", "auto_creation"), experiments.beside),
)
#: Errors that end an experiment and not the run: its sentences are not shown then.
EXPECTED = (KraftError, SmokeError, KafkaException, OSError, RuntimeError, ValueError)
REQUIRED = ("cluster", "output_dir", "nodes", "java", "libs")


@dataclass(frozen=True)
class Settings:
    """``nodes``: of each node ``node_id``, ``client``, ``controller`` and ``ssh`` (arguments of ``ssh``).

    ``java`` and ``libs``: Java and Kafka's class path on a host; ``only``: names of sentences.
    """

    cluster: str
    output_dir: Path
    nodes: Sequence[dict[str, Any]]
    java: str
    libs: str
    unit: str = "kafka"
    client_options: dict[str, str] | None = None
    only: Sequence[str] = ()


def load(path: Path) -> Settings:
    """Read the settings. Raises UsageError with all problems."""
    content = json_file.load(path, problems)
    return Settings(**{**content, "output_dir": Path(content["output_dir"])})


def problems(content: object) -> list[str]:
    """Return the problems of the settings."""
    if not isinstance(content, dict):
        return ["is not an object"]
    missing = [f"{name} is missing" for name in REQUIRED if name not in content]
    unknown = sorted(content.keys() - Settings.__dataclass_fields__.keys())
    known = {one.name for one in SENTENCES}
    return [
        *missing,
        *(f"{name} is unknown" for name in unknown),
        *(f"only: there is no sentence {name}" for name in content.get("only", ()) if name not in known),
        *([] if len(content.get("nodes", ())) == 3 else ["nodes: three are needed"]),  # noqa: PLR2004
    ]


def run(settings: Settings) -> int:
    """Run the lessons on the hosts of the settings; 0 if every sentence holds, else 1."""
    one_run.clear(settings.output_dir, REPORTS)
    hosts = {one["node_id"]: Host(ssh(**one["ssh"]), *split_host_port(one["controller"])) for one in settings.nodes}
    places = {one["node_id"]: Place(one["client"], one["controller"]) for one in settings.nodes}
    nodes = SshNodes(hosts, settings.unit, settings.java, settings.libs)
    lab = Lab(places, nodes, settings.client_options or {}, f"{int(time.time()):x}")
    report = lessons(lab, settings.cluster, settings.only)
    write(report, settings.output_dir)
    _say(report["summary"])
    return 0 if all(one["verdict"] == HOLDS for one in report["lessons"]) else 1


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def lessons(lab: Lab, cluster: str, only: Sequence[str] = (), say: Callable[[str], None] = _say) -> dict[str, Any]:
    """Run the experiments that the sentences need; the report. The cluster is whole before and after each of them."""
    needed = {one.experiment for one in SENTENCES if not only or one.name in only}
    began, observations = time.time(), dict[str, Any]()
    try:
        for names, experiment in EXPERIMENTS:
            if needed & set(names):
                observations |= observed(lab, names, experiment)
                say(f"{', '.join(names)}: {observations[names[0]].get('error', 'observed')}")
        lab.wait_whole()
    finally:
        lab.close()
    found = judged(observations, only)
    return {
        "cluster": cluster,
        "begun": datetime.fromtimestamp(began, timezone.utc).isoformat(timespec="seconds"),
        "seconds": round(time.time() - began, 1),
        "summary": summary(found),
        "lessons": found,
        "course": observations.get("failover", {}).get("course"),
        "window": observations.get("failover", {}).get("window"),
        "observations": observations,
    }


def observed(lab: Lab, names: Sequence[str], experiment: Callable[[Lab], dict[str, Any]]) -> dict[str, Any]:
    """Return the observations of an experiment by name; those of one that failed are its error."""
    try:
        lab.wait_whole()
        found = experiment(lab)
    except EXPECTED as error:
        return {name: {"error": f"{type(error).__name__}: {error}"} for name in names}
    return found if len(names) > 1 else {names[0]: found}


def write(report: dict[str, Any], directory: Path) -> Path:
    """Write the report and its page; the page."""
    private_file.directory(directory)
    private_file.write(directory / REPORT, json.dumps(report, indent=1) + "\n")
    private_file.write(directory / PAGE, page.render(report))
    return directory / PAGE


def ssh(address: str, user: str, port: int, key: str, options: str) -> list[str]:
    """Return a command that runs its last argument on a host. `options`: of ssh, as a shell reads them."""
    named = ["-i", key] if key else []
    asks_nothing = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]
    return [
        "ssh",
        *asks_nothing,
        "-p",
        str(port),
        *named,
        *shlex.split(options),
        f"{user}@{address}" if user else address,
    ]
