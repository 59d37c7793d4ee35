"""Files and processes of the nodes of a rehearsal. All of them end with the process that started them."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import tarfile
import uuid
from collections import deque
from collections.abc import Mapping
from pathlib import Path

from ansible.module_utils.kraft.errors import RefusedError, ToolError
from ansible.module_utils.kraft.identity import encode
from ansible.module_utils.kraft.node.release.unpack import copy_member, members, verified_archive
from ansible.module_utils.kraft.operations.rehearsal import nodes
from ansible.module_utils.kraft.operations.rehearsal.metadata_files import LOG, segments

HEAP = "512m"  #: at most, of each node
JVM = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss512k", "-Djava.awt.headless=true")
LAST_LINES = 8
STOP_SECONDS = 20.0
SIGNS = (" ERROR ", " FATAL ", "Exception", "Error:")


def unpack_libraries(archive: str, checksum: str, directory: str) -> list[str]:
    """Unpack the jars of a release into `directory` and return their paths. Raises RefusedError for another archive."""
    if not os.path.isfile(archive):
        raise RefusedError([f"kafka_archive: {archive} is no file of this machine -> download it, and give its path"])
    verified_archive(archive, checksum)
    os.makedirs(directory, mode=0o700)
    with tarfile.open(archive) as opened:
        for path, member in members(opened):
            above, _, name = path.rpartition("/")
            if above == "libs" and name.endswith(".jar") and member.isreg():
                copy_member(opened, member, os.path.join(directory, name))
    return sorted(str(one) for one in Path(directory).glob("*.jar"))


@dataclasses.dataclass
class Process:
    """One node: its directory and, once it was launched, its process."""

    node_id: int
    directory: Path
    running: subprocess.Popen[bytes] | None = None

    def end(self) -> None:
        """Stop it in good order. Raises ToolError if it does not end."""
        if self.running:
            self.running.terminate()
            try:
                self.running.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired as error:
                raise ToolError(f"node {self.node_id} does not stop within {STOP_SECONDS:g} s") from error

    def refuse_if_ended(self) -> None:
        """Raise ToolError with its last errors if it has ended."""
        if self.running and self.running.poll() is not None:
            raise ToolError(f"node {self.node_id} ended with {self.running.returncode}:\n{self.last_errors()}")

    def refuse_if_cut(self, log: Mapping[str, bytes]) -> None:
        """Raise RefusedError if Kafka has dropped a part of `log`, its copy: everything from a damaged batch on.

        A node without later registrations would finalise what the cluster refuses.
        """
        for name, content in segments(log).items():
            path = self.directory / "data" / LOG / name
            if not (path.read_bytes() if path.exists() else b"").startswith(content):
                remedy = "inspect the disk of the host that it was copied from"
                raise RefusedError([f"{LOG}/{name} is damaged: Kafka cut off a part of the copy -> {remedy}"])

    def last_errors(self) -> str:
        lines: deque[str] = deque(maxlen=LAST_LINES)
        for name in ("console.log", "server.log"):
            path = self.directory / name
            text = path.read_text(errors="replace") if path.exists() else ""
            lines.extend(line for line in text.splitlines() if any(sign in line for sign in SIGNS))
        return "\n".join(lines) or "its logs have no error"


@dataclasses.dataclass(frozen=True)
class Launcher:
    """`java`: the program; `jars`: of the release; `work`: a directory for this user alone."""

    java: str
    jars: tuple[str, ...]
    work: Path
    cluster: nodes.Rehearsed

    def controller(self, one: nodes.Controller, log: Mapping[str, bytes]) -> Process:
        """Launch a controller on a copy of the metadata log."""
        directory = self._directory(one.node_id)
        made = nodes.controller_properties(self.cluster, one, str(directory))
        copied = directory / "data" / LOG
        copied.mkdir(mode=0o700)
        for name, content in log.items():
            (copied / name).write_bytes(content)
        return self._launch(one.node_id, directory, made, one.directory_id)

    def broker(self, node_id: int, address: str) -> Process:
        """Launch a broker with empty disks."""
        directory = self._directory(node_id)
        return self._launch(node_id, directory, nodes.broker_properties(self.cluster, node_id, address, str(directory)))

    def _directory(self, node_id: int) -> Path:
        made = self.work / f"node{node_id}"
        (made / "data").mkdir(mode=0o700, parents=True)
        return made

    def _launch(self, node_id: int, directory: Path, properties: Mapping[str, str], directory_id: str = "") -> Process:
        meta = nodes.meta_properties(self.cluster.cluster_id, node_id, directory_id or encode(uuid.uuid4().bytes))
        files = {
            "data/meta.properties": meta,
            "server.properties": nodes.properties_text(properties),
            "log4j2.yaml": nodes.LOG4J.format(path=directory / "server.log"),
        }
        for name, text in files.items():
            (directory / name).write_text(text)
        logging = f"-Dlog4j2.configurationFile={directory / 'log4j2.yaml'}"
        command = [self.java, f"-Xmx{HEAP}", *JVM, logging, "-cp", ":".join(self.jars), "kafka.Kafka"]
        with (directory / "console.log").open("ab") as console:
            process = subprocess.Popen(  # noqa: S603 - a list, no shell
                [*command, str(directory / "server.properties")],
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
            )
        return Process(node_id, directory, process)
