"""Assignment of replicas to log dirs of their broker, with least movement. Pure.

A moving replica counts as arrived. Either some log dirs are emptied, the largest replica first, and nothing
else is moved. Or each log dir gets the share of the broker's bytes that its room has of all room. Only a move that
makes things clearly more even is planned: a difference that the next day's records make anyway is left alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence

from ansible.module_utils.kraft.operations.disks.model import BrokerDisks, Disk, DiskMove, Name
from ansible.module_utils.kraft.operations.reassignment.move_format import amount
from ansible.module_utils.kraft.problem import Problem

UNEVEN = 0.05  #: share of what a log dir should hold by which it may differ
FLOOR = 10_000_000  #: bytes by which it may always differ
LEAST = 0.01  #: a replica smaller than this share of the difference is not worth its move
RESERVE = 0.05  #: share of a volume that a move leaves free

Drained = Mapping[int, Collection[str]]  #: broker -> log dirs that are emptied


@dataclasses.dataclass
class Layout:
    """One broker's log dirs while moves are planned. ``at``: replica -> log dir and bytes; ``room``: bytes free."""

    at: dict[Name, tuple[str, int]]
    used: dict[str, int]
    room: dict[str, float]
    moving: set[Name]

    def move(self, name: Name, target: str) -> None:
        source, size = self.at[name]
        self.at[name] = target, size
        self.used[source] -= size
        self.used[target] += size
        self.room[target] -= size
        self.moving.add(name)


def layout(broker: BrokerDisks) -> Layout:
    """Return the layout of the broker, with every move under way at its end."""
    held, coming = broker.held, broker.coming
    at = {name: (coming[name][0] if name in coming else path, size) for name, (path, size) in held.items()}
    used = {one.path: 0 for one in broker.online}
    for path, size in at.values():
        if path in used:
            used[path] += size
    room = {one.path: free(one) for one in broker.online}
    for name, (path, arrived) in coming.items():
        if path in room and name in held:
            room[path] -= max(0, held[name][1] - arrived)
    return Layout(at, used, room, set(coming))


def free(disk: Disk) -> float:
    """Return the bytes that moves may add; a disk of unknown size counts as free."""
    return disk.usable - RESERVE * disk.total if disk.usable >= 0 else float("inf")


def plan(brokers: Sequence[BrokerDisks], drained: Drained, floor: int = FLOOR) -> tuple[DiskMove, ...]:
    """Plan the moves of all brokers; replicas without room are left out (see ``problems``)."""
    chosen = [one for one in brokers if not drained or one.node_id in drained]
    return tuple(move for one in chosen for move in broker_plan(one, drained.get(one.node_id, ()), floor))


def broker_plan(broker: BrokerDisks, drained: Collection[str], floor: int = FLOOR) -> list[DiskMove]:
    found, held = layout(broker), broker.held
    moved = list(emptied(broker, found, drained) if drained else evened(broker, found, floor))
    return [DiskMove(broker.node_id, name, held[name][0], *found.at[name]) for name in moved]


def emptied(broker: BrokerDisks, found: Layout, drained: Collection[str]) -> Iterator[Name]:
    """Yield replicas that leave the drained log dirs; `found` is changed."""
    staying = [one.path for one in broker.online if one.path not in drained]
    home = {name: path for name, (path, _) in broker.held.items()}
    for name, (path, size) in sorted(found.at.items(), key=lambda one: (-one[1][1], one[0])):
        if path not in drained:
            continue
        if home[name] in staying:  # on its way to a log dir that is drained by now: back
            found.move(name, home[name])
            yield name
            continue
        targets = [one for one in staying if size <= found.room[one]]
        if targets and path in found.used:
            found.move(name, min(targets, key=lambda one: (found.used[one] - found.room[one], found.used[one], one)))
            yield name


