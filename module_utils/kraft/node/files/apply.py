"""Inspect paths and change them. A killed run leaves either the old state or the new one, never a half."""

from __future__ import annotations

import contextlib
import fcntl
import grp
import os
import pwd
import stat
import time
from collections.abc import Iterable, Iterator

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.node.files import guarded
from ansible.module_utils.kraft.node.files.plan import (
    ABSENT,
    DIRECTORY,
    FILE,
    LINK,
    OTHER,
    Accounts,
    Change,
    Current,
    Desired,
    parent,
    temporary,
)

LOCK_SECONDS, LOCK_STEP = 120.0, 0.2
KINDS = {stat.S_IFDIR: DIRECTORY, stat.S_IFREG: FILE, stat.S_IFLNK: LINK}


def user_id(name: str) -> int | None:
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(name).pw_uid
    return int(name) if name.isdigit() else None


def group_id(name: str) -> int | None:
    with contextlib.suppress(KeyError):
        return grp.getgrnam(name).gr_gid
    return int(name) if name.isdigit() else None


def accounts(wanted: Iterable[Desired]) -> Accounts:
    """Return the ids of every owner and group in `wanted`."""
    owned = [w for w in wanted if w.kind != LINK]
    return Accounts({w.owner: user_id(w.owner) for w in owned}, {w.group: group_id(w.group) for w in owned})


def user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def group_name(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def lstat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def suspect_link(path: str) -> bool:
    """Check whether `path` is a link of another user, who could redirect root anywhere."""
    status = lstat(path)
    return status is not None and stat.S_ISLNK(status.st_mode) and status.st_uid not in (0, os.geteuid())


def way_to(path: str) -> list[str]:
    """Return the directories above `path`, top first: ``/a/b/c`` -> ``/a``, ``/a/b``."""
    parts = path.strip("/").split("/")[:-1]
    return ["/" + "/".join(parts[: i + 1]) for i in range(len(parts))]


def look_at_way(path: str) -> Current:
    """Return an absent `path` with the obstacle or the missing directories above it."""
    missing: list[str] = []
    for step in way_to(path):
        if suspect_link(step):
            return Current(suspect=step)
        if lstat(step) is None:
            missing.append(step)
        elif not os.path.isdir(step):
            return Current(obstacle=step)
    return Current(missing_parents=tuple(missing))


def read(path: str) -> bytes:
    above, name = os.path.split(path)
    with guarded.directory(above) as at, guarded.regular(name, at) as handle, open(os.dup(handle), "rb") as file:
        return file.read()


def find(wanted: Desired) -> Current:
    """Inspect the path. A directory may be reached through a link of root; a file or link may not."""
    way = look_at_way(wanted.path)
    if way.suspect or way.obstacle or way.missing_parents:
        return way
    leftover = wanted.kind != DIRECTORY and lstat(temporary(wanted.path)) is not None
    if wanted.kind == DIRECTORY and suspect_link(wanted.path):
        return Current(suspect=wanted.path)
    status = lstat(wanted.path)
    if status is not None and wanted.kind == DIRECTORY and stat.S_ISLNK(status.st_mode) and os.path.isdir(wanted.path):
        status = os.stat(wanted.path)
    if status is None:
        return Current(leftover=leftover)
    kind = KINDS.get(stat.S_IFMT(status.st_mode), OTHER)
    return Current(
        kind=kind,
        uid=status.st_uid,
        gid=status.st_gid,
        owner=user_name(status.st_uid),
        group=group_name(status.st_gid),
        mode=stat.S_IMODE(status.st_mode),
        content=read(wanted.path) if kind == wanted.kind == FILE else b"",
        target=os.readlink(wanted.path) if kind == LINK else "",
        leftover=leftover,
    )


def fsync_directory(path: str) -> None:
    """Flush renames and new names in `path` to the disk."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def locked(path: str, timeout: float | None = None) -> Iterator[int]:
    """Lock the directory `path` and yield its descriptor. Leaves no file behind."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        timeout = LOCK_SECONDS if timeout is None else timeout
        deadline = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise KraftError(
                        f"another process has held {path} for {timeout:.0f} s; wait until it has ended and run again"
                    ) from None
                time.sleep(LOCK_STEP)
        yield descriptor
    finally:
        os.close(descriptor)


def remove_leftover(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary(path))


def set_owner_and_mode(handle: int, uid: int, gid: int, mode: int) -> None:
    os.fchown(handle, uid, gid)
    os.fchmod(handle, mode)


def write_file(path: str, content: bytes, uid: int, gid: int, mode: int) -> None:
    """Replace `path` in one step: readers see the old content or the new, with its final owner and mode."""
    with guarded.directory(parent(path)) as at:
        write_at(at, os.path.basename(path), content, (uid, gid, mode))


def write_at(at: int, name: str, content: bytes, attributes: tuple[int, int, int]) -> None:
    """Replace the file `name` in the directory of the descriptor `at`. `attributes`: owner, group and mode."""
    made = os.path.basename(temporary(name))
    with contextlib.suppress(FileNotFoundError):
        os.unlink(made, dir_fd=at)
    handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=at)
    with open(handle, "wb") as file:
        file.write(content)
        file.flush()
        set_owner_and_mode(handle, *attributes)
        os.fsync(handle)
    os.rename(made, name, src_dir_fd=at, dst_dir_fd=at)
    os.fsync(at)


def write_link(path: str, target: str) -> None:
    """Point `path` to `target` in one step; `path` is absent or a link."""
    remove_leftover(path)
    os.symlink(target, temporary(path))
    os.rename(temporary(path), path)
    fsync_directory(parent(path))


def change_attributes(path: str, flags: int, uid: int, gid: int, mode: int) -> None:
    handle = os.open(path, os.O_RDONLY | flags)
    try:
        set_owner_and_mode(handle, uid, gid, mode)
        os.fsync(handle)
    finally:
        os.close(handle)


def make_directory(path: str, mode: int) -> None:
    """Create one directory with its final mode from the start, whatever the umask; an existing one is left alone."""
    if lstat(path) is not None:
        return
    umask = os.umask(0)
    try:
        os.mkdir(path, mode)
    finally:
        os.umask(umask)
    fsync_directory(parent(path))


def apply_directory(change: Change, uid: int, gid: int) -> None:
    wanted = change.wanted
    for path in change.found.missing_parents:
        make_directory(path, 0o755)
    make_directory(wanted.path, 0o700)  # closed until it has its owner
    change_attributes(wanted.path, os.O_DIRECTORY, uid, gid, wanted.mode)


def apply_file(change: Change, uid: int, gid: int) -> None:
    wanted = change.wanted
    if {"create", "content"} & set(change.why):
        write_file(wanted.path, wanted.content, uid, gid, wanted.mode)
        return
    remove_leftover(wanted.path)
    change_attributes(wanted.path, os.O_NOFOLLOW, uid, gid, wanted.mode)


def remove(path: str) -> None:
    """Remove a file and the temporary file of a killed run beside it. A missing file is no error."""
    remove_leftover(path)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
        fsync_directory(parent(path))


def apply(change: Change, known: Accounts) -> None:
    """Apply one change. Owner and group exist: ``problems`` has checked it."""
    wanted = change.wanted
    if wanted.kind == LINK:
        write_link(wanted.path, wanted.target)
        return
    if wanted.kind == ABSENT:
        remove(wanted.path)
        return
    uid, gid = known.users[wanted.owner], known.groups[wanted.group]
    if uid is None or gid is None:
        raise KeyError(f"{wanted.owner}:{wanted.group}")
    (apply_directory if wanted.kind == DIRECTORY else apply_file)(change, uid, gid)
