"""Looks for planted secrets where no secret may ever be: command lines and environments of all processes.

    python secret_watch.py watch FOUND PID     until the process PID ends; who shows one is a line of the file FOUND
    python secret_watch.py files DIRECTORY…    which files below the directories hold one, with owner, group and mode

On the machine of the lab all processes of its hosts are seen, too. Planted secrets begin with ``MARK``.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

#: In two halves, so that whoever starts this, or reads it, does not show one.
MARK = "c4n4ry" + "-"
STEP = 0.02
SHOWN = 300


def showing(seen: set[str], proc: Path = Path("/proc")) -> list[str]:
    """Processes that show a planted secret in what others can read of them and were not `seen` before."""
    found = []
    for directory in proc.glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            with contextlib.suppress(OSError):
                content = (directory / name).read_bytes()
                at = content.find(MARK.encode())
                key = f"{directory.name}/{name}"
                if at >= 0 and key not in seen:
                    seen.add(key)
                    text = content[max(0, at - SHOWN) : at + SHOWN].replace(b"\0", b" ")
                    found.append(f"{key}: {text.decode(errors='replace')}")
    return found


def files_with(*roots: Path) -> list[Path]:
    """Files below `roots` that hold a planted secret in their content or in their name."""
    return sorted(path for root in roots for path in root.rglob("*") if not path.is_symlink() and _holds(path))


def _holds(path: Path) -> bool:
    """A file may be gone, or be none that can be read, by the time it is looked at."""
    with contextlib.suppress(OSError):
        return path.is_file() and (MARK in path.name or MARK.encode() in path.read_bytes())
    return False


def watch(found: Path, pid: int) -> None:
    """Look until the process is gone."""
    seen: set[str] = set()
    found.touch()
    while Path(f"/proc/{pid}").exists():
        lines = showing(seen)
        if lines:
            with found.open("a", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in lines)
        time.sleep(STEP)


def described(path: Path) -> str:
    """``root:kafka 0640 /opt/kafka/…``."""
    return f"{path.owner()}:{path.group()} {path.stat().st_mode & 0o7777:04o} {path}"


def main(command: str, *arguments: str) -> None:
    os.umask(0o077)
    if command == "watch":
        watch(Path(arguments[0]), int(arguments[1]))
    else:
        sys.stdout.writelines(f"{described(path)}\n" for path in files_with(*map(Path, arguments)))


if __name__ == "__main__":
    main(*sys.argv[1:])
