"""The plan of a deployment: which steps each host has to do, by what was seen there. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Step of the plan -> the questions of the look (``node/steps.py``) that decide over it.
STEPS = {
    "kernel": ("kernel",),
    "install": ("directories", "release", "appcds_archive", "client"),
    "format": ("storage",),
}


def due(found: Mapping[str, Mapping[str, Any]] | None) -> list[str]:
    """The steps that a host has to do, in their order; `found`: what its look said of each, None where nobody looked.

    A step that nobody asked for is due: it looks for itself.
    """
    return [step for step, questions in STEPS.items() if is_due(found or {}, questions)]


def is_due(found: Mapping[str, Mapping[str, Any]], questions: tuple[str, ...]) -> bool:
    answers = [found[each] for each in questions if each in found]
    return not answers or any(each["changed"] for each in answers)
