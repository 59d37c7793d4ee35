"""The tasks of a maintenance: a file of the operator's, read as Ansible will read it while a node is down."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.playbook.block import Block
from ansible.playbook.helpers import load_list_of_blocks
from ansible.playbook.play import Play
from ansible.playbook.role_include import IncludeRole

TASKS, REBOOT = "kafka_maintenance_tasks", "kafka_reboot"


def faults(values: Mapping[str, Any], loader: Any, variable_manager: Any) -> dict[str, str]:
    """Return variable -> why the maintenance cannot be done, as a clause; empty if it can.

    `loader` and `variable_manager` are Ansible's. Tasks that the file includes dynamically are not read.
    """
    file, reboot = values.get(TASKS), boolean(values.get(REBOOT), strict=False)
    if not file:
        return {} if reboot else {TASKS: "names no tasks, and there is no reboot either"}
    try:
        path = Path(os.path.expanduser(str(file))).resolve()
        clause = _fault(path, loader, variable_manager) if path.is_file() else f"is no file: {path}"
    except (OSError, ValueError) as error:
        clause = f"is no file: {error}"
    return {TASKS: clause} if clause else {}


def _fault(path: Path, loader: Any, variable_manager: Any) -> str:
    try:
        tasks = loader.load_from_file(str(path))
        if not isinstance(tasks, list) or not all(isinstance(task, Mapping) for task in tasks) or not tasks:
            return "is no list of tasks"
        if any("hosts" in task for task in tasks):
            return "is a playbook, and a list of tasks is wanted"
        play = Play.load({"hosts": "localhost", "gather_facts": False}, variable_manager, loader)
        imported = [{"ansible.builtin.import_tasks": str(path)}]  # so that its imports are found from its own folder
        read = load_list_of_blocks(imported, play=play, variable_manager=variable_manager, loader=loader)
    except AnsibleError as error:
        return f"cannot be run: {' '.join(str(error).split())}"
    except (AttributeError, TypeError, RecursionError) as error:  # Ansible's own, of keys that are no text and the like
        return f"cannot be run: {type(error).__name__}: {error}"
    return _leaves_down(list(_tasks(read)))


def _tasks(parts: Iterable[Any]) -> Iterator[Any]:
    """Yield every task in blocks, however deep."""
    for part in parts:
        if isinstance(part, Block):
            yield from _tasks([*part.block, *part.rescue, *part.always])
        else:
            yield part


def _leaves_down(tasks: list[Any]) -> str:
    """Return a task that ends the run, or a host's part in it, while the node is stopped: no rescue starts it."""
    for task in tasks:
        meta = task.args.get("_raw_params") if task.action.rpartition(".")[2] == "meta" else None
        if str(meta or "").startswith("end_"):
            return f"has meta: {meta}, which ends the run while the node is stopped; use a condition (when)"
        if meta == "clear_facts":
            return "has meta: clear_facts, after which the run does not know how to start the node again; remove it"
    brings_handlers = any(task._role or isinstance(task, IncludeRole) for task in tasks)
    notified = next((task.notify for task in tasks if task.notify), "")
    if notified and not brings_handlers:
        first = notified if isinstance(notified, str) else notified[0]
        return f"notifies the handler {first}, which does not exist; make it a task with a condition"
    return ""
