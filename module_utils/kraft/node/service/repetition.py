"""A restart that is requested a second time, because the connection was lost before its result came back.

The first attempt may have ended anywhere: before the restart, in the middle of it (systemd continues), or after it. A
restart therefore names the replaced process by its start, and is done once that one is gone.
"""

from __future__ import annotations

import time
from pathlib import Path

from ansible.module_utils.kraft.errors import ToolError
from ansible.module_utils.kraft.node.service import plan as node
from ansible.module_utils.kraft.node.service.staging import Place, kept_at
from ansible.module_utils.kraft.node.service.unit_state import SYSTEMD_RUNNING, Run, parse_show

STEP_SECONDS = 0.2


def wait_for_job(run: Run, unit: str, timeout: float, booted: Path = SYSTEMD_RUNNING) -> None:
    """Wait until systemd has no job for `unit`. Raises ToolError if it may still have one after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while has_job(run, unit, booted):
        if time.monotonic() >= deadline:
            raise ToolError(
                f"systemd has worked at {unit}.service for {timeout:g} s, or does not answer; see systemctl list-jobs"
            )
        time.sleep(STEP_SECONDS)


def has_job(run: Run, unit: str, booted: Path) -> bool:
    """Check whether systemd starts or stops the unit, or is about to. It may as well if it runs and does not answer."""
    rc, out, _ = run(["systemctl", "show", "--property=Job", "--", f"{unit}.service"])
    return booted.is_dir() if rc != 0 else parse_show(out).get("Job", "0") not in ("", "0")


def is_done(found: node.NodeState, replaces: int) -> bool:
    """Check that another process than the one that started at `replaces` runs, without differences."""
    return bool(replaces) and found.running and found.service.started_at_us != replaces and not found.differences


def earlier_actions(place: Place, replaces: int) -> tuple[str, ...]:
    """Return the actions of the first attempt: with KEEP if the kept record is newer than the process at `replaces`."""
    began = time.time() - time.monotonic() + replaces / 1e6
    return (node.KEEP, node.RESTART) if kept_at(place.install_dir) > began else (node.RESTART,)
