"""Runs the parts of a test target, shows each as it goes, and how long each took.

``python scripts/run_parts.py check|test|test-long|test-all [PART ...]``: parts of one group run side by side,
groups one after the other; a part's whole output goes to ``.cache/parts/<part>.log``; of one that fails its
reasons are shown, then its end.
Exit code 0 when every part passed, else 1. The last line counts them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / ".cache/parts"
SHOWN_LINES = 100
#: How a reason begins, in the words of Ansible, pytest and make; what follows it belongs to it.
REASON = re.compile(r"fatal: |\[ERROR\]|FAILED |E {3}|\w*Error: |make.*\*\*\* ")
REASON_LINES = 30
MOST_REASONS = 70


@dataclass(frozen=True)
class Part:
    """One command of a target; parts with the same ``group`` run side by side."""

    name: str
    command: str
    group: int


@dataclass(frozen=True)
class Outcome:
    """How a part ended: its exit code and wall time in seconds."""

    part: Part
    code: int
    seconds: float


def molecule(scenario: str, group: int, sweep: str = "") -> Part:
    """A molecule scenario, or a short cut of it; its hosts go away after Ctrl-C, too, unless ``KEEP`` is set."""
    tidy = f'trap \'[ "$whole" ] || [ "${{KEEP:-}}" ] || molecule destroy -s {scenario}\' EXIT'
    chosen = f"export KRAFT_SWEEP={sweep}; " if sweep else ""
    test = f"molecule test -s {scenario} ${{KEEP:+--destroy never}}"
    name = f"molecule-{scenario}" + (f"-{sweep}" if sweep else "")
    return Part(name, f"{chosen}{tidy}; {test} && whole=1", group)


SHELL = "git ls-files -z scripts .ci dist roles | xargs -0 grep -lZ '^#!/bin/.*sh' | xargs -0 shellcheck"
# The longest first: two at a time, on two cores.
CHECK = (
    Part("ansible-lint", "ansible-lint", 1),
    Part("unit", "pytest -q -p no:cacheprovider tests/unit --ignore tests/unit/spark", 1),
    Part("contract", "pytest -q -p no:cacheprovider tests/contract", 1),
    Part("mypy", "mypy .", 1),
    Part("yamllint", "yamllint --strict .", 1),
    Part("ruff", "ruff check && ruff format --check", 1),
    Part("shellcheck", SHELL, 1),
)
TEST = (
    Part("integration", "pytest -q tests/integration", 2),
    Part("unit-spark", "pytest -q tests/unit/spark", 2),
    molecule("interrupted", 3, sweep="short"),
    molecule("cluster", 3),
    molecule("refusals", 3, sweep="short"),
)
REST = (molecule("ec2", 1), molecule("dedicated", 1), molecule("refusals", 1))
SWEPT = {sweep: tuple(molecule(name, 1, sweep) for name in ("interrupted", "day_two")) for sweep in ("long", "all")}
TARGETS = {
    "check": CHECK,
    "test": CHECK + TEST,
    "test-long": SWEPT["long"] + REST,
    "test-all": SWEPT["all"] + REST,
}


def environment() -> dict[str, str]:
    """The caller's environment with the project's own tools first on the path."""
    return {**os.environ, "PATH": f"{ROOT / '.venv/bin'}:{os.environ['PATH']}", "PY_COLORS": "0", "NO_COLOR": "1"}


def run(part: Part) -> Outcome:
    """Runs one part into its log and says how it went."""
    began = time.monotonic()
    with (LOGS / f"{part.name}.log").open("w") as log:
        shell = ["bash", "-o", "pipefail", "-c", part.command]
        code = subprocess.run(shell, cwd=ROOT, env=environment(), stdout=log, stderr=log, check=False).returncode  # noqa: S603
    outcome = Outcome(part, code, time.monotonic() - began)
    verdict, shown = "passed" if code == 0 else "FAILED", part.command.rpartition("; ")[-1]
    say(f"{verdict}  {outcome.seconds:6.1f} s  {part.name:20} {shown}")
    if code:
        lines = (LOGS / f"{part.name}.log").read_text(errors="replace").splitlines()
        say("\n".join([*reasons(lines), f"--- the end of {part.name}.log", *lines[-SHOWN_LINES:]]))
    return outcome


def reasons(lines: list[str]) -> list[str]:
    """The lines of a part's output that say what went wrong, the first ones: they come before what they led to."""
    found = [at for at, line in enumerate(lines) if REASON.match(line)]
    wanted = sorted({at for start in found for at in range(start, min(start + REASON_LINES, len(lines)))})
    return [lines[at] for at in wanted if lines[at].strip()][:MOST_REASONS]


def run_groups(parts: Iterable[Part]) -> list[Outcome]:
    """Runs groups in their order, the parts of a group side by side."""
    by_group: dict[int, list[Part]] = {}
    for part in parts:
        by_group.setdefault(part.group, []).append(part)
    outcomes: list[Outcome] = []
    for group in sorted(by_group):
        with ThreadPoolExecutor(max_workers=2) as pool:
            outcomes += pool.map(run, by_group[group])
    return outcomes


def say(text: str) -> None:
    """Prints a line at once, for whoever watches."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> int:
    """Runs a target's parts, or the named ones of it."""
    if not arguments or arguments[0] not in TARGETS:
        say(f"usage: run_parts.py {'|'.join(TARGETS)} [PART ...]")
        return 3
    LOGS.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    outcomes = run_groups(p for p in TARGETS[arguments[0]] if not arguments[1:] or p.name in arguments[1:])
    failed = [o.part.name for o in outcomes if o.code]
    say(f"{arguments[0]}: {time.monotonic() - began:.0f} s" + (f", failed: {', '.join(failed)}" if failed else ""))
    say(f"{len(outcomes) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
