"""How far a group is behind a partition, in seconds: by when the end of the log was where the group is now. Pure.

A history has points of time and end, in their order. It needs no record of the log: reading one would take a fetch from
the leader, often from its disk, for each partition.
"""

from __future__ import annotations

#: Of a history: from more than that every second of the older points goes, so it reaches back ever further.
MOST = 64

History = tuple[tuple[float, int], ...]


def noted(history: History, moment: float, end: int) -> History:
    """`history` and what was seen now. While nobody writes, the last point moves on. A shorter log is another one."""
    if history and end < history[-1][1]:
        history = ()
    if len(history) > 1 and history[-2][1] == end:
        history = history[:-1]
    history = (*history, (moment, end))
    return history if len(history) <= MOST else (*history[:-2:2], *history[-2:])


def seconds_behind(history: History, offset: int, now: float) -> float:
    """For how long the record at `offset`, the next to be read, has been there; 0 where there is none.

    Before the history begins, writers are taken to have been as fast as they are since; where they wrote nothing since,
    the answer is the least that it can be.
    """
    if not history or offset >= history[-1][1]:
        return 0.0
    after = next(at for at, (_, end) in enumerate(history) if end > offset)
    (first, begin), (last, end) = (history[0], history[-1]) if after == 0 else history[after - 1 : after + 1]
    written = first + (last - first) * (offset - begin) / (end - begin) if end > begin else first
    return max(0.0, now - written)
