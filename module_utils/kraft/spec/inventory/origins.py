"""Position of a value in the inventory's files, by Ansible's notes from reading them."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import yaml
from ansible.module_utils.kraft.control.plain_secrets import tags
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.inventory.spec import QUOTES, Date

#: The parts of ``kafka_topics[orders].config[retention.ms]`` after the name.
PART = re.compile(r"\[([^\]]*)\]|\.([^.\[\]]+)")
Raw = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Origin:
    """A place in a file; lines and columns count from 1."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        relative = os.path.relpath(self.path)
        return f"{self.path if relative.startswith('..') else relative}:{self.line}"


def origin(value: Any) -> Origin | None:
    """Return the position at which Ansible read a value; None if it came from no file, and for true, false and null."""
    for tag in tags(value):
        if getattr(tag, "path", None) and getattr(tag, "line_num", None):
            return Origin(tag.path, tag.line_num, tag.col_num or 1)
    return None


def located(problems: Iterable[Problem], raw: Mapping[str, Raw]) -> list[Problem]:
    """Return the problems with file and line of their variable; `raw`: host -> its variables as Ansible has them."""
    first = next(iter(raw), "")
    return [_located(each, raw.get(each.host, raw.get(first, {}))) for each in problems]


def _located(problem: Problem, raw: Raw) -> Problem:
    found = place(problem.variable, raw)
    if problem.source or found is None:
        return problem
    number = isinstance(problem.value, (int, float, Date)) and not isinstance(problem.value, bool)
    text = written(found) if problem.remedy == QUOTES and number else ""
    return dataclasses.replace(problem, source=str(found), value=text or problem.value)


def place(variable: str, raw: Raw) -> Origin | None:
    """Return the place of the innermost part of a variable that has one."""
    name = re.split(r"[\[.]", variable, maxsplit=1)[0]
    name = variable if variable in raw else name
    found = None
    for value in _along(raw, name, variable[len(name) :]):
        found = origin(value) or found
    return found


def _along(raw: Raw, name: str, rest: str) -> Iterator[Any]:
    """Yield the keys and values on the way to a part of a variable, the outermost first."""
    value = raw.get(name)
    yield value  # a key may be noted with another file that sets the variable, too
    for match in PART.finditer(rest):
        wanted = match[1] if match[1] is not None else match[2]
        if isinstance(value, Mapping):
            yield _key(value, wanted)
            value = value.get(wanted)
        elif isinstance(value, (list, tuple)):
            value = _element(value, wanted)
        else:
            return
        yield value


def _key(mapping: Mapping[Any, Any], wanted: str) -> Any:
    return next((key for key in mapping if str(key) == wanted), None)


def _element(values: Any, wanted: str) -> Any:
    """Return an element of a list by its number or its name."""
    if wanted.isdigit() and int(wanted) < len(values):
        return values[int(wanted)]
    return next((each for each in values if isinstance(each, Mapping) and str(each.get("name")) == wanted), None)


def written(found: Origin) -> str:
    """Return the text of a plain scalar as the file has it; empty if there is none."""
    return _scalars(found.path).get((found.line, found.column), "")


@lru_cache(maxsize=8)
def _scalars(path: str) -> dict[tuple[int, int], str]:
    try:
        with open(path, encoding="utf-8") as file:
            events = yaml.parse(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
            return {
                (each.start_mark.line + 1, each.start_mark.column + 1): each.value
                for each in events
                if isinstance(each, yaml.ScalarEvent) and each.start_mark
            }
    except (OSError, ValueError, yaml.YAMLError):
        return {}
