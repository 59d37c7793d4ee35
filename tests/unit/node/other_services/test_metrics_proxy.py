"""The proxies' files on a host, and when there is something to do. stunnel and systemd are met in a lab."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.errors import RefusedError, ToolError
from ansible.module_utils.kraft.node.machine import accounts
from ansible.module_utils.kraft.node.other_services import metrics_proxy, stunnel_common, unit_files

AGENT = {"name": "metrics", "address": "10.0.0.1", "port": 9404, "user": "prometheus", "behind": "kafka"}
BESIDE = {**AGENT, "name": "collector", "port": 9100, "behind": "prometheus-node-exporter"}
SETTINGS: dict[str, Any] = {"directory": "/opt/kafka/tls", "log_dirs": ["/data/1"], "proxies": [AGENT, BESIDE]}


class Host:
    """Units, what runs, and which proxies show something else than the node has."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.units = home / "units"
        self.running: set[str] = set()
        self.stale: set[str] = set()
        self.told: list[str] = []

    def __call__(self, command: list[str]) -> tuple[int, str, str]:
        words = command[command.index("systemctl") + 1 :]
        if words[0] == "is-active":
            return int(words[2] not in self.running), "", ""
        if words[0] == "show":
            return 0, "77\n" if words[-1] in self.running else "0\n", ""
        self.told.append(" ".join(words))
        if words[0] == "enable":
            (proxy,) = [each for each in (AGENT, BESIDE) if metrics_proxy.SERVICES[str(each["name"])] == words[1]]
            link = Path(metrics_proxy.link_path(proxy))
            link.parent.mkdir(exist_ok=True)
            link.touch()
        if words[0] == "disable":
            self.running -= set(words[2:])
            for link in self.units.glob("*.wants/*"):
                if link.name.removesuffix(".service") in words[2:]:
                    link.unlink()
        if words[0] == "start" and self.is_free(words[1]):
            self.running.add(words[1])
        if words[0] == "restart":
            self.stale.discard(words[1])
        return 0, "", ""

    def is_free(self, service: str) -> bool:
        (proxy,) = [each for each in (AGENT, BESIDE) if metrics_proxy.SERVICES[str(each["name"])] == service]
        return metrics_proxy.is_free(proxy)

    def move(self, address: str) -> None:
        """The exporters were started there."""
        (self.home / "started/jvm.options").write_text(f"-javaagent:/a.jar={address}:9404:/m.yml\n")
        unit = f"ExecStart=/e --web.listen-address={address}:9100 --collector\n"
        (self.units / "prometheus-node-exporter.service").write_text(unit)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    for name in ("units", "started"):
        (tmp_path / name).mkdir()
    host = Host(tmp_path)
    monkeypatch.setattr(unit_files, "UNITS", str(host.units))
    monkeypatch.setattr(metrics_proxy, "STARTED_DIR", str(tmp_path / "started"))
    monkeypatch.setattr(metrics_proxy, "SECONDS", 0.0)
    monkeypatch.setattr(stunnel_common, "PROGRAMS", ("/bin/true",))
    services = metrics_proxy.SERVICES
    monkeypatch.setattr(metrics_proxy, "is_stale", lambda _, proxy, __: services[proxy["name"]] in host.stale)
    return host


def ensure(host: Host, settings: dict[str, Any], check_mode: bool = False) -> bool:
    return metrics_proxy.ensure(host, settings, str(host.home), check_mode)


def test_they_run_once_and_then_there_is_nothing_to_do(host: Host) -> None:
    host.move("127.0.0.1")
    assert ensure(host, SETTINGS, check_mode=True)
    assert host.told == []
    assert ensure(host, SETTINGS)
    assert host.running == set(metrics_proxy.SERVICES.values())
    told = list(host.told)
    assert not ensure(host, SETTINGS)
    assert host.told == told


def test_where_an_exporter_has_not_moved_its_proxy_waits_and_that_is_nothing_to_do(host: Host) -> None:
    host.move("10.0.0.1")
    assert ensure(host, SETTINGS)
    assert host.running == set()
    assert not ensure(host, SETTINGS)
    host.running.add("kafka-metrics-proxy")  # it would keep the agent from its address
    assert ensure(host, SETTINGS)
    assert host.running == set()


def test_a_proxy_that_is_down_or_shows_another_certificate_is_something_to_do(host: Host) -> None:
    host.move("127.0.0.1")
    ensure(host, SETTINGS)
    host.running.discard("kafka-metrics-proxy")
    assert ensure(host, SETTINGS)
    host.stale.add("kafka-collector-proxy")
    assert metrics_proxy.due(host, SETTINGS, str(host.home))


