"""Log dirs and plans of moves between them as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ansible.module_utils.kraft.cluster.health import listed
from ansible.module_utils.kraft.operations.disks.model import BrokerDisks, Disk, DiskMove
from ansible.module_utils.kraft.operations.disks.throttle import Rates
from ansible.module_utils.kraft.operations.reassignment.move_format import NAMED, amount
from ansible.module_utils.kraft.operations.reassignment.throttle import is_our_rate
from ansible.module_utils.kraft.wording import counted

TOPICS = 5  #: of each log dir, the largest


def steps(moves: Sequence[DiskMove], under_way: int, cancel: bool, found: Rates, aim: Rates) -> list[str]:
    """Describe the whole in a few sentences; none if there is nothing to do."""
    copied = sum(one.copied for one in moves)
    where = listed({one.node_id for one in moves})
    ours = [one for one, value in found.items() if is_our_rate(value)]
    said = [f"take back {counted(len(moves), 'move')} between log dirs"] if cancel and moves else []
    if moves and not cancel:
        said.append(f"move {counted(len(moves), 'replica')} between log dirs of brokers {where}, {amount(copied)}")
    if under_way and not cancel:
        said.append(f"wait for {counted(under_way, 'replica')} under way")
    if aim:
        said.append(f"limit these copies to {amount(int(next(iter(aim.values()))))}/s on brokers {listed(aim)}")
    elif ours:
        said.append(f"remove the throttle of an earlier run (brokers {listed(ours)})")
    return said


def disks(brokers: Sequence[BrokerDisks], moves: Sequence[DiskMove]) -> Iterator[str]:
    """Yield one line for each log dir: bytes before and after, free bytes, and the largest topics."""
    change: Counter[tuple[int, str]] = Counter()
    for one in moves:
        change[one.node_id, one.source] -= one.copied
        change[one.node_id, one.target] += one.copied
    for broker in brokers:
        for disk in broker.disks:
            yield f"broker {broker.node_id} {disk.path}: {_disk(disk, change[broker.node_id, disk.path])}"


def _disk(disk: Disk, change: int) -> str:
    if disk.error:
        return f"offline ({disk.error})"
    used = sum(disk.held.values())
    after = f" -> {amount(used + change)}" if change else ""
    free = f", {amount(disk.usable)} free" if disk.usable >= 0 else ""
    return f"{amount(used)}{after}{free}{_topics(disk)}"


def _topics(disk: Disk) -> str:
    sizes = by_topic(disk)
    named = [f"{topic} {amount(size)}" for topic, size in sizes.most_common(TOPICS) if size]
    more = [f"{len(sizes) - TOPICS} more"] if len(sizes) > TOPICS else []
    return f" ({', '.join([*named, *more])})" if named else ""


def moves(planned: Sequence[DiskMove]) -> list[str]:
    """Return one line for each move; of many the first."""
    lines = [_move(one) for one in planned[:NAMED]]
    return [*lines, *([f"and {len(planned) - NAMED} more"] if len(planned) > NAMED else [])]


def _move(one: DiskMove) -> str:
    name = f"broker {one.node_id} {one.name[0]}-{one.name[1]}"
    back = one.source == one.target
    return f"{name}: stays in {one.source}" if back else f"{name}: {one.source} -> {one.target} ({amount(one.size)})"


def topics_of(brokers: Sequence[BrokerDisks]) -> list[dict[str, object]]:
    """Return bytes by broker, log dir and topic, as data."""
    return [
        {**_facts(broker.node_id, disk), "topics": dict(sorted(by_topic(disk).items()))}
        for broker in brokers
        for disk in broker.disks
    ]


def by_topic(disk: Disk) -> Counter[str]:
    """Return topic -> its bytes on that log dir."""
    sizes: Counter[str] = Counter()
    for (topic, _), size in disk.held.items():
        sizes[topic] += size
    return sizes


def _facts(node_id: int, disk: Disk) -> Mapping[str, object]:
    sizes = {"usable_bytes": disk.usable, "total_bytes": disk.total, "used_bytes": sum(disk.held.values())}
    return {"node_id": node_id, "path": disk.path, "error": disk.error, **sizes}
