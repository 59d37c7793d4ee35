"""Check whether the filesystem of a log dir may be filled: only Kafka may need it. Pure."""

from __future__ import annotations

import dataclasses

#: Filesystems that the system itself writes to.
SYSTEM = (
    *("/", "/boot", "/etc", "/home", "/opt", "/root", "/run", "/usr"),
    *("/tmp", "/var", "/var/lib", "/var/log", "/var/tmp"),  # noqa: S108 - compared with, not written to
)


@dataclasses.dataclass(frozen=True)
class Mount:
    """A line of ``/proc/self/mountinfo``: the device, which directory of its filesystem is mounted, and where."""

    device: str
    root: str
    point: str


def parse(mountinfo: str) -> list[Mount]:
    """Parse the mounts in order; https://www.kernel.org/doc/html/latest/filesystems/proc.html (mountinfo)."""
    fields = (line.split() for line in mountinfo.splitlines() if line)
    return [Mount(device, plain(root), plain(point)) for _, _, device, root, point, *_ in fields]


def plain(field: str) -> str:
    """Return a path without the kernel's escapes for blanks and backslashes."""
    for code, sign in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, sign)
    return field


def mount_of(path: str, mounts: list[Mount]) -> Mount | None:
    """Return the mount of an absolute path; of several the innermost, of those at one place the last."""
    found = None
    for each in mounts:
        inside = path == each.point or path.startswith(each.point.rstrip("/") + "/")
        if inside and (found is None or len(each.point) >= len(found.point)):
            found = each
    return found


def refusal(path: str, mounts: list[Mount]) -> str:
    """Return why the filesystem of `path` may not be filled; empty if it may."""
    own = mount_of(path, mounts)
    if own is None:
        return "is on no filesystem that /proc/self/mountinfo names"
    if own.root != "/":
        return f"is on a part ({own.root}) of a filesystem that is mounted elsewhere"
    systems = {place: mount_of(place, mounts) for place in SYSTEM}
    shared = [place for place, mount in systems.items() if mount is not None and mount.device == own.device]
    return f"is on the filesystem of {shared[0]}, which this host needs" if shared else ""
