"""Size of a sweep through a scenario's list: ``KRAFT_SWEEP`` is short, long or, when not set, all.

``KRAFT_SWEEP_ONLY`` takes of these only entries whose name matches the regular expression.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

#: From the essential to everything; each includes those before it.
SWEEPS = ("short", "long", "all")


def sweep_asked_for() -> str:
    """Return ``KRAFT_SWEEP``, else all."""
    return os.environ.get("KRAFT_SWEEP") or "all"


def asked_for(name: str) -> bool:
    """Check whether ``KRAFT_SWEEP_ONLY`` takes it."""
    return bool(re.search(os.environ.get("KRAFT_SWEEP_ONLY", ""), name))


def random_deaths(number: int) -> int:
    """Return how many of `number` random deaths this sweep takes: all of them, or the first if it is not all."""
    return number if sweep_asked_for() == "all" else min(number, 1)


def taken(entries: Iterable[Mapping[str, Any]], sweep: str = "") -> list[dict[str, Any]]:
    """Return the entries of `sweep` (else of ``KRAFT_SWEEP``), without their field ``sweep``: the shortest with them.

    An entry without that field is taken by long and by all. ValueError: no such sweep.
    """
    asked = sweep or sweep_asked_for()
    wanted = SWEEPS[: SWEEPS.index(asked) + 1]
    chosen = [entry for entry in entries if entry.get("sweep", "long") in wanted]
    return [{name: value for name, value in entry.items() if name != "sweep"} for entry in chosen]
