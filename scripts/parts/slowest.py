"""The slowest steps of the parts: tests by pytest's names, and the actions of molecule."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

#: A line of pytest's `--durations`: `12.34s call     tests/integration/test_x.py::test_y`.
TEST = re.compile(r"(?P<seconds>\d+\.\d\d)s (?P<phase>call|setup|teardown) +(?P<test>\S.*)")
#: Molecule, with and without colours: `INFO [cluster > converge] Executing`, `INFO cluster ➜ converge: Executed: …`.
ACTION = re.compile(r"(?:INFO|ERROR) +\[?(?P<scenario>\w+) [>➜] (?P<action>\w+)[]:] Execut(?P<form>ing|ed)")
#: Characters of a step's name that are shown: the parameters of a test can be a page long.
SHOWN = 110


@dataclass(frozen=True)
class Step:
    """A test or an action of a scenario, and its duration in seconds."""

    name: str
    seconds: float


class Steps:
    """Collects the steps of one part from its output, line by line, as it comes."""

    def __init__(self) -> None:
        self.found: list[Step] = []
        self._began: dict[str, float] = {}

    def read(self, line: str, now: float) -> None:
        """Note one line that was printed at ``now``, in seconds of any clock that does not go back."""
        if test := TEST.match(line):
            phase = "" if test["phase"] == "call" else f" ({test['phase']})"
            self.found.append(Step(test["test"] + phase, float(test["seconds"])))
        elif action := ACTION.match(line):
            name = f"molecule {action['scenario']} {action['action']}"
            if action["form"] == "ing":
                self._began[name] = now
            elif name in self._began:
                self.found.append(Step(name, now - self._began.pop(name)))


def table(steps: Iterable[Step], count: int = 10) -> list[str]:
    """Return the ``count`` slowest steps, the slowest first, a line each."""
    slowest = sorted(steps, key=lambda step: -step.seconds)[:count]
    return [f"{step.seconds:8.1f} s  {step.name[:SHOWN]}" for step in slowest]
