"""A problem: it prints as a sentence and travels as data."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

ERROR = "error"
WARNING = "warning"


@dataclasses.dataclass(frozen=True)
class Problem:
    """``rule`` is its stable name; ``variable``, ``host`` and ``value`` locate it; ``remedy`` is the way out.

    ``source``: file and line of the inventory with the value, if known.
    ``message`` is a sentence without its full stop ("The port must be from 1 to 65535"). Host and variable come first.
    """

    rule: str
    message: str
    remedy: str
    variable: str = ""
    host: str = ""
    value: Any = None
    severity: str = ERROR
    source: str = ""

    def __str__(self) -> str:
        where = ": ".join(part for part in (self.host, self.variable) if part)
        text = f"{where}: {self.message}" if where else self.message
        return f"{text} -> {self.remedy}" if self.remedy else text

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def errors(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems that must stop a run."""
    return [problem for problem in problems if problem.severity == ERROR]
