"""The authority of a receiver of logs, as a file of the control machine."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.control import authority, log_authority

NOW = datetime.datetime.now(datetime.timezone.utc)


@pytest.fixture
def roots(tmp_path: Path) -> Path:
    place = authority.Place(tmp_path / "authority", "a long passphrase")
    authority.ensure(place, "demo")
    path = tmp_path / "roots.pem"
    path.write_text("".join(authority.certificates(place.directory).values()))
    return path


def test_certificates_and_nothing_else_are_sound(roots: Path) -> None:
    assert log_authority.fault(str(roots), NOW) == ""


def test_what_cannot_be_given_to_nodes_is_named(roots: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").touch()
    (tmp_path / "key.pem").write_text("-----BEGIN PRIVATE KEY-----\n")
    said = {
        "roots.pem": "is no absolute path",
        f"{tmp_path}/nowhere.pem": "cannot be read: No such file or directory",
        f"{tmp_path}/empty.pem": "holds no certificate",
        f"{tmp_path}/key.pem": "holds a private key, and every node gets a copy",
    }
    assert {path: log_authority.fault(path, NOW) for path in said} == said
    assert "ended on" in log_authority.fault(str(roots), NOW + datetime.timedelta(days=36500))


def test_only_files_that_are_named_and_faulty_are_told(roots: Path) -> None:
    hosts: list[dict[str, Any]] = [
        {"kafka_contribution_logs": {"logs": {"authority": str(roots)}}, "kafka_contribution_other": "text"},
        {"kafka_contribution_logs": {"logs": {"authority": "/nowhere"}}},
        {"kafka_contribution_logs": {"logs": {"authority": ""}}},
    ]
    assert log_authority.faults(hosts) == {"/nowhere": "cannot be read: No such file or directory"}
