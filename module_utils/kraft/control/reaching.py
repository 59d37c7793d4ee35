"""One kind of result for a host on which nothing can be done, whatever stands in the way.

Ansible calls a host unreachable that ssh does not reach. One where sudo or Python refuses has failed, for Ansible, and
leaves the play, so that nobody tells of it together with the others. Nothing was changed on either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleConnectionFailure, AnsibleError
from ansible.module_utils.kraft.control.connection import error_text, explain


def reached(ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The result of `ask`; one with ``unreachable`` where a known cause keeps every task from the host."""
    try:
        result = ask()
    except AnsibleConnectionFailure:
        raise
    except AnsibleError as error:
        if explain(str(error)) is None:
            raise
        return {"changed": False, "unreachable": True, "msg": str(error)}
    said = result.get("failed") and "module_stderr" in result and error_text(result)
    if said and explain(said):
        return {"changed": False, "unreachable": True, "msg": said}
    return result
