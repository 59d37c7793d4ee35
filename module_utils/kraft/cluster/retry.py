"""Retries of requests that failed only because of no answer, or not yet."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from ansible.module_utils.kraft.cluster.client import ApiError
from ansible.module_utils.kraft.errors import KraftError, UnreachableError

Result = TypeVar("Result")
PAUSE = 0.2


def passing(error: KraftError) -> bool:
    """Check that the same request may succeed a moment later."""
    return isinstance(error, UnreachableError) or (isinstance(error, ApiError) and error.retriable)


def until_answered(
    attempt: Callable[[], Result],
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    pause: float = PAUSE,
) -> Result:
    """Return the result of `attempt`, repeated until it succeeds, fails finally, or `seconds` have passed."""
    deadline = clock() + seconds
    while True:
        try:
            return attempt()
        except KraftError as error:
            if not passing(error) or clock() >= deadline:
                raise
        sleep(pause)
