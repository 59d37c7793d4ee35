"""A deadline that restarts whenever progress is seen."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

#: No run waits longer for one thing, whatever advances.
LONGEST_SECONDS = 86_400.0


class StallTimeout:
    """Ends `seconds` after the last change of `measure`, and after LONGEST_SECONDS in any case.

    Any change counts as progress. So a value that goes up and down is measured by its best so far.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self._clock = seconds, clock
        self._began = self._since = clock()
        self._last: Any = None

    def lasts(self, measure: Any = None) -> bool:
        """Check whether to go on waiting, given the current measure."""
        now = self._clock()
        if measure != self._last:
            self._last, self._since = measure, now
        return now - self._since < self.seconds and now - self._began < LONGEST_SECONDS
