"""Origin of the figures: the machine, the moment, the command."""

from __future__ import annotations

import os
import platform
import re
import shlex
import sys
import time
from pathlib import Path

#: A machine with fewer busy cores than this is quiet.
QUIET = 1.0
LOOK_SECONDS = 5.0


def processor(cpuinfo: str) -> str:
    """Return the processor's name in ``/proc/cpuinfo``."""
    found = re.search(r"^model name\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
    return found[1].strip() if found else platform.machine()


def gigabytes(meminfo: str) -> float:
    found = re.search(r"^MemTotal:\s*(\d+) kB$", meminfo, re.MULTILINE)
    return int(found[1]) / 2**20 if found else 0.0


def busy_jiffies(stat: str) -> int:
    """Return the work of all processors since the boot, from ``/proc/stat``: without idle and iowait."""
    name, *values = stat.split("\n", 1)[0].split()
    if name != "cpu":
        raise ValueError(f"/proc/stat does not begin with the sum of all processors: {stat[:40]!r}")
    user, nice, system, _, _, *rest = map(int, values)
    return user + nice + system + sum(rest[:3])  # irq, softirq, steal; guests are in user


def busy_cores(seconds: float = LOOK_SECONDS) -> float:
    """Measure the busy cores during `seconds`.

    The load average would still count the benchmark that ended a minute ago.
    """
    began, stat = time.monotonic(), Path("/proc/stat")
    worked = busy_jiffies(stat.read_text())
    time.sleep(seconds)
    ticks = os.sysconf("SC_CLK_TCK")
    return (busy_jiffies(stat.read_text()) - worked) / ticks / (time.monotonic() - began)


def described(module: str, before: float, rounds: int) -> str:
    """Return the paragraph above a table; `before`: cores that were busy before the first round."""
    load = os.getloadavg()[0]
    name, memory = processor(Path("/proc/cpuinfo").read_text()), gigabytes(Path("/proc/meminfo").read_text())
    command = shlex.join(["python", "-m", module, *sys.argv[1:]])
    number = f"{rounds} round{'s' if rounds > 1 else ''}"
    return (
        f"{time.strftime('%Y-%m-%d')}, `{command}`, {number}, on {os.cpu_count()} cores ({name}), {memory:.0f} GiB, "
        f"Linux {platform.release()}; {before:.1f} cores busy before, load {load:.1f} at the end.{mark(before)}\n"
    )


def mark(before: float) -> str:
    """Return the warning about figures from a busy machine."""
    return "" if before < QUIET else f" **The machine was busy ({QUIET:g} or more): not to be compared.**"


def log_progress(text: str) -> None:
    """Print progress to stderr, so that stdout is the table."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {text}\n")
    sys.stderr.flush()
