"""Hosts of a lab that tests make for themselves, and runs of this project's playbooks against them."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ANSIBLE = ROOT / ".venv/bin"
ARCHIVE = ROOT / ".cache/kafka/kafka_2.13-4.4.0.tgz"
PLAY = """
- hosts: localhost
  gather_facts: false
  tasks: [{{ansible.builtin.include_role: {{name: kafka_lab, tasks_from: {entry}}}}}]
"""
#: Variables of these tests' small clusters; a container's processes open no more files than the machine lets them.
SMALL: dict[str, Any] = {
    "kafka_profile": "test",
    "kafka_version": "4.4.0",
    "kafka_archive": str(ARCHIVE),
    "kafka_heap_size": "384m",
    "kafka_jvm_options": ["-XX:TieredStopAtLevel=1"],
    "kafka_nofile_limit": 20000,
    "kafka_host_partition_budget": 500,
}


def name_of(test: str) -> str:
    """A name that no other clone and no other run uses."""
    return f"kw-{hashlib.sha256(str(ROOT).encode()).hexdigest()[:6]}-{test}-{os.getpid()}"


def checksum() -> str:
    return "sha256:" + Path(f"{ARCHIVE}.sha256").read_text().split()[0]


def temporary(
    test: str, hosts: tuple[str, ...], factory: pytest.TempPathFactory, subnet: str = ""
) -> Iterator[LabHosts]:
    """For a fixture: hosts that are there during the test, and nothing of them afterwards."""
    lab = LabHosts(factory.mktemp(test), name_of(test), hosts, subnet=subnet)
    try:
        lab.play("main")
        yield lab
    finally:
        lab.play("destroy")
        shutil.rmtree(ROOT / ".kraftwright" / lab.name, ignore_errors=True)


@dataclass(frozen=True)
class LabHosts:
    """A lab below ``home``; its inventory ``hosts.yml`` there names the hosts.

    ``releases``: of Debian, by host. ``subnet``: CIDR; empty: a free one.
    """

    home: Path
    name: str
    hosts: tuple[str, ...]
    releases: Mapping[str, str] = field(default_factory=dict)
    subnet: str = ""

    def play(self, entry: str) -> None:
        """``main`` makes it, ``destroy`` removes it."""
        playbook = self.home / f"{entry}.yml"
        playbook.write_text(PLAY.format(entry=entry))
        variables = {
            "kafka_lab_name": self.name,
            "kafka_lab_hosts": self.hosts,
            "kafka_lab_releases": self.releases,
            "kafka_lab_subnet": self.subnet,
            "kafka_lab_state_dir": str(self.home / "lab"),
            "kafka_lab_inventory": str(self.home / "hosts.yml"),
        }
        nothing = self.home / "nothing.yml"
        nothing.write_text("all: {}\n")
        done = self.run("-i", str(nothing), "-e", json.dumps(variables), str(playbook))
        assert done.returncode == 0, done.stdout + done.stderr

    def inventory(self, cluster: str, hosts: tuple[str, ...], **more: Any) -> Path:
        """Write a separate inventory for a cluster on some of the hosts; without the others."""
        known = yaml.safe_load((self.home / "hosts.yml").read_text())["all"]
        nodes = {host: {**known["hosts"][host], "kafka_node_id": at} for at, host in enumerate(hosts, 1)}
        variables = {
            **known.get("vars", {}),
            **SMALL,
            "kafka_archive_checksum": checksum(),
            "kafka_cluster_name": cluster,
            **more,
        }
        folder = self.home / cluster
        folder.mkdir(exist_ok=True)
        content = {"kafka": {"hosts": nodes, "vars": variables}}
        (folder / "hosts.yml").write_text(yaml.safe_dump(content))
        return folder

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
        containers = str(ROOT / "roles/kafka_lab/files/containers.conf")
        settings = {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "CONTAINERS_CONF": containers, "NO_COLOR": "1"}
        return {**kept, **settings, "ANSIBLE_LOCALHOST_WARNING": "false"}

    def start(self, *arguments: str, program: str = "", before: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        """``ansible-playbook`` with these arguments, from the checkout."""
        line = [*before, program or str(ANSIBLE / "ansible-playbook"), *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(line, cwd=ROOT, env=self.environment(), text=True, stdout=pipe, stderr=pipe)

    def run(self, *arguments: str, program: str = "") -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments, program=program)
        out, err = process.communicate(timeout=500)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def keeps_key_from(self, host: str, *services: str) -> None:
        """Check that each service's account, with its view of the install dir, can read neither key nor settings."""
        for service in services:
            said = self.podman(host, "systemctl", "show", "--property=User,Group,TemporaryFileSystem", service)
            lines = ["PrivateUsers=true", *said.splitlines()]  # mounts in a container need that
            given = [f"--property={line}" for line in lines if line.partition("=")[2]]
            asked = shlex.join(["systemd-run", "--quiet", "--wait", "--collect", *given, "test", "-r"])
            paths = ("/opt/kafka/tls/node.pem", "/opt/kafka/current/config/server.properties", "/etc/passwd")
            script = " ".join(f"{asked} {path} && echo readable || echo kept;" for path in paths)
            assert self.podman(host, "sh", "-c", script).split() == ["kept", "kept", "readable"], service
            self.podman(host, "test", "-s", paths[0])

    def podman(self, host: str, *command: str) -> str:
        """Return the output of a command on a host."""
        line = ["podman", "exec", f"{self.name}-{host}", *command]
        done = subprocess.run(line, env=self.environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
