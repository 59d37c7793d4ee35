"""MirrorMaker's files on a host, and when there is something to do. systemd itself is met in a lab."""

from __future__ import annotations

import dataclasses
import os
import socket
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.files.parsed_properties import parse_properties
from ansible.module_utils.kraft.node.other_services import mirror_service, mirror_workers, unit_files
from ansible.module_utils.kraft.node.other_services.mirror_service import Settings
from ansible.module_utils.kraft.operations.mirror import definitions
from ansible.module_utils.kraft.spec.inventory.definitions import of_mirror

from tests.integration.certificates import certify

LOGIN = 'o.a.ScramLoginModule required username="u" password="c4n4ry";'


class Systemd:
    """Notes each command; nothing runs before it is started."""

    def __init__(self) -> None:
        self.runs = False
        self.pid = 0
        self.told: list[str] = []

    def __call__(self, command: list[str]) -> tuple[int, str, str]:
        words = command[command.index("systemctl") + 1 :]
        if words[0] == "is-active":
            return int(not self.runs), "", ""
        if words[0] == "show":
            return 0, f"{self.pid}\n", ""
        self.told.append(words[0])
        self.runs = words[0] == "start" or (self.runs and words[0] not in ("stop", "disable"))
        return 0, "", ""


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    (tmp_path / "units").mkdir()
    monkeypatch.setattr(unit_files, "UNITS", str(tmp_path / "units"))
    for name in ("releases/4.3.1/libs", "current/config"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "releases/4.3.1/libs/connect-mirror-4.3.1.jar").touch()
    (tmp_path / "current/config/server.properties").write_text("ssl.key.password=n0de\nssl.keystore.location=/k.pem\n")
    return Settings(
        install_dir=str(tmp_path),
        release="4.3.1",
        java="/usr/bin/java",
        properties={"clusters": "old, target", "old.bootstrap.servers": "old1:9092"},
        listener="INTERNAL",
        protocol="SSL",
        servers=("10.0.0.1:19092", "10.0.0.2:19092"),
        address="10.0.0.1",
        port=8083,
        hosts=1,
        heap_mb=300,
        secrets={"old.sasl.jaas.config": LOGIN},
    )


def ensure(run: Systemd, settings: Settings, **more: Any) -> bool:
    refuse = partial(definitions.refuse, definitions={"mirror": of_mirror("4.3.1"), "topic": {"compression.type": ""}})
    restart, check_mode = more.get("restart", False), more.get("check_mode", False)
    return bool(mirror_service.ensure(run, settings, refuse, restart, check_mode)["changed"])


def test_it_runs_once_and_then_there_is_nothing_to_do(settings: Settings) -> None:
    systemd = Systemd()
    assert ensure(systemd, settings)
    assert systemd.told == ["stop", "daemon-reload", "enable", "start"]
    assert not ensure(systemd, settings)
    assert ensure(systemd, settings, restart=True)
    systemd.runs = False
    assert ensure(systemd, settings)
    assert ensure(systemd, dataclasses.replace(settings, heap_mb=400))


def test_a_setting_that_kafka_would_refuse_is_refused_before_anything_changes(settings: Settings) -> None:
    systemd = Systemd()
    wrong = {**settings.properties, "old.ssl.truststore.tpye": "PEM", "old.consumer.fetch.max.bytes": "much"}
    with pytest.raises(RefusedError) as refused:
        ensure(systemd, dataclasses.replace(settings, properties=wrong))
    assert [str(one).split(". ")[0] for one in refused.value.problems] == [
        "mirror.properties: old.consumer.fetch.max.bytes: The value is not a whole number: "
        "give a whole number of at least 0",
        "mirror.properties: old.ssl.truststore.tpye is no setting of MirrorMaker",
    ]
    assert systemd.told == []
    assert not Path(settings.home).exists()


