"""A run that is refused, as Ansible shows it: one heading, then a table of all problems."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from ansible.errors import AnsibleAction
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.inventory import report


def refusal(what: str, problems: Sequence[Problem], hosts: int, remedy: str = "", table: bool = True) -> AnsibleAction:
    """Return the failure. `what` failed, as a clause; `hosts`: how many the cluster has; `remedy`: below the table.

    Ansible prints an error's message, then its result: the table is in one of them only.
    """
    heading = f"{what}: {report.summary(problems)}. No host was changed."
    parts = [heading, *([report.table(problems, hosts, width())] if table else []), *([remedy] if remedy else [])]
    return AnsibleAction(heading, result={"failed": True, "msg": "\n\n".join(parts)})


def width() -> int:
    """Return the columns for a table, with room for a callback's indentation."""
    return shutil.get_terminal_size((120, 40)).columns - 8
