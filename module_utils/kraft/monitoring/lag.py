"""Lag of a group behind a partition in seconds: the time since the end of the log was at the group's position. Pure.

A history has points of time and end, in order. It needs no record of the log: reading one would take a fetch from the
leader, often from its disk, for each partition.
"""

from __future__ import annotations

#: Maximum points of a history: above it every second of the older points is dropped, so it reaches back ever further.
MOST = 64

History = tuple[tuple[float, int], ...]


def noted(history: History, moment: float, end: int) -> History:
    """Add a point to `history`. While nothing is written, the last point moves on. A shorter log is another one."""
    if history and end < history[-1][1]:
        history = ()
    if len(history) > 1 and history[-2][1] == end:
        history = history[:-1]
    history = (*history, (moment, end))
    return history if len(history) <= MOST else (*history[:-2:2], *history[-2:])


def seconds_behind(history: History, offset: int, now: float) -> float:
    """Return the age of the record at `offset`, the next to be read; 0 without one.

    Before the history begins, the rate of writes is assumed as since; if nothing was written since, the result is the
    least possible value.
    """
    if not history or offset >= history[-1][1]:
        return 0.0
    after = next(at for at, (_, end) in enumerate(history) if end > offset)
    (first, begin), (last, end) = (history[0], history[-1]) if after == 0 else history[after - 1 : after + 1]
    written = first + (last - first) * (offset - begin) / (end - begin) if end > begin else first
    return max(0.0, now - written)
