"""Throttle of copied replicas: the settings for Kafka, and the remains of an earlier run. Pure.

Kafka limits what brokers send and receive (two rates on each broker) for the replicas that topics list (two lists on
each topic). Nothing in it names its owner. So the lists of this project hold one entry more, MARK: a replica on a
broker that cannot be. Lists are set before rates and removed after them. Rates end in special digits (RATE_MARK):
a list goes with its topic, and a broker that is fenced keeps its rates when the lists go.
A run finds what a killed one has left although nothing was written down elsewhere.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from itertools import accumulate

from ansible.module_utils.kraft.cluster.health import listed
from ansible.module_utils.kraft.operations.reassignment.model import Move, Name
from ansible.module_utils.kraft.problem import Problem

RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
LISTS = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")
MARK = "0:2147483647"  #: partition 0 on the largest id that a broker could have
RATE_MARK, RATE_UNIT = 417, 1000
NAMED = 5

Values = Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class Throttles:
    """Present settings: broker → its rates, topic → its lists. Without settings there is no entry."""

    rates: Mapping[int, Values] = dataclasses.field(default_factory=dict)
    lists: Mapping[str, Values] = dataclasses.field(default_factory=dict)

    @property
    def marked(self) -> frozenset[str]:
        """Return topics with a list of ours."""
        return frozenset(topic for topic, values in self.lists.items() if any(map(is_ours, values.values())))

    @property
    def throttled(self) -> frozenset[int]:
        """Return brokers with rates of ours; all beside a marked list, as earlier releases did not mark rates."""
        all_are = bool(self.marked)
        return frozenset(broker for broker, one in self.rates.items() if all_are or all(map(is_our_rate, one.values())))

    @property
    def ours(self) -> bool:
        """Check whether any part is ours."""
        return bool(self.marked or self.throttled)


@dataclasses.dataclass(frozen=True)
class Alteration:
    """Settings of one broker (``broker`` is its id) or one topic; a value of None takes the setting away."""

    topic: str = ""
    broker: int = -1
    values: Mapping[str, str | None] = dataclasses.field(default_factory=dict)


def is_ours(value: str) -> bool:
    return MARK in (one.strip() for one in value.split(","))


def marked_rate(rate: int) -> str:
    """Return a marked rate of about `rate` bytes per second."""
    return str(max(rate // RATE_UNIT, 1) * RATE_UNIT + RATE_MARK)


def is_our_rate(value: str) -> bool:
    return value.isdigit() and int(value) % RATE_UNIT == RATE_MARK


def wanted(moves: Sequence[Move], brokers: Collection[int], rate: int) -> Throttles:
    """Return the settings needed while `moves` go on; nothing without a rate, or if no record is moved."""
    copied = [one for one in moves if one.adding]
    if not rate or not copied:
        return Throttles()
    entries: dict[str, tuple[list[str], list[str]]] = {}
    for move in copied:
        leaders, followers = entries.setdefault(move.topic, ([MARK], [MARK]))
        leaders += [f"{move.partition}:{broker}" for broker in move.before]
        followers += [f"{move.partition}:{broker}" for broker in move.adding]
    lists = {topic: dict(zip(LISTS, map(",".join, both))) for topic, both in entries.items()}
    return Throttles({broker: dict.fromkeys(RATES, marked_rate(rate)) for broker in sorted(brokers)}, lists)


def still(aim: Throttles, limited: Set[Name]) -> Throttles:
    """Return `aim` for the partitions that are still `limited`; marks alone if none of them is on its lists.

    A replica that has arrived must be on no list: Kafka holds it back while others use the rate up, although it is in
    sync, and producers with acks=all wait for it (ADR 23).
    """
    lists = {
        topic: {key: ",".join((MARK, *_of(topic, value, limited))) for key, value in values.items()}
        for topic, values in aim.lists.items()
    }
    kept = {topic: values for topic, values in lists.items() if set(values.values()) != {MARK}}
    return dataclasses.replace(aim, lists=kept or lists)


def _of(topic: str, value: str, limited: Set[Name]) -> list[str]:
    """Return the entries of a list for partitions that are `limited`."""
    entries = (one for one in value.split(",") if one != MARK)
    return [one for one in entries if (topic, int(one.partition(":")[0])) in limited]


def missing(held: Mapping[Name, Mapping[int, int]], adding: Mapping[Name, Sequence[int]]) -> dict[Name, int]:
    """Return the bytes that the brokers in `adding` still lack of each partition; `held`: partition → broker → bytes.

    A partition is left out if only new brokers report their bytes: then the total is unknown.
    """
    known = {name: sizes for name, sizes in held.items() if set(sizes) - set(adding.get(name, sizes))}
    return {
        name: sum(max(0, max(sizes.values()) - sizes.get(broker, 0)) for broker in adding[name])
        for name, sizes in known.items()
    }


def near(missing: Mapping[Name, int], most: int) -> frozenset[Name]:
    """Return those with the fewest missing bytes, together at most `most`. They need no throttle."""
    fewest = sorted(missing, key=lambda name: (missing[name], name))
    sums = accumulate(missing[name] for name in fewest)
    return frozenset(name for name, size in zip(fewest, sums) if size <= most)


def alterations(found: Throttles, aim: Throttles) -> tuple[Alteration, ...]:
    """Return the changes to the desired state, in an order that stays recognisable after a kill at any point."""
    lists = {one: _new(found.lists.get(one), values) for one, values in aim.lists.items()}
    rates = {one: _new(found.rates.get(one), values) for one, values in aim.rates.items()}
    set_lists = [Alteration(topic=one, values=new) for one, new in lists.items() if new]
    set_rates = [Alteration(broker=one, values=new) for one, new in rates.items() if new]
    drop_rates = [
        Alteration(broker=one, values=dict.fromkeys(found.rates[one]))
        for one in sorted(found.throttled)
        if one not in aim.rates
    ]
    drop_lists = [
        Alteration(topic=one, values=dict.fromkeys(found.lists[one]))
        for one in sorted(found.marked)
        if one not in aim.lists
    ]
    return (*set_lists, *set_rates, *drop_rates, *drop_lists)


def _new(found: Values | None, aim: Values) -> dict[str, str | None]:
    return {key: value for key, value in aim.items() if (found or {}).get(key) != value}


def foreign_throttle_refusals(found: Throttles, aim: Throttles) -> Iterator[Problem]:
    """Report foreign throttles in the place of ours: they must not be changed."""
    remedy = "remove them (kafka-configs.sh --alter --delete-config), or move without a throttle (throttle: 0)"
    others = found.rates.keys() - found.throttled
    if others and aim.rates:
        text = f"replication.throttled.rate was not set by Kraftwright, on brokers {listed(others)}"
        yield Problem("foreign_throttle", text, remedy)
    foreign = sorted(set(aim.lists) & set(found.lists) - found.marked)
    if foreign:
        more = f" and {len(foreign) - NAMED} more" if len(foreign) > NAMED else ""
        text = (
            f"replication.throttled.replicas was not set by Kraftwright, on topics {', '.join(foreign[:NAMED])}{more}"
        )
        yield Problem("foreign_throttle", text, remedy)