def test_only_what_shows_another_certificate_is_reloaded(host: Host) -> None:
    host.move("127.0.0.1")
    ensure(host, SETTINGS)
    assert not metrics_proxy.reload(host, SETTINGS, check_mode=False)
    host.stale.add("kafka-collector-proxy")
    assert metrics_proxy.reload(host, SETTINGS, check_mode=True)
    assert metrics_proxy.reload(host, SETTINGS, check_mode=False)
    assert [each for each in host.told if each.startswith("restart")] == ["restart kafka-collector-proxy"]


def test_a_renewal_waits_for_no_proxy_that_is_not_set_up_yet_or_cannot_run(host: Host) -> None:
    there_before = {**BESIDE, "behind": ""}
    host.move("127.0.0.1")
    assert not metrics_proxy.reload(host, {**SETTINGS, "proxies": [AGENT, there_before]}, check_mode=False)
    host.move("10.0.0.1")
    host.running.add("kafka-metrics-proxy")
    assert not metrics_proxy.reload(host, SETTINGS, check_mode=False)


def test_processes_of_proxies_are_known_as_long_as_their_units_are_there(host: Host) -> None:
    assert metrics_proxy.pids(host) == []
    host.move("127.0.0.1")
    ensure(host, SETTINGS)
    assert metrics_proxy.pids(host) == [77, 77]
    host.running.discard("kafka-metrics-proxy")
    assert metrics_proxy.pids(host) == [77]
    ensure(host, {})
    host.running.add("kafka-metrics-proxy")
    assert metrics_proxy.pids(host) == []


def test_one_that_does_not_answer_is_named_with_the_journal_to_read(host: Host) -> None:
    host.move("127.0.0.1")
    ensure(host, SETTINGS)
    host.running.clear()
    with pytest.raises(ToolError, match=r"kafka-metrics-proxy on 10\.0\.0\.1:9404.*journalctl"):
        metrics_proxy.await_answers(host, SETTINGS)


def test_no_one_waits_for_a_proxy_that_no_deployment_has_brought_yet(host: Host) -> None:
    there_before = {**SETTINGS, "proxies": [{**BESIDE, "behind": ""}]}
    host.move("127.0.0.1")
    metrics_proxy.await_answers(host, there_before)
    ensure(host, there_before)
    host.running.clear()
    with pytest.raises(ToolError, match="kafka-collector-proxy"):
        metrics_proxy.await_answers(host, there_before)


def test_without_settings_nothing_is_left_and_a_host_that_never_had_one_is_not_touched(host: Host) -> None:
    assert not ensure(host, {})
    assert host.told == []
    host.move("127.0.0.1")
    ensure(host, SETTINGS)
    assert ensure(host, {})
    assert host.running == set()
    left = [path.name for path in host.units.glob("**/*") if "proxy" in path.name]
    assert (left, list((host.home / "metrics_proxy").iterdir())) == ([], [])
    assert not ensure(host, {})


def test_the_user_goes_with_the_last_proxy_although_an_earlier_run_has_left_it(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = {"kafka-metrics"}
    monkeypatch.setattr(accounts, "is_of_service", lambda name: name in there)
    monkeypatch.setattr(accounts, "remove_user", lambda _, name: there.remove(name))
    host.move("127.0.0.1")
    ensure(host, SETTINGS)
    assert not ensure(host, SETTINGS)
    assert ensure(host, {}, check_mode=True)
    assert there
    assert ensure(host, {})
    assert not there
    assert not ensure(host, {})


def test_stunnel_that_is_missing_and_a_unit_of_another_owner_are_refused(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    (host.units / "kafka-metrics-proxy.service").write_text("[Service]\n")
    with pytest.raises(RefusedError, match="Kraftwright did not write it"):
        ensure(host, SETTINGS)
    monkeypatch.setattr(stunnel_common, "PROGRAMS", ("/nowhere",))
    with pytest.raises(RefusedError, match="stunnel is not installed"):
        ensure(host, SETTINGS)


def test_clients_must_show_a_certificate_and_be_the_user() -> None:
    lines = metrics_proxy.config_text(AGENT, "/tls").splitlines()
    asked = {"verifyChain = yes", "requireCert = yes", "CAfile = /tls/clients.pem", "checkHost = prometheus"}
    assert asked <= set(lines)
    assert {"accept = 10.0.0.1:9404", "connect = 127.0.0.1:9404", "cert = /tls/node.pem"} <= set(lines)


def test_a_proxy_sees_no_data_of_kafka() -> None:
    lines = metrics_proxy.unit_text(AGENT, SETTINGS, "/opt/kafka").splitlines()
    loaded = {f"LoadCredential={name}:/opt/kafka/tls/{name}" for name in ("node.pem", "clients.pem")}
    assert {"User=kafka-metrics", "InaccessiblePaths=-/data/1", *loaded} <= set(lines)
    assert not [line for line in lines if line.startswith(("Group=", "SupplementaryGroups="))]


def test_systemd_understands_the_units(host: Host) -> None:
    ensure(host, SETTINGS)
    units = sorted(map(str, host.units.glob("kafka-*.service")))
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if "/units/kafka-" in line] == []
