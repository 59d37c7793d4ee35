"""Subject of preflight: every node, desired and found."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.node.run_lock.lock import Record

Facts = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Desired:
    """Desired state of a host by the roles' variables. ``disks``: mounted by role kafka_host (mount, fstype).

    ``replaced``: its disk is lost, so an empty one is expected. ``added``: it joins a running
    cluster, in which it has no disk yet. ``restarted``: the run names it, and not all hosts, for a restart.
    """

    user: str = "kafka"
    java_home: str = ""
    nofile_limit: int = 100000
    partition_budget: int = 4000
    disks: tuple[Mapping[str, Any], ...] = ()
    replaced: bool = False
    added: bool = False
    restarted: bool = False

    @property
    def named(self) -> bool:
        """Check whether the operation names the host."""
        return self.replaced or self.added or self.restarted


@dataclasses.dataclass(frozen=True)
class Host:
    """A node. ``node``: its entry of ``kafka_desired``; ``facts``: of ``kafka_host_info``, None without inspection.

    ``in_run``: the host is part of this run (not left out by ``--limit``). ``silence``: the message of the failed
    connection if there was one; ``target``: the argument of ssh to reach the host by hand; ``holder``: the
    run that has the host's lock, if it is another one.
    """

    name: str
    node: Mapping[str, Any]
    facts: Facts | None
    wanted: Desired = dataclasses.field(default_factory=Desired)
    in_run: bool = True
    silence: str = ""
    target: str = ""
    holder: Record | None = None

    @property
    def is_controller(self) -> bool:
        return "controller" in self.node["roles"]

    @property
    def is_broker(self) -> bool:
        return "broker" in self.node["roles"]

    @property
    def log_dirs(self) -> tuple[str, ...]:
        """Return all directories, the metadata log's included."""
        return tuple(dict.fromkeys([*self.node["log_dirs"], self.node["metadata_log_dir"]]))

    def found(self) -> Iterator[tuple[str, Facts]]:
        """Yield each log dir with its facts."""
        dirs = (self.facts or {}).get("log_dirs", {})
        return ((path, dirs[path]) for path in self.log_dirs if path in dirs)

    def disk_of(self, path: str) -> Mapping[str, Any] | None:
        """Return the disk to be mounted at or above `path`; of several the innermost."""
        disks = [disk for disk in self.wanted.disks if within(path, disk["mount"])]
        return max(disks, key=lambda disk: len(disk["mount"]), default=None)

    def pending(self, path: str, found: Facts) -> bool:
        """Check whether `path` is on a disk that is not mounted yet, so that the facts about it are void."""
        disk = self.disk_of(path)
        return disk is not None and disk["mount"].rstrip("/") != found["mount"].rstrip("/")

    def variable_of(self, path: str) -> str:
        """Return the variable that names a log dir."""
        return "kafka_log_dirs" if path in self.node["log_dirs"] else "kafka_metadata_log_dir"


@dataclasses.dataclass(frozen=True)
class Subject:
    """All nodes and ``cluster`` of ``kafka_desired``.

    ``snapshot``: what the running cluster said of its members, None if no broker was queried or answered.
    ``silence``: why a cluster that runs said less than it was asked. ``installs``: the run deploys hosts without Kafka.
    """

    hosts: tuple[Host, ...]
    cluster: Mapping[str, Any]
    snapshot: Snapshot | None = None
    silence: str = ""
    installs: bool = True

    @property
    def seen(self) -> tuple[tuple[Host, Facts], ...]:
        """Return the hosts that were inspected, with their facts."""
        return tuple((host, host.facts) for host in self.hosts if host.facts is not None)


def within(path: str, directory: str) -> bool:
    """Check whether `path` is `directory` or inside it."""
    return path == directory.rstrip("/") or path.startswith(directory.rstrip("/") + "/")
