"""What is read of a block device, from texts and trees as Linux has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.host import devices

MOUNTINFO = """\
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 21 8:16 / /srv/kafka/data1 rw,noatime shared:2 - xfs /dev/sdb rw
31 21 0:33 / /srv/with\\040space rw - tmpfs tmpfs rw
32 21 8:32 / /srv/kafka/data1 rw,noatime - xfs /dev/sdc rw
"""


def blkid(code: int, out: str) -> Any:
    return lambda _: (code, out, "")


def test_mount_points_are_known_by_device_number_and_the_later_of_two_counts() -> None:
    found = devices.mounted_devices(MOUNTINFO)
    assert found == {"/": "8:1", "/srv/kafka/data1": "8:32", "/srv/with space": "0:33"}


@pytest.mark.parametrize(
    ("code", "out", "found"),
    [
        (0, "DEVNAME=/dev/sdb\nUUID=1-2\nTYPE=xfs\n", ("xfs", "")),
        (0, "DEVNAME=/dev/sda\nPTUUID=9\nPTTYPE=gpt\n", ("", "gpt")),
        (2, "", ("", "")),
        (8, "", ("several signatures", "")),
    ],
)
def test_a_signature_is_what_blkid_sees_on_the_device(code: int, out: str, found: tuple[str, str]) -> None:
    assert devices.signature("/dev/sdb", blkid(code, out)) == found


def test_partitions_and_holders_are_read_from_the_kernel(tmp_path: Path) -> None:
    (tmp_path / "8:0/sda1").mkdir(parents=True)
    (tmp_path / "8:0/sda1/partition").touch()
    (tmp_path / "8:0/queue").mkdir()
    (tmp_path / "8:0/holders/dm-0").mkdir(parents=True)
    assert devices.parts(tmp_path / "8:0") == ["sda1"]
    assert devices.names(tmp_path / "8:0/holders") == ["dm-0"]
    assert devices.names(tmp_path / "8:99") == []


@pytest.mark.parametrize(("device", "kind"), [("/dev/disk/by-id/none", "absent"), ("/dev/null", "other")])
def test_what_is_no_disk_is_told_apart(device: str, kind: str) -> None:
    found = devices.observe([{"device": device, "mount": "/srv/kafka/data1"}], blkid(0, "TYPE=xfs\n"))
    assert (found[device]["kind"], found[device]["filesystem"], found[device]["mounts"]) == (kind, "", [])
