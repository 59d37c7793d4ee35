"""One Kafka node of a test cluster: its files, ports and process."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import subprocess
import uuid
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from pathlib import Path

from dist.__main__ import VERSION
from tests.integration.kafka_home import class_path

LEASH = ["setpriv", "--pdeathsig", "KILL"]  # the JVM dies with the test process, whatever ends that one
JVM = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xss512k", "-Djava.awt.headless=true"]
LOG4J = """
Configuration:
  status: warn
  Appenders:
    File:
      - name: server
        fileName: {path}
        PatternLayout:
          pattern: "[%d] %p %m (%c)%n"
  Loggers:
    Root:
      level: info
      AppenderRef:
        - ref: server
"""


def random_id() -> str:
    """A Kafka id (22 characters, base64url) that does not begin with a dash."""
    while True:
        text = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not text.startswith("-"):
            return text


#: Below the ports that the system gives out itself, a range for each worker of pytest-xdist and one without it: a port
#: that was chosen is bound seconds later, and again after each restart.
FIRST_PORT = {"gw0": 20_000, "gw1": 24_000}.get(os.environ.get("PYTEST_XDIST_WORKER", ""), 28_000)
CANDIDATES = itertools.cycle(range(FIRST_PORT + os.getpid() % 3000, FIRST_PORT + 4000))


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nothing listens on now, all different, and none that was given before."""
    found: list[int] = []
    while len(found) < count:
        port = next(CANDIDATES)
        with contextlib.suppress(OSError), socket.socket() as one:
            one.bind(("127.0.0.1", port))
            found.append(port)
    return found


@dataclass
class KafkaNode:
    """One node: its files, its ports and, while it runs, its process."""

    node_id: int
    directory: Path
    client_port: int
    internal_port: int
    controller_port: int
    directory_id: str
    roles: tuple[str, ...] = ("broker", "controller")
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    version: str = VERSION

    @property
    def log(self) -> Path:
        return self.directory / "server.log"

    @property
    def config(self) -> Path:
        return self.directory / "server.properties"

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def formatted_directory_id(self) -> str:
        """Return the id that the format tool wrote: its own choice if none was given."""
        lines = (self.directory / "data/meta.properties").read_text().splitlines()
        return next(line.partition("=")[2] for line in lines if line.startswith("directory.id="))

    def last_lines(self, count: int = 15) -> str:
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        console = (self.directory / "console.log").read_text(errors="replace")
        return "\n".join((console.splitlines() + text.splitlines())[-count:])

    def java(self, heap: str, main: str, *args: str) -> list[str]:
        """The command line of one of Kafka's main classes, logging to this node's file."""
        logging = f"-Dlog4j2.configurationFile={self.directory / 'log4j2.yaml'}"
        return [*LEASH, "java", f"-Xmx{heap}", *JVM, logging, *class_path(self.version), main, *args]

    def write_files(self, properties: dict[str, str]) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        lines = [f"{key}={value}" for key, value in sorted(properties.items())]
        self.config.write_text("\n".join(lines) + "\n")
        (self.directory / "log4j2.yaml").write_text(LOG4J.format(path=self.log))

    def spawn(self, command: list[str]) -> subprocess.Popen[bytes]:
        with open(self.directory / "console.log", "ab") as console:
            return subprocess.Popen(command, cwd=self.directory, stdout=console, stderr=subprocess.STDOUT)
