"""Shared parts of modules of long moves: options, and a run that is repeated after a broken connection."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.health import listed
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.errors import KraftError, ToolError
from ansible.module_utils.kraft.module import KraftModule

ANSWER_SECONDS = 30.0
OPTIONS: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "throttle": {"type": "int", "default": 0},
    "together": {"type": "int", "default": 50},
    "timeout": {"type": "int", "default": 300},
    "pause": {"type": "int", "default": 0},
    "limited": {"type": "list", "elements": "int", "default": []},
}


def common(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return those options in the form of a module's ``Desired``."""
    return {
        "rate": max(0, params["throttle"]),
        "together": max(1, params["together"]),
        "pause": params["pause"],
        "timeout": params["timeout"],
        "limited": frozenset(params["limited"]),
    }


class Attempt:
    """An attempt whose first plan is reported, however often the connection broke."""

    def __init__(
        self,
        begin: Callable[[Any], Any],
        result: Callable[[Any], dict[str, Any]],
        unit: str,
        check_mode: bool,
        desired: Any,
    ) -> None:
        """`begin` makes a run of `desired`, with ``work()``, ``apply(work)``, ``left``, ``limited``, ``away`` and
        ``warnings``; `unit`: what it moves."""
        self._begin, self._result, self._unit, self._check_mode = begin, result, unit, check_mode
        self._planned: dict[str, Any] = {}
        self._desired = desired

    @property
    def limited(self) -> frozenset[int]:
        """Return brokers on which a limit was set, also by an attempt that failed."""
        found: frozenset[int] = self._desired.limited
        return found

    def __call__(self) -> dict[str, Any]:
        run = self._begin(self._desired)
        try:
            work = run.work()
            self._planned = self._planned or self._result(work)
            finished = not work.changes if self._check_mode else not work.changes or run.apply(work)
        finally:
            self._desired = dataclasses.replace(self._desired, limited=run.limited)
        return {
            **self._planned,
            "finished": finished,
            "left": dict(zip((self._unit, "bytes"), run.left)),
            "limited": sorted(run.limited),
            "away": sorted(run.away),
            "warnings": [*self._planned.get("warnings", ()), *run.warnings],
        }


def moved(module: KraftModule, attempt_by: Callable[[Client], Attempt]) -> dict[str, Any]:
    """Return the module's result; `attempt_by`: makes the attempt from a client. Raises KraftError."""
    with Client(module.params["client"], warn=module.warn) as connected:
        attempt = attempt_by(connected)
        try:
            found = until_answered(attempt, ANSWER_SECONDS)
        except KraftError as error:
            if not attempt.limited:
                raise
            still = f"The limit on brokers {listed(attempt.limited)} stays until a run of moves comes to its end."
            raise ToolError(f"{error}\n{still}") from error
    for text in found.pop("warnings"):
        module.warn(text)
    return found
