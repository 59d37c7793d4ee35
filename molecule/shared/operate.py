"""Operate a running cluster by a scenario's vars/operations.yml, and assert the outcome of each operation.

``python operate.py PROJECT SCENARIO``; ``KRAFT_SWEEP`` is long or all (the default; see sweeps.py),
``KRAFT_SWEEP_ONLY`` takes only the operations whose names match that regular expression (those that they require must
have been done before), ``KRAFT_SWEEP_SEED`` repeats the random moments of an earlier sweep.
Exit code 0 if all ended as expected; the first failure ends it.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from check_mode import hold_prediction, predict
from command_line import CommandLine
from condition import Condition
from operations import Operation, load, seed
from runs import Outcome, Runs, hold
from sweeps import asked_for
from witness import Seen, watching
from workload import Workload

SIGKILL = -9
#: Playbooks that can write their plan and apply an approved one.
PLANNED = ("deploy_cluster", "upgrade_cluster")
#: Playbooks that need their probe for their own report.
PROBED = ("drill",)
Starts = Mapping[str, frozenset[str]]  # of Kafka, by host, as Condition.starts gives them


class Operator:
    """Goes through operations; `probes` is the directory of the playbooks' accounts."""

    def __init__(self, condition: Condition, command_line: CommandLine, runs: Runs, probes: Path, drawn: int) -> None:
        """`drawn`: the seed of the random moments. Other scenarios may work in this project at the same time."""
        self._condition, self._command_line, self._runs = condition, command_line, runs
        self._probes, self._seed = probes, drawn
        #: Operation whose runs die at random moments -> number of such deaths.
        self.deaths: dict[str, int] = {}

    def go_through(self, operation: Operation) -> str:
        """Run one operation and check its outcome; return a line about it."""
        condition, audits = self._condition, self._audits()
        if operation.adopt:
            self._command_line.adopt(condition.directory_ids())
        starts = condition.starts()
        condition.lose_machines(operation)
        starts.update({operation.machine: frozenset()} if operation.machine else {})
        self._on_hosts(operation.before)
        known = condition.identity()
        with watching(condition.addresses, condition.bootstrap) if operation.together else nullcontext(Seen()) as seen:
            killed = self._killed(operation)
            run = self._run(operation)
        self._on_hosts(operation.after)
        self._hold(operation, run, starts, known)
        died = f", killed after {', '.join(f'{one.seconds:.1f} s' for one in killed)}" if killed else ""
        batches = self._batches(operation, seen, [*killed, run])
        words = f"{batches}{self._accounted(operation, run, self._audits() - audits)}"
        return f"{run.seconds:5.1f} s{died}{words}{self._idle(operation)}"

    def _killed(self, operation: Operation) -> list[Outcome]:
        """Return the runs that die. One with a random moment may end before it, and only a drill has a probe then."""
        killed: list[Outcome] = []
        rerun = {} if operation.kill else operation.rerun
        quiet = {"kafka_probe": False} if operation.kills and operation.playbook not in PROBED else {}
        for moment in operation.moments(self._seed):
            died = self._runs.run(
                self._command_line.arguments(operation, {**(rerun if killed else {}), **quiet}), moment
            )
            precise = "after" not in moment
            hold(died.code == SIGKILL or not precise, f"not killed at the moment: exit code {died.code}", died)
            hold(died.code in (SIGKILL, 0), f"failed before it was killed (exit code {died.code})", died)
            killed += [died] if died.code else []
            rerun = operation.rerun if precise else rerun
        if operation.kills:
            self.deaths[operation.name] = len(killed) - bool(operation.kill)
        return killed

    def _run(self, operation: Operation) -> Outcome:
        """Return the run that does not die, after checking its prediction."""
        words = self._command_line.arguments(operation, operation.rerun)
        if not operation.predicted:
            return self._runs.run(words)
        written, approved = self._plan(operation)
        prediction = predict(self._condition.every, self._runs, [*words, *written])
        run = self._runs.run([*words, *approved])
        hold_prediction(prediction, run, left=not operation.kills)
        return run

    def _plan(self, operation: Operation) -> tuple[list[str], list[str]]:
        """Return the words with which a deployment writes its plan, and applies exactly that one."""
        if operation.playbook not in PLANNED:
            return [], []
        plan = self._runs.directory / "plan.json"
        return ["-e", f"kafka_plan_file={plan}"], ["-e", f"kafka_approved_plan={plan}"]

    def _hold(self, operation: Operation, run: Outcome, before: Starts, known: Mapping[str, str]) -> None:
        if operation.told:
            hold(run.code != 0 and bool(re.search(operation.told, run.output)), "not refused as it should be", run)
        else:
            hold(run.code == 0, f"failed (exit code {run.code})", run)
        hold(not (operation.unchanged and run.changed), f"changed: {', '.join(run.changed)}", run)
        self._condition.hold_whole(run)
        starts = self._started_since(before)
        foreseen = operation.starts is None or len(starts) == operation.starts
        once = operation.again or set(starts.values()) <= {1}
        hold(foreseen and once, f"starts of Kafka, by host: {starts}", run)
        now = self._condition.identity()
        lost = {key: (value, now.get(key)) for key, value in known.items() if now.get(key) != value}
        hold(not lost, f"the identity changed: {lost}", run)
        for host, script in operation.seen.items():
            asked = self._condition.every.run(host, script, check=False)
            hold(asked.returncode == 0, f"not so on {host}: {script}\n{asked.stdout}{asked.stderr}", run)
        if operation.release:
            self._condition.hold_release(operation.release, run)

    def _started_since(self, before: Starts) -> dict[str, int]:
        """Return the starts by host; hosts without any are left out. A count would hide one behind a lost journal."""
        new = {host: len(known - before[host]) for host, known in self._condition.starts().items()}
        return {host: count for host, count in new.items() if count}

    def _batches(self, operation: Operation, seen: Seen, runs: Sequence[Outcome]) -> str:
        """Check the size of the largest batch, and that no partition had too few replicas in sync.

        `runs`: those that died, and the last one.

        A controller listens again before the broker of its batch is down; two brokers are down at the same time.
        """
        if not operation.together:
            return ""
        run = runs[-1]
        batches = [batch for one in runs for batch in one.hosts_of("Restart the node")]
        hold(
            max(map(len, batches), default=0) == operation.together, f"batches: {[sorted(one) for one in batches]}", run
        )
        hold(seen.looks > 0 and not seen.short, f"{seen.looks} looks; too few in sync: {seen.short}", run)
        hold(all(any(down <= batch for batch in batches) for down in seen.down), f"down in no batch: {seen.down}", run)
        several = any(len(batch - self._condition.controllers) > 1 for batch in batches)
        hold(not several or seen.most_down > 1, f"one after the other: {seen.down}", run)
        words = " ".join("+".join(sorted(one)) for one in batches)
        return f", batches {words}, at most {seen.most_down} down at once, {seen.looks} looks"

    def _idle(self, operation: Operation) -> str:
        """Run once more: nothing is left to do, and nothing restarts."""
        if not operation.idle:
            return ""
        starts, run = self._condition.starts(), self._runs.run(self._command_line.once_more(operation))
        hold(run.code == 0 and not run.changed, f"once more: exit code {run.code}, changed {list(run.changed)}", run)
        hold(not self._started_since(starts), "once more: a node was restarted", run)
        self._condition.hold_whole(run)
        return f", idle {run.seconds:.1f} s"

    def _accounted(self, operation: Operation, run: Outcome, audits: Collection[Path]) -> str:
        """Return the client impact in words, after checking that no record was lost."""
        hold(bool(audits) == operation.probed, f"{len(audits)} accounts of the clients' records", run)
        words = ""
        for audit in (json.loads(path.read_text()) for path in sorted(audits)):
            hold(audit["outcome"] == "proven", f"the clients' records: {audit['sentences']}", run)
            words += f"; {felt(audit)}"
        return words

    def _audits(self) -> set[Path]:
        return set(self._probes.glob("*/audit.json"))

    def _on_hosts(self, scripts: Mapping[str, str]) -> None:
        for host, script in scripts.items():
            self._condition.every.run(host, script)


