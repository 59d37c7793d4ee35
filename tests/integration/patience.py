"""A look that a busy machine may spoil is taken again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def until(ask: Callable[[], T], good: Callable[[T], object] = bool, seconds: float = 60.0, pause: float = 0.1) -> T:
    """Return the first good answer; after `seconds` the last one, for the caller's assertions to show."""
    deadline = time.monotonic() + seconds
    while not good(found := ask()) and time.monotonic() < deadline:
        time.sleep(pause)
    return found
