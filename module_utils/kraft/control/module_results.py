"""A module's result counts for its own host alone: facts that Ansible would set on other hosts are dropped (ADR 74).

Ansible takes ``ansible_facts`` from the result of every module. Those of a task with ``run_once`` it sets on each host
of the play, those of a delegated task on the host that delegates. A host can answer anything for any module.
"""

from __future__ import annotations

import dataclasses
import functools
import multiprocessing
import os
from collections.abc import Iterable
from typing import Any

from ansible.errors import AnsibleError
from ansible.module_utils.kraft.wording import printable, printable_text
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

DISPLAY = Display()
FACTS = "ansible_facts"
ANSIBLES = "ansible_"  #: prefix that Ansible removes from a fact's name
OURS = ("kafka_", "kraft_")
#: The path of a host's Python, which Ansible would use on all hosts of a task with ``run_once``.
DISCOVERED = "discovered_interpreter_"
#: Parts of a result that Ansible prints as they are.
SHOWN = ("msg", "exception", "warnings", "deprecations", "diff", "module_stdout", "module_stderr")
LONGEST_TEXT, LONGEST_NAMES = 100_000, 200  #: characters
MOST_TEXTS = 100
SEAM = "_execute_module"  #: all modules run through this method of Ansible's action plugins
MARK = "_kraftwright_pid"


def install() -> None:
    """Wrap `confined` around every module's result, in this process and its children."""
    execute = getattr(ActionBase, SEAM, None)
    if execute is None or hasattr(execute, MARK):
        return

    @functools.wraps(execute)
    def confining(self: Any, *args: Any, **more: Any) -> dict[str, Any]:
        task = self._task
        once = bool(getattr(task, "run_once", False) and not task.delegate_to)
        result, names = confined(execute(self, *args, **more), once)
        if names:
            host = task.delegate_to or (more.get("task_vars") or {}).get("inventory_hostname", "A host")
            DISPLAY.warning(_dropped(str(host), str(task.action), names))
        return result

    setattr(confining, MARK, os.getpid())
    setattr(ActionBase, SEAM, confining)


def require() -> None:
    """Raise if a module's result would be taken over whole: a worker must have the method from its main process."""
    installed = getattr(getattr(ActionBase, SEAM, None), MARK, None)
    is_worker = multiprocessing.parent_process() is not None
    if installed is None or (is_worker and installed == os.getpid()):
        text = "This version of ansible-core gives no way to keep the facts of one host from the others"
        raise AnsibleError(f"{text}. No host was changed. Use a version that README.md names.")


def confined(result: dict[str, Any], once: bool = False) -> tuple[dict[str, Any], list[str]]:
    """Return a module's `result` without facts of this project, and their names. Printed texts are made harmless.

    `once`: Ansible sets facts on all hosts of the play, so the path of this host's Python is dropped, too.
    """
    facts = result.get(FACTS)
    out = {key: _shown(value) if key in SHOWN else value for key, value in result.items() if key != FACTS}
    if not isinstance(facts, dict):
        return out, []
    ours = [name for name in facts if _name(name).startswith(OURS)]
    kept = {name: value for name, value in facts.items() if name not in ours}
    if once:
        kept = {name: value for name, value in kept.items() if not _name(name).startswith(DISCOVERED)}
    return (out | {FACTS: kept} if kept else out), ours


def _name(fact: Any) -> str:
    """Return the name under which templates read a fact."""
    return str(fact).removeprefix(ANSIBLES)


def _dropped(host: str, action: str, names: Iterable[str]) -> str:
    told = printable(", ".join(sorted(names))[:LONGEST_NAMES])
    return f"{host} answered {action} with facts that only Kraftwright sets. Dropped: {told}. Inspect the host."


def _shown(value: Any) -> Any:
    """Strip control characters for a terminal from a text, or from texts in a structure, and limit the length."""
    if isinstance(value, str):
        text = printable_text(value, LONGEST_TEXT)
        return value if text == value else text
    if isinstance(value, dict):
        return {key: _shown(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_shown, value[:MOST_TEXTS]))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):  # an error or a warning as Ansible keeps it
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **{name: _shown(each) for name, each in fields.items()})
    return value
