"""Hosts created by the benchmarks, and runs of the project's playbooks on them."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from benchmarks.figures import skipped_per_host, tasks_per_host
from dist.__main__ import VERSION

ROOT = Path(__file__).resolve().parents[1]
ARCHIVE = ROOT / f".cache/kafka/kafka_2.13-{VERSION}.tgz"  #: the default release
PLAYBOOK = str(Path(sys.executable).with_name("ansible-playbook"))
#: Limit of a script on all hosts. If all nodes stop at once, the last broker waits for a quorum that is gone, until
#: systemd ends it after five minutes (TimeoutStopSec of the unit).
SCRIPT_SECONDS = 360.0
ARCHIVE_SECONDS = 120.0
SETTINGS = {
    "kafka_cluster_name": "benchmark",
    "kafka_cluster_id": "YmVuY2htYXJrLWNsdXN0ZQ",
    "kafka_profile": "test",
    "kafka_archive": str(ARCHIVE),
    "kafka_heap_size": "512m",
    "kafka_nofile_limit": 20000,
    "kafka_host_partition_budget": 500,
}


class FailedError(Exception):
    """A required command failed; the message ends with its last lines."""


@dataclass(frozen=True)
class Run:
    """One run of a playbook: wall seconds, executed tasks of the busiest host, the recap's changes.

    ``processor``: seconds of processor of ansible-playbook and its children on this machine, without ssh's shared
    connections, which stay open after the run. ``skipped``: tasks that the host with most of them skipped.
    """

    seconds: float
    tasks: int
    changed: int
    processor: float = 0.0
    skipped: int = 0


@dataclass(frozen=True)
class Lab:
    """Hosts that are created and removed as a whole; the first three are combined nodes, all others brokers."""

    name: str
    size: int = 3
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def directory(self) -> Path:
        return ROOT / ".kraftwright/benchmarks" / self.name

    @property
    def hosts(self) -> list[str]:
        return [f"{self.name}{number}" for number in range(1, self.size + 1)]

    def make(self) -> None:
        """Create booted hosts with nothing on them; those of an earlier round are removed first."""
        self.remove()
        inventory = self.directory / "inventory"
        inventory.mkdir(parents=True, exist_ok=True)
        (inventory / "hosts.yml").write_text(json.dumps(inventory_of(self.hosts, {**SETTINGS, **self.settings})))
        self._lab("create_lab.yml")

    def remove(self) -> None:
        self._lab("destroy_lab.yml")

    def power(self, host: str, on: bool) -> None:
        """Kill a host without a warning, or boot it again."""
        sudo = [] if os.geteuid() == 0 else ["sudo", "-n", "--preserve-env=CONTAINERS_CONF"]
        words = [*sudo, "podman", *(["start"] if on else ["kill", "--signal=KILL"]), f"{self._lab_name}-{host}"]
        environment = {**os.environ, "CONTAINERS_CONF": str(ROOT / "roles/kafka_lab/files/containers.conf")}
        subprocess.run(words, env=environment, check=True, capture_output=True)  # noqa: S603

    def addresses(self) -> dict[str, dict[str, Any]]:
        """Return the connection variables of each host."""
        content = yaml.safe_load((self.directory / "inventory/lab.yml").read_text())
        found: dict[str, dict[str, Any]] = content["all"]["hosts"]
        return {host: found[host] for host in self.hosts}

    @property
    def home(self) -> Path:
        """Return the directory of the runs' files on this machine: the authority, reports."""
        return ROOT / ".kraftwright" / str({**SETTINGS, **self.settings}["kafka_cluster_name"])

    def on_hosts(self, script: str) -> list[str]:
        """Run `script` as root on all hosts at once and return the outputs. Raises FailedError if it failed on one."""
        running = []
        for host in self.addresses().values():
            target = f"{host['ansible_user']}@{host['ansible_host']}"
            options = ["-i", host["ansible_ssh_private_key_file"], *shlex.split(host["ansible_ssh_common_args"])]
            command = ["ssh", *options, target, f"sudo sh -c {shlex.quote(script)}"]
            running.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))  # noqa: S603
        said = [process.communicate(timeout=SCRIPT_SECONDS)[0].strip() for process in running]
        if any(process.returncode for process in running):
            raise FailedError(f"failed on a host: {script}\n{said}")
        return said

    def deploy(self, *words: str) -> Run:
        """Run deploy_cluster.yml once."""
        return self.run(*words, "playbooks/deploy_cluster.yml")

    def await_archives(self) -> None:
        """Wait until the hosts have built their AppCDS archives, in the background of a first deployment."""
        seconds = f"timeout {ARCHIVE_SECONDS:.0f}"
        self.on_hosts(f"{seconds} sh -c 'while systemctl is-active --quiet kafka-appcds-archive; do sleep 1; done'")

    def run(self, *words: str) -> Run:
        """Run ansible-playbook once with these words, playbooks among them."""
        log = self.directory / "deploy.log"
        environment = {"KRAFTWRIGHT_TIMELINE": str(self._timeline)}
        inventory = str(self.directory / "inventory")
        began = time.monotonic()
        processor = play(["--inventory", inventory, *words], environment, log)
        seconds = time.monotonic() - began
        lines = self.timeline()
        counts = tasks_per_host(lines)
        skipped = max(skipped_per_host(log.read_text()).values(), default=0)
        return Run(seconds, max(counts.values()), sum(line["changed"] for line in lines), processor, skipped)

    def timeline(self) -> list[dict[str, Any]]:
        """Return the timeline of the last run: a line for each task and host."""
        return [json.loads(line) for line in self._timeline.read_text().splitlines()]

    @property
    def _timeline(self) -> Path:
        return self.directory / "timeline.jsonl"

    @property
    def _lab_name(self) -> str:
        return f"kw-{hashlib.sha256(str(ROOT).encode()).hexdigest()[:6]}-benchmark-{self.name}"

    def _lab(self, playbook: str) -> None:
        given = {
            "kafka_lab_name": self._lab_name,
            "kafka_lab_hosts": self.hosts,
            "kafka_lab_state_dir": str(self.directory / "lab"),
            "kafka_lab_inventory": str(self.directory / "inventory/lab.yml"),
        }
        self.directory.mkdir(parents=True, exist_ok=True)
        play([f"playbooks/{playbook}", "--extra-vars", json.dumps(given)], {}, self.directory / "lab.log")


