"""Refusals of directories and disks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.spec.inventory import found, hosts, problems_of

DISKS = [
    {"device": "/dev/disk/by-id/a", "mount": "/srv/a", "fstype": "xfs"},
    {"device": "/dev/disk/by-id/b", "mount": "/srv/b", "fstype": "ext4"},
]


@pytest.mark.parametrize(
    ("rule", "given", "said"),
    [
        (
            "no_log_dir",
            {"kafka_log_dirs": []},
            "error k1: kafka_log_dirs: is empty -> give one directory for each disk, such as /srv/kafka/data1",
        ),
        (
            "directory",
            {"kafka_log_dirs": ["/tmp/kafka-logs"]},  # noqa: S108
            "error k1: kafka_log_dirs[0]: is emptied by the system: what is in it would be gone"
            " -> give a directory that stays, such as /srv/kafka/data1",
        ),
        (
            "directory",
            {"kafka_log_dirs": ["/srv/a", "kafka/data"]},
            "error k1: kafka_log_dirs[1]: is relative: it would mean another place for each process"
            " -> begin it with /, such as /srv/kafka/data1",
        ),
        (
            "directory",
            {"kafka_log_dirs": ["/srv/../etc"]},
            "error k1: kafka_log_dirs[0]: climbs with '..' -> write the directory that is meant",
        ),
        (
            "directory",
            {"kafka_log_dirs": ["/srv/my data"]},
            "error k1: kafka_log_dirs[0]: holds a character that Kafka, systemd or the JVM would read as something else"
            " -> use letters, digits and . _ + @ = - only",
        ),
        (
            "directory",
            {"kafka_log_dirs": ["/srv/a,/srv/b"]},
            "error k1: kafka_log_dirs[0]: holds a character that Kafka, systemd or the JVM would read as something else"
            " -> use letters, digits and . _ + @ = - only",
        ),
        (
            "directory",
            {"kafka_metadata_log_dir": "/dev/shm/meta"},  # noqa: S108
            "error k1: kafka_metadata_log_dir: is emptied by the system: what is in it would be gone"
            " -> give a directory that stays, such as /srv/kafka/data1",
        ),
        (
            "directory",
            {"kafka_log_dirs": ["/etc/kafka"]},
            "error k1: kafka_log_dirs[0]: belongs to the system"
            " -> give a directory of its own, such as /srv/kafka/data1",
        ),
        (
            "directory",
            {"kafka_log_dirs": ["/var/lib/"]},
            "error k1: kafka_log_dirs[0]: is shared with all that lies below it, and would change its owner"
            " -> give a directory of its own, such as /srv/kafka/data1",
        ),
        (
            "directory",
            {"kafka_install_dir": "opt/kafka"},
            "error k1: kafka_install_dir: is relative: it would mean another place for each process"
            " -> begin it with /, such as /srv/kafka/data1",
        ),
        (
            "log_dir_twice",
            {"kafka_log_dirs": ["/srv/a", "/srv/a/"]},
            "error k1: kafka_log_dirs: is named twice -> name each directory once",
        ),
        (
            "directory_nested",
            {"kafka_log_dirs": ["/srv/a", "/srv/a/b"]},
            "error k1: kafka_log_dirs[1]: lies inside /srv/a -> put them side by side",
        ),
        (
            "directory_nested",
            {"kafka_log_dirs": ["/srv/a"], "kafka_metadata_log_dir": "/srv/a/meta"},
            "error k1: kafka_metadata_log_dir: lies inside /srv/a -> put them side by side",
        ),
        (
            "directory_taken",
            {"kafka_log_dirs": ["/opt/kafka/current/logs"]},
            "error k1: kafka_log_dirs[0]: lies in /opt/kafka/current, which a release replaces"
            " -> give a directory of its own, such as /srv/kafka/data1",
        ),
        (
            "directory_taken",
            {"kafka_log_dirs": ["/opt/kafka"]},
            "error k1: kafka_log_dirs[0]: holds the install dir /opt/kafka"
            " -> give a directory of its own, such as /srv/kafka/data1",
        ),
        (
            "directory_taken",
            {"kafka_log_dirs": ["/var/log/kafka/data"]},
            "error k1: kafka_log_dirs[0]: mixes records with Kafka's own log files in /var/log/kafka (kafka_log4j_dir)"
            " -> give a directory of its own, such as /srv/kafka/data1",
        ),
        (
            "disk_twice",
            {"kafka_host_data_disks": [DISKS[0], {**DISKS[1], "device": "/dev/disk/by-id/a"}]},
            "error k1: kafka_host_data_disks.device: is the device of two disks -> give each disk a device of its own",
        ),
        (
            "disk_mount",
            {"kafka_host_data_disks": [{**DISKS[0], "mount": "/"}]},
            "error k1: kafka_host_data_disks[0].mount: is shared with all that lies below it, and would change"
            " its owner"
            " -> give a directory of its own, such as /srv/kafka/data1",
        ),
        (
            "disk_device",
            {"kafka_host_data_disks": [{**DISKS[0], "device": "sdb"}]},
            "error k1: kafka_host_data_disks[0].device: is no device"
            " -> give a block device by a stable name, such as /dev/disk/by-id/...",
        ),
        (
            "disk_fstype",
            {"kafka_host_data_disks": [{**DISKS[0], "fstype": "nfs"}]},
            "error k1: kafka_host_data_disks[0].fstype: is no file system that Kafka is run on -> use xfs, or ext4",
        ),
        (
            "lost_found",
            {"kafka_host_data_disks": DISKS, "kafka_log_dirs": ["/srv/b"]},
            "error k1: kafka_log_dirs: is the root of an ext4 disk, whose lost+found stops Kafka"
            " -> give a directory below the mount",
        ),
        (
            "disk_shared",
            {"kafka_host_data_disks": DISKS, "kafka_log_dirs": ["/srv/a/1", "/srv/a/2"]},
            "warning k1: kafka_log_dirs: /srv/a/1, /srv/a/2 are on one disk, /srv/a -> give each disk one log dir",
        ),
        (
            "disk_unused",
            {"kafka_host_data_disks": DISKS, "kafka_log_dirs": ["/srv/a/1", "/data/2"]},
            "warning k1: kafka_log_dirs: /data/2 are on none of kafka_host_data_disks -> put them below a disk's mount",
        ),
        (
            "type",
            {"kafka_log_dirs": "/srv/a"},
            "error k1: kafka_log_dirs: is text, not a list -> give a list",
        ),
    ],
)
def test_directory_is_refused_with_a_reason_and_a_remedy(rule: str, given: dict[str, Any], said: str) -> None:
    assert said in found(rule, 1, **given)


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