def evened(broker: BrokerDisks, found: Layout, floor: int) -> Iterator[Name]:
    """Yield replicas that go from fuller log dirs to emptier ones; `found` is changed."""
    goal = shares(broker.online, found.used)
    while (best := best_move(found, goal, floor)) is not None:
        found.move(*best)
        yield best[0]


def shares(disks: Sequence[Disk], used: Mapping[str, int]) -> dict[str, float]:
    """Log dir -> the bytes that it should hold: the share that its room has, full or free, of all room."""
    known = all(one.usable >= 0 for one in disks)
    rooms = {one.path: sum(one.held.values()) + sum(one.coming.values()) + one.usable if known else 1 for one in disks}
    volume, room = sum(used[one.path] for one in disks), sum(rooms.values())
    return {path: volume * own / room if room else 0.0 for path, own in rooms.items()}


def best_move(found: Layout, goal: Mapping[str, float], floor: int) -> tuple[Name, str] | None:
    """Return the replica, and its target, that best balances the two most different log dirs that can be balanced."""
    over = {path: found.used[path] - due for path, due in goal.items()}
    least = max(floor, UNEVEN * sum(goal.values()) / max(1, len(goal)))
    for source in sorted(over, key=lambda one: (-over[one], one)):
        for target in sorted(over, key=lambda one: (over[one], one)):
            gap = over[source] - over[target]
            if over[source] <= 0 or over[target] >= 0 or max(over[source], -over[target]) <= least:
                continue
            fitting = [
                (size <= over[source] + least, size * (gap - size), name)  # rather several than one that is too large
                for name, (path, size) in found.at.items()
                if path == source and name not in found.moving and LEAST * gap <= size <= found.room[target]
            ]
            _, gain, name = max(fitting, default=(False, 0.0, ("", 0)))
            if gain > 0:
                return name, target
    return None


def drain_refusals(brokers: Sequence[BrokerDisks], drained: Drained) -> Iterator[Problem]:
    """Report why the log dirs cannot be drained: not there, offline, the last one, or no room elsewhere."""
    known = {one.node_id: one for one in brokers}
    for node_id, paths in sorted(drained.items()):
        host, broker = f"broker {node_id}", known.get(node_id)
        if broker is None:
            text = "The broker is not serving, so its log dirs are unknown"
            yield Problem("broker_away", text, "start it first", host=host)
            continue
        disks = {one.path: one for one in broker.disks}
        wrong = [problem for path in sorted(paths) for problem in _unfit(host, path, disks)]
        yield from wrong or _without_room(broker, paths)


def _unfit(host: str, path: str, disks: Mapping[str, Disk]) -> Iterator[Problem]:
    if path not in disks:
        remedy = f"name one of {', '.join(disks)}"
        yield Problem("log_dir_unknown", f"The broker has no log dir {path}", remedy, host=host, value=path)
    elif disks[path].error:
        text = f"{path} is offline ({disks[path].error}): nothing can be moved off it"
        remedy = "replace the disk (docs/runbooks/balance_disks.md); Kafka copies its replicas from other brokers"
        yield Problem("log_dir_offline", text, remedy, host=host, value=path)


def _without_room(broker: BrokerDisks, paths: Collection[str]) -> Iterator[Problem]:
    found = layout(broker)
    for _ in emptied(broker, found, paths):
        pass
    left = [size for path, size in found.at.values() if path in paths]
    if left:
        rooms = layout(broker).room
        others = [f"{path} {amount(max(0, room))}" for path, room in rooms.items() if path not in paths]
        text = (
            f"{len(left)} replicas with {amount(sum(left))} of {', '.join(sorted(paths))} have no room on its other log"
            f" dirs ({', '.join(others) or 'there are none'}; {RESERVE:.0%} of each volume stay free)"
        )
        remedy = "add a log dir, delete or shorten topics, or move partitions to other brokers"
        yield Problem("disk_too_full", text, remedy, host=f"broker {broker.node_id}", value=sum(left))
