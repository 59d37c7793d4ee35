"""End the run that it is loaded into, or break a host, at a chosen moment of a chosen task."""

from __future__ import annotations

DOCUMENTATION = """
name: kill_at
type: notification
short_description: Sends a signal to this run's process group at one moment
description:
  - For molecule's scenarios only. Does nothing without C(KRAFTWRIGHT_KILL_AT).
  - Like an operator, it presses Ctrl-C once more when the run still hangs half a minute after the first. A worker of
    Ansible's that dies while it hands over a result keeps the lock that the main process then waits for.
options:
  moment:
    description:
      - "JSON: C(task) (its name), C(when) (V(start) or V(end)), C(nth) (the how manieth such moment), and C(signal) for
        this run or C(command), a list of words, which is run to its end in its place."
    env: [{name: KRAFTWRIGHT_KILL_AT}]
    default: "{}"
"""

import json
import os
import signal
import subprocess
import threading
from typing import Any

from ansible.plugins.callback import CallbackBase

AGAIN_SECONDS = 30.0


class CallbackModule(CallbackBase):
    """The plugin class for Ansible."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "kill_at"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        self._seen = 0

    def v2_runner_on_start(self, host: Any, task: Any) -> None:  # noqa: ARG002 - Ansible's signature
        self._pass("start", task)

    def v2_runner_on_ok(self, result: Any) -> None:
        self._pass("end", result.task)

    def _pass(self, when: str, task: Any) -> None:
        wanted = json.loads(self.get_option("moment"))
        if (wanted.get("task"), wanted.get("when")) != (task.name, when):
            return
        self._seen += 1
        if self._seen == wanted["nth"] and "command" in wanted:
            subprocess.run(wanted["command"], check=True, stdin=subprocess.DEVNULL)  # noqa: S603 - a scenario's own
        elif self._seen == wanted["nth"]:
            again = threading.Timer(AGAIN_SECONDS, os.kill, (os.getpid(), signal.SIGINT))
            again.daemon = True
            again.start()
            os.killpg(os.getpgid(0), getattr(signal, f"SIG{wanted['signal']}"))
