"""What a desired state must fulfil: small pure rules by theme, each a function ``Subject -> problems``.

Severities: ERROR always stops; RISK (what endangers data) stops in production unless its rule is listed in
``kafka_accepted_risks``, and is a warning in a test profile; WARNING never stops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..problem import Problem
from .subject import Subject

Rule = Callable[[Subject], Iterable[Problem]]

RULES: tuple[Rule, ...] = ()


def check(subject: Subject) -> list[Problem]:
    """Every problem that any rule finds."""
    return [problem for rule in RULES for problem in rule(subject)]
