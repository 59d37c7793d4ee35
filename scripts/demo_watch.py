"""Prometheus and Alertmanager for the demo, on loopback: ``python -m scripts.demo_watch start|stop``.

``start`` takes further words for ``ansible-playbook``. It switches the demo's metrics on by a deployment, renders their
files, starts both, and draws the status page. ``stop`` ends what it started and removes their data.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scripts import watchers
from spark_jobs.one_run import began

ROOT = Path(__file__).resolve().parents[1]
HOME, CLUSTER = ROOT / ".kraftwright/demo-watch", ROOT / ".kraftwright/demo"
FILES, PAGE, STARTED = CLUSTER / "monitoring", CLUSTER / "status.html", HOME / "started.json"
#: Their usual ports; others are taken if these are in use.
PORTS = {"Prometheus": 9090, "Alertmanager": 9093}
COMMANDS: dict[str, Callable[[Path, Path, str], list[str]]] = {
    "Prometheus": watchers.prometheus,
    "Alertmanager": watchers.alertmanager,
}
#: Seconds until every node was scraped and the rules were evaluated once; for a process to end; between two checks.
WATCHES, ENDS, STEP = 120.0, 10.0, 0.5


@dataclass(frozen=True)
class Started:
    """A process of ours. ``since``: its start, since its number may belong to another process by now."""

    name: str
    address: str
    pid: int
    since: str

    @property
    def runs(self) -> bool:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, os.WNOHANG)  # one that has ended keeps its number until its parent has waited for it
        return began(self.pid) == self.since != ""

    def end(self) -> None:
        """Terminate it; kill it after a while."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            deadline = time.monotonic() + ENDS
            if self.runs:
                os.kill(self.pid, number)
            while self.runs and time.monotonic() < deadline:
                time.sleep(STEP)


def started() -> list[Started]:
    """Return the processes of an earlier start."""
    return [Started(**each) for each in json.loads(STARTED.read_text())] if STARTED.is_file() else []


def note(made: Iterable[Started]) -> None:
    """Keep the started processes: whole or not at all, since `stop` must be able to read them."""
    partial = STARTED.with_suffix(".new")
    partial.write_text(json.dumps([asdict(each) for each in made]))
    partial.replace(STARTED)


def launch(name: str, address: str) -> Started:
    """Start one of them. It outlives this process, and its log is beside its data."""
    with (HOME / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - a list, no shell
            COMMANDS[name](FILES, HOME / name, address),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    return Started(name, address, process.pid, began(process.pid))


def play(playbook: str, words: Iterable[str]) -> None:
    """Run a playbook of the demo; a failed one ends this, too."""
    command = ["ansible-playbook", "-i", "inventories/local", f"playbooks/{playbook}.yml", *words]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(done.returncode)


def query(address: str, expression: str) -> list[dict[str, Any]]:
    """Return the result of an expression now; empty while Prometheus starts."""
    try:
        found: list[dict[str, Any]] = watchers.asking(f"http://{address}")("query", {"query": expression})["result"]
    except watchers.SilentError:
        return []
    return found


def wait_until_watched(prometheus: Started) -> None:
    """Wait until every node answers and the rules were evaluated. Exits with the reason if not."""
    deadline = time.monotonic() + WATCHES
    targets = sum(len(each["targets"]) for each in json.loads((FILES / "targets.json").read_text()))
    while len(query(prometheus.address, "up == 1")) < targets or not query(prometheus.address, "ALERTS"):
        if not prometheus.runs or time.monotonic() > deadline:
            raise SystemExit(f"Prometheus does not watch the demo: see {HOME / 'Prometheus.log'}")
        time.sleep(STEP)


def start(words: Sequence[str]) -> None:
    stop(keep=True)
    HOME.mkdir(parents=True, exist_ok=True)
    addresses = {name: watchers.free_address(port) for name, port in PORTS.items()}
    given = [*words, "-e", "kafka_metrics=true"]
    play("deploy_cluster", given)
    play("render_monitoring", [*given, "-e", f"kafka_metrics_alertmanager={addresses['Alertmanager']}"])
    made = []
    for name, address in addresses.items():
        made.append(launch(name, address))
        note(made)
    wait_until_watched(made[0])
    looked = [*given, "-e", f"kafka_prometheus_url=http://{addresses['Prometheus']}", "-e", "kafka_status_refuse=false"]
    play("cluster_status", looked)
    again = shlex.join(["ansible-playbook", "playbooks/cluster_status.yml", *looked])
    lines = {
        "Prometheus": f"http://{addresses['Prometheus']}",
        "Alertmanager": f"http://{addresses['Alertmanager']}/api/v2/alerts",  # the distribution's has no pages
        "Page": str(PAGE),
        "Draw again": again,
        "End": "make demo-down",
    }
    sys.stdout.write("".join(f"{name:<13}{text}\n" for name, text in lines.items()))


def stop(keep: bool = False) -> None:
    """End the started processes, and remove their data unless it is to be kept."""
    for each in started():
        each.end()
    STARTED.unlink(missing_ok=True)
    if not keep:
        shutil.rmtree(HOME, ignore_errors=True)


if __name__ == "__main__":
    start(sys.argv[2:]) if sys.argv[1] == "start" else stop()
