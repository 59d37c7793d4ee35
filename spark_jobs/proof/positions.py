"""Does a translated group offset point at the same record? Pure.

A group's offset names the record that it reads next. The records from there on are compared, since offsets differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

LOOK_AHEAD = 1000  # records of each side that are looked at
Outcome = Literal["same", "earlier", "later", "unknown", "absent"]


class Place(NamedTuple):
    """``records``: how many the group would read again (earlier) or skip (later); at least so many at an end."""

    outcome: Outcome
    records: int | None


def place(source: Sequence[int], target: Sequence[int]) -> Place:
    """Where the target's offset stands, from the next records (as numbers) of both sides.

    ``same``: the same records follow. ``earlier``: the group reads some records again. ``later``: it would skip some.
    ``unknown``: neither side's next record is near the other's.
    """
    if _follows(source, target):
        return Place("same", 0)
    for count in range(1, max(len(source), len(target)) + 1):
        if count <= len(target) and _follows(source, target[count:]):
            return Place("earlier", count)
        if count <= len(source) and _follows(source[count:], target):
            return Place("later", count)
    return Place("unknown", None)


def behind(source: Sequence[int], target: Sequence[int]) -> Place:
    """The same where the source's next records stand far behind the target's offset; unknown if they do not."""
    size = len(source)
    for count, one in enumerate(target):
        if source and one == source[0] and _follows(source, target[count : count + size]):
            return Place("earlier", count)
    return Place("unknown", None)


def _follows(source: Sequence[int], target: Sequence[int]) -> bool:
    """Whether one sequence begins with the whole other; an empty one is the end of a partition."""
    both = min(len(source), len(target))
    return (both > 0 or len(source) == len(target)) and list(source[:both]) == list(target[:both])
