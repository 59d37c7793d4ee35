"""The content of a log dir decides what may be done to it: each kind of content, made for real."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from ansible.module_utils.kraft.node.files import parsed_properties
from ansible.module_utils.kraft.node.storage import log_dir
from ansible.module_utils.kraft.node.storage.log_dir import LogDir, observe_log_dir
from ansible.module_utils.kraft.node.storage.replicas import held_replicas

CLUSTER = "nq3DoF4lQiqcqPnYvYPP7g"
DIRECTORY = "eTfj8lt5pLK6Xh-_pzrxHw"
META = f"#\n#Sat Nov 21 02:29:15 UTC 2026\nnode.id=1\ndirectory.id={DIRECTORY}\nversion=1\ncluster.id={CLUSTER}\n"
SNAPSHOT = "__cluster_metadata-0/00000000000000000000-0000000000.checkpoint"
PART = "__cluster_metadata-0/00000000000000000000-0000000000-15270519907910525509.checkpoint.part"


def made(root: Path, *names: str, meta: str | None = None) -> LogDir:
    """A log dir with these files (one byte each) and directories (a trailing slash), as observed."""
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.write_text("x")
    if meta is not None:
        (root / "meta.properties").write_text(meta)
    return observe_log_dir(str(root))


def test_settings_without_log_dirs_name_no_metadata_directory() -> None:
    assert log_dir.metadata_dir({}) == ""
    assert log_dir.metadata_dir({"log.dirs": " /a , /b"}) == "/a"


@pytest.mark.parametrize("asked", ["lstat", "stat"])
def test_a_disk_that_does_not_answer_is_not_an_absent_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    def broken(*_: object, **__: object) -> os.stat_result:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, asked, broken)
    found = observe_log_dir(str(tmp_path))
    monkeypatch.undo()
    assert (found.state, found.detail) == (log_dir.UNREADABLE, "Input/output error")


def test_a_link_without_a_target_is_no_directory_and_a_path_below_a_file_is_absent(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "file").write_text("")
    states = [observe_log_dir(str(tmp_path / name)).state for name in ("link", "file", "file/below", "none")]
    assert states == [log_dir.NOT_A_DIRECTORY, log_dir.NOT_A_DIRECTORY, log_dir.ABSENT, log_dir.ABSENT]


def test_formatted_dir_tells_its_identity(tmp_path: Path) -> None:
    found = made(tmp_path, "bootstrap.checkpoint", SNAPSHOT, meta=META)
    assert found.state == log_dir.FORMATTED
    assert (found.cluster_id, found.node_id, found.directory_id) == (CLUSTER, 1, DIRECTORY)
    assert found.lived == ()
    assert found.bootstrap_ok


@pytest.mark.parametrize(
    "traces",
    [
        ["__cluster_metadata-0/quorum-state"],
        ["__cluster_metadata-0/00000000000000000000.log"],
        ["__cluster_metadata-0/00000000000000000042-0000000003.checkpoint"],
        ["orders-0/"],
        ["orders-0.0b1c2d3e4f-delete/"],
        ["orders-0.0b1c2d3e4f-future/"],
        ["orders.0b1c2d3e4f-stray/"],
        ["remote-log-index-cache/"],
    ],
    ids=lambda names: names[0],
)
def test_what_a_started_node_leaves_is_life_and_without_identity_data(tmp_path: Path, traces: list[str]) -> None:
    without = made(tmp_path, "bootstrap.checkpoint", SNAPSHOT, *traces)
    assert without.state == log_dir.NO_IDENTITY
    assert made(tmp_path, meta="").state == log_dir.NO_IDENTITY
    assert observe_log_dir(str(tmp_path)).detail == "is empty (0 bytes)"
    found = made(tmp_path, meta=META)
    assert found.state == log_dir.FORMATTED
    assert found.lived == (traces[0].rstrip("/"),)


MARKERS = ["recovery-point-offset-checkpoint", "replication-offset-checkpoint.tmp", ".kafka_cleanshutdown", ".lock"]


@pytest.mark.parametrize("marker", MARKERS)
def test_a_marker_alone_is_life_and_no_data(tmp_path: Path, marker: str) -> None:
    """Result of `rm -rf <log dir>/*`: the node was started there once, and its records are gone."""
    found = made(tmp_path, marker)
    assert found.state == log_dir.LEFTOVERS
    assert found.lived == (marker,)
    assert not found.has_data
    assert made(tmp_path, meta="").state == log_dir.NO_IDENTITY
    whole = made(tmp_path, meta=META)
    assert whole.state == log_dir.FORMATTED
    assert whole.has_data


@pytest.mark.parametrize("record", ["orders-0/", "__cluster_metadata-0/quorum-state"])
def test_markers_beside_records_are_data_without_an_identity(tmp_path: Path, record: str) -> None:
    found = made(tmp_path, *MARKERS, *(f"{one}-offset-checkpoint" for one in "abc"), record)
    assert found.state == log_dir.NO_IDENTITY
    assert found.has_data


KILLED_FORMAT = [
    ["bootstrap.checkpoint.tmp"],
    ["bootstrap.checkpoint"],
    ["bootstrap.checkpoint", "__cluster_metadata-0/"],
    ["bootstrap.checkpoint", PART],
    ["bootstrap.checkpoint", SNAPSHOT],
    ["bootstrap.checkpoint", SNAPSHOT, "meta.properties.tmp"],
    ["bootstrap.checkpoint", SNAPSHOT, PART, "meta.properties.aside-1"],
]


@pytest.mark.parametrize("leftovers", KILLED_FORMAT, ids=lambda names: names[-1])
@pytest.mark.parametrize("meta", [None, "", "#\nnode.id=1\n", "\0" * 122], ids=["missing", "empty", "cut", "zeroed"])
def test_leftovers_of_a_killed_format_are_recognised(tmp_path: Path, leftovers: list[str], meta: str | None) -> None:
    found = made(tmp_path, *leftovers, meta=meta)
    assert found.state == log_dir.INTERRUPTED
    assert found.has_meta is (meta is not None)


@pytest.mark.parametrize(
    ("names", "meta", "state"),
    [
        ([], None, log_dir.EMPTY),
        (["lost+found/"], None, log_dir.EMPTY),
        (["notes.txt"], None, log_dir.FOREIGN),
        (["backup/"], None, log_dir.FOREIGN),
        (["bootstrap.checkpoint", "notes.txt"], None, log_dir.FOREIGN),
        ([], "", log_dir.INTERRUPTED),
        (["orders-0/"], "version=0\nbroker.id=3\ncluster.id=x\n", log_dir.ZOOKEEPER),
        ([], "version=1\nbroker.id=3\ncluster.id=x\n", log_dir.ZOOKEEPER),
        (["version-2/"], None, log_dir.ZOOKEEPER),
        ([], "version=1\nnode.id=one\ncluster.id=x\n", log_dir.INTERRUPTED),
        ([], "version=2\nnode.id=1\ncluster.id=x\n", log_dir.INTERRUPTED),
    ],
)
def test_state_follows_from_content(tmp_path: Path, names: list[str], meta: str | None, state: str) -> None:
    assert made(tmp_path, *names, meta=meta).state == state


def test_path_that_is_no_directory_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    assert observe_log_dir(str(tmp_path / "file")).state == log_dir.NOT_A_DIRECTORY
    assert observe_log_dir(str(tmp_path / "dangling")).state == log_dir.NOT_A_DIRECTORY
    assert observe_log_dir(str(tmp_path / "none")).state == log_dir.ABSENT


def test_meta_that_cannot_be_read_is_not_an_empty_dir(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").mkdir()
    found = observe_log_dir(str(tmp_path))
    assert found.state == log_dir.UNREADABLE
    assert found.detail == "is no regular file"


def test_directories_that_kafka_dies_of_are_named(tmp_path: Path) -> None:
    found = made(tmp_path, "orders-0/", "lost+found/", "snapshots/", meta=META)
    assert found.blockers == ("lost+found", "snapshots")
    assert found.partitions == 1


@pytest.mark.parametrize("cut", ["bootstrap.checkpoint", SNAPSHOT])
def test_bootstrap_emptied_by_a_power_cut_is_seen(tmp_path: Path, cut: str) -> None:
    made(tmp_path, "bootstrap.checkpoint", SNAPSHOT, meta=META)
    (tmp_path / cut).write_text("")
    assert not observe_log_dir(str(tmp_path)).bootstrap_ok
    os.unlink(tmp_path / cut)
    assert observe_log_dir(str(tmp_path)).bootstrap_ok


def test_log_dir_survives_the_way_through_facts(tmp_path: Path) -> None:
    found = made(tmp_path, "bootstrap.checkpoint", "orders-0/", meta=META)
    facts = {**found.as_facts(), "lived": list(found.lived), "owner": "kafka"}
    assert LogDir.from_facts(facts) == found


def test_java_properties_are_read_as_java_writes_them() -> None:
    text = "#comment\n! too\n a = 1 \nb:2\nc 3\ncluster.id=a\\:b\n\n"
    assert parsed_properties.parse_properties(text) == {"a": "1", "b": "2", "c": "3", "cluster.id": "a:b"}


def test_replicas_that_kafka_deletes_or_moves_here_do_not_count(tmp_path: Path) -> None:
    made(
        tmp_path, "t-0/", "t-10/", "t-1.e5a2c8-delete/", "t-2.e5a2c8-future/", "t-3.0f-stray/", "__cluster_metadata-0/"
    )
    (tmp_path / "__cluster_metadata-0").rmdir()
    assert held_replicas(str(tmp_path)) == {"read": True, "replicas": 2, "named": ["t-0", "t-10"]}
    assert held_replicas(str(tmp_path / "gone")) == {"read": False, "replicas": 0, "named": []}
