"""The tables of a status page: figures of nodes, log dirs, the largest topics. Unknown values are marked as such."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from spark_jobs.page import text

NONE = "none"  #: it has none, as a node that is no broker has no leaders
NOT_KNOWN = "unknown"
HOUR = 3600
NAMED_HOSTS = 6
SHORT_OF_ROOM = 0.9  #: share of a volume
SOON_DAYS = 7


Columns = tuple[tuple[str, bool], ...]


class Cell(NamedTuple):
    text: str
    state: str = ""  #: of style: fault, quiet or none


class Table(NamedTuple):
    """``columns``: label, and whether its cells are numbers; the first is the heading of each row.

    ``gaps``: what is not known, and why.
    """

    title: str
    caption: str
    columns: Columns
    rows: list[tuple[str, str, list[Cell]]]
    gaps: list[str]


def cell(value: Any, written: Any = str, bad: bool = False) -> Cell:
    return Cell(NOT_KNOWN, "quiet") if value is None else Cell(written(value), "fault" if bad else "")


def uptime(seconds: float) -> str:
    """Format ``41 d 3 h``, ``3 h 12 min``, ``4 min``."""
    if seconds < HOUR:
        return f"{int(seconds // 60)} min"
    days, hours = divmod(int(seconds // HOUR), 24)
    return f"{days} d {hours} h" if days else f"{hours} h {int(seconds % HOUR // 60):02d} min"


def nodes(status: Any) -> Table:
    """Return one row for each node. Certificates have a column if any node shows one."""
    secured = any(node.certificates for node in status.nodes)
    broken = any("certificate" in reason for node in status.nodes for reason in node.figures.unknown)
    days: Columns = (("Certificate", True),) if secured or broken else ()
    columns: Columns = (
        *(("Node", False), ("Release", False), ("Up for", True), ("Restarts", True), ("Heap limit", True)),
        *(("Memory", True), *days, ("Fullest volume", True), ("Leaders", True), ("Replicas", True), ("Bytes", True)),
        ("Behind", True),
    )
    rows = [(str(node.node_id), node.host, list(_node(node, bool(days)))) for node in status.nodes]
    caption = (
        "Restarts are systemd's own, since the unit was started. Memory is that of the process. Bytes are those of the "
        "broker's replicas. Behind: records of the metadata log that the leader has and the node has not."
    )
    return Table("Nodes in figures", caption, columns, rows, reasons(status.nodes))


def _node(node: Any, secured: bool) -> Iterable[Cell]:
    own, serves = node.figures, "broker" in node.roles
    yield cell(own.release)
    yield cell(own.uptime, uptime)
    yield cell(own.restarts, text.integer, bool(own.restarts))
    yield cell(own.heap_bytes, text.size)
    yield cell(own.memory_bytes, text.size)
    if secured:
        yield cell(own.certificate_days, lambda days: text.plural(days, "day"), (own.certificate_days or 0) < 0)
    fullest = own.fullest.used if own.fullest else None
    of_broker = (
        cell(fullest, lambda share: f"{100 * share:.0f} %", (fullest or 0) >= SHORT_OF_ROOM),
        cell(own.leaders, text.integer),
        cell(own.replicas, text.integer),
        cell(own.bytes, text.size),
    )
    yield from of_broker if serves else (Cell(NONE, "quiet"),) * len(of_broker)
    yield cell(own.lag, text.integer)


def reasons(nodes: Iterable[Any]) -> list[str]:
    """Return why figures of nodes are unknown; one line for all nodes with the same reason."""
    hosts: dict[str, list[str]] = {}
    for node in nodes:
        for reason in node.figures.unknown:
            hosts.setdefault(reason, []).append(node.host)
    return [f"{_hosts(names)}: {reason}" for reason, names in hosts.items()]


def _hosts(names: list[str]) -> str:
    more = len(names) - NAMED_HOSTS
    return ", ".join(names[:NAMED_HOSTS]) + (f" and {more} more" if more > 0 else "")


def log_dirs(status: Any) -> Table | None:
    """Return one row for each reported log dir; days until full only if Prometheus has a rate."""
    rates = {(one.node_id, one.path): one.days for one in status.watched.filling} if status.watched else {}
    full: Columns = (("Full in", True),) if rates else ()
    columns: Columns = (
        *(("Node", False), ("Log dir", False), ("Kafka's bytes", True), ("Replicas", True), ("Volume", True)),
        *(("Used", True), ("Free", True), *full),
    )
    rows = [
        (str(node.node_id), node.host, [*_disk(disk), *([_full(rates, node.node_id, disk.path)] if rates else [])])
        for node in status.nodes
        for disk in node.figures.disks
    ]
    caption = "Used is the share of the volume that is taken, also by others than Kafka. " + _rates(status)
    return Table("Log dirs", caption, columns, rows, []) if rows else None


def _disk(disk: Any) -> Iterable[Cell]:
    yield Cell(f"{disk.path}: {disk.error}" if disk.error else disk.path, "fault" if disk.error else "")
    yield cell(disk.bytes, text.size)
    yield cell(disk.replicas, text.integer)
    yield cell(disk.total_bytes, text.size)
    yield cell(disk.used, lambda share: f"{100 * share:.0f} %", (disk.used or 0) >= SHORT_OF_ROOM)
    yield cell(disk.free_bytes, text.size)


def _full(rates: Mapping[tuple[int, str], float | None], node_id: int, path: str) -> Cell:
    if (node_id, path) not in rates:
        return cell(None)
    days = rates[node_id, path]
    if days is None:
        return Cell("does not fill", "quiet")
    return Cell(f"{days:.1f} days" if days < SOON_DAYS else f"{days:,.0f} days", "fault" if days < SOON_DAYS else "")


def _rates(status: Any) -> str:
    """Describe the source of the days until full, or why there are none."""
    if status.watched is None:
        return "Days until a volume is full need a recorded rate: name a Prometheus in kafka_prometheus_url."
    if status.watched.error:
        return "Days until a volume is full are not known: Prometheus does not answer."
    if not status.watched.filling:
        return "Days until a volume is full are not known: Prometheus has no rate of this cluster's log dirs."
    return "Full in: at the rate of the last six hours."


def topics(status: Any) -> Table | None:
    """Return the largest topics; None if their bytes are unknown, or there are none."""
    found = status.figures.topics
    columns = (("Topic", False), ("Bytes", True), ("Partitions", True), ("Replication factor", True))
    rows = [
        (one.name, "", [cell(one.bytes, text.size), cell(one.partitions), cell(one.replication_factor)])
        for one in found or ()
    ]
    caption = f"The {len(rows)} largest; bytes of all replicas"
    return Table("Largest topics", caption, columns, rows, _said(status, "topics", "bytes")) if rows else None


def groups(status: Any) -> Table | None:
    """Return the groups that are the furthest behind."""
    found = status.figures.groups
    columns = (("Group", False), ("State", False), ("Lag, records", True), ("Partitions", True))
    rows = [
        (one.name, "", [cell(one.state), cell(one.lag, text.integer), cell(one.partitions, text.integer)])
        for one in found or ()
    ]
    caption = f"The {len(rows)} that are the furthest behind, of those with offsets"
    return Table("Groups", caption, columns, rows, _said(status, "groups")) if rows else None


def _said(status: Any, *words: str) -> list[str]:
    return [one for one in status.figures.partial if one.partition(":")[0].split(" ")[0] in words]


def gaps(status: Any) -> list[str]:
    """Return what is unknown of the cluster, also of a table that has no rows and is not shown."""
    shown = {one for table in (topics(status), groups(status)) if table for one in table.gaps}
    return [*status.figures.unknown, *(one for one in status.figures.partial if one not in shown)]


def cluster(status: Any) -> list[tuple[str, str]]:
    """Return the figures of the whole cluster: label and figure."""
    found = status.figures
    behind = found.quorum_behind_ms
    slowest = None if behind is None else f"{text.plural(found.quorum_lag, 'record')}, {text.milliseconds(behind)}"
    rows = [
        ("Leaders of a broker", _spread(found.leaders, text.integer)),
        ("Bytes of a broker", _spread(found.bytes, text.size)),
        ("Slowest voter is behind by", slowest or NOT_KNOWN),
    ]
    return [*rows, *((f"Feature {one.name}", _level(one)) for one in found.features or ())]


def _spread(found: Any, written: Any) -> str:
    if found is None:
        return NOT_KNOWN
    over = f"; the busiest has {100 * found.over:.0f} % more than the mean" if found.over else "; all the same"
    return f"{written(found.least)} to {written(found.most)}, mean {written(found.mean)}{over}"


def _level(feature: Any) -> str:
    level = f"level {feature.level}" if feature.level else "not finalised"
    return f"{level}, the release has up to {feature.maximum}" if feature.level < feature.maximum else level


def at_risk(status: Any) -> list[tuple[str, Any]]:
    """Return partitions that take no records now: label, and their names; None if unknown."""
    found = status.figures
    kinds = (("Without a leader", found.offline), ("Below min.insync.replicas", found.under_min_isr))
    return [(label, names) for label, names in kinds if names is None or names.count]
