"""The probe as a separate process: started detached, recognised, stopped by its own signal.

The file ``probe.pid`` names the process and its directory, and the process holds the file locked as long as it lives.
So a lock that is held proves that the probe lives; number and start identify the process, here and not in another
container that sees the same file.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from spark_jobs.errors import UnreachableError
from spark_jobs.one_run import began, locked
from spark_jobs.probe import client, settings

PID_FILE = "probe.pid"
LOG = "probe.log"
ROOT = Path(__file__).resolve().parents[2]
STEP = 0.05
SHOWN_LINES = 10
#: By this variable a run's work is found on a host and waited for. The probe is meant to outlive a task.
RUN_VARIABLE = "KRAFTWRIGHT_RUN"


@dataclass(frozen=True)
class Left:
    """A probe that was started and not accounted for yet. ``pid`` is null when its process is gone."""

    directory: Path
    pid: int | None


def find(home: Path) -> Left | None:
    """Return the probe of this directory, running or not; null if there is none."""
    path = home / PID_FILE
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        content = json.loads(path.read_text() or "{}")
        running = not locked(descriptor)
    finally:
        os.close(descriptor)
    if "directory" not in content:
        return None
    ours = running and began(content["pid"]) == content["began"]
    return Left(Path(content["directory"]), content["pid"] if ours else None)


def hold(home: Path, directory: Path) -> int:
    """Mark the probe as running until it ends: called by itself, returns the locked descriptor."""
    descriptor = os.open(home / PID_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if not locked(descriptor):
        raise RuntimeError(f"another probe holds {home / PID_FILE}")
    content = {"pid": os.getpid(), "began": began(os.getpid()), "directory": str(directory)}
    os.ftruncate(descriptor, 0)
    os.write(descriptor, json.dumps(content).encode())
    return descriptor


def start(home: Path, directory: Path, seconds: float) -> int:
    """Start the probe of ``directory`` and wait until it is ready; its process id.

    A probe that does not get there in time is ended and forgotten, for it was promised nothing; its log's end is shown.
    """
    command = [sys.executable, "-m", "spark_jobs.probe", "run", "--config", str(directory / settings.FILE)]
    environment = {name: value for name, value in os.environ.items() if name != RUN_VARIABLE}
    with (directory / LOG).open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 - our own module, its arguments in a list
            [*command, "--home", str(home)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    deadline = time.monotonic() + seconds
    while not (directory / client.READY).exists():
        if process.poll() is not None or time.monotonic() >= deadline:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()
            left = find(home)
            if left is None or left.directory == directory:  # the mark of another probe stays
                forget(home)
            raise UnreachableError(
                f"the probe had no acknowledgement from every partition within {seconds:.0f} s: "
                f"{last_lines(directory)}. Without it: -e kafka_probe=false"
            )
        time.sleep(STEP)
    return process.pid


def stop(home: Path, seconds: float) -> bool:
    """Request the probe's end and wait; kill it if it does not end in time. Return True if it ended by itself."""
    left = find(home)
    if left is None or left.pid is None:
        return True
    os.kill(left.pid, signal.SIGTERM)
    for number, patience in ((None, seconds), (signal.SIGKILL, STEP * 100)):
        if number is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(left.pid, number)
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            found = find(home)
            if found is None or found.pid != left.pid:
                return number is None
            time.sleep(STEP)
    return False


def forget(home: Path) -> None:
    """Remove the mark of a probe whose records were accounted for."""
    (home / PID_FILE).unlink(missing_ok=True)


def last_lines(directory: Path) -> str:
    """Return the end of the probe's own log, in one line."""
    path = directory / LOG
    text = path.read_text(errors="replace") if path.exists() else ""
    return "; ".join(text.split("\n")[-SHOWN_LINES:]).strip("; ") or "it said nothing"