@pytest.mark.parametrize("address", ["", "127.0.0.1"])
def test_a_port_of_another_owner_is_refused_where_workers_meet(settings: Settings, address: str) -> None:
    systemd = Systemd()
    with socket.create_server((address, 0)) as other:
        port = other.getsockname()[1]
        assert ensure(systemd, dataclasses.replace(settings, port=port), check_mode=True)  # alone it listens nowhere
        many = dataclasses.replace(settings, port=port, hosts=2)
        if not address:
            with pytest.raises(RefusedError, match=f"kafka_mirror_port: {port} is held by .*{os.getpid()}"):
                ensure(systemd, many)
            systemd.pid = os.getpid()  # its own of the run before
        assert ensure(systemd, many)


def test_check_mode_writes_nothing(settings: Settings) -> None:
    systemd = Systemd()
    assert ensure(systemd, settings, check_mode=True)
    assert systemd.told == []
    assert not Path(settings.home).exists()


def test_secrets_stand_in_one_file_that_others_cannot_read(settings: Settings) -> None:
    ensure(Systemd(), settings)
    home = Path(settings.home)
    held = parse_properties((home / mirror_service.SECRETS).read_text())
    assert held == {"old.sasl.jaas.config": LOGIN, "target.ssl.key.password": "n0de"}
    assert (home / mirror_service.SECRETS).stat().st_mode & 0o777 == 0o600
    others = "".join(
        path.read_text()
        for path in (home / "mirror.properties", home / "log4j2.yaml", Path(mirror_service.unit_path()))
    )
    assert "c4n4ry" not in others
    assert "n0de" not in others
    given = parse_properties((home / "mirror.properties").read_text())
    assert given["old.sasl.jaas.config"] == f"${{file:{settings.copies}/{mirror_service.SECRETS}:old.sasl.jaas.config}}"
    assert given["target.ssl.keystore.location"] == f"{settings.copies}/target.ssl.keystore.location"
    assert "LoadCredential=target.ssl.keystore.location:/k.pem\n" in others
    assert "\nGroup=" not in others
    assert given["target.bootstrap.servers"] == "10.0.0.1:19092,10.0.0.2:19092"


def test_workers_of_several_hosts_reach_each_other_and_one_alone_listens_nowhere(settings: Settings) -> None:
    assert mirror_service.worker(settings, {}) == {"dedicated.mode.enable.internal.rest": "false"}
    several = mirror_service.worker(dataclasses.replace(settings, hosts=3, protocol="PLAINTEXT"), {})
    assert several["listeners"] == "http://10.0.0.1:8083"
    assert several["dedicated.mode.enable.internal.rest"] == "true"


@pytest.fixture
def server(tmp_path: Path) -> dict[str, str]:
    """The settings of a node with certificates for its listeners, and their files."""
    certify(tmp_path)
    return {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": f"{tmp_path}/node.pem",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": f"{tmp_path}/ca.pem",
        "advertised.listeners": "CLIENT://a.example.org:9092,INTERNAL://b.example.org:19092",
        "listener.security.protocol.map": "CLIENT:SSL,INTERNAL:SSL",
    }


def test_workers_show_the_nodes_certificate_and_answer_those_of_nodes(
    settings: Settings, server: dict[str, str], tmp_path: Path
) -> None:
    given, secrets = mirror_service.properties(several := dataclasses.replace(settings, hosts=3), server)
    assert given["listeners"] == "https://10.0.0.1:8083"
    assert given["rest.advertised.listener"] == "https"
    assert given["rest.advertised.host.name"] == "b.example.org"  # a name in the certificate
    assert given["listeners.https.ssl.client.auth"] == "required"
    for store in ("keystore", "truststore"):
        assert given[f"listeners.https.ssl.{store}.type"] == "JKS"
        assert given[f"listeners.https.ssl.{store}.location"] == f"{settings.copies}/workers.jks"
        assert secrets[f"listeners.https.ssl.{store}.password"]
    other = mirror_service.worker(several, {**server, "ssl.keystore.type": "PKCS12"})  # which Connect reads itself
    assert other["listeners.https.ssl.keystore.location"] == f"{settings.copies}/target.ssl.keystore.location"
    assert f"LoadCredential=workers.jks:{tmp_path}/mirror/workers.jks\n" in mirror_service.unit(several, server)


