"""Plans of moves as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from ansible.module_utils.kraft.cluster.health import listed
from ansible.module_utils.kraft.cluster.snapshot import Reassignment
from ansible.module_utils.kraft.operations.reassignment.model import Move, Placement, known_bytes
from ansible.module_utils.kraft.operations.reassignment.throttle import Throttles
from ansible.module_utils.kraft.wording import counted

NAMED = 20
STEP = 1000
UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


def amount(number: float | None) -> str:
    """Format bytes for people: ``950 bytes``, ``1.2 GB``; powers of 1000."""
    if number is None:
        return "an unknown number of bytes"
    unit = 0
    while number >= STEP and unit < len(UNITS) - 1:
        number, unit = number / STEP, unit + 1
    return f"{number:.1f} {UNITS[unit]}" if unit else f"{int(number)} {UNITS[0]}"


def brokers_named(ids: Collection[int]) -> str:
    """Format ``broker 2``, ``brokers 2, 3``."""
    return f"{'broker' if len(ids) == 1 else 'brokers'} {listed(ids)}"


def headline(moves: Sequence[Move], under_way: Sequence[Reassignment]) -> str:
    """Describe the whole in one sentence; empty if there is nothing to do."""
    copied = [one for one in moves if one.adding]
    parts = []
    if copied:
        replicas = sum(len(one.adding) for one in copied)
        volume = amount(known_bytes(moves))
        parts.append(f"move {counted(replicas, 'replica')} of {counted(len(copied), 'partition')}, {volume}")
    leaders = sum(not one.adding for one in moves)
    if leaders:
        parts.append(f"change the preferred leader of {counted(leaders, 'partition')} without moving records")
    if under_way:
        parts.append(f"wait for {counted(len(under_way), 'partition')} under way")
    return "; ".join(parts)


def move(one: Move) -> str:
    """Format a move: ``orders-3: 1, 2, 3 -> 4, 2, 3 (1.2 GB)``; the preferred leader comes first."""
    before, after = (", ".join(map(str, replicas)) for replicas in (one.before, one.after))
    size = f" ({amount(one.bytes)})" if one.bytes is not None and one.adding else ""
    return f"{one.topic}-{one.partition}: {before} -> {after}{size}"


def moves(planned: Sequence[Move]) -> list[str]:
    """Return one line for each move; of many the first."""
    lines = [move(one) for one in planned[:NAMED]]
    return [*lines, *([f"and {len(planned) - NAMED} more"] if len(planned) > NAMED else [])]


def brokers(start: Placement, planned: Sequence[Move], broker_ids: Sequence[int]) -> list[str]:
    """Describe the replicas of each broker before and after, if they change."""
    held = Counter(broker for replicas in start.replicas for broker in replicas)
    leads = Counter(replicas[0] for replicas in start.replicas if replicas)
    after, leads_after = held.copy(), leads.copy()
    for one in planned:
        after.subtract(one.before)
        after.update(one.after)
        leads_after.subtract(one.before[:1])
        leads_after.update(one.after[:1])
    return [
        f"broker {one}: {held[one]} -> {counted(after[one], 'replica')}, "
        f"preferred leader of {leads[one]} -> {leads_after[one]}"
        for one in sorted({*broker_ids, *held})
        if (held[one], leads[one]) != (after[one], leads_after[one])
    ]


def throttles(found: Throttles, aim: Throttles) -> list[str]:
    """Describe changes of throttles."""
    said = []
    if aim.rates:
        rate = next(iter(next(iter(aim.rates.values())).values()))
        said.append(
            f"limit what each broker sends and receives for it to {amount(int(rate))}/s, and no more afterwards"
        )
    elif found.ours:
        where = f"brokers {listed(found.throttled)}" if found.throttled else "no broker"
        topics = f", {counted(len(found.marked), 'topic')}" if found.marked else ""
        said.append(f"remove throttles of an earlier run ({where}{topics})")
    return said
