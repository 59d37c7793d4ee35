"""The tasks of a maintenance: a file of the operator's, read as Ansible will read it while a node is down."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.playbook.helpers import load_list_of_blocks
from ansible.playbook.play import Play

TASKS, REBOOT = "kafka_maintenance_tasks", "kafka_reboot"


def faults(values: Mapping[str, Any], loader: Any, variable_manager: Any) -> dict[str, str]:
    """Variable -> why the maintenance cannot be done, as a clause; empty where it can.

    `loader` and `variable_manager` are Ansible's. Tasks that the file includes dynamically are not read.
    """
    file, reboot = values.get(TASKS), boolean(values.get(REBOOT), strict=False)
    if not file:
        return {} if reboot else {TASKS: "names no tasks, and there is no reboot either"}
    clause = _fault(Path(str(file)).expanduser().resolve(), loader, variable_manager)
    return {TASKS: clause} if clause else {}


def _fault(path: Path, loader: Any, variable_manager: Any) -> str:
    if not path.is_file():
        return f"is no file: {path}"
    try:
        tasks = loader.load_from_file(str(path))
        if not isinstance(tasks, list) or not all(isinstance(task, Mapping) for task in tasks) or not tasks:
            return "is no list of tasks"
        if any("hosts" in task for task in tasks):
            return "is a playbook, and a list of tasks is wanted"
        play = Play.load({"hosts": "localhost", "gather_facts": False}, variable_manager, loader)
        imported = [{"ansible.builtin.import_tasks": str(path)}]  # so that what it imports is found from its own folder
        load_list_of_blocks(imported, play=play, variable_manager=variable_manager, loader=loader)
    except AnsibleError as error:
        return f"cannot be run: {' '.join(str(error).split())}"
    return ""
