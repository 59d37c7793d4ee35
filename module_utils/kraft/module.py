"""Base class of every module: it ends if its run has lost the lock, and writes no parameter to a journal.

Ansible writes each module's parameters to the journal of its host, where other accounts and log shippers read them.
``AnsibleModule(no_log=True)`` does not prevent it: the task's own ``no_log`` replaces that argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.node.run_lock.hold import refuse_if_lost


class KraftModule(AnsibleModule):
    """An ``AnsibleModule`` that writes only its invocation to the journal.

    It ends if another run has broken the lock of its run. `without_lock`: the module works without a lock.
    """

    def __init__(self, *arguments: Any, without_lock: bool = False, **more: Any) -> None:
        super().__init__(*arguments, **more)
        if not without_lock:
            refuse_if_lost(self)

    def finish(self, found: Callable[[], Mapping[str, Any]]) -> None:
        """Exit with the result of `found`, or fail with the message of a KraftError."""
        try:
            result = found()
        except KraftError as error:
            self.fail_json(msg=str(error))
        self.exit_json(**{"changed": False, **result})

    def log(self, *_: object, **__: object) -> None:
        """Write the module's name. The message and its fields may hold secrets."""
        super().log("Invoked")

    def _log_invocation(self) -> None:
        """Spare Ansible the text of all parameters: with a thousand users that takes longer than the rest."""
        self.log()
