"""Ensure directories, files and links: inspect, refuse, and change what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.errors import refuse
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.node.files import plan
from ansible.module_utils.kraft.node.files.secret_digest import secret_digests

PATH = {"type": "str", "required": True}
OWNED = {"path": PATH, "owner": {"type": "str", "default": "root"}, "group": {"type": "str", "default": "root"}}
#: Argument specs of the modules that take such lists.
DIRECTORY_SPEC: dict[str, Any] = {**OWNED, "mode": {"type": "str", "default": "0755"}}
FILE_SPEC: dict[str, Any] = {
    **OWNED,
    "content": {"type": "str", "required": True},
    "mode": {"type": "str", "default": "0644"},
    "sensitive": {"type": "bool", "default": False},
}
LINK_SPEC: dict[str, Any] = {"path": PATH, "target": {"type": "str", "required": True}}


def ensure_files(params: Mapping[str, Sequence[Any]], salt: str = "", check_mode: bool = False) -> dict[str, Any]:
    """Ensure the paths; return ``changed``, ``changed_paths``, ``diff`` and, with a `salt`, ``secret_digests``.

    `params`: the lists of module ``kafka_files``, and ``absent``: paths of files to remove.
    Raises RefusedError with every problem, before the first change.
    """
    wanted = plan.wanted_list(params)
    known = file_io.accounts(wanted)
    found = [file_io.find(w) for w in wanted]
    refuse(plan.file_refusals(wanted, found, known, predict=check_mode))
    changes = plan.plan(wanted, found, known)
    if not check_mode:
        for change in changes:
            file_io.apply(change, known)
    return {
        "changed": bool(changes),
        "changed_paths": plan.changed_paths(changes),
        "diff": plan.diffs(changes),
        "secret_digests": secret_digests(changes, salt) if salt else {},
    }
