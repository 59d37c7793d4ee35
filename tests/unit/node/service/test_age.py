"""A process that is older than a certificate of its node is restarted."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from ansible.module_utils.kraft.node import certificate
from ansible.module_utils.kraft.node.service import age
from ansible.module_utils.kraft.node.service.plan import NodeState
from ansible.module_utils.kraft.node.service.staging import Place
from ansible.module_utils.kraft.node.service.unit_state import Run, ServiceState


def openssl(code: int = 0) -> Run:
    """Answer whether the certificate that the process was started with is good for long."""
    return lambda _: (code, "", "")


def node(started: float, pid: int = 7) -> NodeState:
    """A node whose process was started `seconds` ago."""
    return NodeState(ServiceState(pid=pid, started_at_us=int((time.monotonic() - started) * 1e6)), "4.3.1")


def place(install_dir: Path) -> Place:
    return Place("kafka", str(install_dir), "4.3.1")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Certificates of ten seconds ago, and what a run has left."""
    directory = tmp_path / "tls"
    directory.mkdir()
    for name in ("node.pem", "nodes.pem", "pending.key"):
        path = directory / name
        path.write_text("")
        os.utime(path, (time.time() - 10, time.time() - 10))
    os.utime(directory / "pending.key")
    return directory


@pytest.mark.parametrize(("started", "newer"), [(5.0, []), (600.0, ["node.pem", "nodes.pem"])])
def test_files_that_are_newer_than_the_process_differ(directory: Path, started: float, newer: list[str]) -> None:
    found = age.with_certificates(openssl(), node(started), place(directory.parent), due=False)
    assert [one.file for one in found.differences] == [str(directory / name) for name in newer]


def test_a_link_without_a_target_does_not_hide_the_other_files(directory: Path) -> None:
    for name in ("a.pem", "n.pem", "z.pem"):
        (directory / name).symlink_to("nowhere")
    found = age.with_certificates(openssl(), node(600.0), place(directory.parent), due=False)
    assert [one.file for one in found.differences] == [str(directory / name) for name in ("node.pem", "nodes.pem")]


def test_check_mode_predicts_the_restart_for_a_certificate_that_is_due(directory: Path) -> None:
    found = age.with_certificates(openssl(), node(5.0), place(directory.parent), due=True)
    assert [one.file for one in found.differences] == [str(directory / "node.pem")]


@pytest.mark.parametrize("due", [True, False])
def test_a_node_that_is_down_has_nothing_to_restart(directory: Path, due: bool) -> None:
    assert age.with_certificates(openssl(), node(600.0, pid=0), place(directory.parent), due).differences == ()


def test_a_node_without_certificates_differs_in_nothing(tmp_path: Path) -> None:
    assert age.with_certificates(openssl(), node(5.0), place(tmp_path / "none"), due=False).differences == ()


@pytest.mark.parametrize(("kept", "good", "newer"), [(True, 0, []), (True, 1, ["node.pem"]), (False, 0, ["node.pem"])])
def test_what_a_process_was_renewed_with_while_it_ran_is_no_difference(
    directory: Path, monkeypatch: pytest.MonkeyPatch, kept: bool, good: int, newer: list[str]
) -> None:
    monkeypatch.setattr(certificate, "STARTED_DIR", str(directory.parent))
    (directory / "nodes.pem").unlink()
    if kept:
        (directory.parent / certificate.OF_PROCESS).touch()
    found = age.with_certificates(openssl(good), node(600.0), place(directory.parent), due=False)
    assert [Path(one.file).name for one in found.differences] == newer


@pytest.mark.parametrize("due", [True, False])
@pytest.mark.parametrize(
    ("settings", "differs"),
    [("listeners=CLIENT://:9092", False), ("listener.name.client.ssl.keystore.location=/k/tls/node.pem", True)],
)
def test_a_process_that_reads_no_certificate_is_not_restarted_for_one(
    directory: Path, monkeypatch: pytest.MonkeyPatch, settings: str, differs: bool, due: bool
) -> None:
    monkeypatch.setattr(certificate, "STARTED_DIR", str(directory.parent))
    (directory.parent / certificate.STARTED).write_text(f"node.id=1\n{settings}\n")
    found = age.with_certificates(openssl(1), node(600.0), place(directory.parent), due)
    assert bool(found.differences) == differs


@pytest.mark.parametrize(("loaded", "newer"), [(True, []), (False, ["clients.pem"])])
def test_authorities_of_clients_that_a_process_has_loaded_are_no_difference(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loaded: bool, newer: list[str]
) -> None:
    monkeypatch.setattr(certificate, "STARTED_DIR", str(tmp_path))
    one, other = (f"-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n" for text in ("a", "b"))
    (directory / "clients.pem").write_text(one + other)
    (tmp_path / certificate.LOADED).write_text(other + one if loaded else one)
    found = age.with_certificates(openssl(), node(5.0), place(directory.parent), due=False)
    assert [Path(one.file).name for one in found.differences] == newer
