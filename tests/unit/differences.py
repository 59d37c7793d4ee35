"""Differences as tests write them, and as the sentences that a person reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.difference import PROPERTIES, UNIT, Difference, differences_from
from ansible.module_utils.kraft.node.service.difference_text import sentences

OF_THE_UNIT = Difference(UNIT)


def setting(text: str) -> Difference:
    """``num.io.threads 8 -> 12``; ``(unset)`` on either side stands for no value."""
    key, _, values = text.partition(" ")
    old, new = (None if value == "(unset)" else value for value in values.split(" -> "))
    return Difference(PROPERTIES, key, old, new)


def plain(*differences: Difference) -> list[dict[str, Any]]:
    """Return them in the form of a module's result."""
    return [one.as_dict() for one in differences]


def said(found: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the sentences about the differences that a module returned."""
    return sentences(differences_from(found))
