"""The end of a throttle: a broker that is away when the moves end keeps its limit until a later run removes it."""

from __future__ import annotations

from collections.abc import Callable, Set

from ansible.module_utils.kraft.cluster.snapshot import Snapshot

AWAY_SECONDS = 30.0  #: for a broker to come back: a crash and the start after it
POLL_SECONDS = 2.0


def lift(
    observe: Callable[[], Snapshot],
    take_away: Callable[[Snapshot], None],
    limited: Set[int],
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> tuple[Snapshot, frozenset[int]]:
    """Take limits away; gives the last look, and those of the `limited` brokers that were not back in time.

    `take_away` reaches brokers that serve in the snapshot that it is given; only they can be asked, and changed.
    """
    ends = clock() + AWAY_SECONDS
    now = observe()
    take_away(now)
    while (away := _away(now, limited)) and clock() < ends:
        sleep(POLL_SECONDS)
        before, now = away, observe()
        if _away(now, limited) != before:
            take_away(now)
    return now, away


def _away(snapshot: Snapshot, limited: Set[int]) -> frozenset[int]:
    """Return those of `limited` that are registered and do not serve."""
    return frozenset(one.node_id for one in snapshot.brokers if one.fenced and one.node_id in limited)
