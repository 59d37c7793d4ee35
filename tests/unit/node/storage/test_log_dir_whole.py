"""A log dir as a whole value: nothing is said of it beyond what is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.module_utils.kraft.node.storage import log_dir
from ansible.module_utils.kraft.node.storage.log_dir import FIRST_SNAPSHOT, METADATA_LOG, LogDir, observe_log_dir

from tests.unit.node.storage.test_voters import ENTRIES, THREE

CLUSTER, DIRECTORY = "nq3DoF4lQiqcqPnYvYPP7g", "eTfj8lt5pLK6Xh-_pzrxHw"
META = f"version=1\ncluster.id={CLUSTER}\nnode.id=1\ndirectory.id={DIRECTORY}\n"


def with_snapshot(root: Path, meta: str = META) -> str:
    (root / METADATA_LOG).mkdir()
    (root / METADATA_LOG / FIRST_SNAPSHOT).write_bytes(THREE)
    if meta:
        (root / "meta.properties").write_text(meta)
    return str(root)


def test_an_empty_one_has_a_path_and_nothing_else(tmp_path: Path) -> None:
    assert observe_log_dir(str(tmp_path)) == LogDir(str(tmp_path), log_dir.EMPTY)


def test_a_file_in_its_place_keeps_its_path(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    assert observe_log_dir(str(path)) == LogDir(str(path), log_dir.NOT_A_DIRECTORY)


def test_files_of_another_owner_are_named(tmp_path: Path) -> None:
    for name in "gfedcba":
        (tmp_path / name).touch()
    expected = LogDir(str(tmp_path), log_dir.FOREIGN, unknown=("a", "b", "c", "d", "e"))
    assert observe_log_dir(str(tmp_path)) == expected


def test_a_format_that_waits_for_its_first_start_names_its_voters(tmp_path: Path) -> None:
    path = with_snapshot(tmp_path)
    expected = LogDir(path, log_dir.FORMATTED, CLUSTER, 1, DIRECTORY, has_meta=True, bootstrap_ok=True, voters=ENTRIES)
    assert observe_log_dir(path) == expected


def test_the_first_voters_of_a_node_that_was_started_mean_nothing(tmp_path: Path) -> None:
    path = with_snapshot(tmp_path)
    for name in ("quorum-state", "00000000000000000000.log", "partition.metadata"):
        (tmp_path / METADATA_LOG / name).touch()
    found = observe_log_dir(path)
    assert found.voters is None
    assert found.lived[0] == f"{METADATA_LOG}/quorum-state"
    assert found.lived[1:] == (f"{METADATA_LOG}/00000000000000000000.log", f"{METADATA_LOG}/partition.metadata")


def test_the_first_voters_of_a_format_that_was_killed_mean_nothing(tmp_path: Path) -> None:
    found = observe_log_dir(with_snapshot(tmp_path, meta=""))
    assert (found.state, found.voters, found.detail) == (log_dir.INTERRUPTED, None, "")


def test_an_identity_that_is_no_text_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_bytes(META.encode() + b"broken=\xff\xfe\n")
    assert observe_log_dir(str(tmp_path)).cluster_id == CLUSTER


def test_what_cannot_be_read_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "meta.properties").mkdir()
    expected = LogDir(str(tmp_path), log_dir.UNREADABLE, detail="is no regular file")
    assert observe_log_dir(str(tmp_path)) == expected

    def broken(_: str) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(log_dir, "read_meta", broken)
    assert observe_log_dir(str(tmp_path)).detail == "the disk is gone"
