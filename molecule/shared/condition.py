"""State of a cluster, as far as an operation can change it, observed independently of the tested code."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from hosts import Hosts
from leftovers import leftovers
from operations import Nodes, Operation
from runs import Outcome, hold

#: Every start of the unit since the host came up, from the journal.
STARTS = "journalctl --unit kafka --grep '^Started kafka.service' --output short-unix --quiet --no-pager || true"
#: The release whose jars the running process holds open.
RELEASE = "ls -l /proc/$(systemctl show --value --property=MainPID kafka)/fd | grep -m1 -o 'releases/[0-9.]*'"


class Condition:
    """Condition of a `scenario`'s cluster; `hosts` are the nodes that stay, `every` includes those that come and go."""

    def __init__(self, project: Path, scenario: Path, nodes: Nodes) -> None:
        self.hosts = Hosts.from_inventory(project, scenario.name, nodes.hosts, nodes.port)
        self.every = Hosts.from_inventory(project, scenario.name, (), nodes.port)
        self._nodes, self._port = nodes, nodes.port
        self._brokers: Collection[int] = nodes.brokers
        self._voters: Collection[int] = nodes.voters

    @property
    def asked(self) -> Hosts:
        """Return those that are always nodes and have a broker."""
        return self.hosts.without(*self._nodes.controllers)

    @property
    def controllers(self) -> frozenset[str]:
        """Return the hosts that have no broker."""
        return frozenset(self._nodes.controllers)

    @property
    def bootstrap(self) -> list[str]:
        return self.bootstrap_at(self._port)

    def bootstrap_at(self, port: int) -> list[str]:
        return [f"{self.asked.address(host)}:{port}" for host in self.asked.known]

    @property
    def addresses(self) -> dict[str, tuple[str, int]]:
        """Return host -> address of its Kafka, if it has one."""
        ports = self._nodes.controllers
        return {host: (self.every.address(host), ports.get(host, self._port)) for host in self.every.known}

    def expect(self, operation: Operation) -> None:
        """Apply the nodes that are expected from now on."""
        if operation.hosts:
            self.hosts = self.every.without(*(set(self.every.known) - set(operation.hosts)))
        self._brokers = operation.brokers or self._brokers
        self._voters = operation.voters or self._voters
        self._port = operation.port or self._port
        self.hosts, self.every = self.hosts.at(self._port), self.every.at(self._port)

    def lose_machines(self, operation: Operation) -> None:
        """Replace the machine that is renewed, and remove the one that is lost."""
        if operation.machine:
            self.hosts.renew(operation.machine)
        if operation.gone:
            self.every.power(operation.gone, on=False)
            self.every = self.every.without(operation.gone)

    def starts(self) -> dict[str, frozenset[str]]:
        """Return the starts of Kafka in each host's journal, a line with its time each. A reboot clears the journal."""
        return {host: frozenset(text.splitlines()) for host, text in self.every.everywhere(STARTS).items()}

    def identity(self) -> dict[str, str]:
        """Return ``host path:key`` -> value of every existing meta.properties."""
        script = f"grep -Hs -E '^(cluster.id|node.id|directory.id)=' {self._nodes.log_dirs}/meta.properties; true"
        found = self.every.everywhere(" ".join(script.split()))
        lines = [(host, line.partition("=")) for host, text in found.items() for line in text.splitlines()]
        return {f"{host} {name}": value for host, (name, _, value) in lines}

    def directory_ids(self) -> dict[str, str]:
        """Return the directory ids of the metadata logs, by host."""
        script = f"sed -n 's/^directory.id=//p' {self._nodes.metadata}/meta.properties"
        return self.hosts.everywhere(script, check=False)

    def hold_whole(self, run: Outcome, patience: float = 90) -> None:
        """Check that all expected nodes are there, and nothing was left behind."""
        trouble = self.asked.trouble(self._brokers, self._voters, patience)
        hold(not trouble, f"the cluster is not whole: {trouble}", run)
        left = leftovers(self.asked, self._brokers, self._nodes.install)
        hold(not left, f"left behind: {left}", run)

    def hold_release(self, release: str, run: Outcome) -> None:
        """Check the release of every process."""
        releases = set(self.hosts.everywhere(RELEASE, check=False).values())
        hold(releases == {f"releases/{release}\n"}, f"the nodes run {releases}", run)
