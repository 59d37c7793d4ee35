"""What modules of long moves have in common: options, and a run that is tried again where its connection broke."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.module import KraftModule

ANSWER_SECONDS = 30.0
OPTIONS: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "throttle": {"type": "int", "default": 0},
    "together": {"type": "int", "default": 50},
    "cluster_id": {"type": "str"},
    "timeout": {"type": "int", "default": 300},
    "pause": {"type": "int", "default": 0},
}


def common(params: Mapping[str, Any]) -> dict[str, Any]:
    """Those options as a module's ``Desired`` takes them."""
    return {
        "rate": max(0, params["throttle"]),
        "together": max(1, params["together"]),
        "pause": params["pause"],
        "timeout": params["timeout"],
        "cluster_id": params["cluster_id"] or "",
    }


class Attempt:
    """What was planned first is what is reported, however often the connection broke."""

    def __init__(
        self, begin: Callable[[], Any], result: Callable[[Any], dict[str, Any]], unit: str, check_mode: bool
    ) -> None:
        """`begin` makes a run, with ``work()``, ``apply(work)`` and ``left``; `unit`: what it moves."""
        self._begin, self._result, self._unit, self._check_mode = begin, result, unit, check_mode
        self._planned: dict[str, Any] = {}

    def __call__(self) -> dict[str, Any]:
        run = self._begin()
        work = run.work()
        self._planned = self._planned or self._result(work)
        finished = not work.changes if self._check_mode else not work.changes or run.apply(work)
        return {**self._planned, "finished": finished, "left": dict(zip((self._unit, "bytes"), run.left))}


def moved(
    module: KraftModule,
    begin: Callable[[Client], Any],
    result: Callable[[Any], dict[str, Any]],
    unit: str,
) -> dict[str, Any]:
    """What the module returns; `begin`, `result` and `unit` as in ``Attempt``. Raises KraftError."""
    with Client(module.params["client"], warn=module.warn) as connected:
        return until_answered(Attempt(lambda: begin(connected), result, unit, module.check_mode), ANSWER_SECONDS)
