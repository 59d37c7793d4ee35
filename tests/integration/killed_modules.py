"""Modules that are killed with SIGKILL right after one of their changes, in separate processes.

Used with real brokers: ``kills(act)`` runs `act` again and again; the n-th run dies after its n-th change, and the last
run comes to its end.
"""

from __future__ import annotations

import itertools
import os
import signal
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.cluster.client import Answer, Client, Question

CHANGING = ("Add", "Alter", "Create", "Delete", "Elect", "Incremental", "Remove", "Unregister", "Update")
MOST = 60


def is_change(question: Question) -> bool:
    name = type(question.request).__name__
    return name.startswith(CHANGING) and not getattr(question.request, "validate_only", False)


def kills(act: Callable[[], dict[str, Any]], log: Path) -> int:
    """Return how many runs of `act` died; each died one change later than the run before it.

    `act`: returns a module's result; `log`: file for the words of a run that failed by itself.
    """
    for changes in itertools.count(1):
        assert changes < MOST, "each run has more to do than the one before it"
        if not _dies(act, changes, log):
            return changes - 1
    raise AssertionError


def _dies(act: Callable[[], dict[str, Any]], changes: int, log: Path) -> bool:
    child = os.fork()
    if child == 0:
        _die_after(changes)
        try:
            result = act()
            log.write_text(str(result.get("msg", "")))
            os._exit(1 if result.get("failed") else 0)
        except BaseException:
            log.write_text(traceback.format_exc())
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    dead = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    assert dead or os.waitstatus_to_exitcode(status) == 0, log.read_text()
    return dead


def _die_after(changes: int) -> None:
    """Let this process die as soon as this number of changes is answered, even if they were requested together."""
    left, plain = [changes], Client.send_all

    def send_all(client: Client, questions: Sequence[Question], *args: Any, **more: Any) -> list[Answer]:
        answers = plain(client, questions, *args, **more)
        left[0] -= sum(map(is_change, questions))
        if left[0] <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return answers

    Client.send_all = send_all  # type: ignore[assignment, method-assign]
