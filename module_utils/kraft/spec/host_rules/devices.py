"""Data disks: the named device must exist, be a disk, and hold no data of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.host_rules.subject import Facts, Host, Subject
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK

VARIABLE = "kafka_host_data_disks"
NAMES = "`ls -l /dev/disk/by-id` on the host shows the names"
NONE = "if the host has no disks for Kafka, set kafka_host_data_disks: [] and kafka_log_dirs to a directory that it has"
#: End of AWS's model name of such a disk (docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-stores.html).
INSTANCE_STORE = "NVMe Instance Storage"
PACKAGES = {"xfs": "xfsprogs", "ext4": "e2fsprogs"}


def check(subject: Subject) -> Iterator[Problem]:
    for host, facts in subject.seen:
        for disk in host.wanted.disks:
            found = facts.get("disks", {}).get(disk["device"])
            if found is not None:
                yield from device(host, disk, found)
                yield from ephemeral(host, disk, found)


def device(host: Host, disk: Mapping[str, Any], found: Facts) -> Iterator[Problem]:
    """Report the first obstacle to using a device; later ones would only repeat it."""
    verdicts = chain.from_iterable(judge(disk, found) for judge in (absence, use, content, tool))
    for rule, message, remedy in islice(verdicts, 1):
        yield Problem(rule, message, remedy, VARIABLE, host.name, disk["device"])


def ephemeral(host: Host, disk: Mapping[str, Any], found: Facts) -> Iterator[Problem]:
    """Report a disk that belongs to a machine of EC2, not to the account: its records go with the machine."""
    if INSTANCE_STORE in found.get("model", ""):
        message = f"{disk['device']} is of the instance store: AWS empties it when the machine stops, moves or ends"
        remedy = "use kafka_ec2_volumes, which outlive a machine"
        yield Problem("disk_ephemeral", message, remedy, VARIABLE, host.name, disk["device"], RISK)


Verdict = tuple[str, str, str]


def absence(disk: Mapping[str, Any], found: Facts) -> Iterator[Verdict]:
    """Report a name of nothing, of something that is no disk, or of an unreadable one."""
    if found["kind"] == "absent":
        yield "disk_absent", f"There is no {disk['device']}", f"{NAMES}; {NONE}"
    elif found["kind"] != "block":
        yield "disk_absent", f"{disk['device']} is no block device", f"{NAMES}; {NONE}"
    elif found["closed"]:
        remedy = "see dmesg on the host; a container is given its devices by the machine that it runs on"
        yield "disk_closed", f"{disk['device']} cannot be read: {found['closed']}", remedy


def use(disk: Mapping[str, Any], found: Facts) -> Iterator[Verdict]:
    """Report a disk that is in use elsewhere, and a mount point that another disk has."""
    mount = disk["mount"].rstrip("/")
    if found["mounts"] and mount not in found["mounts"]:
        message = f"{disk['device']} is mounted at {', '.join(found['mounts'])}"
        yield "disk_in_use", message, "name another device, or unmount it if it is not needed there"
    if found["at_mount"]:
        message = f"Another device is mounted at {mount}, not {disk['device']}"
        remedy = f"name the device that `findmnt {mount}` shows, or another mount"
        yield "disk_mount_taken", message, remedy
    if found["holders"]:
        message = f"{disk['device']} is a part of {', '.join(found['holders'])} (LVM, RAID or encryption)"
        yield "disk_in_use", message, f"name the device that is made of it, or another; {NAMES}"


def content(disk: Mapping[str, Any], found: Facts) -> Iterator[Verdict]:
    """Report the content of a device, unless it is the configured filesystem: it may be in use."""
    wanted, kind = disk.get("fstype") or "xfs", found["filesystem"]
    clear = f"name another device; if its data is not needed: wipefs --all {disk['device']}"
    if found["parts"] or (found["table"] and not kind):
        parts = ", ".join(found["parts"]) or found["table"]
        yield "disk_partitioned", f"{disk['device']} has a partition table ({parts})", clear
    elif kind and kind != wanted:
        keep = f"give it fstype: {kind} to keep that filesystem, or " if kind in PACKAGES else ""
        yield "disk_content", f"{disk['device']} holds {kind}, and {wanted} is configured", keep + clear


def tool(disk: Mapping[str, Any], found: Facts) -> Iterator[Verdict]:
    """Report a missing tool for an empty disk, which a small image may lack."""
    wanted = disk.get("fstype") or "xfs"
    if not found["filesystem"] and not found["tool"]:
        message = f"There is no mkfs.{wanted} to make a filesystem on {disk['device']}"
        yield (
            "disk_tool",
            message,
            f"install {PACKAGES.get(wanted, wanted)} on the host, or give the disk another fstype",
        )
