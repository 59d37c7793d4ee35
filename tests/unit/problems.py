"""Assertions about a problem: all stable parts, and a message."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ansible.module_utils.kraft.problem import Problem

#: (rule, variable, host, value) of a problem.
Told = tuple[str, str, str, object]


def told(problems: Iterable[Problem], remedies: bool = True) -> list[Told]:
    """The ids and values of each; what is wrong and, with `remedies`, what to do must be said in words."""
    found = list(problems)
    for one in found:
        assert one.message, one
        assert isinstance(one.message, str)
        assert "None" not in str(one), one
        assert isinstance(one.remedy, str)
        assert one.remedy or not remedies, one
    return [(one.rule, one.variable, one.host, one.value) for one in found]


def worded(problems: Iterable[Problem]) -> list[str]:
    """Lines of a wording file: severity and sentence."""
    return [f"{problem.rule}: {problem.severity} {problem}" for problem in problems]


def values(text: str) -> set[str]:
    """Return the words of a sentence without the punctuation around them, as ``kafka3`` and ``/data/1``."""
    return {one.strip(".,:;()'\"") for one in re.split(r"\s+", text)}


#: A word that stands for a value: a number, a path, a setting, an address, a name in capitals.
VALUE = re.compile(r"\d|[_/=@]|\w\.\w|^[A-Z]{2,}$")


def named(sentences: Iterable[object]) -> list[list[str]]:
    """Return the values in each sentence, in their order; tests/wording has the words around them."""
    lines = [str(one).split() for one in sentences]
    return [[word for each in line if VALUE.search(word := each.strip(".,:;()'\""))] for line in lines]
