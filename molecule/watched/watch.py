"""Make the faults of vars/faults.yml, and compare Prometheus's alerts with them.

``python watch.py PROJECT``; ``KRAFT_SWEEP`` and ``KRAFT_SWEEP_ONLY``: see sweeps.py. Exit code 0 if each was seen and
nothing else was.
"""

from __future__ import annotations

import hashlib
import signal
import sys
import tarfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from alarms import FIRES, PLACE, RESOLVES, Fault, load
from hosts import Hosts
from kafka import KafkaAdminClient
from kafka.errors import KafkaError
from observer import PAGE, Observer, observing
from operate import Log
from runs import Runs, hold
from sweeps import asked_for, sweep_asked_for
from traffic import Traffic

from scripts import watchers

SCENARIO, NODES = "watched", {"kafka1": 1, "kafka2": 2, "kafka3": 3}
INVENTORY = ["-i", f"molecule/{SCENARIO}/inventory"]
TARGETS = 2 * len(NODES)
IDLE_SECONDS = 120  #: ten minutes at the faster pace
PATIENCE = 120.0  #: seconds for a cluster to become whole again, and for alerts of before to end
STEP = 0.5
#: The silence that needs a cluster of an older release: it comes first.
UPGRADE, OLDER = "an upgrade", ["-e", "kafka_version=4.3.1"]
#: Moment at which a roll is killed: it has restarted the first node.
MOMENT = {"task": "Wait until the node serves again", "when": "start", "nth": 1, "signal": "KILL"}


class Watch:
    """The scenario's cluster under traffic, and Prometheus beside it."""

    def __init__(self, hosts: Hosts, runs: Runs, traffic: Traffic, observer: Observer) -> None:
        self._hosts, self._runs, self._traffic, self._observer = hosts, runs, traffic, observer

    def quiet(self, what: str, work: Callable[[], object]) -> str:
        """Check that only the watchdog fires during `work`, and a moment later."""
        self._await("alerts of before still fire", lambda: not self._fires())
        began = time.time()
        work()
        self._await_whole()
        end = time.time()
        seen = self._observer.fired(began, end)
        if seen:
            raise AssertionError(f"fired in {what}: {', '.join(map(str, sorted(seen)))}")
        return f"quiet for {end - began:.0f} s"

    def deploy(self, *words: str) -> None:
        self._play("deploy_cluster", *words)

    def upgrade(self) -> None:
        self._play("upgrade_cluster", "-e", '{"kafka_soak_seconds": 5}')

    def rebalance(self) -> None:
        """Spread partitions with replicas on two brokers only, while they are written to."""
        self._traffic.begin("crowd two brokers")
        try:
            self._play("rebalance")
        finally:
            self._traffic.undo("crowd two brokers")

    def try_fault(self, fault: Fault) -> str:
        """Make the fault, wait for its alert, undo it, wait for its end; return a line about it."""
        self._await("pages of before still fire", lambda: not self._pages())
        rolled = self._roll(MOMENT) if fault.rolled else ()
        hosts, began = self._placed(fault.hosts, rolled), time.time()
        try:
            self._make(fault, hosts)
            bar = fault.after + self._observer.lasting[fault.fires] + FIRES
            fired = self._await(f"{fault.fires} does not fire", lambda: self._fires_for(fault, hosts), 2 * bar)
            time.sleep(fault.stays)
        finally:
            self._undo(fault, hosts)
        self._await_whole()
        resolved = self._await(
            f"{fault.fires} does not resolve", lambda: not self._fires_for(fault, hosts) and not self._pages()
        )
        unrelated = fault.unrelated(self._observer.fired(began, time.time()))
        if unrelated:
            raise AssertionError(f"pages that do not belong to it: {', '.join(unrelated)}")
        missed = [bound for bound, seconds in ((bar, fired), (RESOLVES, resolved)) if seconds > bound]
        words = f"fired after {fired:.0f} s (bar {bar} s), resolved after {resolved:.0f} s (bar {RESOLVES} s)"
        return f"{fault.fires} {words}{', missed' if missed else ''}"

    def _fires_for(self, fault: Fault, hosts: Sequence[str]) -> bool:
        return fault.expected(self._observer.alerts(), hosts)

    def _play(self, playbook: str, *words: str) -> None:
        run = self._runs.run([*INVENTORY, f"playbooks/{playbook}.yml", *words])
        hold(run.code == 0, f"{playbook} failed (exit code {run.code})", run)

    def _roll(self, moment: Mapping[str, Any]) -> Collection[str]:
        """Run a roll that dies; return the hosts that it has restarted."""
        run = self._runs.run([*INVENTORY, "playbooks/restart_cluster.yml"], moment)
        hold(run.code == -signal.SIGKILL, f"not killed: exit code {run.code}", run)
        return frozenset().union(*run.hosts_of("Restart the node"))

    def _make(self, fault: Fault, hosts: Sequence[str]) -> None:
        if fault.client:
            self._traffic.begin(fault.client)
        for host in hosts if fault.make else ():
            others = ", ".join(self._hosts.address(name) for name in NODES if name != host)
            self._hosts.enter(host, f"OTHERS='{others}'\n{fault.make}")

    def _undo(self, fault: Fault, hosts: Sequence[str]) -> None:
        for host in hosts if fault.undo else ():
            self._hosts.enter(host, fault.undo)
        if fault.client:
            self._traffic.undo(fault.client)
        if fault.deployed:
            self.deploy()
        if fault.rolled:
            self._play("restart_cluster")

    def _fires(self) -> set[str]:
        """Return the alerts that fire."""
        return {str(one) for one in self._observer.alerts()}

    def _pages(self) -> set[str]:
        return {str(one) for one in self._observer.alerts() if one.severity == PAGE}

    def _placed(self, names: Sequence[str], rolled: Collection[str]) -> list[str]:
        """Resolve the hosts of vars/faults.yml; `rolled`: those that a roll has just restarted."""
        leads = [labels["host"] for labels, value in self._observer.value("kafka_controller_active") if value == 1]
        others = [host for host in NODES if host not in leads]
        meant = {"leader": leads[0], "follower": others[0], "other": next(one for one in others if one not in rolled)}
        return [meant.get(name, name) for name in names]

    def _await_whole(self) -> None:
        """Wait until all nodes serve, and every replica is in sync."""
        trouble = self._hosts.trouble(patience=PATIENCE)
        if trouble:
            raise AssertionError(f"the cluster is not whole again: {trouble}")
        self._await("replicas are behind", self._in_sync)

    def _in_sync(self) -> bool:
        try:
            with KafkaAdminClient(bootstrap_servers=f"{self._hosts.address('kafka1')}:9092") as admin:
                topics = admin.describe_topics()
        except (KafkaError, OSError):
            return False
        return all(set(one["isr_nodes"]) == set(one["replica_nodes"]) for it in topics for one in it["partitions"])

    def _await(self, what: str, reached: Callable[[], bool], seconds: float = PATIENCE) -> float:
        """Wait until it is reached; return the seconds. Raises AssertionError with the alerts that fire instead."""
        began = time.monotonic()
        while not reached():
            if time.monotonic() - began > seconds:
                fires = ", ".join(sorted(self._fires()))
                pending = ", ".join(sorted(map(str, self._observer.alerts("pending"))))
                raise AssertionError(f"{what} after {seconds:.0f} s; firing: {fires}; pending: {pending}")
            time.sleep(STEP)
        return time.monotonic() - began


