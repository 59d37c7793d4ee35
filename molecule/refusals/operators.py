"""Run what an operator tries while a cluster is in an unusual state; compare exit codes, sentences, numbers of lines.

``python operators.py PROJECT SCENARIO PHASE``; ``KRAFT_SWEEP`` and ``KRAFT_SWEEP_ONLY`` choose states (see sweeps.py).
PHASE and fields are those of vars/operators.yml. Every wrong end is printed; exit code 1 if there is one.
"""

from __future__ import annotations

import re
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from hosts import Hosts
from kafka import KafkaAdminClient
from kafka.errors import KafkaError
from runs import Outcome, Runs
from sweeps import asked_for, taken

HERE = Path(__file__).parent
AWAIT_SECONDS = 240.0
#: Text that no run may print, whatever its state.
NEVER = ("Traceback", "KeyError", "AttributeError", "has no attribute", "is undefined", "is not defined", "None.")

#: The first playbook that a report advises, without the purpose behind it.
ADVICE = re.compile(r"Do next\b.*?ansible-playbook ([^#\n]*)", re.DOTALL)


@dataclass(frozen=True)
class State:
    """One entry of ``states``."""

    name: str
    ends: Mapping[str, Sequence[Any]]
    host: str = ""
    make: str = ""
    undo: str = ""
    prior: Sequence[Sequence[str]] = ()
    renew: str = ""
    follow: str = ""
    settles: bool = False
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
            for words in state.prior:
                yield from self._operate(state, "prior", [*words, *self._inventories(state)])
            if state.make:
                self._hosts.enter(state.host, state.make)
            if state.settles:
                yield from self._whole()
            yield from self._ends(state)
        finally:
            if state.undo:
                self._hosts.enter(state.host, state.undo)
            if state.renew:
                self._hosts.renew(state.renew)
        if state.undo:
            yield from self._whole()

    def _whole(self) -> Iterator[str]:
        """Wait until all nodes serve and all replicas are in sync; yield why not after AWAIT_SECONDS."""
        deadline, nodes = time.monotonic() + AWAIT_SECONDS, self._hosts.without("elsewhere")
        while (trouble := nodes.trouble(patience=0.0) or self._behind()) and time.monotonic() < deadline:
            time.sleep(0.5)
        if trouble:
            yield f"the cluster is not whole again: {trouble}"

    def _behind(self) -> str:
        """Return partitions with a replica that is not in sync; '' without one."""
        try:
            with KafkaAdminClient(bootstrap_servers=f"{self._hosts.address('kafka1')}:9092") as admin:
                topics = admin.describe_topics()
        except (KafkaError, OSError) as error:
            return repr(error)
        partitions = [(one["name"], each) for one in topics for each in one["partitions"]]
        behind = [name for name, each in partitions if set(each["isr_nodes"]) != set(each["replica_nodes"])]
        return f"{len(behind)} partitions are behind" if behind else ""

    def _operate(self, state: State, name: str, words: Sequence[str]) -> Iterator[str]:
        """Run an operation that makes or ends the state; yield it if it fails."""
        if (done := self._run(state, name, words)).code:
            yield f"{name} {' '.join(words)}: exit code {done.code}"

    def _follow(self, state: State, report: Outcome) -> Iterator[str]:
        """Run the playbook that `report` advises, as it is printed, then the same report: it must be content."""
        advised = ADVICE.search(report.output)
        if not advised:
            yield f"{state.follow}: advises no playbook"
            return
        yield from self._operate(state, "advised", shlex.split(advised[1]))
        if (again := self._try(state, state.follow)).code:
            yield f"{state.follow}: exit code {again.code} after what it advised"

    def _ends(self, state: State) -> Iterator[str]:
        looking = [name for name in state.ends if self._playbooks[name].looks]
        with ThreadPoolExecutor(max(1, len(looking))) as pool:
            outcomes = dict(zip(looking, pool.map(lambda name: self._try(state, name), looking)))
        for name in state.ends:
            # Several at once may be too much for a busy machine: a question stays unanswered. Alone it must be right.
            if name not in outcomes or any(wrong(state, name, outcomes[name])):
                outcomes[name] = self._try(state, name)
            yield from wrong(state, name, outcomes[name])
        if state.follow:
            yield from self._follow(state, outcomes[state.follow])

    def _try(self, state: State, name: str) -> Outcome:
        return self._run(state, name, [*self._playbooks[name].words, *self._inventories(state)])

    def _inventories(self, state: State) -> list[str]:
        joining = ["--inventory", "molecule/refusals/joining"] if state.joining else []
        return ["--inventory", f"molecule/{self._scenario}/inventory", *joining]

    def _run(self, state: State, name: str, words: Sequence[str]) -> Outcome:
        directory = self._directory / name
        directory.mkdir(parents=True, exist_ok=True)
        runs = Runs(self._project, directory, {"COLUMNS": "1000"})
        done = runs.run(words)
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


def main(project: Path, scenario: str, phase: str) -> int:
    read = yaml.safe_load((HERE / "vars/operators.yml").read_text())
    operator = Operator(project, scenario, {name: Playbook(**one) for name, one in read["playbooks"].items()})
    failures, began = 0, time.monotonic()
    for state in (State(**entry) for entry in taken(read[phase]) if asked_for(entry["name"])):
        since = time.monotonic()
        faults = [*operator.try_state(state)]
        failures += len(faults)
        sys.stdout.write(f"{state.name}: {'; '.join(faults) or 'as it should be'}, {time.monotonic() - since:.0f} s\n")
        sys.stdout.flush()
    sys.stdout.write(f"{failures} wrong ends, {time.monotonic() - began:.0f} s\n")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), *sys.argv[2:]))
