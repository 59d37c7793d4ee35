"""The control machine's half of the run lock: the requesting run, and whether the run that holds the lock is alive.

A run is more than its main process: Ansible's workers outlive it when it is killed and continue their task, with all
items of a loop. So the main process, which loads this file with a plugin before any worker is forked, holds a file
locked. Every worker inherits that, and the lock is gone with the last of them. Workers without a main process are
ended.

Records come back from hosts, and a host may send anything. A file counts as a run's only if it is in the place of this
user's runs, belongs to this user, and names the main process itself.
"""

from __future__ import annotations

import contextlib
import fcntl
import getpass
import hashlib
import os
import signal
import socket
import stat
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible import constants
from ansible.errors import AnsibleAction
from ansible.module_utils.kraft.node.run_lock import lock
from ansible.module_utils.kraft.wording import printable
from ansible.utils.display import Display

PROC = Path("/proc")
DISPLAY = Display()
PULSE = (
    Path(vars(constants)["DEFAULT_LOCAL_TMP"]) / "kraftwright-run"
)  # in this run's own directory, which goes with it
TIMEOUT, STEP = 10.0, 0.1  # seconds until the workers of a run that was killed have ended
UNSEEN = "unseen"  #: start of a process that exists and shows no more than that
GONE = ("Z", "X")  # states of a process that has ended and is still listed
MOST_BROKEN = 5  #: dead runs whose locks one run takes over on a host


def main_process() -> int:
    """Return the run's main process. A worker that outlived it has another parent, and must not lock in its name."""
    parent = os.getppid()
    if LOADED_BY not in (parent, os.getpid()):
        raise AnsibleAction("the run has ended: its main process is gone, and what is left of it takes no lock")
    return parent


def started(pid: int, proc: Path = PROC) -> str:
    """Return the start of a process of this machine; empty if there is none, or if it has ended; UNSEEN if unknown.

    Linux counts from the boot, so that a change of the clock does not make another process of it. Elsewhere it is the
    output of ps.
    """
    if not (proc / "self").exists():
        return said_by_ps(pid)
    try:
        state, *rest = (proc / str(pid) / "stat").read_text().rpartition(")")[2].split()
        began = rest[18]  # field 22 of proc(5): starttime, in ticks
    except (OSError, ValueError, IndexError):
        return UNSEEN if exists(pid) else ""
    return "" if state in GONE else began


def exists(pid: int) -> bool:
    """Check for a process without /proc, which can hide those of other users (its mount option ``hidepid``)."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def said_by_ps(pid: int) -> str:
    shown = subprocess.run(  # noqa: S603 - a list, no shell
        ["ps", "-o", "lstart=", "-p", str(pid)],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C"},
    )
    return " ".join(shown.stdout.split())


def hold_pulse(path: Path, process: str) -> int:
    """Return the descriptor that holds `path` locked in this process and in all that are forked from it.

    `process`: pid and start of the run's main process, which the file names.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    os.write(descriptor, process.encode())
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


LOADED_BY = os.getpid()  #: the main process, as above
HELD = hold_pulse(PULSE, f"{LOADED_BY} {started(LOADED_BY)}")


def is_own_pulse(descriptor: int, record: lock.Record) -> bool:
    """Check that a run of this user has made the open file, and that it names the process of `record`."""
    found = os.fstat(descriptor)
    own = stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid()
    return own and os.read(descriptor, 1000).decode(errors="replace") == record.process


def has_pulse(record: lock.Record) -> bool:
    """Check whether any process holds the file of that run. False if it is gone, or not the run's own."""
    path = Path(record.pulse)
    if path.name != PULSE.name or path.parent.parent != PULSE.parent.parent:
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        if is_own_pulse(descriptor, record):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def machine() -> str:
    """Return this control machine's id and name: cloned machines and containers may share one of them."""
    identity = read(Path("/etc/machine-id")) or f"{uuid.getnode():x}"
    return f"{identity} {socket.gethostname()}"


def place() -> str:
    """Return the boot of this kernel and the namespace of our process ids; empty without /proc."""
    boot = read(PROC / "sys/kernel/random/boot_id")
    return f"{boot} {os.readlink(PROC / 'self/ns/pid')}" if boot else ""


def asking(pid: int, use: str = lock.CHANGED) -> lock.Record:
    """Return this run, by its main process."""
    began = started(pid)
    unique = hashlib.sha256(f"{machine()} {place()} {pid} {began}".encode()).hexdigest()[:8]
    return lock.Record(
        run=f"{socket.gethostname()}-{pid}-{unique}",
        who=f"{getpass.getuser()}@{socket.gethostname()}",
        machine=machine(),
        place=place(),
        process=f"{pid} {began}",
        pulse=str(PULSE),
        since=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        use=use,
    )


def is_main_alive(record: lock.Record) -> bool:
    """Check that the main process of `record` still runs here: same pid, and the same start or one that is unknown."""
    pid, _, began = record.process.partition(" ")
    now = started(int(pid)) if began and pid.isdigit() else ""
    return bool(now) and (now == began or UNSEEN in (now, began))


def workers(pulse: str, proc: Path = PROC) -> list[int]:
    """Return processes of this machine that hold `pulse`; none without /proc."""
    found = []
    for directory in proc.glob("[0-9]*/fd"):
        with contextlib.suppress(OSError):
            if any(os.readlink(entry) == pulse for entry in directory.iterdir()):
                found.append(int(directory.parent.name))
    return found


def end_workers(record: lock.Record) -> None:
    """End workers of a dead run on this machine: no process reads their results, and some wait for it without end."""
    left = workers(record.pulse)
    for pid in left:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    if left:
        dead = printable(record.run)
        DISPLAY.warning(f"Ended what the dead run {dead} had left on this machine: {len(left)} of its workers.")


def is_alive(record: lock.Record, timeout: float = TIMEOUT) -> bool:
    """Check whether any process of the run is alive. With a `timeout`, workers without a main process are ended."""
    deadline = time.monotonic() + timeout
    while not is_main_alive(record) and has_pulse(record):
        if time.monotonic() >= deadline:
            return True
        end_workers(record)
        time.sleep(STEP)
    return is_main_alive(record)


def past_dead_runs(
    ask: Callable[[dict[str, str]], dict[str, Any]], is_dead: Callable[[lock.Record], bool]
) -> dict[str, Any]:
    """Return the host's answer to `ask`, once the locks of dead runs are broken.

    There may be several, one after the other: a request of a killed run can take the lock on the host after ours. A
    holder that cannot be broken ends it, and so does a host that names dead runs without an end.
    """
    result, broken = ask({}), list[str]()
    while not result.get("granted") and (holder := lock.record(result.get("holder"))):
        if holder.run in broken or len(broken) == MOST_BROKEN or not is_dead(holder):
            break
        broken.append(holder.run)
        result = ask({"break_run": holder.run})
    return result


def asked_as(
    ours: lock.Record, check_mode: bool, ask: Callable[[dict[str, str]], dict[str, Any]]
) -> tuple[dict[str, Any], lock.Record | None]:
    """Return the host's answer to `ask` and the holder of the lock there; in check mode dead runs are left alone."""
    timeout = 0 if check_mode else TIMEOUT
    result = past_dead_runs(ask, lambda holder: lock.is_stale(holder, ours, is_alive(holder, timeout)))
    return result, lock.record(result.get("holder"))


def warn(host: str, holder: lock.Record) -> None:
    """Warn of another run in check mode: the prediction may be outdated by the time it is read."""
    DISPLAY.warning(lock.refusal(host, holder))
