"""Clocks of the hosts: synchronised, and not known to differ."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.host_rules.subject import Subject
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK

LARGEST_SKEW = 1.0  #: seconds by which two hosts' clocks may be known to differ


def check(subject: Subject) -> Iterator[Problem]:
    """Report the largest certain difference of two clocks, and clocks that are not synchronised.

    ``clock_offset`` bounds a host's clock minus the control machine's, so only a difference beyond both is certain.
    """
    known = [(host, facts["clock_offset"]) for host, facts in subject.seen if facts.get("clock_offset")]
    pairs = [(ahead[0] - behind[1], a, b) for (a, ahead), (b, behind) in both_ways(known)]
    skew, ahead, behind = max(pairs, key=lambda pair: pair[0], default=(0.0, None, None))
    if ahead and behind and skew > LARGEST_SKEW:
        message = f"The clock is at least {skew:.1f} s ahead of {behind.name}'s"
        remedy = "synchronise the clocks of all hosts (chrony, systemd-timesyncd)"
        yield Problem("clock_skew", message, remedy, host=ahead.name, value=round(skew, 1), severity=RISK)
    boots = {facts["boot_id"] for _, facts in subject.seen}
    for host, facts in subject.seen if len(boots) > 1 else ():  # one kernel has one clock
        if facts["clock_synchronised"] is False:
            message = "The clock is not synchronised"
            remedy = "run chrony or systemd-timesyncd on it"
            yield Problem("clock_unsynchronised", message, remedy, host=host.name, severity=WARNING)


def both_ways(items: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield every pair in both orders."""
    for one, other in combinations(items, 2):
        yield one, other
        yield other, one
