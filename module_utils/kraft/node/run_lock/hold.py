"""Takes the lock of this host, gives it back, and holds it while something is done."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.node.run_lock import lock, workers

PATH = "/run/kraftwright.lock"  #: below a directory that is empty after a reboot
TIMEOUT = 120  #: seconds to wait for what a dead run left at work
GUARD_SECONDS, STEP = 20.0, 0.05  #: a guard is held for the time of a look


def read(path: str) -> lock.Record | None:
    """The record at `path`; None where there is none, or one that a crash of the host tore (nobody holds that)."""
    try:
        with open(path, encoding="utf-8") as file:
            return lock.record(json.load(file))
    except (FileNotFoundError, ValueError):
        return None


def write(path: str, record: lock.Record) -> None:
    """Put the record in its place in one step."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(record.as_dict(), file)
    os.replace(path + ".new", path)


@contextlib.contextmanager
def guarded(path: str, seconds: float = GUARD_SECONDS) -> Iterator[None]:
    """Be the only one that looks at the lock. No other user can open the guard. Raises ValueError after `seconds`."""
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
    """Acquire or release the lock, while no other process on this host looks at the lock.

    `params`: ``state``, ``path``, ``break_run`` and ``record`` of `kafka_lock`. Raises ValueError where nobody asks.
    """
    path, asked = params["path"], lock.record(params["record"])
    if asked is None:
        raise ValueError("it works through its action plugin, which says who asks")
    with guarded(path + ".guard"):
        held = read(path)
        granted = lock.granted(asked, held, params["break_run"])
        if params["state"] == "held" and granted and not check_mode:
            write(path, asked)
        if params["state"] == "released" and held and held.run == asked.run and not check_mode:
            os.unlink(path)
    return {"changed": False, "granted": granted, "holder": held.as_dict() if held else {}}


def wait_for_leftovers(params: Mapping[str, Any]) -> dict[str, Any]:
    """Wait for what a dead run left at work. Raises ValueError when it does not end."""
    began = time.monotonic()
    left = workers.wait_for_others(params["record"]["run"], params["timeout"])
    if left:
        raise ValueError(lock.unfinished(left, params["timeout"]))
    return {"waited": round(time.monotonic() - began, 1)}


@contextlib.contextmanager
def held(record: Mapping[str, Any], break_run: str, check_mode: bool, path: str = PATH) -> Iterator[dict[str, Any]]:
    """Hold the lock for the run of `record` while something is done; gives ``granted`` and ``holder``.

    Nothing is done by the caller where it is not granted. A run that has the lock already keeps it. In check mode
    nothing is taken. Raises OSError and ValueError.
    """
    params = {"path": path, "break_run": break_run, "record": record, "timeout": TIMEOUT}
    result = acquire_or_release({**params, "state": "held"}, check_mode)
    ours = result["granted"] and not check_mode and result["holder"].get("run") != record["run"]
    try:
        if ours:
            wait_for_leftovers(params)
        yield result
    finally:
        if ours:
            acquire_or_release({**params, "state": "released"}, check_mode)
