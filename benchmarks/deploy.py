"""Cold deployments and re-runs against the floor: ``python -m benchmarks.deploy --rounds 3`` prints a Markdown table.

Each round creates its three hosts again and goes through the kinds in turn. *Live setting* changes one that Kafka takes
while it runs. Ansible starts a process for each task of each host, also for one that it skips.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Sequence

from benchmarks import floor
from benchmarks.figures import Promise, Series, paired, table
from benchmarks.lab import Lab, Run
from benchmarks.machine import busy_cores, described, log_progress

#: Limits as a ratio to the floor of the same round; tasks are those on the busiest host.
COLD, RERUN, LIVE = Promise(1.4), Promise(0.4), Promise(0.6)
COLD_TASKS, RERUN_TASKS = Promise(18), Promise(6)
PROMISES = {"re-run": (RERUN, RERUN_TASKS), "live setting": (LIVE, COLD_TASKS)}
#: A value that no profile has.
LIVE_SETTING = ("--extra-vars", json.dumps({"kafka_group_config": {"num.io.threads": 5}}))
Results = dict[str, list[Run]]


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.deploy", description=(__doc__ or "").splitlines()[0])
    made.add_argument("--rounds", type=int, default=3, help="how often each kind is measured (default: 3)")
    made.add_argument("--minutes", type=float, default=5, help="begin no round after this time (default: 5)")
    made.add_argument("--keep", action="store_true", help="leave the last round's hosts for a look")
    return made


def one_round(lab: Lab, results: Results) -> None:
    """Measure every kind once."""
    lab.make()
    results["floor"].append(Run(floor.measured(lab), 0, 0))
    lab.make()
    results["cold"].append(lab.deploy())
    lab.await_archives()
    results["re-run"].append(lab.deploy())
    results["live setting"].append(lab.deploy(*LIVE_SETTING))
    log_progress("; ".join(f"{kind} {runs[-1].seconds:.1f} s" for kind, runs in results.items()))


def rows(results: Results) -> list[list[str]]:
    """Return the table: every kind with its seconds, its ratio, its tasks, and its promise."""
    seconds = {kind: [run.seconds for run in runs] for kind, runs in results.items()}
    out = [["floor", Series(tuple(seconds["floor"])).text("s"), "1", "-", "-", "-", "-"]]
    for kind, runs in results.items():
        if kind == "floor":
            continue
        ratio = paired(seconds[kind], seconds["floor"])
        promise, limit = PROMISES.get(kind, (COLD, COLD_TASKS))
        tasks, changed = max(run.tasks for run in runs), max(run.changed for run in runs)
        out.append(
            [
                kind,
                Series(tuple(seconds[kind])).text("s"),
                ratio.text(digits=2),
                f"{tasks} ({limit.text()}: {limit.verdict(tasks)})",
                str(max(run.skipped for run in runs)),
                str(changed),
                f"{promise.text()} of the floor: {promise.verdict(ratio.median)}",
            ]
        )
    return out


def main(arguments: Sequence[str]) -> int:
    given, before = parser().parse_args(arguments), busy_cores()
    lab, results = Lab("deploy"), defaultdict[str, list[Run]](list)
    end = time.monotonic() + 60 * given.minutes
    try:
        for number in range(1, given.rounds + 1):
            if number > 1 and time.monotonic() > end:
                log_progress(f"the time is over: {number - 1} rounds were measured")
                break
            log_progress(f"round {number} of {given.rounds}")
            one_round(lab, results)
    finally:
        if not given.keep:
            lab.remove()
    heading = ["run", "seconds", "ratio to the floor", "tasks on the busiest host", "skipped", "changes", "promise"]
    sys.stdout.write(
        f"{described('benchmarks.deploy', before, len(results['floor']))}\n{table(heading, rows(results))}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
