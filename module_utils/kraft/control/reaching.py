"""One kind of result for a host on which nothing can be done, whatever the cause.

Ansible calls a host unreachable that ssh does not reach. One on which sudo or Python fails has failed, for Ansible, and
leaves the play, so that it is not reported together with the others. Nothing was changed on either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleConnectionFailure, AnsibleError
from ansible.module_utils.kraft.control.connection import error_text, explain


def reached(ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the result of `ask`; one with ``unreachable`` if a known cause keeps every task from the host."""
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
