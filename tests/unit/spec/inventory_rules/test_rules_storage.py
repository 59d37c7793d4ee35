"""Refusals of directories and disks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.spec.inventory import Finding, found, hosts, problems_of, sentences
from tests.wording_files import Wording

DISKS = [
    {"device": "/dev/disk/by-id/a", "mount": "/srv/a", "fstype": "xfs"},
    {"device": "/dev/disk/by-id/b", "mount": "/srv/b", "fstype": "ext4"},
]


CASES: list[tuple[str, dict[str, Any], Finding]] = [
    (
        "no_log_dir",
        {"kafka_log_dirs": []},
        ("error", "k1", "kafka_log_dirs", []),
    ),
    (
        "directory",
        {"kafka_log_dirs": ["/tmp/kafka-logs"]},  # noqa: S108
        ("error", "k1", "kafka_log_dirs[0]", "/tmp/kafka-logs"),  # noqa: S108
    ),
    (
        "directory",
        {"kafka_log_dirs": ["/srv/a", "kafka/data"]},
        ("error", "k1", "kafka_log_dirs[1]", "kafka/data"),
    ),
    (
        "directory",
        {"kafka_log_dirs": ["/srv/../etc"]},
        ("error", "k1", "kafka_log_dirs[0]", "/srv/../etc"),
    ),
    (
        "directory",
        {"kafka_log_dirs": ["/srv/my data"]},
        ("error", "k1", "kafka_log_dirs[0]", "/srv/my data"),
    ),
    (
        "directory",
        {"kafka_log_dirs": ["/srv/a,/srv/b"]},
        ("error", "k1", "kafka_log_dirs[0]", "/srv/a,/srv/b"),
    ),
    (
        "directory",
        {"kafka_metadata_log_dir": "/dev/shm/meta"},  # noqa: S108
        ("error", "k1", "kafka_metadata_log_dir", "/dev/shm/meta"),  # noqa: S108
    ),
    (
        "directory",
        {"kafka_log_dirs": ["/etc/kafka"]},
        ("error", "k1", "kafka_log_dirs[0]", "/etc/kafka"),
    ),
    (
        "directory",
        {"kafka_log_dirs": ["/var/lib/"]},
        ("error", "k1", "kafka_log_dirs[0]", "/var/lib"),
    ),
    (
        "directory",
        {"kafka_install_dir": "opt/kafka"},
        ("error", "k1", "kafka_install_dir", "opt/kafka"),
    ),
    (
        "log_dir_twice",
        {"kafka_log_dirs": ["/srv/a", "/srv/a/"]},
        ("error", "k1", "kafka_log_dirs", "/srv/a"),
    ),
    (
        "directory_nested",
        {"kafka_log_dirs": ["/srv/a", "/srv/a/b"]},
        ("error", "k1", "kafka_log_dirs[1]", "/srv/a/b"),
    ),
    (
        "directory_nested",
        {"kafka_log_dirs": ["/srv/a"], "kafka_metadata_log_dir": "/srv/a/meta"},
        ("error", "k1", "kafka_metadata_log_dir", "/srv/a/meta"),
    ),
    (
        "directory_taken",
        {"kafka_log_dirs": ["/opt/kafka/current/logs"]},
        ("error", "k1", "kafka_log_dirs[0]", "/opt/kafka/current/logs"),
    ),
    (
        "directory_taken",
        {"kafka_log_dirs": ["/opt/kafka"]},
        ("error", "k1", "kafka_log_dirs[0]", "/opt/kafka"),
    ),
    (
        "directory_taken",
        {"kafka_log_dirs": ["/var/log/kafka/data"]},
        ("error", "k1", "kafka_log_dirs[0]", "/var/log/kafka/data"),
    ),
    (
        "disk_twice",
        {"kafka_host_data_disks": [DISKS[0], {**DISKS[1], "device": "/dev/disk/by-id/a"}]},
        ("error", "k1", "kafka_host_data_disks.device", "/dev/disk/by-id/a"),
    ),
    (
        "disk_mount",
        {"kafka_host_data_disks": [{**DISKS[0], "mount": "/"}]},
        ("error", "k1", "kafka_host_data_disks[0].mount", "/"),
    ),
    (
        "disk_device",
        {"kafka_host_data_disks": [{**DISKS[0], "device": "sdb"}]},
        ("error", "k1", "kafka_host_data_disks[0].device", "sdb"),
    ),
    (
        "disk_fstype",
        {"kafka_host_data_disks": [{**DISKS[0], "fstype": "nfs"}]},
        ("error", "k1", "kafka_host_data_disks[0].fstype", "nfs"),
    ),
    (
        "lost_found",
        {"kafka_host_data_disks": DISKS, "kafka_log_dirs": ["/srv/b"]},
        ("error", "k1", "kafka_log_dirs", "/srv/b"),
    ),
    (
        "disk_shared",
        {"kafka_host_data_disks": DISKS, "kafka_log_dirs": ["/srv/a/1", "/srv/a/2"]},
        ("warning", "k1", "kafka_log_dirs", None),
    ),
    (
        "disk_unused",
        {"kafka_host_data_disks": DISKS, "kafka_log_dirs": ["/srv/a/1", "/data/2"]},
        ("warning", "k1", "kafka_log_dirs", None),
    ),
    (
        "type",
        {"kafka_log_dirs": "/srv/a"},
        ("error", "k1", "kafka_log_dirs", "/srv/a"),
    ),
]


@pytest.mark.parametrize("part", ["agents", "collector", "log_shipping", "mirror", "next", "previous", "tls"])
def test_no_log_dir_lies_in_what_the_end_of_a_cluster_deletes(part: str) -> None:
    path = f"/opt/kafka/{part}/data"
    told = [each for each in problems_of(hosts(1, kafka_log_dirs=[path])) if each.rule == "directory_taken"]
    assert [(each.severity, each.variable, each.value) for each in told] == [("error", "kafka_log_dirs[0]", path)]


@pytest.mark.parametrize(("rule", "given", "finding"), CASES)
def test_directory_is_refused_with_a_reason_and_a_remedy(rule: str, given: dict[str, Any], finding: Finding) -> None:
    assert finding in found(rule, 1, **given)


def test_wording(wording: Wording) -> None:
    wording(each for rule, given, _ in CASES for each in sentences(rule, 1, **given))


@pytest.mark.parametrize(
    "given",
    [
        {"kafka_log_dirs": ["/srv/kafka/meta"], "kafka_metadata_log_dir": "/srv/kafka/meta"},
        {"kafka_log_dirs": ["/srv/a/kafka", "/srv/b/kafka"], "kafka_host_data_disks": DISKS},
        {"kafka_log_dirs": ["/srv/a"], "kafka_host_data_disks": DISKS[:1]},
        {"kafka_log_dirs": ["/srv/data", "/srv/data2"]},
        {"kafka_log_dirs": ["/tmpfs-but-not/kafka"]},  # noqa: S108
    ],
)
def test_sound_directories_raise_no_alarm(given: dict[str, Any]) -> None:
    bad = [str(problem) for problem in problems_of(hosts(3, **given)) if "dir" in problem.variable]
    assert bad == []
