"""Put a healthy cluster into faulty states, and compare cluster_status.yml's report of each with the fault.

``python sick_states.py PROJECT SCENARIO``; ``KRAFT_SWEEP`` is short, long or all (the default; see sweeps.py). Compared
are the report's fields, the exit code and the duration, never the wording. Exit code 0 if all was right; the first
failure ends it. States are those of vars/states.yml.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from hosts import Hosts
from kafka import KafkaAdminClient
from kafka.admin import NewTopic
from kafka.errors import KafkaError
from runs import Outcome, Runs, hold
from sweeps import asked_for, taken

HERE = Path(__file__).parent
NODES = {"kafka1": 1, "kafka2": 2, "kafka3": 3}
TOPIC, PARTITIONS = "sick-states", 12
#: Additional seconds for the status of a faulty cluster over that of a healthy one: one deadline of ssh, or those of
#: Kafka's answers. On a busy machine each task takes longer as well, up to twice.
LONGER = 15.0
SETTLED = 3.0  #: seconds for which a cluster must be in sync; longer than the interval of heartbeats (2 s)
DISCOVERY = 240.0  #: seconds for an election and for Kafka to fence a silent broker (9 s)


@dataclass(frozen=True)
class State:
    """One entry of vars/states.yml, which explains the fields."""

    name: str
    hosts: Sequence[str]
    make: str = ""
    undo: str = ""
    isolate: bool = False
    pause: bool = False
    noticed: bool = False
    causes: Sequence[str] = ()
    effects: Mapping[str, Any] = field(default_factory=dict)
    headless: bool = False
    drifted: bool = False
    uncompared: bool = False


class Cluster:
    """The scenario's three nodes and the status playbook."""

    def __init__(self, project: Path, scenario: str) -> None:
        directory = project / f".kraftwright/molecule/{scenario}"
        self._hosts = Hosts.from_inventory(project, scenario, tuple(NODES))
        self._runs = Runs(project, directory)
        self._inventory = f"molecule/{scenario}/inventory"
        self._report = project / f".kraftwright/molecule-{scenario}/status.json"
        self._usual = 0.0

    def run_status(self) -> tuple[Outcome, dict[str, Any]]:
        """Run the playbook and return its report."""
        self._report.unlink(missing_ok=True)
        run = self._runs.run(["-i", self._inventory, "playbooks/cluster_status.yml"])
        hold(self._report.is_file() and "Traceback" not in run.output, "no report", run)
        return run, json.loads(self._report.read_text())

    def be_healthy(self) -> None:
        """Check that the report of a healthy cluster is empty."""
        trouble = self._hosts.trouble(patience=DISCOVERY)
        if trouble:
            raise AssertionError(f"the cluster is not whole again: {trouble}")
        self._await_in_sync()
        deadline = time.monotonic() + DISCOVERY
        while True:  # a busy machine may leave a question unanswered
            run, found = self.run_status()
            seen = (run.code, found["healthy"], found["drifted"], found["causes"])
            whole = seen == (0, True, False, []) and sorted(found["leader"]["according_to"]) == [1, 2, 3]
            if whole or time.monotonic() > deadline:
                break
        hold(seen == (0, True, False, []), f"not healthy: {seen}", run)
        hold(sorted(found["leader"]["according_to"]) == [1, 2, 3] and not run.changed, "not of one mind", run)
        hold(
            {one["name"] for one in found["ungranted"]} >= {"vm.swappiness"},
            "what a container grants not is unsaid",
            run,
        )
        self._usual = max(self._usual, run.seconds)

    def placed(self, names: Sequence[str]) -> list[str]:
        """Resolve host names: ``leader`` is the active controller's, ``follower`` the first of the others."""
        quorum = self._ask("kafka1", lambda admin: admin.describe_metadata_quorum()["topics"][0]["partitions"][0])
        leader = next(host for host, known in NODES.items() if known == quorum["leader_id"])
        meant = {"leader": leader, "follower": next(host for host in NODES if host != leader)}
        return [meant.get(name, name) for name in names]

    def topic(self, there: bool) -> None:
        """Create or delete the test topic, with replicas on all three nodes."""

        def ensure(admin: KafkaAdminClient) -> None:
            known = TOPIC in admin.list_topics()
            if there and not known:
                admin.create_topics([NewTopic(TOPIC, PARTITIONS, 3)])
            elif known and not there:
                admin.delete_topics([TOPIC])

        self._ask("kafka1", ensure)

    def _ask(self, host: str, question: Callable[[KafkaAdminClient], Any]) -> Any:
        """Query the broker on `host` with an independent client; repeat for a while on a busy machine."""
        deadline = time.monotonic() + DISCOVERY
        while True:
            try:
                with KafkaAdminClient(bootstrap_servers=f"{self._hosts.address(host)}:9092") as admin:
                    return question(admin)
            except (KafkaError, OSError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.5)

    def try_state(self, state: State) -> str:
        """Make the state, inspect it, undo it; return a line about it."""
        self._await_in_sync()
        hosts = self.placed(state.hosts)
        hosted = {self._hosted({NODES[host] for host in hosts})}
        try:
            self._change(state, hosts, on=True)
            self._await(state, hosts)
            run, found = self.run_status()
        finally:
            self._change(state, hosts, on=False)
        hosted.add(self._hosted({NODES[host] for host in hosts}))  # Kafka may have made an internal topic meanwhile
        judge(state, hosts, hosted, run, found)
        trouble = self._hosts.trouble(patience=DISCOVERY)
        hold(not trouble, f"the cluster is not whole again: {trouble}", run)
        if run.seconds > 2 * self._usual + LONGER:  # the machine may be busier than at first
            self.be_healthy()
        hold(run.seconds <= 2 * self._usual + LONGER, f"took {run.seconds:.1f} s, healthy {self._usual:.1f} s", run)
        return f"{run.seconds:5.1f} s"

    def _change(self, state: State, hosts: Sequence[str], on: bool) -> None:
        for host in hosts:
            if state.isolate:
                self._hosts.isolate(host, on)
            if state.pause:
                self._hosts.pause(host, on)
            if state.make:
                self._hosts.run(host, state.make if on else state.undo)

    def _hosted(self, node_ids: set[int]) -> int:
        """Count partitions, of Kafka's own topics too, that have a replica on one of the nodes."""
        topics = self._ask("kafka1", lambda admin: admin.describe_topics())
        return sum(bool(node_ids & set(one["replica_nodes"])) for topic in topics for one in topic["partitions"])

    def _await_in_sync(self) -> None:
        """Wait until no replica is behind: it would be a separate cause in the next state.

        As every broker reports it, for as long as SETTLED: one that has just resumed reports the time before.
        """
        deadline = time.monotonic() + DISCOVERY
        since = time.monotonic()
        while time.monotonic() - since < SETTLED:
            if behind := [f"{host}: {topic}" for host in NODES for topic in self._behind(host)]:
                since = time.monotonic()
            if since > deadline:
                raise AssertionError(f"replicas are behind after {DISCOVERY:.0f} s: {', '.join(behind)}")
            time.sleep(0.5)

    def _behind(self, host: str) -> list[str]:
        """Return topics with a replica that is behind or not served, by the state of the broker on `host`."""
        serving = self._serving(host)
        topics = self._ask(host, lambda admin: admin.describe_topics())
        return [one["name"] for one in topics if _is_behind(one) or serving != set(NODES.values())]

    def _await(self, state: State, hosts: Sequence[str]) -> None:
        """Wait until the other nodes have noticed, if the state requires it."""
        left = {name: node_id for name, node_id in NODES.items() if name not in hosts}
        deadline = time.monotonic() + DISCOVERY
        while state.noticed and any(self._serving(name) != set(left.values()) for name in left):
            if time.monotonic() > deadline:
                raise AssertionError(f"{', '.join(left)} have not noticed within {DISCOVERY:.0f} s")
            time.sleep(0.5)

    def _serving(self, host: str) -> set[int]:
        """Return the brokers that serve, by the state of the one on `host`."""
        brokers = self._ask(host, lambda admin: admin.describe_cluster()["brokers"])
        return {one["broker_id"] for one in brokers if not one["is_fenced"]}


