"""Repeats a task whose connection failed, where mitogen carries it, as Ansible's own ssh connection does.

Ansible's ssh repeats a command ``retries`` times (ansible.cfg, ``ansible_ssh_retries``) when ssh could not connect, or
when the connection broke while the command ran. mitogen takes no notice of that setting. With this, both wait for a
slow or lost host alike. A module finds what an earlier attempt has left, as it finds what a killed run has left.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from ansible.errors import AnsibleConnectionFailure
from ansible.module_utils.kraft.control import connection

LONGEST_PAUSE = 30
#: mitogen's words for a connection that broke or was not made in time, where it raises another error than Ansible's.
LOST = ("Connection timed out", "Context has disconnected", "Channel was disconnected")
#: Causes that may be gone at the next attempt; one that repeats a refused login could lock the account.
PASSING = ("ssh_refused", "ssh_closed")
Result = TypeVar("Result")


def pauses(retries: int) -> list[int]:
    """Seconds before each further attempt, as Ansible's ssh connection has them: 0, 1, 3, 7, 15, 30, 30, …"""
    return [min(2**attempt - 1, LONGEST_PAUSE) for attempt in range(retries)]


def is_lost(error: Exception) -> bool:
    """Whether the connection failed, and not the task, by a cause that may pass."""
    cause = connection.explain(str(error))
    if cause and cause.rule not in PASSING:
        return False
    return isinstance(error, AnsibleConnectionFailure) or any(words in str(error) for words in LOST)


def repeated(run: Callable[[], Result], retries: int, forget: Callable[[Exception, int], None]) -> Result:
    """What `run` gives, at last. After a failure `forget` gets the error and the pause; the last one is raised."""
    for pause in pauses(retries):
        try:
            return run()
        except Exception as error:
            if not is_lost(error):
                raise
            forget(error, pause)
            time.sleep(pause)
    return run()


def retries_of(transport: Any) -> int:
    """What the connection is set to; 0 for one without such a setting, such as a local one."""
    try:
        return int(transport.get_option("reconnection_retries"))
    except KeyError:
        return 0


def persistent(run: Callable[..., Any], tell: Callable[[str], None]) -> Callable[..., Any]:
    """``run`` of mitogen's action plugins, repeated. `tell` says to the operator what is waited for."""

    def repeating(action: Any, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> Any:
        transport = action._connection

        def forget(error: Exception, pause: int) -> None:
            host = action._task.delegate_to or (task_vars or {}).get("inventory_hostname")
            tell(f"{host}: connection lost ({reason(error)}), tried again in {pause} s")
            transport.close()
            transport._shell.tmpdir = None  # it went with the connection

        return repeated(lambda: run(action, tmp, task_vars), retries_of(transport), forget)

    return repeating


def reason(error: Exception) -> str:
    """The last line of what mitogen says."""
    lines = str(error).strip().splitlines() or ["no answer"]
    return lines[-1].strip().rstrip(".")
