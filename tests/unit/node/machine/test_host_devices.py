"""Facts about a block device, from texts and trees as Linux has them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node.machine import devices

from tests.commands import run

MOUNTINFO = """\
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 21 8:16 / /srv/kafka/data1 rw,noatime shared:2 - xfs /dev/sdb rw
31 21 0:33 / /srv/with\\040space rw - tmpfs tmpfs rw
32 21 8:32 / /srv/kafka/data1 rw,noatime - xfs /dev/sdc rw
"""


SEARCHED = f"{os.environ['PATH']}:/usr/sbin:/sbin"


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


def test_the_model_of_a_disk_is_what_its_maker_says(tmp_path: Path) -> None:
    (tmp_path / "259:1/device").mkdir(parents=True)
    (tmp_path / "259:1/device/model").write_text("Amazon EC2 NVMe Instance Storage        \n")
    assert devices.model(tmp_path / "259:1") == "Amazon EC2 NVMe Instance Storage"
    assert devices.model(tmp_path / "8:0") == ""


@pytest.mark.parametrize(("device", "kind"), [("/dev/disk/by-id/none", "absent"), ("/dev/null", "other")])
def test_what_is_no_disk_is_told_apart(device: str, kind: str) -> None:
    found = devices.observe([{"device": device, "mount": "/srv/kafka/data1"}], blkid(0, "TYPE=xfs\n"))
    assert (found[device]["kind"], found[device]["filesystem"], found[device]["mounts"]) == (kind, "", [])


@pytest.mark.parametrize(("tool", "found"), [(["mkfs.ext4", "-q"], ("ext4", "")), (["true"], ("", ""))])
def test_blkid_itself_is_understood(tmp_path: Path, tool: list[str], found: tuple[str, str]) -> None:
    image = tmp_path / "disk.img"
    image.touch()
    os.truncate(image, 16 * 1024 * 1024)
    subprocess.run([shutil.which(tool[0], path=SEARCHED) or tool[0], *tool[1:], image], check=True, capture_output=True)
    assert devices.signature(str(image), run) == found
    assert devices.closed(str(image)) == ""
    assert devices.closed(str(tmp_path / "nothing")) == "No such file or directory"