def _is_behind(topic: Mapping[str, Any]) -> bool:
    return any(set(one["isr_nodes"]) != set(one["replica_nodes"]) for one in topic["partitions"])


def judge(state: State, hosts: Sequence[str], hosted: Collection[int], run: Outcome, found: Mapping[str, Any]) -> None:
    """Compare the report with the state. `hosted`: the possible numbers of affected partitions."""
    node_ids = [NODES[host] for host in hosts]
    hold(run.code == 2, f"exit code {run.code}, not 2", run)  # noqa: PLR2004 - docs/runbooks/cluster_status.md
    hold(not run.changed, f"changed: {run.changed}", run)
    causes = [(one["rule"], one["node_ids"]) for one in found["causes"]]
    hold(causes == [(rule, list(node_ids)) for rule in state.causes], f"causes: {found['causes']}", run)
    effects = {one["rule"]: one["count"] for cause in found["causes"][:1] for one in cause["effects"]}
    expected = {rule: hosted if count == "hosted" else [count] for rule, count in state.effects.items()}
    hold(
        all(effects.get(rule) in counts for rule, counts in expected.items()),
        f"effects: {effects}, not {expected}",
        run,
    )
    hold(all(cause["steps"] for cause in found["causes"]), "a cause without a next step", run)
    hold((found["healthy"], found["drifted"]) == (not state.causes, state.drifted), "healthy or drifted", run)
    away = [one["host"] for one in found["nodes"] if one["uncompared"]]
    hold(away == (list(hosts) if state.uncompared else []), f"not compared: {away}", run)
    led, others = found["leader"], [one for one in NODES.values() if one not in node_ids]
    if state.headless:
        hold(led["node_id"] is None, f"leader: {led}", run)
    elif state.causes:
        hold(led["node_id"] in others and led["according_to"] == others, f"leader: {led}", run)


def main(project: Path, scenario: str) -> int:
    entries = yaml.safe_load((HERE / "vars/states.yml").read_text())["states"]
    cluster, began = Cluster(project, scenario), time.monotonic()
    cluster.be_healthy()
    cluster.topic(there=True)
    for state in (State(**entry) for entry in taken(entries) if asked_for(entry["name"])):
        sys.stdout.write(f"{state.name}: {cluster.try_state(state)}\n")
    cluster.topic(there=False)
    cluster.be_healthy()
    sys.stdout.write(f"all as it should be, {time.monotonic() - began:.0f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2]))
