"""Data disks as they were found: what may become Kafka's, and what is refused with which remedy."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.spec import host_rules
from ansible.module_utils.kraft.spec.host_rules.subject import Desired

from tests.unit.spec.host_rules.scene import Scene

DEVICE, MOUNT = "/dev/disk/by-id/nvme-1", "/data"
EMPTY = {
    "kind": "block",
    "closed": "",
    "filesystem": "",
    "table": "",
    "parts": [],
    "holders": [],
    "mounts": [],
    "at_mount": "",
    "tool": True,
}


def told(wanted: dict[str, Any] | None = None, **found: Any) -> list[tuple[str, str, str]]:
    """Rule, message and remedy of what is said of a disk of k1."""
    scene = Scene()
    scene.wanted["k1"] = Desired(disks=({"device": DEVICE, "mount": MOUNT, **(wanted or {})},))
    scene.facts_of("k1")["disks"] = {DEVICE: {**EMPTY, **found}}
    made = [each for each in host_rules.check(scene.subject()) if each.rule.startswith("disk_")]
    assert all((each.host, each.variable, each.value) == ("k1", "kafka_host_data_disks", DEVICE) for each in made)
    return [(each.rule, each.message, each.remedy) for each in made]


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"filesystem": "xfs"},
        {"filesystem": "xfs", "mounts": [MOUNT]},
        {"filesystem": "xfs", "mounts": ["/elsewhere", MOUNT], "tool": False},
    ],
)
def test_an_empty_disk_and_one_of_our_own_are_fine(found: dict[str, Any]) -> None:
    assert told(**found) == []


@pytest.mark.parametrize(
    ("found", "rule", "message", "remedy"),
    [
        ({"kind": "absent"}, "disk_absent", f"There is no {DEVICE}", "kafka_host_data_disks: []"),
        ({"kind": "other"}, "disk_absent", "is no block device", "ls -l /dev/disk/by-id"),
        ({"closed": "Input/output error"}, "disk_closed", "cannot be read: Input/output error", "dmesg"),
        ({"filesystem": "xfs", "mounts": ["/home"]}, "disk_in_use", "is mounted at /home", "another device"),
        ({"at_mount": "8:1"}, "disk_mount_taken", f"Another device is mounted at {MOUNT}", f"findmnt {MOUNT}"),
        (
            {"model": "Amazon EC2 NVMe Instance Storage"},
            "disk_ephemeral",
            "is of the instance store",
            "kafka_ec2_volumes",
        ),
        ({"holders": ["dm-0"]}, "disk_in_use", "is a part of dm-0", "made of it"),
        ({"table": "gpt", "parts": ["vdb1"]}, "disk_partitioned", "has a partition table (vdb1)", "wipefs --all"),
        ({"table": "gpt"}, "disk_partitioned", "has a partition table (gpt)", "wipefs --all"),
        ({"filesystem": "ext4"}, "disk_content", "holds ext4, and xfs is configured", "fstype: ext4 to keep"),
        ({"filesystem": "LVM2_member"}, "disk_content", "holds LVM2_member", "wipefs --all"),
        ({"tool": False}, "disk_tool", "There is no mkfs.xfs", "install xfsprogs"),
    ],
)
def test_a_disk_that_cannot_become_kafkas_is_refused_once(
    found: dict[str, Any], rule: str, message: str, remedy: str
) -> None:
    [(found_rule, found_message, found_remedy)] = told(**found)
    assert found_rule == rule
    assert message in found_message
    assert remedy in found_remedy


def test_the_filesystem_that_is_asked_for_is_kept() -> None:
    assert told({"fstype": "ext4"}, filesystem="ext4") == []


def test_wiping_is_never_proposed_for_a_disk_in_use() -> None:
    for found in ({"mounts": ["/home"], "filesystem": "ext4"}, {"holders": ["md0"]}, {"at_mount": "8:1"}):
        assert all("wipefs" not in remedy for _, _, remedy in told(**found))
