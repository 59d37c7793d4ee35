from __future__ import annotations

import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from ansible.module_utils.kraft.cluster.library import load
from ansible.module_utils.kraft.cluster.unpacked import unpacked
from ansible.module_utils.kraft.errors import ToolError

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "code.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("kafka/__init__.py", "raise RuntimeError('its __init__ must not run')")
        made.writestr("kafka/value.py", "VALUE = 1")
    return path


def test_a_zip_is_unpacked_once_beside_itself(archive: Path) -> None:
    copy = unpacked(str(archive), make=True)
    assert (Path(copy) / "kafka/value.py").read_text() == "VALUE = 1"
    (Path(copy) / "mark").write_text("")
    assert (Path(unpacked(str(archive), make=True)) / "mark").exists()


def test_others_may_read_a_copy_that_root_has_made_for_itself_alone(archive: Path) -> None:
    before = os.umask(0o077)
    try:
        copy = Path(unpacked(str(archive), make=True))
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(each.stat().st_mode) for each in (copy, copy / "kafka", copy / "kafka/value.py")}
    assert modes == {0o755, 0o644}


def test_the_zip_serves_where_no_one_else_may_read_its_copy(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked(str(archive), make=True)
    monkeypatch.setattr("ansible.module_utils.kraft.cluster.unpacked.os.access", lambda *_: False)
    assert unpacked(str(archive), make=True) == str(archive)


def test_another_zip_replaces_the_copy_of_the_one_before(archive: Path) -> None:
    first = unpacked(str(archive), make=True)
    with zipfile.ZipFile(archive, "a") as more:
        more.writestr("kafka/more.py", "")
    second = unpacked(str(archive), make=True)
    assert second != first
    assert not Path(first).exists()
    assert sorted(path.name for path in archive.parent.iterdir()) == sorted([archive.name, Path(second).name])


def test_a_place_that_cannot_be_written_leaves_the_zip(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> str:
        raise PermissionError

    monkeypatch.setattr("ansible.module_utils.kraft.cluster.unpacked.os.rename", refuse)
    assert unpacked(str(archive), make=True) == str(archive)


def test_where_nothing_may_be_written_the_zip_serves_until_another_user_has_unpacked_it(archive: Path) -> None:
    assert unpacked(str(archive), make=False) == str(archive)
    assert list(archive.parent.iterdir()) == [archive]
    assert unpacked(str(archive), make=True) == unpacked(str(archive), make=False) != str(archive)


def test_halves_of_killed_processes_go_and_those_of_others_stay(archive: Path) -> None:
    dead, alive = archive.parent / ".partial-999999999", archive.parent / ".partial-1"
    for half in (dead, alive):
        half.mkdir()
    unpacked(str(archive), make=True)
    assert (dead.exists(), alive.exists()) == (False, True)


def test_a_directory_is_taken_as_it_is(tmp_path: Path) -> None:
    assert unpacked(str(tmp_path), make=True) == str(tmp_path)


def test_what_is_missing_is_said_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "kafka"]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ToolError, match=r"from /nowhere/kafka\.zip: .*No such file.*`make client`"):
        load("/nowhere/kafka.zip")


def test_only_the_parts_that_are_needed_are_imported() -> None:
    """In a separate process: the package's __init__ would import producer and consumer."""
    code = (
        "import sys, ansible.module_utils as home; home.__path__.append('module_utils');"
        "from ansible.module_utils.kraft.cluster.library import load; found = load();"
        "assert found.errors.for_code(3).__name__ == 'UnknownTopicOrPartitionError';"
        "assert 'kafka.producer' not in sys.modules and 'kafka.coordinator' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_its_package_is_found_by_others_in_the_same_process() -> None:
    """PySpark looks for the module, and ``find_spec`` refuses one without a spec."""
    code = (
        "import importlib.util, ansible.module_utils as home; home.__path__.append('module_utils');"
        "from ansible.module_utils.kraft.cluster.library import load; load();"
        "assert importlib.util.find_spec('kafka').name == 'kafka'"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
