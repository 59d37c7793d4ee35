"""Throttle of copies inside a broker, and the remains of a killed run. Pure.

Kafka has one rate for each broker, and no field for its owner. So a rate of this project ends in
special digits (RATE_MARK): a run finds the rates of a killed one, and leaves foreign rates alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ansible.module_utils.kraft.cluster.health import listed
from ansible.module_utils.kraft.operations.reassignment.throttle import Alteration, is_our_rate, marked_rate
from ansible.module_utils.kraft.problem import Problem

RATE = "replica.alter.log.dirs.io.max.bytes.per.second"

Rates = Mapping[int, str]  #: broker -> its rate; none where none is set


def wanted(brokers: Collection[int], rate: int) -> dict[int, str]:
    """Return the rates to set while replicas are copied inside `brokers`; nothing without a rate."""
    return dict.fromkeys(sorted(brokers), marked_rate(rate)) if rate else {}


def alterations(found: Rates, aim: Rates) -> tuple[Alteration, ...]:
    """Return the rates to set, and those of ours to take away."""
    new = [Alteration(broker=one, values={RATE: value}) for one, value in aim.items() if found.get(one) != value]
    old = [one for one, value in sorted(found.items()) if one not in aim and is_our_rate(value)]
    return (*new, *(Alteration(broker=one, values={RATE: None}) for one in old))


def foreign_rate_refusals(found: Rates, aim: Rates) -> Iterator[Problem]:
    """Report a foreign rate in the place of ours."""
    foreign = [one for one in aim if one in found and not is_our_rate(found[one])]
    if foreign:
        remedy = "remove it (kafka-configs.sh --alter --delete-config), or move without a throttle (throttle: 0)"
        yield Problem("foreign_throttle", f"{RATE} was not set by Kraftwright, on brokers {listed(foreign)}", remedy)
