"""Commands to systemd, each with a timeout."""

from __future__ import annotations

from ansible.module_utils.kraft.errors import ToolError
from ansible.module_utils.kraft.node.service.unit_state import Run

#: Exit code of timeout(1) when it had to end the command.
TIMED_OUT = 124


def systemctl(run: Run, timeout: int, *words: str) -> None:
    """Run one systemctl command for at most `timeout` seconds; systemd itself continues. Raises ToolError."""
    rc, out, err = run(["timeout", str(timeout), "systemctl", *words])
    if rc == 0:
        return
    said = (err or out).strip() or f"exit code {rc}"
    if rc == TIMED_OUT:
        said = f"not done after {timeout} s; systemd goes on with it"
    raise ToolError(f"systemctl {' '.join(words)}: {said}")
