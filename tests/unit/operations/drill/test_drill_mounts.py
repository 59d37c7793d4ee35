"""Filesystems that may be filled: those that only Kafka needs."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.module_utils.kraft.operations.drill import mounts

ROOT = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw"
TMP = "28 27 0:31 / /tmp rw - tmpfs tmpfs rw"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("40 27 8:16 / /data rw - xfs /dev/sdb rw", ""),
        ("40 27 8:16 / /data/my\\040logs rw - xfs /dev/sdb rw", "filesystem of /,"),
        ("40 27 8:16 / /elsewhere rw - xfs /dev/sdb rw", "filesystem of /,"),
        ("40 27 8:16 / /data/logs rw - xfs /dev/sdb rw", ""),
        ("40 27 254:0 /srv/disk /data rw - ext4 /dev/vda rw", "part (/srv/disk)"),
        ("40 27 254:0 / /data rw - ext4 /dev/vda rw", "filesystem of /,"),
        ("40 27 0:31 / /data rw - tmpfs tmpfs rw", "filesystem of /tmp,"),
        ("40 27 8:16 /@data /data rw - btrfs /dev/sdb rw", "part (/@data)"),
        ("40 27 8:16 / /data rw - xfs /dev/sdb rw\n41 40 254:0 /x /data/logs rw - ext4 /dev/vda rw", "part (/x)"),
        ("40 27 8:16 / /data rw - xfs /dev/sdb rw\n41 40 254:0 / /data rw - ext4 /dev/vda rw", "filesystem of /,"),
        ("40 27 8:16 / /data rw - xfs /dev/sdb rw\n41 27 8:16 / /var/lib rw - xfs /dev/sdb rw", "of /var/lib,"),
    ],
)
def test_a_filesystem_that_others_need_is_refused(line: str, said: str) -> None:
    found = mounts.refusal("/data/logs", mounts.parse(f"{ROOT}\n{TMP}\n{line}\n"))
    assert bool(found) == bool(said)
    assert said in found


def test_a_path_without_any_mount_is_refused() -> None:
    assert mounts.refusal("/data/logs", [])


def test_blanks_in_a_mount_are_read() -> None:
    (found,) = mounts.parse("40 27 8:16 / /data/my\\040logs rw - xfs /dev/sdb rw")
    assert found.point == "/data/my logs"


def test_the_machine_that_runs_the_tests_would_never_be_filled() -> None:
    here = mounts.parse(Path("/proc/self/mountinfo").read_text())
    assert mounts.refusal("/usr/lib", here)
    assert mounts.refusal("/", here)
