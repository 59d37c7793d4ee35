"""Make each fault, check that a run is refused and that no host has changed, and undo the fault.

``python faults.py PROJECT SCENARIO FAULTS``; FAULTS: those of vars/of_*.yml in a file of JSON. ``KRAFT_SWEEP`` and
``KRAFT_SWEEP_ONLY`` choose (see sweeps.py). Compared are the run's problems, as values. Exit code 0 if each was refused
as expected; the first that was not ends it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import host_state
from hosts import Hosts
from runs import Outcome, Runs, hold
from sweeps import asked_for, taken

HOST_STATE = Path(host_state.__file__).read_text()
#: A change for every node, so that a run that is not refused leaves its traces.
WANTED = {"kafka_group_config": {"log.retention.hours": 100}}
ENDS_SECONDS = 60.0  #: within which a run must end after its refusal, if its fault ``ends``


@dataclass(frozen=True)
class Fault:
    """One entry of vars/of_*.yml; vars/main.yml explains the fields."""

    name: str
    told: Mapping[str, Any]
    host: str = ""
    make: str = ""
    undo: str = ""
    here: str = ""
    at: str = ""
    playbook: str = "deploy_cluster"
    run: Sequence[str] = ()
    joining: bool | str = False
    ends: bool = False


class Faults:
    """Makes faults on the hosts of `scenario`, past sshd and sudo, which some of them break."""

    def __init__(self, project: Path, scenario: str) -> None:
        hosts = Hosts.from_inventory(project, scenario)
        self._project, self._directory = project, project / f".kraftwright/molecule/{scenario}"
        self._inside = {host: hosts.inside(host) for host in hosts.known}
        self._inventory = ["--inventory", f"molecule/{scenario}/inventory"]
        self._problems = self._directory / "problems.jsonl"

    def try_fault(self, fault: Fault) -> str:
        """Try one fault; return a line about it."""
        make_it = [*self._inside[fault.host], "sh", "-euc", fault.make] if fault.host else []
        try:
            if fault.host and not fault.at:
                asked(make_it)
            if fault.here:
                asked(["sh", "-euc", fault.here])
            self._states("remember")
            run = self._run(fault, {"task": fault.at, "when": "start", "nth": 1, "command": make_it})
            ended, changed = time.time(), self._states("compare")
        finally:
            if fault.host:
                asked([*self._inside[fault.host], "sh", "-euc", fault.undo])
        hold(not changed, f"changed by a run that was to be refused: {changed}", run)
        self._hold_told(fault, run)
        if fault.ends:
            late = ended - next(
                line["end"] for line in run.lines if line["task"].startswith("Validate") and not line["ok"]
            )
            hold(late <= ENDS_SECONDS, f"ended {late:.0f} s after it was refused", run)
        return f"{run.seconds:5.1f} s"

    def _run(self, fault: Fault, moment: Mapping[str, Any]) -> Outcome:
        """Run the playbook that must be refused, without open connections: they would bypass a fault of access."""
        joining = ["--inventory", "molecule/refusals/joining"] if fault.joining else []
        inventory = [*joining, *self._inventory] if fault.joining == "first" else [*self._inventory, *joining]
        words = [f"playbooks/{fault.playbook}.yml", "--extra-vars", json.dumps(WANTED), *inventory]
        with tempfile.TemporaryDirectory() as connections:
            no_line_is_broken = {"COLUMNS": "1000"}
            noted = {"KRAFTWRIGHT_PROBLEMS": str(self._problems), "ANSIBLE_SSH_CONTROL_PATH_DIR": connections}
            runs = Runs(self._project, self._directory, {**noted, **no_line_is_broken})
            return runs.run([*words, *fault.run], moment if fault.at else None)

    def _states(self, verb: str) -> dict[str, str]:
        """Remember every host, or return the changes of each host since then."""

        def state(host: str) -> subprocess.CompletedProcess[str]:
            return asked([*self._inside[host], "python3", "-", verb], HOST_STATE, expected=(0, host_state.DIFFERENT))

        with ThreadPoolExecutor(len(self._inside)) as pool:
            done = dict(zip(self._inside, pool.map(state, self._inside)))
        return {host: one.stdout for host, one in done.items() if one.returncode}

    def _hold_told(self, fault: Fault, run: Outcome) -> None:
        """Check that the run reported this problem with these values, and that its screen shows the remedy."""
        hold(run.code > 0 and "Traceback" not in run.output, f"exit code {run.code}", run)
        noted = [json.loads(line) for line in self._problems.read_text().splitlines()]
        found = [one for one in noted if (one["severity"], one["rule"]) == ("error", fault.told["rule"])]
        hosts = sorted(one["host"] for one in found)
        hold(hosts == sorted(fault.told.get("hosts", [fault.host])), f"told of {hosts}, not {fault.told}: {noted}", run)
        for key in ("variable", "value") if "value" in fault.told else ("variable",):
            values = {str(one[key]) for one in found}
            hold(values == {fault.told.get(key, "")}, f"{key}: {values}, not {fault.told}", run)
        unsaid = [one[key] for one in found for key in ("message", "remedy") if one[key] not in run.output]
        hold(not unsaid, f"not on the screen: {unsaid}", run)


def asked(
    command: Sequence[str], given: str | None = None, expected: Collection[int] = (0,)
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end. Raises AssertionError for an exit code that is not `expected`."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, input=given)  # noqa: S603 - our own
    if done.returncode not in expected:
        raise AssertionError(f"{command[-1]}\nexit code {done.returncode}: {done.stdout}{done.stderr}")
    return done


def main(project: Path, scenario: str, written: Path) -> int:
    every = [Fault(**entry) for entry in taken(json.loads(written.read_text())) if asked_for(entry["name"])]
    faults, began = Faults(project, scenario), time.monotonic()
    for fault in every:
        try:
            sys.stdout.write(f"{fault.name}: {faults.try_fault(fault)}\n")
        except AssertionError as error:
            sys.stdout.write(f"{fault.name}: FAILED\n{error}\n")
            return 1
    sys.stdout.write(f"{len(every)} faults, each refused; {time.monotonic() - began:.0f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2], Path(sys.argv[3])))