def pack_exporter(archive: Path) -> None:
    """Pack node_exporter of the distribution in the shape of the project's own archive."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(watchers.tool("prometheus-node-exporter"), "node_exporter/node_exporter")
    archive.with_name(f"{archive.name}.sha256").write_text(hashlib.sha256(archive.read_bytes()).hexdigest())


def go_through(watch: Watch, log: Log, faults: Sequence[Fault]) -> int:
    """Run the silences first, then one fault after the other; return the number of failures, which are independent."""
    rolled = ["-e", '{"kafka_group_config": {"queued.max.requests": 501}}']
    whole = sweep_asked_for() == "all"
    silent: dict[str, Callable[[], object]] = {
        **({UPGRADE: watch.upgrade} if whole else {}),
        "idle minutes": lambda: time.sleep(IDLE_SECONDS),
        "a deployment that rolls": lambda: watch.deploy(*rolled),
        **({"a rebalance": watch.rebalance} if whole else {}),
    }
    steps = {what: partial(watch.quiet, what, work) for what, work in silent.items() if asked_for(what)}
    steps |= {fault.name: partial(watch.try_fault, fault) for fault in faults}
    failed = 0
    for number, (what, step) in enumerate(steps.items(), 1):
        try:
            said = step()
        except AssertionError as error:
            failed += 1
            said = f"FAILED\n{error}"
        log.write(f"{number}/{len(steps)} {what}: {said}")
    return failed


def main(project: Path) -> int:
    directory, began = project / f".kraftwright/molecule/{SCENARIO}", time.monotonic()
    log, runs = Log(directory / "watch.log"), Runs(project, directory)
    faults = [fault for fault in load(PLACE) if asked_for(fault.name)]
    pack_exporter(directory / "node_exporter.tar.gz")
    hosts = Hosts.from_inventory(project, SCENARIO)
    traffic = Traffic([f"{hosts.address(host)}:9092" for host in NODES])
    older = OLDER if sweep_asked_for() == "all" and asked_for(UPGRADE) else []
    for playbook in ("deploy_cluster", "render_monitoring"):
        run = runs.run([*INVENTORY, f"playbooks/{playbook}.yml", *older])
        if run.code:
            log.write(f"{playbook} FAILED\n{run.last_lines()}")
            return 1
    rendered = project / ".kraftwright/molecule-watched/monitoring"
    with observing(rendered, directory / "prometheus", TARGETS) as observer:
        traffic.start()
        failed = go_through(Watch(hosts, runs, traffic, observer), log, faults)
        traffic.stop()
    log.write(f"{failed} failed, {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
