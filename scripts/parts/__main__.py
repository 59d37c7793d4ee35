"""Run the parts of a test target; show each as it ends, its duration, and the slowest steps of all.

``python -m scripts.parts check|test|test-long|test-all [PART ...]``: parts run side by side as far as the machine
allows. A part's whole output goes to ``.cache/parts/<part>.log``; one that fails shows its reasons, then its end. Exit
code 0 if every part passed, else 1. The last line counts them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from scripts.parts.schedule import run_all
from scripts.parts.slowest import Step, Steps, table
from scripts.parts.targets import TARGETS, Part

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / ".cache/parts"
SHOWN_LINES = 100
#: Begin of a reason in the output of Ansible, pytest and make; the lines after it belong to it. A retry is no reason.
REASON = re.compile(r"fatal: |\[ERROR\]|FAILED (?!- RETRYING)|E {3}|\w*Error: |make.*\*\*\* ")
REASON_LINES = 30
#: The end of a traceback, at any indentation; it is shown first, as the log of a CI may be cut.
RAISED = re.compile(r"\s*(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Expired): ")
MOST_RAISED = 5
MOST_REASONS = 70
#: Seconds between two reads of a part's output.
LOOK_AGAIN = 0.5


@dataclass(frozen=True)
class Outcome:
    """End of a part: its exit code, wall time in seconds, and the steps that it named."""

    part: Part
    code: int
    seconds: float
    steps: tuple[Step, ...]


def environment() -> dict[str, str]:
    """Return the caller's environment with the project's tools first on the path, and one cache of bytecode.

    Some machines set PYTHONDONTWRITEBYTECODE; every worker of Ansible would then compile the same files again. With
    another project in its variable, molecule would create that project's hosts.
    """
    foreign = ("PYTHONDONTWRITEBYTECODE", "MOLECULE_PROJECT_DIRECTORY")
    kept = {name: value for name, value in os.environ.items() if name not in foreign}
    path = f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"
    cache = str(ROOT / ".cache/bytecode")
    return {**kept, "PATH": path, "PYTHONPYCACHEPREFIX": cache, "PY_COLORS": "0", "NO_COLOR": "1"}


def run(part: Part) -> Outcome:
    """Run one part into its log and report its result."""
    began = time.monotonic()
    path = LOGS / f"{part.name}.log"
    code, steps = follow(part.command, path)
    outcome = Outcome(part, code, time.monotonic() - began, tuple(steps.found))
    verdict, shown = "passed" if code == 0 else "FAILED", part.command.rpartition("; ")[-1]
    say(f"{verdict}  {outcome.seconds:6.1f} s  {part.name:20} {shown}")
    if code:
        lines = path.read_text(errors="replace").splitlines()
        say("\n".join([*reasons(lines), f"--- the end of {part.name}.log", *lines[-SHOWN_LINES:]]))
    return outcome


def follow(command: str, path: Path) -> tuple[int, Steps]:
    """Run a command whose output goes to the file at ``path``, and note its steps while it runs.

    The file is read, not a pipe: a process that a part leaves running, such as ssh's, would keep a pipe open.
    """
    steps = Steps()
    shell = ["bash", "-o", "pipefail", "-c", command]
    with path.open("w") as log, path.open(errors="replace") as shown:
        process = subprocess.Popen(shell, cwd=ROOT, env=environment(), stdout=log, stderr=log)  # noqa: S603
        while process.returncode is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(LOOK_AGAIN)
            for line in shown:
                steps.read(line, time.monotonic())
    return process.returncode, steps


def reasons(lines: list[str]) -> list[str]:
    """Return the reasons of a failure in a part's output: raised errors, then the first reasons with their context."""
    raised = list(dict.fromkeys(line.strip() for line in lines if RAISED.match(line)))[:MOST_RAISED]
    found = [at for at, line in enumerate(lines) if REASON.match(line)]
    wanted = sorted({at for start in found for at in range(start, min(start + REASON_LINES, len(lines)))})
    return [*raised, *(lines[at] for at in wanted if lines[at].strip())][:MOST_REASONS]


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> int:
    """Run a target's parts, or the named ones of it."""
    if not arguments or arguments[0] not in TARGETS:
        say(f"usage: python -m scripts.parts {'|'.join(TARGETS)} [PART ...]")
        return 3
    LOGS.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    outcomes = run_all([p for p in TARGETS[arguments[0]] if not arguments[1:] or p.name in arguments[1:]], run)
    failed = [o.part.name for o in outcomes if o.code]
    say("\n".join(["the slowest steps:", *table(step for o in outcomes for step in o.steps)]))
    say(f"{arguments[0]}: {time.monotonic() - began:.0f} s" + (f", failed: {', '.join(failed)}" if failed else ""))
    say(f"{len(outcomes) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
