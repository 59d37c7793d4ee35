"""Run what an operator tries while a cluster is in an unusual state; compare exit codes, sentences, numbers of lines.

``python operators.py PROJECT SCENARIO``; ``KRAFT_SWEEP`` and ``KRAFT_SWEEP_ONLY`` choose states (see sweeps.py). They
are those of vars/operators.yml, which explains the fields. Every wrong end is printed; exit code 1 if there is one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from hosts import Hosts
from runs import Outcome, Runs
from sweeps import asked_for, taken

HERE = Path(__file__).parent
AWAIT_SECONDS = 60.0
#: Text that no run may print, whatever its state.
NEVER = ("Traceback", "KeyError", "AttributeError", "has no attribute", "is undefined", "is not defined", "None.")


@dataclass(frozen=True)
class State:
    """One entry of ``states``."""

    name: str
    ends: Mapping[str, Sequence[Any]]
    host: str = ""
    make: str = ""
    undo: str = ""
    joining: bool = False
    lines: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Playbook:
    """One entry of ``playbooks``. `looks`: whether it may run beside others."""

    words: Sequence[str]
    looks: bool = False


class Operator:
    """Runs playbooks against the hosts of `scenario`, each with a separate directory for logs."""

    def __init__(self, project: Path, scenario: str, playbooks: Mapping[str, Playbook]) -> None:
        self._project, self._scenario, self._playbooks = project, scenario, playbooks
        self._hosts = Hosts.from_inventory(project, scenario)
        self._directory = project / f".kraftwright/molecule/{scenario}/operators"

    def try_state(self, state: State) -> Iterator[str]:
        """Make the state, run its playbooks, undo it; yield each wrong end."""
        try:
            if state.make:
                self._hosts.enter(state.host, state.make)
            yield from self._ends(state)
        finally:
            if state.undo:
                self._hosts.enter(state.host, state.undo)
        known = self._hosts.without("elsewhere")
        if trouble := known.trouble(patience=AWAIT_SECONDS) if state.undo else "":
            yield f"the cluster is not whole again: {trouble}"

    def _ends(self, state: State) -> Iterator[str]:
        looking = [name for name in state.ends if self._playbooks[name].looks]
        with ThreadPoolExecutor(max(1, len(looking))) as pool:
            outcomes = dict(zip(looking, pool.map(lambda name: self._try(state, name), looking)))
        for name in state.ends:
            yield from wrong(state, name, outcomes[name] if name in outcomes else self._try(state, name))

    def _try(self, state: State, name: str) -> Outcome:
        return self._run(state, name, self._playbooks[name].words)

    def _run(self, state: State, name: str, words: Sequence[str]) -> Outcome:
        directory = self._directory / name
        directory.mkdir(parents=True, exist_ok=True)
        joining = ["--inventory", "molecule/refusals/joining"] if state.joining else []
        runs = Runs(self._project, directory, {"COLUMNS": "1000"})
        done = runs.run([*words, "--inventory", f"molecule/{self._scenario}/inventory", *joining])
        (self._directory / f"{state.name.replace(' ', '_')}.{name}.log").write_text(
            f"{done.output}\nexit {done.code}, {done.seconds:.1f} s\n"
        )
        return done


def wrong(state: State, name: str, run: Outcome) -> Iterator[str]:
    """Yield what is wrong with this run's end."""
    code, *said = state.ends[name]
    text = " ".join(run.output.split())
    if run.code != code:
        yield f"{name}: exit code {run.code}, not {code}"
    yield from (f"{name}: does not say {one!r}" for one in said if one not in text)
    yield from (f"{name}: says {one!r}" for one in NEVER if one in run.output)
    if (lines := len(run.output.splitlines())) > state.lines.get(name, lines):
        yield f"{name}: {lines} lines, more than {state.lines[name]}"


def main(project: Path, scenario: str) -> int:
    read = yaml.safe_load((HERE / "vars/operators.yml").read_text())
    operator = Operator(project, scenario, {name: Playbook(**one) for name, one in read["playbooks"].items()})
    failures, began = 0, time.monotonic()
    for state in (State(**entry) for entry in taken(read["states"]) if asked_for(entry["name"])):
        since = time.monotonic()
        faults = [*operator.try_state(state)]
        failures += len(faults)
        sys.stdout.write(f"{state.name}: {'; '.join(faults) or 'as it should be'}, {time.monotonic() - since:.0f} s\n")
        sys.stdout.flush()
    sys.stdout.write(f"{failures} wrong ends, {time.monotonic() - began:.0f} s\n")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2]))
