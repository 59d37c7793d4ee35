"""rsyslog and stunnel with the shipper's configuration, on loopback: what a receiver gets, whatever ends. No Kafka."""

from __future__ import annotations

import collections
import contextlib
import json
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node import log_shipper

from tests.integration.log_receiver import receiver
from tests.integration.node_pki import ADDRESS, Pki, until

RSYSLOG, STUNNEL = log_shipper.RSYSLOG, "stunnel4"
MESSAGE = re.compile(r"<(\d+)>1 \S+ k1 kafka 7 (\S+) - (\{.*\})")
SINCE = "2026-11-25 15:00:00"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Host:
    """A node's logs with the shipper, and a receiver elsewhere; each part is a process that a test can end."""

    def __init__(self, home: Path, queue_mb: int = 64) -> None:
        self.home, self.node, self.other = home, Pki(home / "node"), Pki(home / "other")
        for name in ("log", "work", "received"):
            (home / name).mkdir()
        self.log, self.number = home / "log/server.log", 0
        self.port, self.loopback = free_port(), free_port()
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        settings: dict[str, Any] = {
            "cluster": "demo",
            "cluster_id": "a3JhZnR3cmlnaHQtZGVtbw",
            "node_id": 7,
            "host": "k1",
            "receiver": {"host": ADDRESS, "port": self.port},
            "port": self.loopback,
            "queue_mb": queue_mb,
            "log_dir": str(home / "log"),
            "directory": str(self.node.tls),
        }
        (self.node.tls / log_shipper.ROOTS).write_text((self.other.tls / "nodes.pem").read_text())
        (home / "stunnel.conf").write_text(log_shipper.stunnel_text(settings, str(self.node.tls)))
        (home / "rsyslog.conf").write_text(log_shipper.rsyslog_text(settings, str(home / "work"), SINCE))

    def start(self, *names: str) -> None:
        shipper = [RSYSLOG, "-n", "-iNONE", "-f"]
        commands = {
            "proxy": [STUNNEL, str(self.home / "stunnel.conf")],
            "shipper": [*shipper, str(self.home / "rsyslog.conf")],
            "receiver": [*shipper, str(self.home / "receiver.conf")],
        }
        for name in names:
            with (self.home / f"{name}.out").open("ab") as said:
                self.running[name] = subprocess.Popen(commands[name], stdout=said, stderr=said)

    def receive(self, pki: Pki | None = None) -> None:
        """Start the receiver, with a certificate of its authority or of another one."""
        files = (self.node.tls / "nodes.pem", (pki or self.other).tls / "node.pem")
        (self.home / "receiver.conf").write_text(receiver(self.home / "received", ADDRESS, self.port, *files))
        self.start("receiver")

    def end(self, *names: str) -> None:
        """As ``kill -9`` does."""
        for name in names:
            process = self.running.pop(name)
            process.kill()
            process.wait(10)

    def write(self, lines: int, more: str = "") -> None:
        with self.log.open("a") as log:
            for _ in range(lines):
                log.write(f"[2026-11-25 15:39:30,123] INFO line {self.number}. {more}(kafka.server.Node)\n")
                self.number += 1

    def rotate(self) -> None:
        for at in (2, 1):
            with contextlib.suppress(FileNotFoundError):
                self.log.with_suffix(f".log.{at}").rename(self.log.with_suffix(f".log.{at + 1}"))
        self.log.rename(self.log.with_suffix(".log.1"))

    def messages(self) -> list[tuple[int, str, dict[str, Any]]]:
        """Priority, name and content of each that has arrived."""
        path = self.home / "received/raw"
        text = path.read_text() if path.exists() else ""
        return [(int(one[1]), one[2], json.loads(one[3])) for one in MESSAGE.finditer(text)]

    def arrived(self) -> collections.Counter[int]:
        found = (re.search(r"INFO line (\d+)\.", each["message"]) for _, _, each in self.messages())
        return collections.Counter(int(one[1]) for one in found if one)

    def arrive(self) -> None:
        """Until every line has."""
        until(lambda: len(self.arrived()) == self.number)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    yield from hosted(Host(tmp_path))


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Host]:
    """One whose queue has room for little."""
    yield from hosted(Host(tmp_path, queue_mb=4))


