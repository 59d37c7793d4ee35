"""Directories of data and program: filesystem, mount options, free space, owner, path."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ansible.module_utils.kraft.node.storage import log_dir
from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.host_rules.subject import Facts, Host, Subject
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK
from ansible.module_utils.kraft.wording import named

IN_MEMORY = ("tmpfs", "ramfs", "devtmpfs")
OVER_NETWORK = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "beegfs")
OVER_NETWORK_BY_FUSE = ("fuse.sshfs", "fuse.glusterfs", "fuse.ceph", "fuse.s3fs", "fuse.rclone", "fuse.mount-s3")
#: Filesystems that have a directory lost+found at their root, which Kafka takes for a broken partition.
WITH_LOST_AND_FOUND = ("ext2", "ext3", "ext4")

#: MiB. Below the first a format or a file can end up empty (the format tool then still reports success); below the
#: second not even one log segment of the default size fits; the third is what Kafka's documentation calls sufficient.
FULL_MB = 64
SCARCE_MB = 1024
METADATA_MB = 5 * 1024
RELEASE_MB = 256
FEW_INODES = 1000
#: States of a log dir that holds nothing.
NOTHING = (log_dir.ABSENT, log_dir.EMPTY)


def check(subject: Subject) -> Iterator[Problem]:
    for host, facts in subject.seen:
        for path, found in host.found():
            if not host.pending(path, found):
                yield from filesystem(host, path, found)
            yield from ownership(host, path, found)
            yield from obstacles(host, path, found)
        yield from room(host)
        yield from sharing(host)
        yield from misplaced(host)
        yield from dropped(host, facts)
        yield from lost(host, facts)
        yield from blank(subject, host, facts)
        yield from program(host, facts)


def filesystem(host: Host, path: str, found: Facts) -> Iterator[Problem]:
    """Refuse memory, network and read-only filesystems: they lose records, or cannot take them."""
    kind, where = found["fstype"], f"{path} lies on {found['mount']} ({found['fstype']})"
    variable = host.variable_of(path)
    if kind in IN_MEMORY:
        remedy = "use a directory on a disk"
        yield Problem("log_dir_in_memory", f"{where}, which a reboot empties", remedy, variable, host.name, kind)
    elif kind in OVER_NETWORK or kind in OVER_NETWORK_BY_FUSE:
        remedy = "use a local disk (xfs or ext4); Kafka maps its files into memory, renames and locks them"
        yield Problem("log_dir_on_network", f"{where}, a network filesystem", remedy, variable, host.name, kind, RISK)
    if "ro" in found["options"]:
        remedy = f"find out why (a kernel remounts a broken disk read-only: dmesg), then remount {found['mount']}"
        yield Problem("log_dir_read_only", f"{where}, which is mounted read-only", remedy, variable, host.name, path)


def room(host: Host) -> Iterator[Problem]:
    """Check space and inodes of each filesystem, once, for all log dirs on it.

    A shortage on a running node does not stop a run, unless the disk is full.
    """
    for dirs in filesystems(host):
        metadata = host.is_controller and host.node["metadata_log_dir"] in dirs
        path = host.node["metadata_log_dir"] if metadata else next(iter(dirs))
        free, variable = min(found["free_mb"] for found in dirs.values()), host.variable_of(path)
        needed = SCARCE_MB * len(dirs) + (METADATA_MB - SCARCE_MB if metadata else 0)
        mount, alone = dirs[path]["mount"], len(dirs) == 1
        lie = f"{mount}, where {named(dirs)} {'lies' if alone else 'lie'},"
        has = f"{path if alone else lie} has {free} MiB free of {dirs[path]['total_mb']} MiB"
        if free < FULL_MB * len(dirs):
            remedy = "free space or use a larger disk: on a full disk files are left empty or half-written"
            yield Problem("log_dir_full", has, remedy, variable, host.name, free)
        elif free < needed:
            severity = WARNING if all(found["state"] == log_dir.FORMATTED for found in dirs.values()) else RISK
            what = " for the metadata log" if metadata else ""
            remedy = f"use a disk with at least {needed} MiB free{what if alone else ' for these log dirs'}"
            yield Problem("log_dir_scarce", has, remedy, variable, host.name, free, severity)
        inodes = min(found["free_inodes"] for found in dirs.values())
        if 0 <= inodes < FEW_INODES * len(dirs):
            remedy = "free inodes: each log segment is three files"
            yield Problem("log_dir_no_inodes", f"{lie} has {inodes} inodes left", remedy, variable, host.name, inodes)


def filesystems(host: Host) -> list[dict[str, Facts]]:
    """Group the log dirs by filesystem: path -> facts.

    A device that is mounted twice is one. Directories with a separate quota show another size.
    """
    groups: dict[tuple[str, int], dict[str, Facts]] = {}
    for path, found in host.found():
        if not host.pending(path, found):
            place = found["device"] if found["device"].startswith("/dev/") else found["mount"]
            groups.setdefault((place, found["total_mb"]), {})[path] = found
    return list(groups.values())


def ownership(host: Host, path: str, found: Facts) -> Iterator[Problem]:
    """Require Kafka's ownership. The role chowns only a directory of root or of no account."""
    variable, user = host.variable_of(path), host.wanted.user
    kept = found["state"] in (log_dir.FORMATTED, log_dir.INTERRUPTED)
    if found["foreign_files"] and kept and returning_uid(host) is None:
        names = ", ".join(found["foreign_files"])
        message = f"{path} holds files that do not belong to {user}: {names}"
        remedy = f"if this is the node's own disk: chown -R {user}: {path}"
        yield Problem("log_dir_wrong_owner", message, remedy, variable, host.name, path)
    if found["state"] == log_dir.EMPTY and found["owner"] not in ("", "root", user) and not found["owner"].isdigit():
        message = f"{path} is empty and belongs to {found['owner']}"
        remedy = f"if its data is not needed: chown root: {path}; or name another directory"
        yield Problem("log_dir_taken", message, remedy, variable, host.name, path)
    if found["closed_by"]:
        message = f"User {user} may not enter {found['closed_by']} on the way to {path}"
        remedy = f"chmod o+x {found['closed_by']}, or use another directory"
        yield Problem("log_dir_closed", message, remedy, variable, host.name, path)


