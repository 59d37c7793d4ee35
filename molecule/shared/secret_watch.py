"""Looks for planted secrets where no secret may ever be: command lines and environments of all processes.

    python secret_watch.py FOUND PID

Until the process PID ends, every process that shows one is noted as a line of the file FOUND. On the machine of the lab
that is every process of its hosts, too. Planted secrets begin with ``MARK``.
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
    files = (path for root in roots for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    return sorted(path for path in files if MARK in path.name or MARK.encode() in path.read_bytes())


def main(found: Path, pid: int) -> int:
    """Look until the process is gone."""
    seen: set[str] = set()
    while Path(f"/proc/{pid}").exists():
        lines = showing(seen)
        if lines:
            with found.open("a", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in lines)
        time.sleep(STEP)
    return 0


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
