"""Changes in portions: Kafka refuses a request that would write more records than its controller takes. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Thing = TypeVar("Thing")
#: Records that one request may make: half of Kafka's limit.
#: Source: QuorumController.MAX_RECORDS_PER_USER_OP (10,000) of Kafka 4.3.1, which bounds topics, partitions, settings,
#: ACLs and quotas.
RECORDS_AT_ONCE = 5000


def portions(weighed: Iterable[tuple[Thing, int]]) -> list[list[Thing]]:
    """Split things, in order, into portions of at most RECORDS_AT_ONCE; one that weighs more is alone."""
    found: list[list[Thing]] = []
    left = 0
    for one, weight in weighed:
        if not found or weight > left:
            found.append([])
            left = RECORDS_AT_ONCE
        found[-1].append(one)
        left -= weight
    return found


def each_one(things: Iterable[Thing]) -> list[list[Thing]]:
    """Split things into portions; each is one record."""
    return portions((one, 1) for one in things)