def returning_uid(host: Host) -> int | None:
    """Return the former uid for Kafka's user: that of the node's data, whose account is gone."""
    uids = {found.get("orphan_uid") for _, found in host.found() if found["state"] == log_dir.FORMATTED}
    return uids.pop() if len(uids) == 1 and not (host.facts or {})["user"]["exists"] else None


def obstacles(host: Host, path: str, found: Facts) -> Iterator[Problem]:
    """Report directories that are no partitions: Kafka refuses to start beside them."""
    disk = host.disk_of(path)
    fresh = disk is not None and disk["mount"].rstrip("/") == path and disk.get("fstype", "xfs") in WITH_LOST_AND_FOUND
    if fresh or log_dir.LOST_AND_FOUND in found["blockers"]:
        message = f"{path} is the root of a filesystem with a directory lost+found, which Kafka does not start beside"
        remedy = f"use a directory below it, such as {path.rstrip('/')}/kafka"
        yield Problem("log_dir_is_mount_root", message, remedy, host.variable_of(path), host.name, path)
    others = [name for name in found["blockers"] if name != log_dir.LOST_AND_FOUND]
    if others and found["state"] == log_dir.FORMATTED:
        message = f"{path} contains directories that are not partitions: {', '.join(others)}; Kafka does not start"
        remedy = "move them out of the log dir"
        yield Problem("log_dir_obstacle", message, remedy, host.variable_of(path), host.name, path)


def sharing(host: Host) -> Iterator[Problem]:
    """Report two log dirs that are one, or that one broken disk takes both."""
    places: dict[str, str] = {}
    devices: dict[str, str] = {}
    for path, found in host.found():
        if found["real_path"] in places:
            message = f"{path} and {places[found['real_path']]} are the same directory ({found['real_path']})"
            remedy = "name each directory once"
            yield Problem("log_dirs_are_one", message, remedy, host.variable_of(path), host.name, path)
        elif path in host.node["log_dirs"] and found["mount"] in devices and not host.pending(path, found):
            message = f"{path} and {devices[found['mount']]} lie on one filesystem ({found['mount']})"
            remedy = "one log dir for each disk; several on one disk add neither space nor speed"
            yield Problem("disk_shared", message, remedy, host.variable_of(path), host.name, path, RISK)
        places[found["real_path"]] = path
        if path in host.node["log_dirs"]:
            devices.setdefault(found["mount"], path)


def misplaced(host: Host) -> Iterator[Problem]:
    """Report a metadata log if the inventory no longer has it: Kafka does not start beside it.

    Without `kafka_metadata_log_dir` it is in the first log dir, so another order of `kafka_log_dirs` is enough.
    """
    wanted = host.node["metadata_log_dir"]
    for path, found in host.found():
        if path != wanted and any(name.startswith(f"{log_dir.METADATA_LOG}/") for name in found["lived"]):
            text = f"{path} holds the metadata log, which the inventory has in {wanted}: Kafka would not start"
            remedy = f"set kafka_metadata_log_dir: {path}, or name that one first in kafka_log_dirs"
            yield Problem("metadata_log_misplaced", text, remedy, host.variable_of(path), host.name, wanted)


