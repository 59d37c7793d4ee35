"""The module class of every module here: what a module was given is in no host's journal.

Ansible writes each module's parameters to the journal of its host, where other accounts and log shippers read them.
``AnsibleModule(no_log=True)`` does not prevent it: the task's own ``no_log`` replaces that argument.
"""

from __future__ import annotations

from ansible.module_utils.basic import AnsibleModule


class KraftModule(AnsibleModule):
    """An ``AnsibleModule`` of which the journal says that it was invoked, and nothing else."""

    def log(self, *_: object, **__: object) -> None:
        """Write the module's name. The message and its fields may hold secrets."""
        super().log("Invoked")

    def _log_invocation(self) -> None:
        """Spare Ansible the text of all parameters: with a thousand users that takes longer than the rest."""
        self.log()
