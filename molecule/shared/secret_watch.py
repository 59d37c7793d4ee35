"""Search for planted secrets in places without secrets: command lines and environments of all processes.

    python secret_watch.py watch FOUND PID     until the process PID ends; each with one is a line of the file FOUND.
                                               If several write into one file, one searches, and the others wait.
    python secret_watch.py files DIRECTORY…    files below the directories that hold one, with owner, group and mode
    python secret_watch.py journal             lines of this host's journal that hold one, in any field

On the machine of the lab all processes of its hosts are visible, too. Planted secrets begin with ``MARK``. Processes of
another run, whose environment names another FOUND as ``OF_RUN``, are left to that run.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TextIO

#: In two halves, so that the processes that start or read this do not show one.
MARK = "c4n4ry" + "-"
OF_RUN = b"KRAFTWRIGHT_SECRETS_FOUND="
STEP = 0.02  #: seconds between two inspections of new processes, and between two tries to get the lock
YOUNG = 1.0  #: seconds for which a process is new: by then it has started its actual program
AGAIN = 2.0  #: seconds between two inspections of an old one
SHOWN = 300


class Looks:
    """Processes that show a planted secret. Hundreds of old ones are inspected less often than the few new ones."""

    def __init__(self, proc: Path = Path("/proc"), found: str = "") -> None:
        self._proc, self._found = proc, found.encode()
        self._born: dict[str, float] = {}
        self._old_looked = 0.0
        self._seen: set[str] = set()

    def showing(self, now: float) -> list[str]:
        """Return processes that newly show one in their readable parts; `now` in seconds."""
        pids = [name for name in os.listdir(self._proc) if name.isdigit()]
        self._born = {pid: self._born.get(pid, now) for pid in pids}
        if every := now - self._old_looked >= AGAIN:
            self._old_looked = now
        looked = [pid for pid in pids if every or now - self._born[pid] < YOUNG]
        return [line for pid in looked for name in ("cmdline", "environ") for line in self._shown(f"{pid}/{name}")]

    def _shown(self, key: str) -> list[str]:
        content = self._read(key)
        at = content.find(MARK.encode())
        if at < 0 or key in self._seen or self._is_of_another_run(key.partition("/")[0]):
            return []
        self._seen.add(key)
        text = content[max(0, at - SHOWN) : at + SHOWN].replace(b"\0", b" ")
        return [f"{key}: {text.decode(errors='replace')}\n"]

    def _read(self, key: str) -> bytes:
        with contextlib.suppress(OSError):
            return (self._proc / key).read_bytes()
        return b""

    def _is_of_another_run(self, pid: str) -> bool:
        named = [line for line in self._read(f"{pid}/environ").split(b"\0") if line.startswith(OF_RUN)]
        return bool(named) and named[0].removeprefix(OF_RUN) != self._found


def files_with(*roots: Path) -> list[Path]:
    """Return files below `roots` that hold a planted secret in their content or in their name."""
    return sorted(path for root in roots for path in root.rglob("*") if not path.is_symlink() and _holds(path))


def _holds(path: Path) -> bool:
    """Check a file, which may be gone, or unreadable, by now."""
    with contextlib.suppress(OSError):
        return path.is_file() and (MARK in path.name or MARK.encode() in path.read_bytes())
    return False


def watch(found: Path, pid: int) -> None:
    """Search until the process is gone."""
    looks = Looks(found=str(found))
    with found.open("a", encoding="utf-8") as file:
        while Path(f"/proc/{pid}").exists():
            if alone(file):
                file.writelines(looks.showing(time.monotonic()))
                file.flush()
            time.sleep(STEP)


def alone(file: TextIO) -> bool:
    """Check whether this process has the lock of this file; it keeps it until its end."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def described(path: Path) -> str:
    """Return ``root:kafka 0640 /opt/kafka/…``."""
    return f"{path.owner()}:{path.group()} {path.stat().st_mode & 0o7777:04o} {path}"


def journal_with(begin: int = 120) -> list[bytes]:
    """Return the first bytes of each journal line that holds a planted secret. The journal's files are compressed."""
    command = ("journalctl", "--output=export", "--all", "--no-pager", "--quiet")
    with subprocess.Popen(command, stdout=subprocess.PIPE) as journal:  # noqa: S603 - a fixed command
        return [line[:begin] for line in journal.stdout or () if MARK.encode() in line]


def main(command: str, *arguments: str) -> None:
    os.umask(0o077)
    if command == "watch":
        watch(Path(arguments[0]), int(arguments[1]))
    elif command == "journal":
        sys.stdout.writelines(f"{line.decode(errors='replace')}\n" for line in journal_with())
    else:
        sys.stdout.writelines(f"{described(path)}\n" for path in files_with(*map(Path, arguments)))


if __name__ == "__main__":
    main(*sys.argv[1:])
