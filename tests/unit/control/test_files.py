"""Files that a run needs on the control machine, searched in folders made for the test."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.module_utils.kraft.control.files import key_fault, key_faults, spark_lacks

LOCK = "org.apache.spark:spark-sql-kafka_2.13:4.2.0 aa\norg.apache.commons:commons-pool2:2.13.1 bb\n"
JARS = ("spark-sql-kafka_2.13-4.2.0.jar", "commons-pool2-2.13.1.jar")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("dist", ".cache/spark/jars", "bin"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "dist/spark-4.2.0.lock").write_text(LOCK)
    for name in JARS:
        (tmp_path / ".cache/spark/jars" / name).touch()
    (tmp_path / "bin/java").touch(mode=0o755)
    return tmp_path


def test_spark_starts_where_all_locked_jars_and_java_are_there(project: Path) -> None:
    assert spark_lacks(project, {"PATH": str(project / "bin")}) == ""
    assert spark_lacks(project, {"PATH": "/nowhere", "JAVA_HOME": str(project)}) == ""


@pytest.mark.parametrize("name", JARS)
def test_a_jar_that_a_killed_download_has_not_brought_is_named(project: Path, name: str) -> None:
    (project / ".cache/spark/jars" / name).unlink()
    assert spark_lacks(project, {"PATH": str(project / "bin")}).endswith(f"jars lacks {name}")


def test_java_that_is_missing_is_named_as_it_was_looked_for(project: Path) -> None:
    assert spark_lacks(project, {"PATH": "/nowhere"}) == "there is no java"
    assert spark_lacks(project, {"PATH": "/nowhere", "JAVA_HOME": "/gone"}) == "there is no /gone/bin/java"


def test_the_projects_own_lock_can_be_read() -> None:
    root = Path(__file__).resolve().parents[3]
    (lock,) = root.glob("dist/spark-*.lock")
    assert len(lock.read_text().splitlines()) > 3


def test_a_private_key_that_ssh_would_not_take_is_found_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "good").touch(mode=0o600)
    (tmp_path / "open").touch(mode=0o644)
    (tmp_path / "open").chmod(0o644)
    assert key_fault("") == ""
    assert key_fault("~/good") == ""
    assert key_fault(str(tmp_path / "open")).startswith("Others can read the key")
    assert key_fault("~/nothing") == "The key cannot be read: No such file or directory"
    assert key_fault("~nobody-of-this-name/key") == "The key cannot be read: No such file or directory"
    assert key_fault(str(tmp_path)).startswith("The key is not a file")
    connections = {
        "a": {"ansible_ssh_private_key_file": "~/good"},
        "b": {"ansible_ssh_private_key_file": "~/no"},
        "c": {},
    }
    assert set(key_faults(connections)) == {"b"}
