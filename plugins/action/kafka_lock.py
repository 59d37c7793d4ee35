"""The control side's half of the lock: who asks, and whether the run that holds it still lives."""

from __future__ import annotations

import getpass
import hashlib
import os
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.host import lock


def started(pid: int) -> str:
    """When a process of this machine began, in ps's own words; empty where there is none."""
    shown = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)  # noqa: S603, S607
    return " ".join(shown.stdout.split())


def machine() -> str:
    """An id of this control machine that outlives reboots."""
    try:
        return Path("/etc/machine-id").read_text().strip() or socket.gethostname()
    except OSError:
        return socket.gethostname()


def asking(pid: int) -> lock.Record:
    """This run, by its main process."""
    began = started(pid)
    return lock.Record(
        run=f"{socket.gethostname()}-{pid}-{hashlib.sha256(began.encode()).hexdigest()[:8]}",
        who=f"{getpass.getuser()}@{socket.gethostname()}",
        machine=machine(),
        process=f"{pid} {began}",
        since=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )


def is_alive(record: lock.Record) -> bool:
    """Whether the process of `record` still runs here: same pid, same start."""
    pid, _, began = record.process.partition(" ")
    return bool(began) and started(int(pid)) == began


class ActionModule(ActionBase):
    """Asks the host; takes over what a dead run of this machine left; otherwise refuses with the holder's name."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        arguments = {**self._task.args, "record": asking(os.getppid()).as_dict()}
        result = self._ask(arguments, task_vars)
        holder = lock.record(result.get("holder"))
        if not result.get("granted") and holder and lock.is_stale(holder, machine(), is_alive(holder)):
            result = self._ask({**arguments, "break_run": holder.run}, task_vars)
        if "granted" in result and not result["granted"] and holder and arguments.get("state") != "released":
            host = (task_vars or {}).get("inventory_hostname", "the host")
            return {**result, "failed": True, "msg": lock.refusal(host, holder)}
        return result

    def _ask(self, arguments: dict[str, Any], task_vars: dict[str, Any] | None) -> dict[str, Any]:
        answer: dict[str, Any] = self._execute_module(
            module_name="kafka_lock", module_args=arguments, task_vars=task_vars
        )
        return answer
