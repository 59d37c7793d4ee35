"""One inspection finds for each step whether it would change anything, and changes nothing."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node import steps
from ansible.module_utils.kraft.node.other_services import metrics_proxy

DIGEST = hashlib.sha256(b"zip").hexdigest()


def run(*_: Any, **__: Any) -> tuple[int, str, str]:
    return 1, "", ""


def predict(name: str, **asked: Any) -> dict[str, Any]:
    return steps.observe(run, {name: asked})[name]


def directory(path: Path) -> dict[str, Any]:
    return {"path": str(path), "owner": str(os.geteuid()), "group": str(os.getegid()), "mode": "0750"}


def test_directory_that_is_missing_or_differs_is_something_to_do(tmp_path: Path) -> None:
    path = tmp_path / "kraft"
    asked: dict[str, Any] = {"directories": [directory(path)], "links": []}
    assert predict("directories", **asked)["changed"]
    assert not path.exists()
    path.mkdir(mode=0o750)
    assert not predict("directories", **asked)["changed"]
    path.chmod(0o700)
    assert predict("directories", **asked)["changed"]


def test_link_that_leads_elsewhere_is_something_to_do(tmp_path: Path) -> None:
    link = tmp_path / "bin"
    link.symlink_to("current/bin")
    for target, changed in (("current/bin", False), ("other/bin", True)):
        found = predict("directories", directories=[], links=[{"path": str(link), "target": target}])
        assert found["changed"] is changed
    assert os.readlink(link) == "current/bin"


@pytest.mark.parametrize(
    ("content", "mode", "digest", "changed"),
    [
        (b"zip", 0o644, DIGEST, False),
        (b"other", 0o644, DIGEST, True),
        (b"zip", 0o600, DIGEST, True),
        (b"zip", 0o644, "", True),
    ],
)
def test_client_that_differs_is_something_to_do(
    tmp_path: Path, content: bytes, mode: int, digest: str, changed: bool
) -> None:
    path = tmp_path / "kafka_python.zip"
    path.write_bytes(content)
    path.chmod(mode)
    assert predict("client", path=str(path), digest=digest)["changed"] is changed


def test_client_that_is_missing_or_a_link_is_something_to_do(tmp_path: Path) -> None:
    path, real = tmp_path / "kafka_python.zip", tmp_path / "real.zip"
    assert predict("client", path=str(path), digest=DIGEST)["changed"]
    real.write_bytes(b"zip")
    path.symlink_to(real)
    assert predict("client", path=str(path), digest=DIGEST)["changed"]


def test_agent_that_is_missing_or_differs_is_something_to_do(tmp_path: Path) -> None:
    first, second = ({"path": str(tmp_path / name), "digest": DIGEST} for name in ("1.jar", "2.jar"))
    (tmp_path / "1.jar").write_bytes(b"zip")
    (tmp_path / "1.jar").chmod(0o644)
    assert not predict("agents", files=[first])["changed"]
    assert predict("agents", files=[first, second])["changed"]
    assert predict("agents", files=[{**first, "digest": "0" * 64}])["changed"]


def test_release_that_is_missing_is_something_to_do(tmp_path: Path) -> None:
    assert predict("release", install_dir=str(tmp_path), version="4.3.1", checksum=f"sha256:{'a' * 64}")["changed"]


def test_log_dir_without_a_format_is_something_to_do(tmp_path: Path) -> None:
    asked = {"node_id": 1, "cluster_id": "YmVuY2htYXJrLWNsdXN0ZQ", "roles": ["broker"], "quorum": "dynamic"}
    assert predict("storage", **asked, log_dirs=[str(tmp_path / "data")])["changed"]
    assert not (tmp_path / "data").exists()


def test_step_that_cannot_be_asked_counts_as_something_to_do_with_the_reason() -> None:
    found = predict("kernel", settings={"../etc": 1}, file="/nonexistent/90-kafka.conf")
    assert found["changed"]
    assert "'../etc'" in found["reason"]


def test_processes_of_proxies_are_known_where_nothing_else_about_them_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics_proxy, "pids", lambda _: [77])
    found = predict("metrics_proxy", settings={"proxies": [{}]}, install_dir="/none", group="kafka")
    assert (found["changed"], found["pids"], bool(found["reason"])) == (True, [77], True)
