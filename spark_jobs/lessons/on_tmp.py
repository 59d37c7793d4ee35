"""Run a Kafka of one node with its log dir below /tmp and Kafka's defaults; empty that folder as a boot does.

Needs nothing of the project: it may come to a host through standard input. Prints one JSON object: the observations of
the lessons ``on_tmp`` and ``auto_creation``. It uses its own folder, own ports of loopback, and removes both.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

RECORDS = 100
TOPIC = "ordres"  # a mistyped name
JVM = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
START_SECONDS, REFUSED_SECONDS = 60.0, 45.0


class Node:
    """A Kafka of one node in `base`, with `libs` as its class path."""

    def __init__(self, base: Path, java: str, libs: str) -> None:
        self.base, self.data, self._java, self._libs = base, base / "kafka-logs", java, libs
        self.port, controller = free_port(), free_port()
        self.config, self.log = base / "server.properties", base / "console.log"
        self.address = f"127.0.0.1:{self.port}"
        listeners = f"PLAINTEXT://{self.address},CONTROLLER://127.0.0.1:{controller}"
        lines = ["process.roles=broker,controller", "node.id=1", f"listeners={listeners}", f"log.dirs={self.data}"]
        lines += ["controller.listener.names=CONTROLLER", f"controller.quorum.voters=1@127.0.0.1:{controller}"]
        self.config.write_text("\n".join([*lines, f"advertised.listeners=PLAINTEXT://{self.address}"]) + "\n")

    def tool(self, main: str, *arguments: str, send: str = "") -> str:
        """Run one of Kafka's tools; its output."""
        line = [self._java, "-Xmx128m", *JVM[1:], "-cp", self._libs, main, *arguments]
        done = subprocess.run(line, input=send, capture_output=True, text=True, timeout=90, check=True, cwd=self.base)  # noqa: S603
        return done.stdout

    def start(self) -> subprocess.Popen[bytes]:
        """Start Kafka; it may end by itself."""
        with self.log.open("wb") as log:
            line = [self._java, *JVM, "-cp", self._libs, "kafka.Kafka", str(self.config)]
            return subprocess.Popen(line, stdout=log, stderr=subprocess.STDOUT, cwd=self.base)  # noqa: S603

    def serves(self, process: subprocess.Popen[bytes], seconds: float) -> bool:
        """Wait until Kafka listens; False if it ends, or does not within `seconds`."""
        deadline = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 0.5):
                return True
            time.sleep(0.1)
        return False

    def records(self) -> int:
        """Return the number of records of the topic; 0 if there is no such topic."""
        asked = ["--bootstrap-server", self.address, "--topic", TOPIC]
        try:
            found = self.tool("org.apache.kafka.tools.GetOffsetShell", *asked)
        except subprocess.CalledProcessError:
            return 0
        return sum(int(line.rsplit(":", 1)[1]) for line in found.split())

    def reason(self) -> str:
        """Return the first line with the reason why Kafka has not started."""
        found = re.search(
            r"(?:Exception|Error): (.+)|(No readable meta\.properties.+)", self.log.read_text(errors="replace")
        )
        text = next(one for one in found.groups() if one) if found else "no reason given"
        return text.replace(str(self.base), "/tmp")[:200]  # noqa: S108


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def rule_of_boot() -> str:
    """Return why a boot empties /tmp: a file system in memory, or systemd's rule; empty if it does not."""
    for line in Path("/proc/mounts").read_text().splitlines():
        _, place, kind = line.split()[:3]
        if place == "/tmp" and kind == "tmpfs":  # noqa: S108
            return "tmpfs"
    program = shutil.which("systemd-tmpfiles")
    if program is None:
        return ""
    rules = subprocess.run([program, "--cat-config"], capture_output=True, text=True, check=False).stdout  # noqa: S603
    return next((line for line in rules.splitlines() if re.match(r"D!?\s+/tmp\s", line)), "")


def boot(base: Path, place: Path, rule: str) -> None:
    """Empty `place` by the rule that a boot applies to /tmp; do nothing without a rule."""
    program = shutil.which("systemd-tmpfiles")
    if rule.startswith("D") and program:
        own = base / "boot.conf"
        own.write_text(f"D {place} 0755 - - -\n")
        subprocess.run([program, "--boot", "--remove", str(own)], check=True, capture_output=True)  # noqa: S603
    elif rule:
        shutil.rmtree(place)
        place.mkdir()


def lesson(base: Path, java: str, libs: str) -> dict[str, Any]:
    """Run it; the observations of both lessons."""
    node, rule = Node(base, java, libs), rule_of_boot()
    node.tool("kafka.tools.StorageTool", "format", "--config", str(node.config), "--cluster-id", "bGVzc29uLW9mLXRtcA")
    process = node.start()
    try:
        if not node.serves(process, START_SECONDS):
            raise RuntimeError(f"Kafka did not start: {node.reason()}")
        sent = "".join(f"{number}\n" for number in range(RECORDS))
        asked = ["--bootstrap-server", node.address, "--topic", TOPIC]
        node.tool("org.apache.kafka.tools.ConsoleProducer", *asked, send=sent)
        described = node.tool("org.apache.kafka.tools.TopicCommand", "--describe", *asked)
        before = node.records()
        process.terminate()
        process.wait(60)
        boot(base, node.data, rule)
        process = node.start()
        started = node.serves(process, REFUSED_SECONDS)
        after = node.records() if started else 0
    finally:
        process.kill()
        process.wait(10)
    counts = {key: int(value) for key, value in re.findall(r"(PartitionCount|ReplicationFactor): (\d+)", described)}
    made = {"partitions": counts["PartitionCount"], "replicas": counts["ReplicationFactor"]}
    message = "" if started else node.reason()
    on_tmp = {"before": before, "after": after, "emptied": bool(rule), "rule": rule, "started": started}
    return {"on_tmp": {**on_tmp, "message": message}, "made": made}


def main() -> None:
    """Arguments: Java, and the class path of Kafka's jars."""
    java, libs = sys.argv[1:3]
    base = Path(tempfile.mkdtemp(prefix="kraftwright-lesson-", dir="/tmp"))
    try:
        sys.stdout.write(json.dumps(lesson(base, java, libs)) + "\n")
    finally:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    main()
