"""Every benchmark in few rounds, and its table into docs/benchmarks.md: ``python -m benchmarks.all``.

It needs an idle machine; on a busy one nothing is measured. A failed benchmark leaves its place on the page as it was.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence

from benchmarks.lab import ROOT
from benchmarks.machine import QUIET, busy_cores, log_progress

PAGE = ROOT / "docs/benchmarks.md"
#: Benchmark → arguments of a quick run.
QUICK = {
    "deploy": ("--rounds", "2"),
    "spark": ("--rounds", "2"),
    "scale": ("--rounds", "1"),
    "crash": ("--rounds", "3", "--idle", "0.5"),
    "roll": ("--rounds", "1"),
    "secured": ("--rounds", "2"),
    "resources": ("--rounds", "2"),
    "profile": (),
}
#: Seconds for which the hosts of the benchmark before may still be shutting down.
CALM_SECONDS = 60.0


def place(name: str) -> tuple[str, str]:
    """Return the marks before and after a benchmark's result on the page."""
    return f"<!-- result of benchmarks.{name} -->\n", f"<!-- end of benchmarks.{name} -->"


def replaced(page: str, name: str, result: str) -> str:
    """Return `page` with a benchmark's new result. Raises ValueError if the page has no place for it."""
    begin, end = place(name)
    head, found, rest = page.partition(begin)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{PAGE} has no place for the result of benchmarks.{name}")
    return f"{head}{begin}\n{result.strip()}\n\n{end}{tail}"


def calm() -> bool:
    """Wait up to CALM_SECONDS until the machine is idle. Returns whether it is."""
    deadline = time.monotonic() + CALM_SECONDS
    while (busy := busy_cores()) >= QUIET:
        if time.monotonic() > deadline:
            log_progress(
                f"{busy:.1f} cores are busy, and less than {QUIET:g} may be: end what else runs here, then try again"
            )
            return False
    return True


def measured(name: str) -> str:
    """Return a benchmark's paragraph and table; empty if it failed."""
    command = [sys.executable, "-m", f"benchmarks.{name}", *QUICK[name]]
    log_progress(" ".join(command[1:]))
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        log_progress(f"benchmarks.{name} failed (exit code {done.returncode}): {done.stdout}")
        return ""
    return done.stdout


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.all", description=(__doc__ or "").splitlines()[0])
    made.add_argument("names", nargs="*", metavar="NAME", help=f"only these of: {', '.join(QUICK)}")
    made.add_argument("--show", action="store_true", help="show the tables only, even from a busy machine")
    return made


def main(arguments: Sequence[str]) -> int:
    given = parser().parse_args(arguments)
    unknown = set(given.names) - set(QUICK)
    if unknown:
        parser().error(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(QUICK)}")
    failed = []
    for name in given.names or QUICK:
        if not given.show and not calm():
            return 1
        result = measured(name)
        if not result:
            failed.append(name)
        elif given.show:
            sys.stdout.write(f"{result}\n")
        else:
            PAGE.write_text(replaced(PAGE.read_text(), name, result))
    if failed:
        log_progress(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
