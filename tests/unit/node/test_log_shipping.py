"""The shipper's files on a host, and when there is something to do. rsyslog itself is met in tests/integration."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.errors import RefusedError, ToolError
from ansible.module_utils.kraft.node import log_shipper, log_shipping, unit_files

ROOT = Path(__file__).resolve().parents[3]
QUEUE = "<OPB:1:qqueue:1:\n+iQueueSize:2:2:17:\n+tVars.disk.sizeOnDisk:2:4:3158:\n>End\n.\n"


class Host:
    """Units, and what runs."""

    def __init__(self, home: Path) -> None:
        self.home, self.units, self.work = home, home / "units", home / "work"
        self.running: set[str] = set()
        self.told: list[str] = []
        self.copies = home / "credentials/kafka-logs-proxy.service"
        self.copies.mkdir(parents=True)
        (home / "tls").mkdir()
        self.renew("first")
        self.settings: dict[str, Any] = {
            "cluster": "demo",
            "cluster_id": "a3JhZnR3cmlnaHQtZGVtbw",
            "node_id": 7,
            "host": "k1",
            "receiver": {"host": "logs.example.com", "port": 20514},
            "port": 20514,
            "queue_mb": 1024,
            "log_dir": "/var/log/kafka",
            "hidden": ["/data"],
            "directory": str(home / "tls"),
            "roots": "roots\n",
        }

    def renew(self, text: str) -> None:
        (self.home / "tls/node.pem").write_text(text)

    def load(self) -> None:
        """What systemd does before it starts the proxy."""
        for name, path in (("node.pem", "tls/node.pem"), ("receiver.pem", "log_shipping/receiver.pem")):
            (self.copies / name).write_bytes((self.home / path).read_bytes())

    def __call__(self, command: list[str]) -> tuple[int, str, str]:
        words = command[command.index("systemctl") + 1 :]
        if words[0] in ("is-active", "is-enabled"):
            return int(words[2] not in self.running), "", ""
        self.told.append(" ".join(words))
        if words[0] in ("stop", "disable"):
            self.running -= set(words[1:])
        if words[0] == "start":
            self.running.add(words[1])
        if words[0] in ("start", "restart") and words[1] == "kafka-logs-proxy":
            self.load()
        return 0, "", ""

    def ensure(self, settings: dict[str, Any] | None = None, check_mode: bool = False) -> tuple[bool, int]:
        given = self.settings if settings is None else settings
        found = log_shipping.ensure(self, given, str(self.home), "kafka", check_mode)
        return found["changed"], found["kept"]


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    for name in ("units", "work"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(unit_files, "UNITS", str(tmp_path / "units"))
    monkeypatch.setattr(unit_files, "CREDENTIALS", str(tmp_path / "credentials"))
    monkeypatch.setattr(log_shipping, "WORK", str(tmp_path / "work"))
    monkeypatch.setattr(log_shipping, "SECONDS", 0.0)
    monkeypatch.setattr(log_shipping, "missing", list)
    return Host(tmp_path)


def test_it_runs_once_and_then_there_is_nothing_to_do(host: Host) -> None:
    assert host.ensure(check_mode=True) == (True, 0)
    assert (host.told, list(host.units.iterdir())) == ([], [])
    assert host.ensure() == (True, 0)
    assert host.running == set(log_shipper.SERVICES)
    told = list(host.told)
    assert host.ensure() == (False, 0)
    assert host.told == told


def test_a_service_that_is_down_another_receiver_and_other_roots_are_something_to_do(host: Host) -> None:
    host.ensure()
    host.running.discard("kafka-logs")
    assert host.ensure() == (True, 0)
    for changed in ({"receiver": {"host": "10.0.0.9", "port": 1}}, {"roots": "others\n"}, {"queue_mb": 64}):
        host.settings |= changed
        assert host.ensure() == (True, 0)
        assert host.ensure() == (False, 0)


def test_lines_before_shipping_was_switched_on_stay_and_a_change_does_not_move_that_moment(host: Host) -> None:
    host.ensure()
    path = host.home / "log_shipping/rsyslog.conf"
    text = path.read_text()
    assert re.search(r'if \(\$msg < "\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"\) then \{ stop \}', text)
    path.write_text(re.sub(r"< \"\[[^\"]*", '< "[2025-01-02 03:04:05', text))
    host.settings["queue_mb"] = 64
    host.ensure()
    assert '$msg < "[2025-01-02 03:04:05")' in path.read_text()


def test_a_renewed_certificate_restarts_the_proxy_alone_and_once(host: Host) -> None:
    host.ensure()
    told = len(host.told)
    host.renew("second")
    assert log_shipping.due(host, host.settings, str(host.home), "kafka")
    assert log_shipping.reload(host, check_mode=True)
    assert log_shipping.reload(host, check_mode=False)
    assert not log_shipping.reload(host, check_mode=False)
    assert host.told[told:] == ["restart kafka-logs-proxy"]


def test_a_proxy_that_keeps_an_older_certificate_is_named(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.ensure()
    host.renew("second")
    monkeypatch.setattr(host, "load", lambda: None)
    with pytest.raises(ToolError, match=r"kafka-logs-proxy does not run .*journalctl"):
        log_shipping.reload(host, check_mode=False)


def test_without_settings_nothing_is_left_and_a_host_that_never_had_one_is_not_touched(host: Host) -> None:
    assert host.ensure({}) == (False, 0)
    assert host.told == []
    host.ensure()
    assert host.ensure({}, check_mode=True) == (True, 0)
    assert host.running
    assert host.ensure({}) == (True, 0)
    left = [path for path in (host.home / "log_shipping", host.work) if path.exists()]
    assert (host.running, left, list(host.units.iterdir())) == (set(), [], [])
    assert host.ensure({}) == (False, 0)


def test_messages_that_nobody_has_received_stay_and_are_counted(host: Host) -> None:
    host.ensure()
    (host.work / "kafka-logs.qi").write_text(QUEUE)
    assert host.ensure({}) == (True, 17)
    assert (host.work / "kafka-logs.qi").exists()
    assert not log_shipping.forget()


def test_what_others_have_put_beside_the_queue_stays(host: Host) -> None:
    host.ensure()
    for name in ("kafka-logs.00000001", "imfile-state:17:ab", "meta.properties"):
        (host.work / name).touch()
    (host.work / "orders-0").mkdir()
    assert host.ensure({}) == (True, 0)
    assert sorted(path.name for path in host.work.iterdir()) == ["meta.properties", "orders-0"]
    assert host.ensure({}) == (False, 0)


def test_a_unit_of_somebody_else_is_refused(host: Host) -> None:
    (host.units / "kafka-logs.service").write_text("[Service]\n")
    with pytest.raises(RefusedError, match="somebody else wrote it"):
        host.ensure()


def test_packages_that_are_missing_are_named(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_shipping, "missing", lambda: ["rsyslog-relp"])
    with pytest.raises(RefusedError, match="rsyslog-relp: not installed"):
        host.ensure()


def test_the_receiver_is_judged_by_its_name_or_its_address(host: Host) -> None:
    lines = log_shipper.stunnel_text(host.settings, "/copies").splitlines()
    asked = {"client = yes", "verifyChain = yes", "CAfile = /copies/receiver.pem", "checkHost = logs.example.com"}
    assert asked <= set(lines)
    assert {"accept = 127.0.0.1:20514", "connect = logs.example.com:20514"} <= set(lines)
    host.settings["receiver"] = {"host": "2001:db8::1", "port": 20514}
    lines = log_shipper.stunnel_text(host.settings, "/copies").splitlines()
    assert {"checkIP = 2001:db8::1", "connect = 2001:db8::1:20514"} <= set(lines)


def test_the_files_are_those_that_kafka_writes() -> None:
    template = (ROOT / "roles/kafka/templates/log4j2.yaml.j2").read_text()
    assert tuple(re.findall(r"^    \('\w+', '([a-z-]+)', \d+, \d+\),$", template, re.MULTILINE)) == log_shipper.FILES


def test_a_name_with_signs_of_rsyslogs_language_stays_a_name(host: Host) -> None:
    host.settings["host"] = 'k"1 %msg%\\'
    text = log_shipper.message(host.settings)
    assert "k_1__msg__ kafka 7" in text
    assert '"host": "k\\"1 \\u0025msg\\u0025\\\\"' in text


def test_the_shipper_may_start_its_threads(host: Host) -> None:
    """Where rsyslog may not call sched_setscheduler(), it runs and reads nothing."""
    lines = log_shipper.shipper_unit(
        host.settings, "/opt/kafka/log_shipping/a.conf", "kafka", "/opt/kafka"
    ).splitlines()
    calls = [each for each in lines if each.startswith("SystemCallFilter=")]
    assert calls[1:] == ["SystemCallFilter=~@privileged @resources", "SystemCallFilter=sched_setscheduler"]


def test_systemd_understands_the_units(host: Host) -> None:
    host.ensure()
    units = sorted(map(str, host.units.glob("kafka-*.service")))
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if "/units/kafka-" in line] == []