def dropped(host: Host, facts: Facts) -> Iterator[Problem]:
    """Report a log dir that leaves the inventory with replicas on it."""
    for path, used in facts.get("used_log_dirs", {}).items():
        if path in host.log_dirs or not host.is_broker:
            continue
        drain = f"playbooks/balance_disks.yml -e kafka_drain_log_dirs={host.name}:{path}"
        if used["replicas"]:
            text = f"The list lacks {path}, which holds {used['replicas']} replicas ({', '.join(used['named'])})"
            remedy = f"put it back, and empty it first: {drain}"
            yield Problem("log_dir_dropped", text, remedy, "kafka_log_dirs", host.name, path)
        elif not used["read"]:
            text = (
                f"The list lacks {path}, which cannot be read: Kafka creates its replicas again on the other log dirs"
            )
            remedy = "make sure that other brokers have every partition in sync, or give the host its disk back"
            yield Problem("log_dir_dropped_unread", text, remedy, "kafka_log_dirs", host.name, path, RISK)


def lost(host: Host, facts: Facts) -> Iterator[Problem]:
    """Report a log dir that was in use and is empty: its disk was replaced, or is not mounted.

    The metadata log of a controller is validated as that of a voter.
    """
    expected = host.wanted.replaced or host.wanted.added
    for path, found in () if expected else host.found():
        metadata = path == host.node["metadata_log_dir"]
        gone = found["state"] in NOTHING and path in facts.get("used_log_dirs", {})
        if gone and not (metadata and host.is_controller) and not host.pending(path, found):
            text = (
                f"{path} was in use and is empty now: it would be formatted, and Kafka copies its replicas from others"
            )
            way = f"run {replace(host)}" if metadata else "see docs/runbooks/balance_disks.md"
            remedy = f"mount its disk; if that was replaced, {way} ({found['mount']})"
            yield Problem("log_dir_lost", text, remedy, host.variable_of(path), host.name, path, RISK)


def blank(subject: Subject, host: Host, facts: Facts) -> Iterator[Problem]:
    """Report a registered broker on a machine that has no data of it.

    If no other replica is in sync, Kafka takes the empty one for the whole. `replace_node.yml` checks that itself.
    A controller is refused as a voter without its log.
    """
    brokers = subject.snapshot.brokers if subject.snapshot else ()
    known = host.node["node_id"] in {one.node_id for one in brokers} and not host.is_controller
    found = list(host.found())
    empty = all(one["state"] in NOTHING and not host.pending(path, one) for path, one in found)
    told = any(path in facts.get("used_log_dirs", {}) for path, _ in found)  # by `lost`
    if known and found and empty and not told and not host.wanted.replaced:
        text = f"Broker {host.node['node_id']} is registered in the running cluster, but its log dirs are empty"
        remedy = f"attach its disks; if they are lost, run {replace(host)}"
        yield Problem("log_dir_lost", text, remedy, "kafka_log_dirs", host.name, severity=RISK)


def replace(host: Host) -> str:
    return f"playbooks/replace_node.yml -e kafka_replace_node={host.name}"


def program(host: Host, facts: Facts) -> Iterator[Problem]:
    """Check the directories of Kafka's program and of its native libraries."""
    place, found, path = facts["install_dir"], facts["paths"]["install_dir"], facts["paths"]["install_dir"]["path"]

    def problem(rule: str, message: str, remedy: str, variable: str = "kafka_install_dir") -> Problem:
        return Problem(rule, message, remedy, variable, host.name, path)

    if place["kind"] in ("link", "file"):
        what = f"a link to {place['target']}" if place["kind"] == "link" else "a file"
        remedy = "move it away, or set kafka_install_dir to another place"
        yield problem("install_dir_taken", f"{path} is {what}, not a directory of ours", remedy)
    elif place["occupied"]:
        names = ", ".join(place["occupied"])
        remedy = "move it away, or set kafka_install_dir to another place"
        yield problem("install_dir_taken", f"{path} holds another installation ({names})", remedy)
    if "ro" in found["options"]:
        yield problem("install_dir_read_only", f"{path} lies on {found['mount']}, mounted read-only", "remount it")
    if "noexec" in found["options"]:
        message = f"{path} lies on {found['mount']}, mounted noexec: Kafka's tools cannot be run from there"
        yield problem("install_dir_noexec", message, "remount it with exec, or set kafka_install_dir elsewhere")
    if found["free_mb"] < RELEASE_MB and not any(each["complete"] for each in facts["releases"].values()):
        message = f"{path} has {found['free_mb']} MiB free, a release needs {RELEASE_MB}"
        yield problem("install_dir_full", message, "free space, or set kafka_install_dir elsewhere")
    tmp = facts["paths"]["tmp"]
    if "noexec" in tmp["options"] and not any("-Djava.io.tmpdir" in each for each in host.node["jvm_options"]):
        message = f"{tmp['path']} is mounted noexec: the JVM unpacks the libraries for zstd and snappy there"
        remedy = (
            "add -Djava.io.tmpdir=<kafka_log4j_dir> to kafka_jvm_options, where the unit may write;"
            " or remount it with exec"
        )
        yield dataclasses.replace(problem("tmp_noexec", message, remedy, "kafka_jvm_options"), value=tmp["path"])
