"""An installed node on stand-in paths, with a systemd that is played."""

from __future__ import annotations

import dataclasses
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.kraft.node.release.manifest import Manifest, classpath_options
from ansible.module_utils.kraft.node.service import apply as node_io
from ansible.module_utils.kraft.node.service import staging
from ansible.module_utils.kraft.node.service.unit_fingerprint import fingerprint, fingerprinted
from ansible.module_utils.kraft.node.service.unit_state import ServiceState

from tests.unit.modules.module_runner import Result, RunModule

CLUSTER_ID, OTHER = "a3JhZnR3cmlnaHQtZGVtbw", "b3RoZXItY2x1c3Rlci1pZA"
PID = 4711
DOWN = ServiceState(installed=True, enabled=True)
UP = ServiceState(
    installed=True, enabled=True, active=True, pid=PID, state="active", sub_state="running", environment_unit="x"
)
FAILED = dataclasses.replace(DOWN, state="failed", sub_state="failed", result="exit-code")


def format_dir(path: Path, cluster_id: str, node_id: int = 1) -> None:
    path.mkdir(exist_ok=True)
    (path / "meta.properties").write_text(f"version=1\ncluster.id={cluster_id}\nnode.id={node_id}\n")


class Host:
    """An installed node, and the part of systemd that kafka_node uses."""

    def __init__(self, root: Path, run_module: RunModule) -> None:
        self.install_dir, self.units = root / "kafka", root / "units"
        self.logs = root / "logs"
        self.record, self.proc = root / "started", root / "proc"
        self.service, self.run_module = ServiceState(), run_module
        self.commands: list[str] = []
        self.dies = False
        self.jobs: list[int] = []
        for directory in (self.install_dir / "releases", self.units, self.proc):
            directory.mkdir(parents=True)

    def install(self, version: str = "4.3.1") -> None:
        directory = self.install_dir / "releases" / version
        (directory / "config").mkdir(parents=True)
        (directory / "MANIFEST").write_text(Manifest(version, {"sha256": version}, {}).text())
        (directory / "classpath.options").write_text(classpath_options(str(directory), ()))
        format_dir(self.logs, CLUSTER_ID)
        self.configure("node.id=1\n")

    def configure(self, properties: str, nofile: int = 20000) -> None:
        room = self.install_dir / "next"
        room.mkdir(exist_ok=True)
        for name, text in self.files(properties, nofile).items():
            (room / name).write_text(text)

    def files(self, properties: str, nofile: int = 20000) -> dict[str, str]:
        unit = fingerprinted(f"[Service]\nLimitNOFILE={nofile}\n")
        config = {
            "server.properties": f"{properties}log.dirs={self.logs}\n",
            "jvm.options": "-Xmx1g\n",
            "log4j2.yaml": "",
        }
        return {**config, "kafka.service": unit}

    def wanted(self, properties: str, nofile: int = 20000) -> list[dict[str, str]]:
        """The files as the module gets them, for the user of the test."""
        own = {"owner": str(os.getuid()), "group": str(os.getgid()), "mode": "0644"}
        room = self.install_dir / "next"
        return [
            {"path": str(room / name), "content": text, **own} for name, text in self.files(properties, nofile).items()
        ]

    def begin(self) -> None:
        """Do the unit's steps at a start."""
        current = (self.install_dir / "current").resolve()
        if self.record.is_symlink():
            self.record.unlink()  # as rm does
        shutil.rmtree(self.record, ignore_errors=True)
        self.record.mkdir(mode=0o700)
        sources = [*(current / "config").iterdir(), current / "MANIFEST", self.units / "kafka.service"]
        for path in sources:
            (self.record / path.name).write_bytes(path.read_bytes())
        self.service = dataclasses.replace(
            UP,
            environment_unit=fingerprint((self.units / "kafka.service").read_text()),
            started_at_us=time.monotonic_ns() // 1000,
        )
        files = self.proc / str(PID) / "fd"
        files.mkdir(parents=True, exist_ok=True)
        if not (files / "3").is_symlink():
            (files / "3").symlink_to("/opt/kafka/releases/4.3.1/libs/a.jar")

    def run(self, command: list[str]) -> tuple[int, str, str]:
        if command[0] == "journalctl":
            return 0, "Error: bad property\n", ""
        words = command[command.index("systemctl") + 1 :]
        if words[0] == "show":
            return 0, f"Job={self.jobs.pop() if self.jobs else 0}\n", ""
        if words[0] != "reset-failed":
            self.commands.append(words[0])
        if words[0] in ("start", "restart"):
            if self.dies:
                self.service = dataclasses.replace(FAILED, exit_status=1)
                return 1, "", "Job for kafka.service failed."
            self.begin()
        if words[0] == "stop":
            self.service = DOWN
        return 0, "", ""

    def kafka_node(self, check_mode: bool = False, **params: Any) -> Result:
        self.commands.clear()
        given = {"release": "4.3.1", "install_dir": str(self.install_dir), "cluster_id": CLUSTER_ID, "node_id": 1}
        return self.run_module("kafka_node", check_mode, **{**given, **params})


def played(tmp_path: Path, run_module: RunModule, monkeypatch: pytest.MonkeyPatch) -> Host:
    """A host below `tmp_path` that the modules take for their own."""
    made = Host(tmp_path, run_module)
    monkeypatch.setattr(staging, "UNIT_DIR", str(made.units))
    monkeypatch.setattr(node_io, "STARTED_DIR", str(made.record))
    monkeypatch.setattr(node_io, "PROC", str(made.proc))
    monkeypatch.setattr(node_io, "observe_service", lambda *_: made.service)
    monkeypatch.setattr(AnsibleModule, "run_command", made.run)
    return made
