"""Figures of each node. Pure; None stands for an unknown value, and ``unknown`` has the reason.

The source is data that the status has already: ``kafka_host_info``, ``kafka_node`` and ``kafka_cluster_info``.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.snapshot import LogDir, Snapshot
from ansible.module_utils.kraft.status.certificates import Certificate, asked
from ansible.module_utils.kraft.status.evidence import Evidence, unread

NOT_RUNNING = "Kafka does not run"


@dataclasses.dataclass(frozen=True)
class Disk:
    """A log dir of a broker: Kafka's bytes and replicas in it, and the room on its volume. ``error``: it is offline."""

    path: str
    error: str
    bytes: int | None
    replicas: int | None
    total_bytes: int | None
    free_bytes: int | None

    @property
    def used(self) -> float | None:
        """Return the share of the volume that is taken, by any files."""
        if not self.total_bytes or self.free_bytes is None:
            return None
        return 1 - self.free_bytes / self.total_bytes


@dataclasses.dataclass(frozen=True)
class Figures:
    """Figures of a node. ``uptime`` in seconds; ``restarts``: by systemd since the unit was started by hand or at boot.

    ``heap_bytes`` is the limit, ``memory_bytes`` the use of the process. ``certificate_days``: until the first of those
    that it shows ends. ``leaders``, ``replicas``, ``bytes`` and ``disks`` are those of its broker. ``lag`` and
    ``behind_ms``: of the metadata log, behind its leader. ``unknown``: unknown values, with reasons.
    """

    release: str | None = None
    uptime: float | None = None
    restarts: int | None = None
    heap_bytes: int | None = None
    memory_bytes: int | None = None
    certificate_days: int | None = None
    leaders: int | None = None
    replicas: int | None = None
    bytes: int | None = None
    disks: tuple[Disk, ...] = ()
    lag: int | None = None
    behind_ms: int | None = None
    unknown: tuple[str, ...] = ()

    @property
    def fullest(self) -> Disk | None:
        """Return the log dir on the volume with the least room; None if no room is known."""
        known = [one for one in self.disks if one.used is not None]
        return max(known, key=lambda one: one.used or 0.0, default=None)


NO_FIGURES = Figures()


@dataclasses.dataclass(frozen=True)
class Cluster:
    """Data of the cluster, None if nothing answers; counted once for all nodes."""

    snapshot: Snapshot | None
    leaders: Counter[int]
    replicas: Counter[int]


def by_broker(snapshot: Snapshot | None) -> Cluster:
    """Return broker -> partitions that it leads, and replicas that it holds."""
    partitions = [one for topic in (snapshot.topics or () if snapshot else ()) for one in topic.partitions]
    led = Counter(one.leader for one in partitions)
    return Cluster(snapshot, led, Counter(each for one in partitions for each in one.replicas))


def figures(node: Evidence, results: Mapping[str, Any], cluster: Cluster, shown: tuple[Certificate, ...]) -> Figures:
    """Return the figures. `results`: registered on its host. `shown`: the certificates of its listeners."""
    process, unknown_process = _process(node, results)
    held, unknown_held = _held(node, cluster) if node.is_broker else ({}, ())
    log, unknown_log = _metadata_log(node.node_id, cluster.snapshot)
    days = min((one.days for one in shown if not one.own), default=None)
    unknown = (*unknown_process, *_unseen_certificates(results), *unknown_held, *unknown_log)
    return Figures(**process, **held, **log, certificate_days=days, unknown=unknown)


def _process(node: Evidence, results: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the host's figures of the process."""
    service = None if node.foreign else results.get("service")
    if service is None:
        reason = "the host is another node's" if node.foreign else _unseen(node, results)
        return {}, (f"release, uptime, restarts, heap, memory: {reason}",)
    restarts = service.get("restarts", 0)
    if not service["pid"]:
        return {"restarts": restarts}, (f"release, uptime, heap, memory: {NOT_RUNNING}",)
    found = {
        "release": node.release or None,
        "uptime": service.get("age"),
        "restarts": restarts,
        "heap_bytes": service.get("heap_bytes"),
        "memory_bytes": service.get("resident_bytes"),
    }
    reasons = {
        "release": unread(results.get("process")) or "the running process has no record of it",
        "heap_bytes": "the process has no record of its start, or -Xmx is not among its options",
        "memory_bytes": "/proc does not show it",
        "uptime": "systemd does not say",
    }
    missing = [f"{name.partition('_')[0]}: {why}" for name, why in reasons.items() if found[name] is None]
    return found, tuple(missing)


def _unseen(node: Evidence, results: Mapping[str, Any]) -> str:
    return node.unreached or unread(results.get("machine")) or "the host was not inspected"


def _unseen_certificates(results: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the listeners with TLS that showed no certificate."""
    silent = [one for one in asked(results) if not one["certificate"]]
    return tuple(f"certificate at {one['address']}: {one['error']}" for one in silent)


def _held(node: Evidence, cluster: Cluster) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return partitions and log dirs of a broker."""
    if cluster.snapshot is None:
        return {}, ("leaders, replicas, log dirs: no broker answers",)
    partitions, unknown_partitions = _partitions(node.node_id, cluster, cluster.snapshot)
    disks, unknown_disks = _disks(node.node_id, cluster.snapshot)
    sizes = [one.bytes for one in disks]
    known = [one for one in sizes if one is not None]
    total = {"bytes": sum(known)} if disks and len(known) == len(sizes) else {}
    return {**partitions, **total, "disks": disks}, (*unknown_partitions, *unknown_disks)


def _partitions(node_id: int, cluster: Cluster, snapshot: Snapshot) -> tuple[dict[str, int], tuple[str, ...]]:
    if snapshot.topics is None:
        return {}, (f"leaders, replicas: {snapshot.unanswered.get('topics', 'topics were not asked for')}",)
    return {"leaders": cluster.leaders[node_id], "replicas": cluster.replicas[node_id]}, ()


def _disks(node_id: int, snapshot: Snapshot) -> tuple[tuple[Disk, ...], tuple[str, ...]]:
    found = [one for one in snapshot.log_dirs or () if one.node_id == node_id]
    if not found:
        serves = node_id in snapshot.unfenced
        there = any(one.node_id == node_id for one in snapshot.brokers)
        away = "the broker is fenced and was not asked" if there else "the broker is not registered"
        reason = snapshot.unanswered.get("log_dirs", "they were not asked for") if serves else away
        return (), (f"log dirs, bytes: {reason}",)
    offline = tuple(f"{one.path}: {one.error}" for one in found if one.error)
    return tuple(map(_disk, found)), offline


def _disk(one: LogDir) -> Disk:
    if one.error:
        return Disk(one.path, one.error, None, None, None, None)
    sizes = [None if size < 0 else size for size in (one.total_bytes, one.usable_bytes)]
    return Disk(one.path, "", one.used_bytes, one.replicas, *sizes)


def _metadata_log(node_id: int, snapshot: Snapshot | None) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the lag of a voter or observer behind the leader of the metadata log."""
    if snapshot is None or snapshot.quorum is None:
        reason = snapshot.unanswered.get("quorum", "it was not asked for") if snapshot else "no broker answers"
        return {}, (f"metadata log: {reason}",)
    listed = (*snapshot.quorum.voters, *snapshot.quorum.observers)
    own = next((one for one in listed if one.node_id == node_id), None)
    if own is None:
        return {}, ("metadata log: the leader does not list the node",)
    if own.behind_ms is None:
        return {}, ("metadata log: the leader has not heard of the node",)
    return {"lag": own.lag, "behind_ms": own.behind_ms}, ()
