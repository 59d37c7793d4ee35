"""Series of measurements: median and range, and the ratio of two that were measured in the same rounds. Pure."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Series:
    """Values of one kind, one a round."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def text(self, unit: str = "", digits: int = 1) -> str:
        """Return ``11.2 s (10.8 to 12.1)``; a single value without range, a dash for none."""
        if not self.values:
            return "-"
        unit = f" {unit}" if unit else ""
        middle = f"{self.median:,.{digits}f}{unit}"
        if len(self.values) == 1:
            return middle
        return f"{middle} ({min(self.values):,.{digits}f} to {max(self.values):,.{digits}f})"


def paired(above: Sequence[float], below: Sequence[float]) -> Series:
    """Return the ratio round by round: a slow round of the machine slows both."""
    return Series(tuple(a / b for a, b in zip(above, below, strict=False)))


@dataclass(frozen=True)
class Promise:
    """A ratio or figure with its limit: at most ``limit``, or at least that with ``at_least``."""

    limit: float
    at_least: bool = False

    def text(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.limit:g}"

    def verdict(self, value: float) -> str:
        kept = value >= self.limit if self.at_least else value <= self.limit
        return "kept" if kept else "**missed**"


def tasks_per_host(lines: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count executed tasks by host, from the timeline's lines (skipped ones leave none)."""
    counts: dict[str, int] = {}
    for line in lines:
        counts[line["host"]] = counts.get(line["host"], 0) + 1
    return counts


def skipped_per_host(log: str) -> dict[str, int]:
    """Return the skipped tasks of each host, from the recap of a run's output."""
    return {host: int(count) for host, count in re.findall(r"^(\S+)\s+: ok=\d.* skipped=(\d+) ", log, re.MULTILINE)}


def table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [heading, ["---"] * len(heading), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
