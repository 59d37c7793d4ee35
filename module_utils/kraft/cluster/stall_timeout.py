"""A deadline that moves on as long as something advances."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

#: No run waits longer for one thing, whatever advances.
LONGEST_SECONDS = 86_400.0


class StallTimeout:
    """Ends `seconds` after the last time that `measure` changed, and after LONGEST_SECONDS in any case.

    Any change is an advance. So what goes up and down is measured by its best value so far.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self._clock = seconds, clock
        self._began = self._since = clock()
        self._last: Any = None

    def lasts(self, measure: Any = None) -> bool:
        """Whether to go on waiting, given what is measured now."""
        now = self._clock()
        if measure != self._last:
            self._last, self._since = measure, now
        return now - self._since < self.seconds and now - self._began < LONGEST_SECONDS
