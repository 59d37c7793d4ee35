"""The collector's files on a host, and when there is something to do. systemd itself is met in a lab."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.monitoring.collector import Collector
from ansible.module_utils.kraft.node.files.parsed_properties import parse_properties
from ansible.module_utils.kraft.node.machine import accounts
from ansible.module_utils.kraft.node.other_services import collector_service, departed, unit_files

SETTINGS: dict[str, Any] = {
    "interval": 15,
    "program": "abc",
    "metrics": {},
    "client": {"bootstrap_servers": ["10.0.0.1:19092"]},
    "log_dirs": ["/data"],
    "exporter": {"binary": sys.executable, "listen": "10.0.0.1:9100"},
}


class Systemd:
    """Notes each command; nothing runs before it is started."""

    def __init__(self) -> None:
        self.running: set[str] = set()
        self.told: list[str] = []

    def __call__(self, command: list[str]) -> tuple[int, str, str]:
        words = command[command.index("systemctl") + 1 :]
        if words[0] == "is-active":
            return int(self.running.isdisjoint(words[2:])), "", ""  # one that runs is enough for it
        self.told.append(" ".join(words))
        if words[0] == "start":
            self.running.add(words[1])
        if words[0] in ("stop", "disable"):
            self.running -= {*words[1:]}
        return 0, "", ""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    units = tmp_path / "units"
    units.mkdir()
    monkeypatch.setattr(unit_files, "UNITS", str(units))
    return tmp_path


def ensure(run: Systemd, home: Path, settings: dict[str, Any], check_mode: bool = False) -> bool:
    return collector_service.ensure(run, settings, str(home), check_mode)


def test_it_runs_once_and_then_there_is_nothing_to_do(home: Path) -> None:
    systemd = Systemd()
    assert ensure(systemd, home, SETTINGS, check_mode=True)
    assert (systemd.told, list((home / "units").iterdir())) == ([], [])
    assert ensure(systemd, home, SETTINGS)
    assert systemd.running == set(collector_service.SERVICES)
    told = list(systemd.told)
    assert not ensure(systemd, home, SETTINGS)
    assert systemd.told == told


def test_it_loads_copies_of_what_it_logs_in_with_and_nothing_else_of_the_node(home: Path) -> None:
    node = home / "server.properties"
    node.write_text(
        "ssl.keystore.location=/tls/node.pem\nlistener.name.internal.ssl.truststore.location=/tls/nodes.pem\n"
        "ssl.key.password=k3y\nlistener.name.client.ssl.key.password=0ther\nssl.endpoint.identification.algorithm=\n"
    )
    client = {"bootstrap_servers": ["a:1"], "listener": "INTERNAL", "security_protocol": "SSL", "node": str(node)}
    systemd = Systemd()
    assert ensure(systemd, home, {**SETTINGS, "client": client})
    unit = (home / "units/kafka-collector.service").read_text()
    own, place = "/run/credentials/kafka-collector.service", home / "collector/node.properties"
    loaded = {"ssl.keystore.location": "/tls/node.pem", "ssl.truststore.location": "/tls/nodes.pem"}
    assert {line for line in unit.splitlines() if line.startswith("LoadCredential=")} == {
        f"LoadCredential={name}:{path}" for name, path in {**loaded, "node.properties": place}.items()
    }
    assert "\nGroup=" not in unit
    assert place.stat().st_mode & 0o777 == 0o600
    assert parse_properties(place.read_text()) == {
        **{name: f"{own}/{name}" for name in loaded},
        "ssl.key.password": "k3y",
        "ssl.endpoint.identification.algorithm": "",
    }
    found = json.loads((home / "collector/settings.json").read_text())
    assert (found["client"]["node"], found["copied"]) == (f"{own}/node.properties", True)
    assert not ensure(systemd, home, {**SETTINGS, "client": client})
    node.write_text("ssl.keystore.location=/tls/node.pem\nssl.key.password=n3w\n")
    assert ensure(systemd, home, {**SETTINGS, "client": client})
    ensure(systemd, home, {})
    assert not place.exists()


def test_without_certificates_it_loads_nothing(home: Path) -> None:
    ensure(Systemd(), home, SETTINGS)
    assert "LoadCredential" not in (home / "units/kafka-collector.service").read_text()


@pytest.mark.parametrize("copied", [True, False])
def test_one_that_can_ask_nothing_with_its_copies_ends_so_that_it_gets_others(home: Path, copied: bool) -> None:
    client = {"bootstrap_servers": ["127.0.0.1:1"]}
    looked = Collector({"client": client, "copied": copied, "directory": str(home), "interval": 1, "metrics": {}})
    looked.once()
    assert looked.lost is copied


def test_a_service_that_is_down_or_other_code_is_something_to_do(home: Path) -> None:
    systemd = Systemd()
    ensure(systemd, home, SETTINGS)
    systemd.running.discard(collector_service.EXPORTER)
    assert ensure(systemd, home, SETTINGS)
    assert systemd.running == set(collector_service.SERVICES)
    assert ensure(systemd, home, {**SETTINGS, "program": "def"})
    (home / "collector/collector.pyz").unlink()
    assert ensure(systemd, home, {**SETTINGS, "program": "def"})


def test_a_run_that_is_killed_before_the_start_is_finished_by_the_next(home: Path) -> None:
    class Killed(Systemd):
        def __call__(self, command: list[str]) -> tuple[int, str, str]:
            if "daemon-reload" in command:
                raise KeyboardInterrupt
            return super().__call__(command)

    systemd = Systemd()
    ensure(systemd, home, SETTINGS)
    killed = Killed()
    killed.running = systemd.running
    with pytest.raises(KeyboardInterrupt):
        ensure(killed, home, {**SETTINGS, "interval": 30})
    systemd.running = killed.running
    assert ensure(systemd, home, {**SETTINGS, "interval": 30})


def test_without_settings_nothing_is_left_and_a_host_that_never_had_it_is_not_touched(home: Path) -> None:
    systemd = Systemd()
    assert not ensure(systemd, home, {})
    assert systemd.told == []
    ensure(systemd, home, SETTINGS)
    assert ensure(systemd, home, {})
    assert systemd.running == set()
    assert [*(home / "units").iterdir(), *(home / "collector").iterdir()] == []
    assert not ensure(systemd, home, {})


@pytest.mark.parametrize("settings", [{}, SETTINGS], ids=["without", "with"])
def test_the_log_shipper_of_an_earlier_version_goes_and_its_lines_and_the_unit_of_others_stay(
    home: Path, settings: dict[str, Any]
) -> None:
    systemd = Systemd()
    ensure(systemd, home, settings)
    shipper, proxy = (Path(unit_files.unit_path(name)) for name in departed.SERVICES)
    shipper.write_text(f"{unit_files.MARK}; changes made here are lost.\n")
    proxy.write_text("[Unit]\nDescription=somebody else's\n")
    (home / "log_shipping").mkdir()
    (home / "log_shipping/rsyslog.conf").write_text("module(load='imfile')\n")
    assert ensure(systemd, home, settings, check_mode=True)
    assert shipper.exists()
    assert ensure(systemd, home, settings)
    assert "disable --now kafka-logs" in systemd.told
    assert (shipper.exists(), (home / "log_shipping").exists(), proxy.exists()) == (False, False, True)
    assert not ensure(systemd, home, settings)


def test_its_user_goes_with_it_although_an_earlier_run_has_left_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[list[str]] = []
    monkeypatch.setattr(accounts, "is_of_service", lambda name: [["userdel", name]] != told[-1:])

    def run(command: list[str]) -> tuple[int, str, str]:
        told.append(command)
        return 0, "", ""

    assert collector_service.ensure(run, {}, str(home), check_mode=True)
    assert told == []
    assert collector_service.ensure(run, {}, str(home), check_mode=False)
    assert told[-1] == ["userdel", "kafka-collector"]
    assert not collector_service.ensure(run, {}, str(home), check_mode=False)


def test_where_node_exporter_runs_already_ours_goes_and_the_collector_stays(home: Path) -> None:
    systemd = Systemd()
    ensure(systemd, home, SETTINGS)
    assert ensure(systemd, home, {**SETTINGS, "exporter": {}})
    assert systemd.running == {collector_service.COLLECTOR}
    assert not (home / "units/prometheus-node-exporter.service").exists()


def test_a_unit_that_another_user_wrote_is_refused_before_anything_is_written(home: Path) -> None:
    (home / "units/prometheus-node-exporter.service").write_text("[Service]\n")
    with pytest.raises(RefusedError, match="Kraftwright did not write it"):
        ensure(Systemd(), home, SETTINGS)
    assert not (home / "collector").exists()


def test_a_program_that_is_missing_is_something_to_do_and_refused(home: Path) -> None:
    settings = {**SETTINGS, "exporter": {**SETTINGS["exporter"], "binary": "/nowhere"}}
    assert collector_service.lacks_exporter(settings)
    with pytest.raises(RefusedError, match="is no program"):
        ensure(Systemd(), home, settings)


def test_systemd_understands_the_units(home: Path) -> None:
    ensure(Systemd(), home, SETTINGS)
    units = sorted(map(str, (home / "units").iterdir()))
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if "/units/" in line] == []
    assert done.returncode == 0, done.stderr


def test_the_program_runs_by_itself(tmp_path: Path) -> None:
    assert collector_service.program() == collector_service.program()
    path = tmp_path / "collector.pyz"
    path.write_bytes(collector_service.program())
    names = zipfile.ZipFile(io.BytesIO(path.read_bytes())).namelist()
    assert "ansible/module_utils/kraft/monitoring/lag.py" in names
    done = subprocess.run(
        [sys.executable, "-I", str(path), str(tmp_path / "none.json")],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"]},
    )
    assert "FileNotFoundError" in done.stderr
    assert "none.json" in done.stderr
