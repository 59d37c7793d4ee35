"""Diagnostics that are collected of a host, without any secret."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.module_utils.kraft.node import support
from ansible.module_utils.kraft.node.other_services import unit_files

SECRET = "drawn-for-this-test"  # noqa: S105 - opens nothing
PROPERTIES = f"""node.id=1
listener.name.client.plain.sasl.jaas.config=org.example.Login required username="a" password="{SECRET}-login";
ssl.key.password={SECRET}
listeners=PRIVATE://10.0.0.1:9092
"""


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in ("kafka/config", "log", "data/t-0"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "kafka/config/server.properties").write_text(PROPERTIES)
    (tmp_path / "kafka/config/contributed.txt").write_text(SECRET)
    (tmp_path / "log/server.log").write_text(f"plain line\nsaid {SECRET}-login aloud\npassword=another-one\n")
    (tmp_path / "data/meta.properties").write_text("node.id=1\n")
    (tmp_path / "data/t-0/0.log").write_bytes(b"x" * 9000)
    monkeypatch.setattr(support, "STARTED_DIR", str(tmp_path / "nothing"))
    monkeypatch.setattr(unit_files, "UNITS", str(tmp_path))
    return tmp_path


def run(command: list[str]) -> tuple[int, str, str]:
    if "uptime" in command:
        raise OSError("is not there")
    return (0, f"{command[2]} knows {SECRET}\n", "") if "journalctl" in command else (3, "said\n", "failed\n")


def collected(host: Path) -> dict[str, str]:
    given = {
        "install_dir": str(host / "kafka"),
        "log4j_dir": str(host / "log"),
        "log_dirs": [str(host / "data"), str(host / "missing")],
        "java": "/usr/bin/java",
        "unit": "kraft-none",
        "sysctl_file": str(host / "none"),
    }
    return support.collect(run, given)


def test_files_of_settings_logs_and_answers_are_there_without_a_secret(host: Path) -> None:
    found = collected(host)
    assert not [name for name, text in found.items() if SECRET in text or "another-one" in text]
    assert "node.id=1\n" in found["config/server.properties"]
    assert "ssl.key.password=(hidden)\n" in found["config/server.properties"]
    assert "listeners=PRIVATE://10.0.0.1:9092\n" in found["config/server.properties"]
    assert found["logs/server.log"] == "plain line\nsaid (hidden) aloud\n(hidden)\n"
    assert found["service/journal"] == "journalctl knows (hidden)\n"
    assert found["service/threads"] == "not running\n"
    assert not [name for name in found if "contributed" in name]


def test_a_secret_is_hidden_as_java_reads_it(host: Path) -> None:
    (host / "kafka/config/server.properties").write_text(r"ssl.key.password=back\\slash\:secret" + "\n")
    (host / "log/server.log").write_text(r"said back\slash:secret and back\\slash\:secret" + "\n")
    assert collected(host)["logs/server.log"] == "said (hidden) and (hidden)\n"


def test_services_beside_kafka_give_their_journals_where_they_are(host: Path) -> None:
    for name in ("kafka-metrics-proxy", "kafka-collector"):
        (host / f"{name}.service").touch()
    found = collected(host)
    journals = {name for name in found if name.startswith("service/journal_")}
    assert journals == {f"service/journal_kafka-{name}" for name in ("metrics-proxy", "collector")}
    assert not [name for name in journals if SECRET in found[name]]


def test_what_a_host_lacks_is_said_and_stops_nothing(host: Path) -> None:
    found = collected(host)
    assert found["host/uptime"] == "uptime: is not there\n"
    assert found["host/kernel"] == "said\nfailed\n\n(uname -a ended with 3)\n"
    assert found["log_dirs/1/usage"].endswith("missing: 0 bytes in 0 entries\n")
    assert "config/live.json" not in found


def test_usage_names_the_largest_first(host: Path) -> None:
    (host / "data/u-0").mkdir()
    (host / "data/u-0/0.log").write_bytes(b"x" * 90_000)
    lines = collected(host)["log_dirs/0/usage"].splitlines()
    assert "in 3 entries" in lines[0]
    assert [line.split()[1] for line in lines[1:]] == ["u-0", "t-0", "meta.properties"]


def test_of_a_long_log_the_last_whole_lines_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("".join(f"line {number}\n" for number in range(1000)))
    assert support.tail(str(path), 20) == "line 998\nline 999\n"
    assert support.tail(str(path)).startswith("line 0\n")
    assert not support.tail(str(tmp_path / "none"))


def test_secrets_of_earlier_starts_and_releases_are_hidden_in_logs(host: Path) -> None:
    for folder, value in (("previous", "before-last-5"), ("releases/4.2.0/config", "old-one-77")):
        (host / "kafka" / folder).mkdir(parents=True)
        (host / "kafka" / folder / "server.properties").write_text(f"adv.plugin={value}\n")
    (host / "log/server.log").write_text("said before-last-5 and old-one-77\n")
    assert collected(host)["logs/server.log"] == "said (hidden) and (hidden)\n"


def test_settings_of_unknown_plugins_are_hidden_and_those_of_kafka_shown(host: Path) -> None:
    (host / "kafka/config/server.properties").write_text(f"adv.plugin={SECRET}\nadv.enabled=true\nnum.io.threads=8\n")
    found = collected(host)
    assert found["config/server.properties"] == "adv.plugin=(hidden)\nadv.enabled=true\nnum.io.threads=8\n"
    assert found["service/journal"] == "journalctl knows (hidden)\n"
