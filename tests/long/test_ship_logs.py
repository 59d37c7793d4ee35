"""Log files that are shipped: what a receiver gets from real hosts, and what a second run and a renewal do."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.log_receiver import receiver
from tests.integration.node_pki import Pki
from tests.long.lab_hosts import LabHosts, temporary

HOSTS = ("shipped1", "shipped2", "shipped3")
PORT = 20514
PID = "systemctl show --value --property=MainPID "
SECONDS = 60
WAITING = "grep -o 'iQueueSize:2:[0-9]*:[0-9]*' /var/lib/kafka-logs/kafka-logs.qi 2>/dev/null || true"


class Receiver:
    """rsyslog on this machine, as the runbook has it."""

    def __init__(self, home: Path, address: str, roots: Path) -> None:
        self.home, self.address, self.roots = home, address, roots
        self.pki = Pki(home / "pki", address)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        config = self.home / "receiver.conf"
        config.write_text(receiver(self.home, self.address, PORT, self.roots, self.pki.tls / "node.pem"))
        self.process = subprocess.Popen(["rsyslogd", "-n", "-iNONE", "-f", str(config)])

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait(10)

    def messages(self) -> list[dict[str, Any]]:
        path = self.home / "json"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def hosts(self, text: str) -> set[str]:
        return {each["host"] for each in self.messages() if text in each["message"]}


def until(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.2)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabHosts]:
    yield from temporary("shipped", HOSTS, tmp_path_factory)


@pytest.fixture(scope="module")
def collected(lab: LabHosts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    route = lab.podman(HOSTS[0], "ip", "-4", "route", "show", "default").split()
    home = tmp_path_factory.mktemp("receiver")
    made = Receiver(home, route[route.index("via") + 1], lab.home / "authority/nodes.pem")
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def inventory(lab: LabHosts, collected: Receiver) -> Path:
    """A running cluster whose logs nobody ships yet."""
    tls = {"passphrase": "only-for-this-test-0", "directory": str(lab.home / "authority")}
    settings = {"kafka_cluster_id": "c2hpcC1sb2dzLWxhYi1vbg", "kafka_security": "tls", "kafka_tls": tls}
    given = {
        "kafka_logs_receiver": f"{collected.address}:{PORT}",
        "kafka_logs_authority": str(collected.pki.tls / "nodes.pem"),
    }
    own = lab.inventory(lab.name, lab.hosts, **settings, **given)
    play(lab, own, "deploy_cluster")
    return own


ON = ("-e", json.dumps({"kafka_logs": True}))


def play(lab: LabHosts, inventory: Path, name: str, *more: str) -> str:
    done = lab.run("-i", str(inventory), f"playbooks/{name}.yml", *more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def pids(lab: LabHosts, unit: str) -> dict[str, str]:
    return {host: lab.podman(host, "sh", "-c", PID + unit).strip() for host in lab.hosts}


def changed(output: str) -> list[str]:
    lines = [line for line in output.splitlines() if line.startswith("shipped") and " changed=" in line]
    assert len({line.split()[0] for line in lines}) == len(HOSTS), output
    return [line for line in lines if "changed=0" not in line]


def log(lab: LabHosts, text: str) -> None:
    """Each node's log file gets one more line, as Kafka writes it."""
    line = f'echo "[$(date +%F\\ %T),000] INFO {text} (kafka.Test)" >> /var/log/kafka/server.log'
    for host in lab.hosts:
        lab.podman(host, "sh", "-c", line)


@pytest.fixture(scope="module")
def shipping(lab: LabHosts, inventory: Path, collected: Receiver) -> Receiver:
    """Shipping is switched on: foretold, and without a restart of Kafka."""
    collected.start()
    log(lab, "before")
    kafka = pids(lab, "kafka")
    assert len(changed(play(lab, inventory, "deploy_cluster", *ON, "--check", "--diff"))) == len(HOSTS)
    assert pids(lab, "kafka-logs") == dict.fromkeys(HOSTS, "0")
    assert len(changed(play(lab, inventory, "deploy_cluster", *ON))) == len(HOSTS)
    assert pids(lab, "kafka") == kafka
    return collected


