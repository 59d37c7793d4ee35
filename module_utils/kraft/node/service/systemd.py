"""Commands to systemd, each with an end."""

from __future__ import annotations

from ansible.module_utils.kraft.errors import ToolError
from ansible.module_utils.kraft.node.service.state import Run

#: What timeout(1) exits with when it had to end the command.
TIMED_OUT = 124


def systemctl(run: Run, timeout: int, *words: str) -> None:
    """One systemctl command, given up after `timeout` seconds; systemd itself goes on with it. Raises ToolError."""
    rc, out, err = run(["timeout", str(timeout), "systemctl", *words])
    if rc == 0:
        return
    said = (err or out).strip() or f"exit code {rc}"
    if rc == TIMED_OUT:
        said = f"not done after {timeout} s; systemd goes on with it"
    raise ToolError(f"systemctl {' '.join(words)}: {said}")