class Log:
    """Prints a line at once, and into a file for observers: molecule shows them only at the end."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        self._path = path

    def write(self, text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
        with self._path.open("a") as log:
            log.write(text + "\n")


def hold_died(deaths: Mapping[str, int]) -> None:
    """Check that half of the operations with random deaths saw such a death.

    A quick machine ends an operation before a late moment, and nothing is wrong with it. AssertionError: most entries
    have a duration that is too long.
    """
    escaped = [name for name, number in deaths.items() if not number]
    if len(escaped) * 2 > max(len(deaths), 2):
        raise AssertionError(
            f"no run was killed of {', '.join(escaped)}: they do not last as long as their entries say"
        )


def felt(audit: Mapping[str, Any]) -> str:
    """Return an account of clients' records in words."""
    stall = max((one["length_us"] for one in audit["stalls"]), default=0) / 1e6
    errors = sum(one["count"] for one in audit["errors"])
    return f"{audit['counts']['acked']:,} records, longest stall {stall:.2f} s, {errors} errors"


def main(project: Path, scenario: Path) -> int:
    nodes, every = load(scenario)
    directory, drawn, began = project / f".kraftwright/molecule/{scenario.name}", seed(), time.monotonic()
    log, condition = Log(directory / "operations.log"), Condition(project, scenario, nodes)
    command_line, probes = CommandLine(scenario, directory), project / f".kraftwright/{nodes.name}/probe"
    operator = Operator(condition, command_line, Runs(project, directory), probes, drawn)
    log.write(f"{len(every)} operations, seed {drawn} (KRAFT_SWEEP_SEED)")
    ports = dict.fromkeys([nodes.port, *(one.port for one in every if one.port)])
    bootstrap = [address for port in ports for address in condition.bootstrap_at(port)]
    workload = Workload(project, directory / "workload", nodes.name, bootstrap)
    step = ""
    try:
        workload.start()
        for number, operation in enumerate(every, 1):
            command_line.set_up(operation)
            condition.expect(operation)
            if asked_for(operation.name):
                step = f"{number:2}/{len(every)} {operation.name}: "
                with workload.step(operation.name):
                    log.write(f"{step}{operator.go_through(operation)}")
        step = "the client beside them: "
        log.write(f"{step}{felt(workload.audit())}")
        step = "random deaths: "
        hold_died(operator.deaths)
    except AssertionError as error:
        log.write(f"{step}FAILED (seed {drawn})\n{error}")
        return 1
    log.write(f"all ended as they should, {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    root = Path(sys.argv[1]).resolve()
    sys.exit(main(root, root / "molecule" / sys.argv[2]))
