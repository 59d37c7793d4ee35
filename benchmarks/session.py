"""A Spark session with and without its AppCDS archive: ``python -m benchmarks.session`` prints a table.

The session is that of ``spark_jobs/appcds_training.py``: it makes 20,000 records, reads, joins and counts them, and
uses no cluster. The figure is processor time, of Java and of Python together.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from collections.abc import Sequence

from benchmarks.figures import Series, paired, table
from benchmarks.machine import busy_cores, described, say
from spark_jobs import appcds
from spark_jobs.installation import JARS


def processor_seconds() -> float:
    """Return the processor time of all ended child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(java: str) -> tuple[float, float]:
    """Return seconds, and processor seconds, of one session whose Java has these options."""
    began, before = time.monotonic(), processor_seconds()
    done = appcds.train(os.environ, sorted(JARS.glob("*.jar")), java)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return time.monotonic() - began, processor_seconds() - before


def main(arguments: Sequence[str]) -> int:
    made = argparse.ArgumentParser(prog="python -m benchmarks.session", description=(__doc__ or "").splitlines()[0])
    made.add_argument("--rounds", type=int, default=3, help="how many rounds (default: 3)")
    given, before = made.parse_args(arguments), busy_cores()
    jars = sorted(JARS.glob("*.jar"))
    appcds.make(os.environ, jars)
    kinds = {"without": "", "with": appcds.options(os.environ, jars)}
    found: dict[str, list[tuple[float, float]]] = {kind: [] for kind in kinds}
    for number in range(given.rounds):
        for kind, java in kinds.items():
            found[kind].append(measured(java))
            say(f"round {number + 1}, {kind}: {found[kind][-1][1]:.1f} s of a processor")
    rows = []
    for kind, each in found.items():
        whole, used = (Series(values) for values in zip(*each))
        ratio = paired(used.values, [processor for _, processor in found["without"]])
        rows.append([kind, whole.text("s"), used.text("s"), ratio.text(digits=2)])
    sys.stdout.write(f"{described('benchmarks.session', before, given.rounds)}\n")
    sys.stdout.write(f"{table(['archive', 'seconds', 'processor', 'ratio of processor time'], rows)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
