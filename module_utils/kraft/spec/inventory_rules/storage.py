"""Directories: absolute, Kafka's alone, on persistent filesystems, each on a separate disk."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ansible.module_utils.kraft.node.removal.plan import OURS
from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.desired.model import Node
from ansible.module_utils.kraft.spec.inventory.reading import clean
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject
from ansible.module_utils.kraft.wording import named

LOG_DIRS = "kafka_log_dirs"
METADATA = "kafka_metadata_log_dir"
SAFE = re.compile(r"(/[A-Za-z0-9._+@=-]+)*/?")
#: Emptied at boot or by a cleaner.
VOLATILE = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/var/run")  # noqa: S108 - refused, not used
#: The system's own.
SYSTEM = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr")
#: Directories that hold others' data: as they are they must not change hands.
ROOTS = ("/", "/home", "/media", "/mnt", "/opt", "/root", "/srv", "/var", "/var/lib", "/var/log")
#: Placeholder for a disk in inventories/example.
PLACEHOLDER = "/dev/disk/by-id/example-"
REPLACE = (
    "name your host's disk (`ls -l /dev/disk/by-id` shows the names); if it has none for Kafka, leave out"
    " kafka_host_data_disks and kafka_log_dirs"
)
EXAMPLE = "such as /srv/kafka/data1"


def inside(path: str, parent: str) -> bool:
    """Check whether `path` is `parent` or below it."""
    return path == parent or path.startswith(parent.rstrip("/") + "/")


def directories(node: Node) -> list[tuple[str, str]]:
    """Return every directory of Kafka's records, with the variable that names it."""
    found = [(f"{LOG_DIRS}[{at}]", path) for at, path in enumerate(node.log_dirs)]
    return found + ([(METADATA, node.metadata_log_dir)] if node.metadata_log_dir else [])


def log_dirs(subject: Subject) -> Iterator[Problem]:
    """Require log dirs: without them Kafka writes to /tmp/kafka-logs."""
    for node in subject.sound(LOG_DIRS):
        if not node.log_dirs:
            yield Problem(
                "no_log_dir",
                "The list is empty",
                f"give one directory for each disk, {EXAMPLE}",
                LOG_DIRS,
                node.host,
                [],
            )
        for path in sorted({path for path in node.log_dirs if node.log_dirs.count(path) > 1}):
            yield Problem(
                "log_dir_twice", "The directory is named twice", "name each directory once", LOG_DIRS, node.host, path
            )


def places(subject: Subject) -> Iterator[Problem]:
    """Require directories that are persistent, and that nothing else uses."""
    for node in subject.cluster.nodes:
        paths = directories(node)
        others = [("kafka_install_dir", node.install_dir), ("kafka_log4j_dir", node.log4j_dir)]
        for variable, path in (*paths, *others):
            message, remedy = place_problem(path)
            if message:
                yield Problem("directory", message, remedy, variable, node.host, path)
        for variable, path in paths:
            message = "" if place_problem(path)[0] else _taken(path, node)
            if message:
                remedy = f"give a separate directory, {EXAMPLE}"
                yield Problem("directory_taken", message, remedy, variable, node.host, path)


def place_problem(path: str) -> tuple[str, str]:
    """Return why a directory cannot be used, and the remedy; empty texts if it can."""
    safe = "use letters, digits and . _ + @ = - only"
    lasting, own = f"give a persistent directory, {EXAMPLE}", f"give a separate directory, {EXAMPLE}"
    faults = (
        (
            not path.startswith("/"),
            "The path is relative",
            f"begin it with /, {EXAMPLE}",
        ),
        (".." in path.split("/"), "The path contains '..'", "write the directory that is meant"),
        (
            not SAFE.fullmatch(path),
            "The path contains a character that Kafka, systemd or the JVM interprets",
            safe,
        ),
        (
            any(inside(path, each) for each in VOLATILE),
            "The path is a temporary directory: the system deletes its contents",
            lasting,
        ),
        (any(inside(path, each) for each in SYSTEM), "The directory belongs to the system", own),
        (path in ROOTS, "Other programs use this directory, and its owner would change", own),
    )
    return next(((message, remedy) for wrong, message, remedy in faults if wrong), ("", ""))


