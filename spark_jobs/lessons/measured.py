"""The outcome of a sentence: a verdict, a figure, and the bars of a picture. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

HOLDS, WRONG, NOT_SHOWN = "holds", "wrong", "not shown"
#: "Within seconds" means at most this number.
SECONDS = 10.0
#: A longer pause of records is an interruption.
LONGEST_GAP = 2.0

Observed = Mapping[str, Any]


@dataclass(frozen=True)
class Bar:
    """A bar of a picture: its label, its length in any unit of the picture, and the text at its end."""

    label: str
    value: float
    text: str
    bad: bool = False


@dataclass(frozen=True)
class Measured:
    """The outcome of a run: the verdict, the one figure, a sentence about it, and the bars of the picture."""

    verdict: str
    figure: str
    shown: str
    bars: tuple[Bar, ...] = ()


@dataclass(frozen=True)
class Sentence:
    """A claim. ``experiment``: the name of the observations that it needs; ``method``: the experiment in words."""

    name: str
    claim: str
    experiment: str
    method: str
    judge: Callable[[Observed], Measured]


def verdict(claimed: bool, refuted: bool) -> str:
    """Return the verdict of two independent findings; neither of them, or both, show nothing."""
    if claimed == refuted:
        return NOT_SHOWN
    return HOLDS if claimed else WRONG