def test_the_keystore_of_workers_follows_the_certificate(
    settings: Settings, server: dict[str, str], tmp_path: Path
) -> None:
    several, systemd = dataclasses.replace(settings, hosts=2), Systemd()
    lines = mirror_service.lines(server)
    (tmp_path / "current/config/server.properties").write_text(lines)
    assert ensure(systemd, several)
    store = Path(settings.home, "workers.jks")
    assert store.stat().st_mode & 0o777 == 0o600
    assert not ensure(systemd, several)
    before = store.read_bytes()
    certify(tmp_path)
    mirror_workers.renew(mirror_service.SERVICE)
    assert store.read_bytes() != before
    assert not ensure(systemd, several)
    certify(tmp_path)
    assert ensure(systemd, several)
    (tmp_path / "node.pem").write_text("-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END ENCRYPTED PRIVATE KEY-----\n")
    with pytest.raises(RefusedError, match="PKCS#8"):
        ensure(systemd, several, check_mode=True)
    assert mirror_service.remove(systemd, settings.install_dir, False)["changed"]
    assert not Path(settings.home).exists()


def test_it_goes_without_a_trace_and_a_cut_removal_goes_on(settings: Settings) -> None:
    systemd = Systemd()
    ensure(systemd, settings)
    os.unlink(f"{settings.home}/log4j2.yaml")
    assert mirror_service.remove(systemd, settings.install_dir, False)["changed"]
    assert not systemd.runs
    assert not Path(settings.home).exists()
    assert not Path(mirror_service.unit_path()).exists()
    assert not mirror_service.remove(systemd, settings.install_dir, False)["changed"]


@pytest.mark.parametrize("of_service", [True, False])
def test_only_the_user_that_the_role_makes_goes_with_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, of_service: bool
) -> None:
    monkeypatch.setattr("ansible.module_utils.kraft.node.machine.accounts.is_of_service", lambda _: of_service)
    asked: list[list[str]] = []

    def run(command: list[str]) -> tuple[int, str, str]:
        asked.append(command)
        return 0, "", ""

    assert mirror_service.remove(run, settings.install_dir, False)["changed"] is of_service
    assert asked == ([["userdel", "kafka-mirror"]] if of_service else [])


def test_what_a_killed_run_has_left_beside_its_files_goes_with_them(settings: Settings) -> None:
    ensure(Systemd(), settings)
    left = Path(settings.home, ".kraftwright-secrets.properties")
    left.write_text("half")
    assert mirror_service.remove(Systemd(), settings.install_dir, False)["changed"]
    assert not Path(settings.home).exists()


def test_files_that_others_keep_beside_it_stay_and_stop_no_removal(settings: Settings) -> None:
    ensure(Systemd(), settings)
    kept = Path(settings.home, "old-ca.pem")
    kept.write_text("of the source")
    systemd = Systemd()
    assert mirror_service.remove(systemd, settings.install_dir, False)["changed"]
    assert [path.name for path in Path(settings.home).iterdir()] == ["old-ca.pem"]
    assert not Path(mirror_service.unit_path()).exists()
    assert not mirror_service.remove(systemd, settings.install_dir, False)["changed"]
    kept.unlink()
    assert mirror_service.remove(systemd, settings.install_dir, False)["changed"]
    assert not Path(settings.home).exists()


def test_a_unit_of_another_owner_and_an_archive_without_it_are_refused(settings: Settings) -> None:
    Path(mirror_service.unit_path()).write_text("[Service]\n")
    with pytest.raises(RefusedError, match="Kraftwright did not write it"):
        ensure(Systemd(), settings)
    os.unlink(f"{settings.libs}/connect-mirror-4.3.1.jar")
    for check_mode in (True, False):
        with pytest.raises(RefusedError, match="no MirrorMaker"):
            ensure(Systemd(), settings, check_mode=check_mode)


def test_check_mode_passes_over_a_release_that_is_not_unpacked_yet(settings: Settings) -> None:
    awaited = dataclasses.replace(settings, release="4.3.9")
    assert ensure(Systemd(), awaited, check_mode=True)
    with pytest.raises(RefusedError, match=r"releases/4\.3\.9/libs has no MirrorMaker"):
        ensure(Systemd(), awaited)