def test_lines_of_every_node_arrive_with_its_name_and_a_second_run_changes_nothing(
    lab: LabHosts, inventory: Path, shipping: Receiver
) -> None:
    log(lab, "after")
    until(lambda: shipping.hosts("INFO after ") == set(HOSTS))
    assert shipping.hosts("INFO before ") == set()
    assert {each["cluster"] for each in shipping.messages()} == {lab.name}
    assert {(each["host"], each["node_id"]) for each in shipping.messages()} == set(zip(HOSTS, (1, 2, 3), strict=True))
    before = [pids(lab, unit) for unit in ("kafka", "kafka-logs", "kafka-logs-proxy")]
    assert changed(play(lab, inventory, "deploy_cluster", *ON)) == []
    assert [pids(lab, unit) for unit in ("kafka", "kafka-logs", "kafka-logs-proxy")] == before
    for host in HOSTS:
        state = lab.podman(host, "sh", "-c", "systemctl is-enabled rsyslog || true").strip()
        assert state == "disabled"


def test_a_renewed_certificate_restarts_the_proxy_alone_and_no_line_is_lost(
    lab: LabHosts, inventory: Path, shipping: Receiver
) -> None:
    before = [pids(lab, unit) for unit in ("kafka", "kafka-logs", "kafka-logs-proxy")]
    play(lab, inventory, "rotate_certificates", *ON, "-e", "kafka_renew_all=true")
    after = [pids(lab, unit) for unit in ("kafka", "kafka-logs", "kafka-logs-proxy")]
    assert after[:2] == before[:2]
    assert [host for host in HOSTS if after[2][host] in ("0", before[2][host])] == []
    assert changed(play(lab, inventory, "deploy_cluster", *ON)) == []
    log(lab, "renewed")
    until(lambda: shipping.hosts("INFO renewed ") == set(HOSTS))


def test_what_nobody_has_received_outlives_the_end_of_shipping(
    lab: LabHosts, inventory: Path, shipping: Receiver
) -> None:
    """But for what was on its way when the receiver went: the first lines."""
    shipping.stop()
    for number in range(5):
        log(lab, f"held{number}")
    held = [lambda host=host: lab.podman(host, "sh", "-c", WAITING).strip()[-2:] not in ("", ":0") for host in HOSTS]
    for each in held:
        until(each)
    assert "messages were not delivered" in play(lab, inventory, "deploy_cluster")
    for host in HOSTS:
        assert "kafka-logs.qi" in lab.podman(host, "ls", "/var/lib/kafka-logs")
        assert lab.podman(host, "sh", "-c", "ls -d /opt/kafka/log_shipping 2>/dev/null || true") == ""
    assert changed(play(lab, inventory, "deploy_cluster")) == []
    shipping.start()
    play(lab, inventory, "deploy_cluster", *ON)
    until(lambda: shipping.hosts("INFO held4 ") == set(HOSTS))


@pytest.mark.usefixtures("shipping")
def test_the_neighbours_of_a_node_cannot_read_its_key(lab: LabHosts) -> None:
    for host in HOSTS:
        lab.keeps_key_from(host, "kafka-logs", "kafka-logs-proxy")


@pytest.mark.usefixtures("shipping")
def test_switched_off_with_nothing_left_to_deliver_nothing_is_left(lab: LabHosts, inventory: Path) -> None:
    kafka = pids(lab, "kafka")
    play(lab, inventory, "deploy_cluster")
    for host in HOSTS:
        found = lab.podman(
            host, "sh", "-c", "ls -d /var/lib/kafka-logs /etc/systemd/system/kafka-logs* 2>/dev/null || true"
        )
        assert found == ""
    assert pids(lab, "kafka") == kafka