def inventory_of(hosts: list[str], settings: dict[str, Any]) -> dict[str, Any]:
    """Return an inventory (JSON is YAML): three combined nodes, and brokers from the fourth on."""
    nodes: dict[str, dict[str, Any]] = {host: {"kafka_node_id": number} for number, host in enumerate(hosts, 1)}
    for host in hosts[3:]:
        nodes[host]["kafka_process_roles"] = ["broker"]
    checksum = Path(f"{ARCHIVE}.sha256").read_text().split()[0]
    return {"kafka": {"hosts": nodes, "vars": {**settings, "kafka_archive_checksum": f"sha256:{checksum}"}}}


def play(words: list[str], environment: dict[str, str], log: Path) -> float:
    """Run ansible-playbook into a log. Return its seconds of processor. Raises FailedError with the log's end."""
    given, before = {**os.environ, "NO_COLOR": "1", **environment}, spent()
    with log.open("w") as file:
        done = subprocess.run([PLAYBOOK, *words], cwd=ROOT, env=given, stdout=file, stderr=file, check=False)  # noqa: S603
    if done.returncode != 0:
        end = "\n".join(log.read_text().splitlines()[-30:])
        raise FailedError(f"ansible-playbook {words[-1]} failed; the end of {log}:\n{end}")
    return spent() - before


def spent() -> float:
    """Return the seconds of processor of this process's children that have ended, with theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
