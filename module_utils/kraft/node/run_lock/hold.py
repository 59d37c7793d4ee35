"""Acquire and release the lock of this host, and stop runs that have lost it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.node.run_lock import lock, workers

PATH = "/run/kraftwright.lock"  #: below a directory that is empty after a reboot
TIMEOUT = 120  #: seconds to wait for leftovers of a dead run
SHARING = "sharing"  #: part of the file: holders that share the lock with the first
BROKEN, MOST_BROKEN = ".broken", 100  #: suffix of the file with runs whose lock was taken over, and its limit
GUARD_SECONDS, STEP = 20.0, 0.05  #: a guard is held only during one access


def read(path: str) -> list[lock.Record]:
    """Return the records at `path`; none without a file, or if a crash of the host tore it (then no run holds it)."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (FileNotFoundError, ValueError):
        return []
    more = found.get(SHARING, []) if isinstance(found, dict) else []
    return [one for each in (found, *more) if (one := lock.record(each))]


def write(path: str, records: Sequence[lock.Record]) -> None:
    """Replace the records in one step; without any, remove the file.

    Older versions read the first one.
    """
    if not records:
        os.unlink(path)
        return
    first, *others = (one.as_dict() for one in records)
    replace(path, {**first, SHARING: others})


def replace(path: str, value: Any) -> None:
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(value, file)
    os.replace(path + ".new", path)


def broken(path: str) -> list[str]:
    """Return runs whose lock at `path` was taken over since the host's boot."""
    try:
        with open(path + BROKEN, encoding="utf-8") as file:
            found = json.load(file)
    except (FileNotFoundError, ValueError):
        return []
    return [str(one) for one in found] if isinstance(found, list) else []


def refuse_if_lost(module: Any, path: str = PATH) -> None:
    """Fail a module (``AnsibleModule``) whose run has lost the lock of this host. Outside of a run, do nothing."""
    run = os.environ.get(lock.RUN_VARIABLE, "")
    why = lock.lost(path, run, read(path), broken(path)) if run else ""
    if why:
        module.fail_json(msg=why)


@contextlib.contextmanager
def guarded(path: str, seconds: float = GUARD_SECONDS) -> Iterator[None]:
    """Hold the guard of the lock exclusively. No other user can open the guard. Raises ValueError after `seconds`."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    deadline = time.monotonic() + seconds
    try:
        os.fchmod(descriptor, 0o600)
        while not is_locked(descriptor):
            if time.monotonic() >= deadline:
                raise ValueError(f"another process has held {path} for {seconds:g} s; find it with: fuser -v {path}")
            time.sleep(STEP)
        yield
    finally:
        os.close(descriptor)


def is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def acquire_or_release(params: Mapping[str, Any], check_mode: bool) -> dict[str, Any]:
    """Acquire or release the lock, while no other process on this host accesses it.

    `params`: ``state``, ``path``, ``break_run`` and ``record`` of `kafka_lock`. Raises ValueError without a record.
    """
    path, asked = params["path"], lock.record(params["record"])
    if asked is None:
        raise ValueError("it works through its action plugin, which says who asks")
    with guarded(path + ".guard"):
        held = read(path)
        obstacle = lock.obstacle(asked, held, params["break_run"])
        if params["state"] == "held" and obstacle is None and not check_mode:
            if params["break_run"] in [one.run for one in held]:
                replace(path + BROKEN, [*broken(path), params["break_run"]][-MOST_BROKEN:])
            write(path, lock.with_record(asked, held))
        if params["state"] == "released" and asked.run in [one.run for one in held] and not check_mode:
            write(path, [one for one in held if one.run != asked.run])
    return {"changed": False, "granted": obstacle is None, "holder": obstacle.as_dict() if obstacle else {}}


def wait_for_leftovers(params: Mapping[str, Any]) -> dict[str, Any]:
    """Wait for leftovers of a dead run. Raises ValueError if they do not end."""
    began = time.monotonic()
    left = workers.wait_for_others(params["record"]["run"], params["timeout"])
    if left:
        raise ValueError(lock.unfinished(left, params["timeout"]))
    return {"waited": round(time.monotonic() - began, 1)}
