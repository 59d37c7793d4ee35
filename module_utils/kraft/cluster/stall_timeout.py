"""A deadline that moves on as long as something advances."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


class StallTimeout:
    """Ends `seconds` after the last time that `measure` changed. Lower is not better: any change is an advance."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self._clock = seconds, clock
        self._since = clock()
        self._last: Any = None

    def lasts(self, measure: Any = None) -> bool:
        """Whether to go on waiting, given what is measured now."""
        if measure != self._last:
            self._last, self._since = measure, self._clock()
        return self._clock() - self._since < self.seconds
