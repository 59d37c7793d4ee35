"""Operates a living cluster as vars/operations.yml says, and holds each outcome against what it should be.

``python operate.py PROJECT``; ``KRAFT_SWEEP`` is long or all (the default; see sweeps.py), ``KRAFT_OPERATIONS`` takes
only the operations whose names match that regular expression (what they stand on must have been done before).
Exit code 0 when all ended as they should; the first that does not ends it.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from hosts import Hosts
from runs import Outcome, Runs, hold
from sweeps import taken

HERE = Path(__file__).parent
LOG = HERE.parents[1] / ".kraftwright/molecule/day_two/operations.log"
CLUSTER = "molecule-day-two"
COMBINED = (1, 2, 3)
#: Every start of the unit since the host came up; the journal is the witness.
STARTS = "journalctl --unit kafka --grep '^Started kafka.service' --output cat --no-pager | wc -l"
#: The directory id of the disk that holds the metadata log.
DIRECTORY = "sed -n 's/^directory.id=//p' /opt/kafka/kraft-logs/kafka-logs1/meta.properties"
#: The release whose jars the running process holds open.
RELEASE = "ls -l /proc/$(systemctl show --value --property=MainPID kafka)/fd | grep -m1 -o 'releases/[0-9.]*'"


@dataclass(frozen=True)
class Operation:
    """One entry of vars/operations.yml, which explains the fields."""

    name: str
    playbook: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    once: Mapping[str, Any] = field(default_factory=dict)
    beside: str = ""
    adopt: bool = False
    forget: str = ""
    machine: str = ""
    gone: str = ""
    before: Mapping[str, str] = field(default_factory=dict)
    after: Mapping[str, str] = field(default_factory=dict)
    kill: Mapping[str, Any] = field(default_factory=dict)
    anew: Mapping[str, Any] = field(default_factory=dict)
    seen: Mapping[str, str] = field(default_factory=dict)
    told: str = ""
    starts: int = 0
    again: bool = False
    release: str = ""
    unchanged: bool = False
    brokers: Sequence[int] = ()
    voters: Sequence[int] = ()
    probed: bool = True


def say(text: str) -> None:
    """Prints a line at once, and into the file for whoever watches: molecule shows them only at the end."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
    with LOG.open("a") as log:
        log.write(text + "\n")


