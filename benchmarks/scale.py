"""The cost of twelve and fifty hosts against three: ``python -m benchmarks.scale`` prints a Markdown table.

Ansible's part only: JVMs and the archive's transfer are left out by running in check mode (``--check``), in which every
task of a cold deployment inspects, plans and predicts. The hosts are booted containers on the cores of this machine. So
the promise limits the processor time of the control machine (``ansible-playbook`` and its children), not the duration.
*An empty task* is one of a playbook with as many tasks as the run had, each of them ``ping``: Ansible's own part.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence

from benchmarks.figures import Promise, Series, paired, table
from benchmarks.lab import Lab, Run
from benchmarks.machine import busy_cores, described, log_progress

SMALL = 3
SIZES = (SMALL, 12, 50)
#: Ratio of the processor time of this number of hosts to that of the small cluster.
RATIOS = {50: Promise(12)}
#: Seconds of processor for each host.
EACH = Promise(0.4)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=(__doc__ or "").splitlines()[0])
    made.add_argument("--rounds", type=int, default=3, help="how often each size is measured (default: 3)")
    made.add_argument("--minutes", type=float, default=1.5, help="begin no round after this time (default: 1.5)")
    return made


def empty(lab: Lab, tasks: int) -> Run:
    """Run as many tasks that do nothing."""
    path = lab.directory / "empty.yml"
    steps = [{"name": f"Do nothing {number}", "ansible.builtin.ping": {}} for number in range(1, tasks + 1)]
    path.write_text(json.dumps([{"name": "Do nothing", "hosts": "kafka", "gather_facts": False, "tasks": steps}]))
    return lab.run(str(path))


def row(size: int, small: list[Run], large: list[Run], empties: list[Run]) -> list[str]:
    """Return one line of the table."""
    ratio = paired([run.processor for run in large], [run.processor for run in small])
    each = Series(tuple(run.processor / size for run in large))
    promise = RATIOS.get(size)
    verdict = "-" if promise is None else f"{promise.text()}: {promise.verdict(ratio.median)}"
    return [
        str(size),
        Series(tuple(run.seconds for run in large)).text("s"),
        Series(tuple(run.processor for run in large)).text("s"),
        ratio.text(digits=2),
        verdict,
        each.text("s", digits=2),
        f"{EACH.text()} s: {EACH.verdict(each.median)}",
        *(
            Series(tuple(run.processor / run.tasks / size for run in found)).text("s", digits=3)
            for found in (large, empties)
        ),
    ]


def main(arguments: Sequence[str]) -> int:
    given, before = parser().parse_args(arguments), busy_cores()
    labs = {size: Lab(f"scale{size}n", size) for size in SIZES}
    runs: dict[int, list[Run]] = {size: [] for size in labs}
    empties: dict[int, list[Run]] = {size: [] for size in labs}
    end = time.monotonic() + 60 * given.minutes
    try:
        for lab in labs.values():
            log_progress(f"{lab.size} hosts are made")
            lab.make()
        for number in range(1, given.rounds + 1):
            if number > 1 and time.monotonic() > end:
                log_progress(f"the time is over: {number - 1} rounds were measured")
                break
            for size, found in runs.items():
                found.append(labs[size].deploy("--check"))
                empties[size].append(empty(labs[size], found[-1].tasks))
            log_progress("; ".join(f"{size} hosts {found[-1]}" for size, found in runs.items()))
    finally:
        for lab in labs.values():
            lab.remove()
    heading = ["hosts", "run", "processor", f"ratio to {SMALL} hosts", "promise", "processor for each host", "promise"]
    heading += ["processor for each task of a host", "for an empty task"]
    lines = [row(size, runs[SMALL], runs[size], empties[size]) for size in SIZES]
    sys.stdout.write(f"{described('benchmarks.scale', before, len(runs[SMALL]))}\n{table(heading, lines)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
