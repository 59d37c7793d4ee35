"""The groups of a whole cluster that are the furthest behind, within a time and a number of partitions.

Each broker is asked for the groups that it coordinates, and for the ends of the logs that it leads, all at once. If
time or partitions run out, the rest is skipped; ``Lags`` has the numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from ansible.module_utils.kraft.cluster.client import Client, Question
from ansible.module_utils.kraft.cluster.health import listed
from ansible.module_utils.kraft.cluster.lags import GroupLag, Lags
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.monitoring.groups import (
    SHARE,
    Asked,
    Partition,
    ends_at,
    offset_requests,
    read_offsets,
)

SECONDS = 1.0  #: in which offsets of further groups are asked
EACH = 2.0  #: seconds for a single answer
AT_ONCE = 25  #: groups of one coordinator in one question
MOST_PARTITIONS = 20_000  #: with offsets
SHOWN = 10  #: groups


Listed = Mapping[str, Mapping[str, tuple[str, str]]]  #: coordinator's address -> group -> (type, state)
Offsets = dict[str, tuple[dict[Partition, int], dict[Partition, int]]]  #: group -> offsets, and lags if it has them


def measure(client: Client, snapshot: Snapshot, clock: Callable[[], float] = time.monotonic) -> Lags:
    """Return the brokers that have answered so far: a silent one would cost its wait again."""
    asked = Asked(client, "", EACH)
    answered = {one.node_id for one in snapshot.log_dirs} if snapshot.log_dirs is not None else snapshot.unfenced
    addresses = {one.node_id: one.address for one in snapshot.brokers if one.node_id in answered and not one.fenced}
    coordinated = _listed(asked, list(addresses.values()))
    offsets, tried = _offsets(asked, coordinated, clock)
    ends = ends_at(asked, _led(snapshot, addresses, {where for found, _ in offsets.values() for where in found}))
    states = {name: state for groups in coordinated.values() for name, (_, state) in groups.items()}
    found = [_lag(name, states[name], one, lags, ends) for name, (one, lags) in offsets.items()]
    behind = sorted((one for one in found if one.partitions), key=lambda one: (-one.lag, one.name))
    without = [
        f"group {one.name}: {len(offsets[one.name][0]) - one.partitions} of its partitions have no leader that answers"
        for one in found
        if one.partitions < len(offsets[one.name][0])
    ]
    return Lags(tuple(behind[:SHOWN]), len(states), tried, (*_unasked(snapshot, addresses), *asked.failed, *without))


def _unasked(snapshot: Snapshot, addresses: Container[int]) -> Iterator[str]:
    """Name the serving brokers whose groups were not asked for."""
    if silent := [one for one in snapshot.unfenced if one not in addresses]:
        yield f"brokers {listed(silent)}: their groups are not known, since they did not show their log dirs"


def _listed(asked: Asked, addresses: Sequence[str]) -> Listed:
    answers = asked.all([Question(one, asked.client.request("ListGroupsRequest")) for one in addresses])
    return {
        address: {
            one["group_id"]: (one["group_type"].lower(), one.get("group_state", "")) for one in answer.get("groups", ())
        }
        for address, answer in zip(addresses, answers)
    }


def _offsets(asked: Asked, listed: Listed, clock: Callable[[], float]) -> tuple[Offsets, int]:
    """Query AT_ONCE groups of each coordinator in a round; return offsets and the number of queried groups."""
    found: Offsets = {}
    deadline, count, tried = clock() + SECONDS, 0, 0
    for start in range(0, max(map(len, listed.values()), default=0), AT_ONCE):
        if clock() >= deadline or count >= MOST_PARTITIONS:
            break
        now = {address: sorted(groups)[start : start + AT_ONCE] for address, groups in listed.items()}
        tried += sum(map(len, now.values()))
        questions = list(_questions(asked.client, listed, now))
        for one in (one for answer in asked.all(questions) for one in answer.get("groups", ())):
            if not asked.error(f"group {one['group_id']}", one["error_code"]):
                found[one["group_id"]] = read_offsets(one)
                count += len(found[one["group_id"]][0])
    return found, tried


def _questions(client: Client, listed: Listed, now: Mapping[str, Sequence[str]]) -> Iterator[Question]:
    for address, names in now.items():
        sharers = [name for name in names if listed[address][name][0] == SHARE]
        readers = [name for name in names if listed[address][name][0] != SHARE]
        yield from (Question(address, one) for one in offset_requests(client, readers, sharers))


def _led(
    snapshot: Snapshot, addresses: Mapping[int, str], partitions: Iterable[Partition]
) -> dict[str, dict[str, list[int]]]:
    """The partitions by their leader's address; without those whose leader is none of `addresses`."""
    leaders = {(topic.name, one.partition): one.leader for topic in snapshot.topics or () for one in topic.partitions}
    led: dict[str, dict[str, list[int]]] = {}
    for topic, number in sorted(partitions):
        address = addresses.get(leaders.get((topic, number), -1))
        if address:
            led.setdefault(address, {}).setdefault(topic, []).append(number)
    return led


def _lag(
    name: str,
    state: str,
    offsets: Mapping[Partition, int],
    lags: Mapping[Partition, int],
    ends: Mapping[Partition, int],
) -> GroupLag:
    known = [lags.get(where, ends[where] - offset) for where, offset in offsets.items() if where in ends]
    return GroupLag(name, state, sum(max(0, lag) for lag in known), len(known))
