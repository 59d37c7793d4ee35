"""Mounts, free space and paths: the mount of a future directory, and access of Kafka's user to it."""

from __future__ import annotations

import getpass
import os
import stat
from pathlib import Path

import pytest
from ansible.module_utils.kraft.node.machine import disk as host_disk
from ansible.module_utils.kraft.node.machine import facts

MOUNTS = host_disk.mounts(
    "/dev/vda / ext4 rw,relatime 0 0\n"
    "tmpfs /scratch tmpfs rw,nosuid,noexec,size=8k 0 0\n"
    "/dev/vdb /data/my\\040disk xfs rw,noatime 0 0\n"
    "nas:/export /data nfs4 rw 0 0\n"
    "/dev/vdc /data xfs ro 0 0\n"
    "broken\n"
)


@pytest.mark.parametrize(
    ("path", "mount", "fstype"),
    [
        ("/opt/kafka", "/", "ext4"),
        ("/scratch/x", "/scratch", "tmpfs"),
        ("/scratched", "/", "ext4"),
        ("/data/my disk/kafka", "/data/my disk", "xfs"),
        ("/data", "/data", "xfs"),
        ("/", "/", "ext4"),
    ],
)
def test_mount_of_a_path_is_the_longest_and_of_equals_the_last(path: str, mount: str, fstype: str) -> None:
    found = host_disk.mount_of(path, MOUNTS)
    assert (found["mount"], found["fstype"]) == (mount, fstype)


def test_directory_that_does_not_exist_is_described_by_the_one_above(tmp_path: Path) -> None:
    mounts = host_disk.mounts(f"/dev/vdd {tmp_path} xfs rw 0 0")
    facts = host_disk.path_facts(str(tmp_path / "a" / "b"), getpass.getuser(), [*MOUNTS, *mounts])
    assert facts["mount"] == str(tmp_path)
    assert facts["total_mb"] >= facts["free_mb"] > 0
    assert facts["owner"] == ""


def test_existing_directory_tells_owner_and_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)
    facts = host_disk.path_facts(str(tmp_path), getpass.getuser(), MOUNTS)
    assert (facts["owner"], facts["mode"], facts["mount_root"]) == (getpass.getuser(), "0750", False)


@pytest.mark.parametrize(
    ("mode", "uid", "gids", "open_"),
    [
        (0o755, 9, {9}, True),
        (0o750, 9, {9}, False),
        (0o750, 9, {5}, True),
        (0o700, 5, {9}, True),
        (0o055, 5, {9}, False),
        (0o705, 9, {5}, False),
    ],
)
def test_way_is_open_by_the_bits_that_count_for_the_user(mode: int, uid: int, gids: set[int], open_: bool) -> None:
    status = os.stat_result((stat.S_IFDIR | mode, 0, 0, 0, 5, 5, 0, 0, 0, 0))
    assert host_disk.searchable(status, uid, gids) is open_


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a directory that another user may not pass")
def test_closed_directory_on_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "closed" / "logs").mkdir(parents=True)
    for path in (tmp_path, *tmp_path.parents):
        assert path.is_dir()
    (tmp_path / "closed").chmod(0o700)
    assert host_disk.closed_to(str(tmp_path / "closed" / "logs"), "nobody") != ""
    assert host_disk.closed_to(str(tmp_path / "closed" / "logs"), "root") == ""
    assert host_disk.closed_to("/closed/logs", "no-such-user") == ""


def test_files_of_another_owner_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "meta.properties").touch()
    (tmp_path / "lost+found").mkdir()
    assert host_disk.foreign_files(str(tmp_path), getpass.getuser()) == []
    assert host_disk.orphan_uid(str(tmp_path)) is None
    monkeypatch.setattr(host_disk, "user_name", str)  # no account has the uid
    assert host_disk.orphan_uid(str(tmp_path)) == os.getuid()
    monkeypatch.undo()
    assert host_disk.foreign_files(str(tmp_path), "kafka-user") == [f"meta.properties ({getpass.getuser()})"]


def test_the_release_has_the_age_of_its_link(tmp_path: Path) -> None:
    link = tmp_path / "current"
    assert facts.current_release(str(link)) == {"current_release": None, "current_release_age": None}
    link.symlink_to("releases/4.4.0")
    os.utime(link, (0, os.lstat(link).st_mtime - 86400), follow_symlinks=False)
    found = facts.current_release(str(link))
    assert found["current_release"] == "4.4.0"
    assert 86400 <= found["current_release_age"] < 86500


def test_place_of_the_installation_tells_ours_from_another(tmp_path: Path) -> None:
    kafka = tmp_path / "kafka"
    assert host_disk.install_dir(str(kafka))["kind"] == "absent"
    kafka.mkdir()
    (kafka / "bin").symlink_to("current/bin")
    assert host_disk.install_dir(str(kafka)) == {"kind": "directory", "target": "", "occupied": []}
    (kafka / "libs").mkdir()
    assert host_disk.install_dir(str(kafka))["occupied"] == ["libs"]
    (tmp_path / "link").symlink_to(kafka)
    assert host_disk.install_dir(str(tmp_path / "link"))["kind"] == "link"