def hosted(host: Host) -> Iterator[Host]:
    try:
        yield host
    finally:
        host.end(*host.running)


def test_lines_arrive_once_each_with_cluster_and_node_and_a_stack_trace_is_one_message(host: Host) -> None:
    trace = 'java.lang.IllegalStateException: it\'s "50 %" off\n\tat kafka.A.b(A.java:1)\n\n\tat kafka.C.d(C.java:2)'
    host.log.write_text(
        "[2026-11-25 14:59:59,999] INFO line 0. of a time before (kafka.server.Node)\n"
        f"[2026-11-25 15:39:30,123] ERROR failed (kafka.server.Node)\n{trace}\n"
    )
    host.receive()
    until(lambda: listens(ADDRESS, host.port))
    host.start("proxy")
    until(lambda: listens(log_shipper.LOOPBACK, host.loopback))  # where a first connection fails, a line comes twice
    host.start("shipper")
    (host.home / "log/controller.log").write_text("[2026-11-25 15:39:31,000] WARN grün (kafka.Controller)\n")
    host.number = 1
    host.write(500)
    until(lambda: len(host.arrived()) == 500 and len(host.messages()) == 502)
    assert host.arrived() == dict.fromkeys(range(1, 501), 1)
    shown = [json.loads(line) for line in (host.home / "received/json").read_text().splitlines()]
    assert shown == [content for _, _, content in host.messages()]
    common = {"cluster": "demo", "cluster_id": "a3JhZnR3cmlnaHQtZGVtbw", "node_id": 7, "host": "k1"}
    error, warning = ([one for one in host.messages() if one[2]["level"] == level] for level in ("ERROR", "WARN"))
    said = f"[2026-11-25 15:39:30,123] ERROR failed (kafka.server.Node)\n{trace}"
    assert error == [(131, "server", {**common, "file": "server.log", "level": "ERROR", "message": said})]
    said = "[2026-11-25 15:39:31,000] WARN grün (kafka.Controller)"
    assert warning == [(132, "controller", {**common, "file": "controller.log", "level": "WARN", "message": said})]


def listens(address: str, port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex((address, port)) == 0


def test_nothing_is_lost_where_receiver_shipper_and_proxy_are_killed_and_files_are_rotated(host: Host) -> None:
    host.receive()
    host.start("proxy", "shipper")
    for ended in ("receiver", "shipper", "proxy"):
        host.write(150)
        until(lambda: len(host.arrived()) > host.number - 150)
        host.write(150)
        host.end(ended)
        host.write(150)
        host.rotate()
        host.write(150)
        host.receive() if ended == "receiver" else host.start(ended)
        host.arrive()


def test_nothing_leaves_for_a_receiver_of_another_authority_and_everything_arrives_once_it_is_right(
    host: Host,
) -> None:
    host.write(100)
    host.receive(Pki(host.home / "stranger"))
    host.start("proxy", "shipper")
    until(lambda: (host.home / "proxy.out").read_text().count("certificate verify failed") > 1)
    assert host.messages() == []
    host.end("receiver")
    host.receive()
    host.arrive()


def test_a_full_queue_holds_back_what_is_read_and_loses_nothing(small: Host) -> None:
    small.start("proxy", "shipper")
    small.write(1500, "x" * 4000)
    until(lambda: used(small) >= 4 * 2**20)
    assert used(small) < 4 * 2**20 + 10_000
    small.end("shipper")
    small.start("shipper")
    small.receive()
    small.arrive()


def used(host: Host) -> int:
    return sum(each.stat().st_size for each in (host.home / "work").glob("kafka-logs.0*"))