def _taken(path: str, node: Node) -> str:
    """Return the other user of a directory of records."""
    if inside(node.install_dir, path):
        return f"The directory contains the install dir {node.install_dir}"
    for part in OURS:
        if inside(path, f"{node.install_dir}/{part}"):
            return (
                f"The directory is in {node.install_dir}/{part}: deployments replace it, destroy_cluster.yml deletes it"
            )
    if inside(path, node.log4j_dir) or inside(node.log4j_dir, path):
        return f"The directory mixes records with Kafka's own log files in {node.log4j_dir} (kafka_log4j_dir)"
    return ""


def nesting(subject: Subject) -> Iterator[Problem]:
    """Refuse a directory inside another: Kafka would take it for a topic's partition."""
    for node in subject.cluster.nodes:
        paths = directories(node)
        for variable, path in paths:
            for _, other in paths:
                if path != other and inside(path, other):
                    remedy = "put them side by side"
                    yield Problem(
                        "directory_nested", f"The directory is inside {other}", remedy, variable, node.host, path
                    )


def disks(subject: Subject) -> Iterator[Problem]:
    """Require each device and mount once, and no records in a filesystem's root."""
    for node in subject.sound("kafka_host_data_disks"):
        given = [{**disk, "mount": clean(disk["mount"])} for disk in node.variables.get("kafka_host_data_disks") or []]
        for part in ("device", "mount"):
            yield from _twice(node, part, [str(disk[part]) for disk in given])
        for at, disk in enumerate(given):
            yield from _disk(node, f"kafka_host_data_disks[{at}]", disk)
        yield from _shared_disks(node, [str(disk["mount"]) for disk in given])


def _twice(node: Node, part: str, values: Iterable[str]) -> Iterator[Problem]:
    listed = list(values)
    for value in sorted({value for value in listed if listed.count(value) > 1}):
        message, remedy = f"Two disks have this {part}", f"give each disk its own {part}"
        yield Problem("disk_twice", message, remedy, f"kafka_host_data_disks.{part}", node.host, value)


def _disk(node: Node, variable: str, disk: dict[str, str]) -> Iterator[Problem]:
    message, remedy = place_problem(disk["mount"])
    if message:
        yield Problem("disk_mount", message, remedy, f"{variable}.mount", node.host, disk["mount"])
    if not disk["device"].startswith("/dev/"):
        remedy = "give a block device by a stable name, such as /dev/disk/by-id/..."
        yield Problem(
            "disk_device", "The value is not a device path", remedy, f"{variable}.device", node.host, disk["device"]
        )
    if disk["device"].startswith(PLACEHOLDER):
        yield Problem(
            "disk_placeholder",
            "The device is the placeholder of the example",
            REPLACE,
            f"{variable}.device",
            node.host,
            disk["device"],
        )
    if disk.get("fstype", "xfs") not in ("xfs", "ext4"):
        message, remedy = "The filesystem is not supported", "use xfs, or ext4"
        yield Problem("disk_fstype", message, remedy, f"{variable}.fstype", node.host, disk["fstype"])
    if disk["mount"] in node.log_dirs and disk.get("fstype") == "ext4":
        message = "The directory is the root of an ext4 disk: its lost+found stops Kafka"
        yield Problem("lost_found", message, "give a directory below the mount", LOG_DIRS, node.host, disk["mount"])


def _shared_disks(node: Node, mounts: list[str]) -> Iterator[Problem]:
    """Report two log dirs on one disk: they fail together and share its speed."""
    for mount in mounts:
        found = [path for path in node.log_dirs if inside(path, mount)]
        if len(found) > 1:
            message, remedy = f"{named(found)} are on one disk, {mount}", "give each disk one log dir"
            yield Problem("disk_shared", message, remedy, LOG_DIRS, node.host, severity=RISK)
    homeless = [path for path in node.log_dirs if mounts and not any(inside(path, mount) for mount in mounts)]
    if homeless:
        message, remedy = f"{named(homeless)} are on none of kafka_host_data_disks", "put them below a disk's mount"
        yield Problem("disk_unused", message, remedy, LOG_DIRS, node.host, severity=WARNING)


RULES = (log_dirs, places, nesting, disks)
