"""Start a process that searches all others for planted secrets as long as this run lasts."""

from __future__ import annotations

DOCUMENTATION = """
name: watch_secrets
type: notification
short_description: Looks for planted secrets in command lines and environments while a run works
description:
  - For molecule's scenarios only. Does nothing without O(found).
options:
  found:
    description: File to which every process that shows a secret is added as a line.
    type: path
    env: [{name: KRAFTWRIGHT_SECRETS_FOUND}]
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from ansible.plugins.callback import CallbackBase

WATCH = Path(__file__).resolve().parents[1] / "secret_watch.py"


class CallbackModule(CallbackBase):
    """The plugin class for Ansible."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "watch_secrets"
    CALLBACK_NEEDS_ENABLED = True

    def v2_playbook_on_start(self, playbook: Any) -> None:  # noqa: ARG002 - Ansible's signature
        found = self.get_option("found")
        if found:
            Path(found).parent.mkdir(parents=True, exist_ok=True)
            subprocess.Popen([sys.executable, str(WATCH), "watch", str(found), str(os.getpid())])  # noqa: S603 - ends with this run
