"""Facts of a directory: filesystem, mount options, space, owner, and access for Kafka's user."""

from __future__ import annotations

import os
import pwd
import re
import stat
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.node.files.apply import group_name, user_name

MIB = 1024 * 1024
CONTENT_LOOKED_AT = 200


def mounts(text: str) -> list[dict[str, Any]]:
    """Parse ``/proc/self/mounts``, in order: ``{device, mount, fstype, options}``, without options that have values."""
    found: list[dict[str, Any]] = []
    for line in text.splitlines():
        fields = [re.sub(r"\\([0-7]{3})", lambda code: chr(int(code.group(1), 8)), field) for field in line.split()]
        known = dict(zip(("device", "mount", "fstype", "options"), fields))
        if "options" in known:
            options = [option for option in known["options"].split(",") if "=" not in option]
            found.append({**known, "options": options})
    return found


def mount_of(path: str, found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the mount of `path` (without links); the later of two at one place hides the earlier."""
    best: dict[str, Any] = {"device": "", "mount": "", "fstype": "", "options": []}
    for each in found:
        inside = path == each["mount"] or path.startswith(each["mount"].rstrip("/") + "/")
        if inside and len(each["mount"]) >= len(best["mount"]):
            best = each
    return best


def nearest_existing(path: str) -> str:
    """Return `path`, or the closest existing directory above it, without links."""
    real = os.path.realpath(path)
    while not os.path.isdir(real) and real != "/":
        real = os.path.dirname(real)
    return real


def room(path: str) -> dict[str, int]:
    """Return the space for an ordinary user, in MiB, and free inodes (-1: the filesystem has no fixed number)."""
    found = os.statvfs(path)
    return {
        "free_mb": found.f_bavail * found.f_frsize // MIB,
        "total_mb": found.f_blocks * found.f_frsize // MIB,
        "free_inodes": found.f_favail if found.f_files else -1,
    }


def searchable(status: os.stat_result, uid: int, gids: set[int]) -> bool:
    """Check that a user may pass through a directory."""
    if status.st_uid == uid:
        return bool(status.st_mode & stat.S_IXUSR)
    return bool(status.st_mode & (stat.S_IXGRP if status.st_gid in gids else stat.S_IXOTH))


NO_USER = -1  #: an account that is still to be created: it owns nothing


def closed_to(path: str, user: str) -> str:
    """Return the first directory above `path` that `user` (which may not exist yet) may not pass; or ""."""
    try:
        uid = pwd.getpwnam(user).pw_uid
        gids = set(os.getgrouplist(user, pwd.getpwnam(user).pw_gid))
    except (KeyError, OSError):
        uid, gids = NO_USER, set()
    for step in reversed(Path(os.path.realpath(path)).parents):
        if step.is_dir() and not searchable(step.stat(), uid, gids):
            return str(step)
    return ""


def foreign_files(path: str, user: str) -> list[str]:
    """Return names in `path` (of the first few hundred) that do not belong to `user`: ``name (owner)``."""
    found = []
    try:
        with os.scandir(path) as entries:
            for _, entry in zip(range(CONTENT_LOOKED_AT), entries):
                owner = user_name(entry.stat(follow_symlinks=False).st_uid)
                if owner != user and entry.name != "lost+found":
                    found.append(f"{entry.name} ({owner})")
    except OSError:
        return []
    return sorted(found)[:5]


def orphan_uid(path: str) -> int | None:
    """Return the uid that owns all of `path` (of the first few hundred names), if it has no account any more."""
    try:
        with os.scandir(path) as entries:
            looked = [entry for _, entry in zip(range(CONTENT_LOOKED_AT), entries) if entry.name != "lost+found"]
        found = {entry.stat(follow_symlinks=False).st_uid for entry in looked}
    except OSError:
        return None
    uid = found.pop() if len(found) == 1 else None
    return uid if uid is not None and user_name(uid) == str(uid) else None


def path_facts(path: str, user: str, found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return all facts of one path. For a missing one, filesystem and space are those it would have."""
    existing = nearest_existing(path)
    mount = mount_of(existing, found)
    facts = {
        **mount,
        **room(existing),
        "real_path": os.path.realpath(path),
        "mount_root": os.path.realpath(path) == mount["mount"],
        "closed_by": closed_to(path, user),
        "owner": "",
        "group": "",
        "mode": "",
    }
    if os.path.exists(path):
        status = os.stat(path)
        facts["owner"], facts["group"] = user_name(status.st_uid), group_name(status.st_gid)
        facts["mode"] = f"{stat.S_IMODE(status.st_mode):04o}"
    return facts


def install_dir(path: str) -> dict[str, Any]:
    """Inspect the install dir: ``{kind, target, occupied}``; ``occupied``: names that our layout needs.

    Ours is a real directory whose ``bin``, ``libs`` and ``config`` are links; another installation has directories.
    """
    if os.path.islink(path):
        return {"kind": "link", "target": os.readlink(path), "occupied": []}
    if not os.path.isdir(path):
        return {"kind": "absent" if not os.path.lexists(path) else "file", "target": "", "occupied": []}
    names = ("bin", "libs", "config", "current")
    occupied = [name for name in names if os.path.lexists(f"{path}/{name}") and not os.path.islink(f"{path}/{name}")]
    return {"kind": "directory", "target": "", "occupied": occupied}
