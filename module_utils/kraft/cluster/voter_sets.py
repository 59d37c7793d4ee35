"""Check whether two sets of voters can disagree: the rule for changes of a static quorum. Pure.

In a static quorum each node counts votes by the list in its own configuration (``controller.quorum.voters``). While a
change of that list is rolled, some nodes use the old list and some the new one. Each list elects a leader, and commits
records, by its own majority: with two majorities that share no voter there are two leaders, and the records that one of
them has committed are lost with the other.
"""

from __future__ import annotations

from collections.abc import Collection


def spare(voters: Collection[int]) -> int:
    """Return how many voters a majority of `voters` can do without: 1 of 3, 1 of 4, 2 of 5."""
    return (len(voters) - 1) // 2


def can_be_disjoint(old: Collection[int], new: Collection[int]) -> bool:
    """Check whether some majority of `old` and some majority of `new` share no voter.

    They can if, and only if, the two majorities together can spare every voter that both sets have. If they can: divide
    the common voters into a part that the majority of `old` leaves out and the rest, which that of `new` leaves out;
    then no voter is in both. If two majorities share no voter, one of them leaves out each common voter, so together
    they spare them all. The rule is the same for voters that come and that go. No set has a majority of no voters.
    """
    common = set(old) & set(new)
    return bool(old and new) and spare(set(old)) + spare(set(new)) >= len(common)
