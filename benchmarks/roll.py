"""Client impact and duration of a gated roll of three nodes: ``python -m benchmarks.roll`` prints a table.

Three combined nodes that share this machine's cores are restarted by ``playbooks/restart_cluster.yml`` under the probe,
once with both of Java's compilers and once with the cheap one alone (``-XX:TieredStopAtLevel=1``).
*Roll*: from the first inspection of the cluster until the last node leads again. *Stall*: the longest time for which
any partition acknowledged nothing. *Errors*: those that the clients got before they retried.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.figures import Promise, Series, table
from benchmarks.lab import ROOT, SETTINGS, FailedError, Lab, play
from benchmarks.machine import busy_cores, described, log_progress

COMPILERS: dict[str, list[str]] = {"both": [], "the cheap one": ["-XX:TieredStopAtLevel=1"]}
ROLL, STALL = Promise(60), Promise(0.5)
#: The steps of a run in its timeline: task, phase, start and end in seconds.
Steps = list[dict[str, Any]]
PROBES = ROOT / f".kraftwright/{SETTINGS['kafka_cluster_name']}/probe"


@dataclass(frozen=True)
class Roll:
    """One roll: its seconds, the longest stall of any partition in seconds, and retriable errors of the clients."""

    seconds: float
    stall: float
    errors: int
    acknowledged: int


def roll(lab: Lab, options: list[str]) -> Roll:
    """Restart all nodes under the probe. Raises FailedError if the roll failed, or a record is not accounted for."""
    before = set(PROBES.glob("*/audit.json"))
    words = ["--inventory", str(lab.directory / "inventory"), "playbooks/restart_cluster.yml"]
    variables = {"kafka_jvm_options": options, "kafka_probe": True}
    play([*words, "--extra-vars", json.dumps(variables)], {}, lab.directory / "roll.log")
    (account,) = set(PROBES.glob("*/audit.json")) - before
    return read(account)


def rolled(steps: Steps) -> Steps:
    """Return a run's steps of the roll."""
    return [step for step in steps if step["phase"] == "roll"]


def read(account: Path, chosen: Callable[[Steps], Steps] = rolled) -> Roll:
    """Read the probe's account and the time of the `chosen` steps. Raises FailedError if it lacks records."""
    found = json.loads(account.read_text())
    if found["outcome"] != "proven":
        raise FailedError(f"{account}: {found['sentences']}")
    written = account.parent / "steps.jsonl"
    lines = written.read_text().splitlines() if written.exists() else []
    times = [(step["start"], step["end"]) for step in chosen([json.loads(line) for line in lines])]
    return Roll(
        max(end for _, end in times) - min(start for start, _ in times),
        max(one["length_us"] for one in found["stalls"]) / 1e6,
        sum(one["count"] for one in found["errors"]),
        found["counts"]["acked"],
    )


def row(compiler: str, rolls: Sequence[Roll]) -> list[str]:
    """Return one line of the table."""
    seconds, stalls = Series(tuple(one.seconds for one in rolls)), Series(tuple(one.stall for one in rolls))
    return [
        compiler,
        seconds.text("s"),
        f"{ROLL.text()} s: {ROLL.verdict(seconds.median)}",
        stalls.text("s", digits=2),
        f"{STALL.text()} s: {STALL.verdict(stalls.median)}",
        Series(tuple(float(one.errors) for one in rolls)).text(digits=0),
        f"{sum(one.acknowledged for one in rolls):,}",
    ]


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.roll", description=(__doc__ or "").splitlines()[0])
    made.add_argument("--rounds", type=int, default=3, help="rolls with each (default: 3)")
    return made


def main(arguments: Sequence[str]) -> int:
    given, before = parser().parse_args(arguments), busy_cores()
    lab, rolls = Lab("roll"), dict[str, list[Roll]]()
    try:
        lab.make()
        for compiler, options in COMPILERS.items():
            lab.deploy("--extra-vars", json.dumps({"kafka_jvm_options": options}))
            lab.await_archives()
            rolls[compiler] = []
            for _ in range(given.rounds):
                rolls[compiler].append(roll(lab, options))
                log_progress(f"compilers: {compiler}: {rolls[compiler][-1]}")
    finally:
        lab.remove()
    heading = ["compilers", "roll", "promise", "longest stall", "promise", "errors, tried again", "records, all proven"]
    sys.stdout.write(f"{described('benchmarks.roll', before, given.rounds)}\n")
    sys.stdout.write(f"{table(heading, [row(*each) for each in rolls.items()])}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