class Cluster:
    """What operations are done to, with what they have settled so far."""

    def __init__(self, hosts: Hosts, every: Hosts, runs: Runs) -> None:
        """`hosts`: those of the nodes that always are; `every`: with those that come and go."""
        self._hosts, self._every, self._runs = hosts, every, runs
        self._settings: dict[str, Any] = {}
        self._inventories = ["inventory"]
        self._forgotten = ""
        self._brokers: Sequence[int] = COMBINED
        self._voters: Sequence[int] = COMBINED

    def settle(self, operation: Operation) -> None:
        """What the operation wants from now on."""
        self._settings.update(operation.settings)
        kept = [one for one in self._inventories if one != self._forgotten]
        self._inventories = [*kept, *([operation.beside] if operation.beside else [])]
        self._forgotten = operation.forget or self._forgotten
        self._brokers = operation.brokers or self._brokers
        self._voters = operation.voters or self._voters

    def go_through(self, operation: Operation) -> str:
        """One operation and its outcome; gives a line about it."""
        starts, audits = self._starts(), self._audits()
        if operation.adopt:
            self._adopt()
        if operation.machine:
            self._hosts.renew(operation.machine)
            starts[operation.machine] = 0
        if operation.gone:
            self._every.power(operation.gone, on=False)
            self._every = self._every.without(operation.gone)
        self._on_hosts(operation.before)
        run = self._run(operation)
        self._on_hosts(operation.after)
        self._hold(operation, run, starts)
        return f"{run.seconds:5.1f} s{self._accounted(operation, run, self._audits() - audits)}"

    def _run(self, operation: Operation) -> Outcome:
        if operation.kill:
            killed = self._runs.run(self._words(operation), operation.kill)
            hold(killed.code < 0, f"the run was not killed at the moment: exit code {killed.code}", killed)
        return self._runs.run(self._words(operation, operation.anew))

    def _words(self, operation: Operation, anew: Mapping[str, Any] | None = None) -> list[str]:
        """Of the command line."""
        inventories = [word for one in self._inventories for word in ("-i", str(HERE / one))]
        variables = {"kafka_probe": operation.probed, **self._settings, **operation.once, **(anew or {})}
        limit = ["--limit", f"!{operation.gone}"] if operation.gone else []
        return [*inventories, *limit, "-e", json.dumps(variables), f"playbooks/{operation.playbook}.yml"]

    def _adopt(self) -> None:
        """What a refusal tells the operator to do: each host's own directory id into the inventory."""
        known = {host: {"kafka_directory_id": text.strip()} for host, text in self._hosts.everywhere(DIRECTORY).items()}
        (LOG.parent / "directories.yml").write_text(yaml.safe_dump({"kafka": {"hosts": known}}))
        self._inventories.append(str(LOG.parent / "directories.yml"))

    def _hold(self, operation: Operation, run: Outcome, before: Mapping[str, int]) -> None:
        if operation.told:
            hold(run.code != 0 and bool(re.search(operation.told, run.output)), "not refused as it should be", run)
        else:
            hold(run.code == 0, f"failed (exit code {run.code})", run)
        hold(not (operation.unchanged and run.changed), f"changed: {', '.join(run.changed)}", run)
        trouble = self._hosts.trouble(self._brokers, self._voters, patience=60 if operation.after else 10)
        hold(not trouble, f"the cluster is not whole: {trouble}", run)
        starts = {host: count - before[host] for host, count in self._starts().items() if count != before[host]}
        once = operation.again or set(starts.values()) <= {1}
        hold(len(starts) == operation.starts and once, f"starts of Kafka, by host: {starts}", run)
        for host, script in operation.seen.items():
            asked = self._hosts.ask(host, script, check=False)
            hold(asked.returncode == 0, f"not so on {host}: {script}\n{asked.stdout}{asked.stderr}", run)
        if operation.release:
            releases = set(self._hosts.everywhere(RELEASE, check=False).values())
            hold(releases == {f"releases/{operation.release}\n"}, f"the nodes run {releases}", run)

    def _accounted(self, operation: Operation, run: Outcome, audits: Collection[Path]) -> str:
        """What the clients felt, in words, once it is known that they lost nothing."""
        hold(bool(audits) == operation.probed, f"{len(audits)} accounts of the clients' records", run)
        words = ""
        for audit in (json.loads(path.read_text()) for path in sorted(audits)):
            hold(audit["outcome"] == "proven", f"the clients' records: {audit['sentences']}", run)
            stall = max((one["length_us"] for one in audit["stalls"]), default=0) / 1e6
            errors = sum(one["count"] for one in audit["errors"])
            words += f"; {audit['counts']['acked']:,} records, longest stall {stall:.2f} s, {errors} errors"
        return words

    def _audits(self) -> set[Path]:
        return set((HERE.parents[1] / f".kraftwright/{CLUSTER}/probe").glob("*/audit.json"))

    def _on_hosts(self, scripts: Mapping[str, str]) -> None:
        for host, script in scripts.items():
            self._hosts.ask(host, script)

    def _starts(self) -> dict[str, int]:
        return {host: int(text) for host, text in self._every.everywhere(STARTS).items()}


def main(project: Path) -> int:
    LOG.parent.mkdir(parents=True, exist_ok=True)
    LOG.unlink(missing_ok=True)
    entries = yaml.safe_load((HERE / "vars/operations.yml").read_text())["operations"]
    every = [Operation(**entry) for entry in taken(entries)]
    only, began = os.environ.get("KRAFT_OPERATIONS", ""), time.monotonic()
    hosts = Hosts.of(project, "day_two", ("kafka1", "kafka2", "kafka3"))
    cluster = Cluster(hosts, Hosts.of(project, "day_two"), Runs(project, LOG.parent))
    for number, operation in enumerate(every, 1):
        cluster.settle(operation)
        if not re.search(only, operation.name):
            continue
        try:
            say(f"{number:2}/{len(every)} {operation.name}: {cluster.go_through(operation)}")
        except AssertionError as error:
            say(f"{number:2}/{len(every)} {operation.name}: FAILED\n{error}")
            return 1
    say(f"all ended as they should, {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
