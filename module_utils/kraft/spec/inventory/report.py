"""Problems for people: a table that fits a terminal. Hosts that share a problem share its row."""

from __future__ import annotations

import dataclasses
import json
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from ansible.module_utils.kraft.problem import ERROR, WARNING, Problem
from ansible.module_utils.kraft.wording import printable_text

HEADINGS = ("", "where", "value", "what is wrong, and what to do")
WIDEST_VALUE = 40
LONGEST_VALUE = 120
MOST_PLACES = 3
ALL = "all hosts"


def grouped(problems: Iterable[Problem]) -> list[tuple[Problem, list[str]]]:
    """Group equal problems, each with its hosts in their order."""
    groups: dict[Any, list[Problem]] = {}
    for problem in problems:
        bare = dataclasses.replace(problem, host="", value=None)
        key = (str(bare), bare.severity, bare.rule, repr(problem.value))
        groups.setdefault(key, []).append(problem)
    return [(_with_sources(found), [each.host for each in found]) for found in groups.values()]


def _with_sources(found: Sequence[Problem]) -> Problem:
    """Return the first of the same problems, with the places of all in the inventory's files."""
    places = list(dict.fromkeys(each.source for each in found if each.source))
    more = [f"and {len(places) - MOST_PLACES} more places"] if len(places) > MOST_PLACES else []
    return dataclasses.replace(found[0], source="\n".join([*places[:MOST_PLACES], *more]))


def table(problems: Sequence[Problem], hosts: int = 0, width: int = 120) -> str:
    """Return a table of all problems. `hosts`: the cluster's number, so that "all" can be printed."""
    rows = [_row(problem, found, hosts) for problem, found in grouped(problems)]
    widths = _widths([HEADINGS, *rows], width)
    lines = [_line(HEADINGS, widths), _line(["-" * size for size in widths], widths)]
    for row in rows:
        lines += _wrapped(row, widths)
    return "\n".join(lines)


def summary(problems: Sequence[Problem]) -> str:
    """Return the counts of errors and warnings, as one sentence."""
    rows = grouped(problems)
    errors = sum(problem.severity == ERROR for problem, _ in rows)
    warnings = len(rows) - errors
    parts = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in ((errors, "error"), (warnings, "warning"))]
    return " and ".join(part for part in parts if not part.startswith("0 ")) or "nothing wrong"


def sentences(problems: Sequence[Problem], hosts: int = 0) -> list[str]:
    """Return one line for each problem."""
    return [
        printable_text(str(dataclasses.replace(problem, host=_hosts(found, hosts), message=_with_value(problem))))
        for problem, found in grouped(problems)
    ]


def as_json(problems: Sequence[Problem]) -> str:
    """Return JSON for machines: the counts by severity, and one object for each host and problem."""
    counts = {f"{kind}s": sum(problem.severity == kind for problem in problems) for kind in (ERROR, WARNING)}
    return json.dumps({**counts, "problems": [problem.as_dict() for problem in problems]}, indent=2, default=str)


def shown(value: Any) -> str:
    """Format a value for the inventory, cut if it is long."""
    text = "" if value is None else value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 4] + " ..."


def _with_value(problem: Problem) -> str:
    text = shown(problem.value)
    return f"{problem.message} (value: {text})" if text and text not in problem.message else problem.message


def _hosts(found: Sequence[str], hosts: int) -> str:
    named = [host for host in found if host]
    return ALL if hosts > 1 and len(named) == hosts else ", ".join(named)


def _row(problem: Problem, found: Sequence[str], hosts: int) -> tuple[str, str, str, str]:
    where = "\n".join(part for part in (problem.variable, _hosts(found, hosts), problem.source) if part)
    what = f"{problem.message}\n-> {problem.remedy}" if problem.remedy else problem.message
    return (problem.severity, where or "inventory", shown(problem.value), what)


def _widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the widths: the first three columns as wide as needed, within limits; the last takes the rest."""
    longest = [max(len(line) for row in rows for line in row[at].split("\n") or [""]) for at in range(3)]
    fixed = [longest[0], min(longest[1], WIDEST_VALUE), min(longest[2], WIDEST_VALUE)]
    return [*fixed, max(30, width - sum(fixed) - 6)]


def _wrapped(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    cells = [_cell(text, size) for text, size in zip(row, widths)]
    height = max(len(cell) for cell in cells)
    return [_line([cell[at] if at < len(cell) else "" for cell in cells], widths) for at in range(height)]


def _cell(text: str, size: int) -> list[str]:
    return [line for part in printable_text(text).split("\n") for line in textwrap.wrap(part, size) or [""]]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(size) for cell, size in zip(cells, widths)).rstrip()
