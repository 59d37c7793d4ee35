"""Files in directories of a service are read without links, without waiting, and within a bound."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible.module_utils.kraft.node import support
from ansible.module_utils.kraft.node.files import guarded, plan
from ansible.module_utils.kraft.node.service import log
from ansible.module_utils.kraft.node.storage import format_tool, log_dir, meta_properties
from ansible.module_utils.kraft.node.storage.log_dir import observe_log_dir

from tests.unit.other_user import NOBODY

SECRET = "root:secret"  # noqa: S105 - of no one
Trap = Callable[[Path, Path], object]  #: makes the path; the second one is a file of root's
#: Each would show a file of root's, block, or fill the memory, if it was opened as any file.
TRAPS: dict[str, Trap] = {
    "link": lambda path, secret: path.symlink_to(secret),
    "fifo": lambda path, _: os.mkfifo(path),
    "endless": lambda path, _: path.symlink_to("/dev/zero"),
    "device": lambda path, _: path.symlink_to("/dev/tty"),
    "directory": lambda path, _: path.mkdir(),
    "large": lambda path, _: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 8 << 20),
}


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "shadow"
    path.write_text(f"{SECRET}\nversion=1\ncluster.id={SECRET}\nnode.id=1\n")
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A directory of the service."""
    path = tmp_path / "data"
    (path / log_dir.METADATA_LOG).mkdir(parents=True)
    return path


@pytest.mark.parametrize("trap", TRAPS)
def test_only_a_regular_file_of_bounded_size_is_read(home: Path, secret: Path, trap: str) -> None:
    TRAPS[trap](home / "file", secret)
    assert guarded.read_text(str(home), "file") == ""
    with pytest.raises(OSError, match=r"."):
        guarded.read(str(home), "file")


def test_a_plain_file_is_read_whole_and_from_its_end(home: Path) -> None:
    (home / "file").write_text("one\ntwo\n")
    assert guarded.read_text(str(home), "file") == "one\ntwo\n"
    assert guarded.tail(str(home / "file"), 4) == ("two\n", True)
    assert guarded.tail(str(home / "file"), 100) == ("one\ntwo\n", False)
    assert guarded.read(str(home), "file", limit=8) == b"one\ntwo\n"
    with pytest.raises(OSError, match="more than 7 bytes"):
        guarded.read(str(home), "file", limit=7)


def test_no_directory_below_the_named_one_may_be_a_link(home: Path, secret: Path) -> None:
    (home / "swapped").symlink_to(secret.parent)
    assert guarded.read_text(str(home), "swapped/shadow") == ""
    (home.parent / "mounted").symlink_to(home)  # the operator's own link
    (home / "file").write_text("1")
    assert guarded.read_text(str(home.parent / "mounted"), "file") == "1"


@pytest.mark.parametrize("trap", TRAPS)
def test_traps_in_a_log_dir_are_a_state_and_show_nothing(home: Path, secret: Path, trap: str) -> None:
    TRAPS[trap](home / meta_properties.META, secret)
    found = observe_log_dir(str(home))
    assert (found.state, found.cluster_id) == (log_dir.UNREADABLE, "")


@pytest.mark.parametrize("trap", ["link", "fifo", "endless", "directory"])
def test_a_first_snapshot_that_is_a_trap_is_not_opened(home: Path, secret: Path, trap: str) -> None:
    (home / meta_properties.META).write_text("version=1\ncluster.id=c\nnode.id=1\n")
    TRAPS[trap](home / log_dir.METADATA_LOG / log_dir.FIRST_SNAPSHOT, secret)
    assert observe_log_dir(str(home)).state == log_dir.UNREADABLE


def test_names_of_a_directory_of_root_are_not_listed(home: Path, secret: Path) -> None:
    (home / log_dir.METADATA_LOG).rmdir()
    (home / log_dir.METADATA_LOG).symlink_to(secret.parent)
    found = observe_log_dir(str(home))
    assert (found.state, found.lived) == (log_dir.UNREADABLE, ())


@pytest.mark.parametrize("trap", ["link", "fifo", "endless", "device", "directory"])
def test_a_log_that_is_a_trap_has_no_lines(home: Path, secret: Path, trap: str) -> None:
    path = home / "server.log"
    TRAPS[trap](path, secret)
    assert (log.tail(str(path)), support.tail(str(path))) == ((), "")


def test_a_directory_gets_its_id_though_a_link_lies_in_wait(home: Path, secret: Path) -> None:
    before = secret.read_text(), secret.stat().st_uid
    meta = home / meta_properties.META
    meta.write_text("version=1\ndirectory.id=drawn\n")
    if os.geteuid() == 0:
        os.chown(meta, NOBODY, NOBODY)
    for name in ("meta.properties.new", plan.temporary(meta_properties.META)):
        (home / Path(name).name).symlink_to(secret)
    owner = meta.stat().st_uid
    format_tool.rename_directory(str(home), "wanted")
    assert meta.read_text() == "version=1\ndirectory.id=wanted\n"
    assert meta.stat().st_uid == owner
    assert (secret.read_text(), secret.stat().st_uid) == before


@pytest.mark.parametrize("trap", ["link", "fifo", "endless", "directory"])
def test_an_identity_that_is_a_trap_is_not_rewritten(home: Path, secret: Path, trap: str) -> None:
    before = secret.read_text()
    TRAPS[trap](home / meta_properties.META, secret)
    with pytest.raises(OSError, match=r"."):
        format_tool.rename_directory(str(home), "wanted")
    assert secret.read_text() == before


@pytest.mark.parametrize("trap", ["link", "fifo", "endless"])
def test_a_flush_opens_no_trap(home: Path, secret: Path, trap: str) -> None:
    TRAPS[trap](home / log_dir.BOOTSTRAP, secret)
    with pytest.raises(OSError, match=r"."):
        format_tool.flush(str(home))
