"""What the figures come from: the machine, the moment, the command."""

from __future__ import annotations

import os
import platform
import re
import shlex
import sys
import time
from pathlib import Path


def processor(cpuinfo: str) -> str:
    """The processor's name in ``/proc/cpuinfo``."""
    found = re.search(r"^model name\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
    return found[1].strip() if found else platform.machine()


def gigabytes(meminfo: str) -> float:
    found = re.search(r"^MemTotal:\s*(\d+) kB$", meminfo, re.MULTILINE)
    return int(found[1]) / 2**20 if found else 0.0


def described(module: str) -> str:
    """One paragraph to stand above a table."""
    load = os.getloadavg()[0]
    name, memory = processor(Path("/proc/cpuinfo").read_text()), gigabytes(Path("/proc/meminfo").read_text())
    command = shlex.join(["python", "-m", module, *sys.argv[1:]])
    return (
        f"{time.strftime('%Y-%m-%d')}, `{command}`, on {os.cpu_count()} cores ({name}), {memory:.0f} GiB, "
        f"Linux {platform.release()}; load {load:.1f} at the end.\n"
    )


def say(text: str) -> None:
    """Progress goes to stderr, so that stdout is the table."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {text}\n")
    sys.stderr.flush()
