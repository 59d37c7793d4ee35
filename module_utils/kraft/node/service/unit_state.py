"""State of Kafka's service on this host, and the inputs of its start.

The unit copies its configuration into a record before each start (``record.py``) and carries the fingerprint of the
unit in the environment. Together they describe the *running* process, whatever the files contain now.
"""

from __future__ import annotations

import dataclasses
import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.errors import ToolError
from ansible.module_utils.kraft.node.service.memory import heap_bytes, resident_bytes
from ansible.module_utils.kraft.node.service.record import STARTED_DIR, started_files

#: Runs a command and returns (return code, stdout, stderr): ``AnsibleModule.run_command`` or a fake.
Run = Callable[[list[str]], tuple[int, str, str]]

FINGERPRINT_VARIABLE = "KRAFTWRIGHT_UNIT"
SYSTEMD_RUNNING = Path("/run/systemd/system")
ATTEMPTS, PAUSE = 3, 1.0  #: of a systemd that does not answer, as while it executes itself again; seconds
PROPERTIES = (
    "LoadState",
    "ActiveState",
    "SubState",
    "MainPID",
    "UnitFileState",
    "NeedDaemonReload",
    "NRestarts",
    "ExecMainStartTimestampMonotonic",
    "ExecMainStatus",
    "Result",
    "Job",
)
#: Those of every service, also of one that is not installed. Without them nothing is known.
ALWAYS = PROPERTIES[:4]


@dataclasses.dataclass(frozen=True)
class ServiceState:
    """A unit as systemd sees it; the defaults are those of a unit that does not exist.

    ``active``: it runs or is about to (also while systemd waits to restart it: then ``pid`` is 0). ``state``,
    ``sub_state`` and ``result`` are systemd's own words. ``started``: file name -> sha256 of the record of the running
    process, empty if none runs. ``started_at_us``: start on the monotonic clock, microseconds.
    ``stopped``: a signal (SIGSTOP) holds the process: it keeps its sockets and does not answer.
    ``job``: systemd is at work on it, as in the middle of a restart. ``heap_bytes``: the limit that the process was
    started with; ``resident_bytes``: the memory that it has; both None if not known.
    """

    installed: bool = False
    enabled: bool = False
    active: bool = False
    pid: int = 0
    needs_reload: bool = False
    restarts: int = 0
    state: str = "inactive"
    sub_state: str = "dead"
    result: str = "success"
    exit_status: int = 0
    started_at_us: int = 0
    started: dict[str, str] = dataclasses.field(default_factory=dict)
    environment_unit: str = ""
    stopped: bool = False
    job: bool = False
    heap_bytes: int | None = None
    resident_bytes: int | None = None

    @property
    def failed(self) -> bool:
        """Check that systemd gave up on it, or that it crashes repeatedly."""
        return self.state == "failed" or (self.sub_state == "auto-restart" and self.result != "success")

    def as_facts(self) -> dict[str, Any]:
        """Return the fields, with ``age``: seconds since the process's start."""
        age = time.monotonic() - self.started_at_us / 1e6 if self.pid else 0.0
        return {**dataclasses.asdict(self), "age": round(age, 1)}


def parse_show(text: str) -> dict[str, str]:
    """Parse ``systemctl show``'s ``key=value`` lines."""
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def environment_value(pid: int, name: str, proc: Path = Path("/proc")) -> str:
    """Return a variable of a running process's environment; empty if it is not set or the process is gone."""
    prefix = name.encode() + b"="
    try:
        entries = (proc / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return ""
    return next((entry[len(prefix) :].decode(errors="replace") for entry in entries if entry.startswith(prefix)), "")


def is_stopped(pid: int, proc: Path = Path("/proc")) -> bool:
    """Check whether a signal holds the process (state ``T`` of ``/proc/<pid>/stat``, after the name in brackets)."""
    try:
        return (proc / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()[0] == "T"
    except (OSError, IndexError):
        return False


def service_state(
    shown: dict[str, str], started: dict[str, bytes], environment_unit: str, stopped: bool = False
) -> ServiceState:
    """Return the state that ``systemctl show``'s properties and the running process's record describe."""
    pid = int(shown.get("MainPID") or 0)
    return ServiceState(
        installed=shown.get("LoadState") == "loaded",
        enabled=shown.get("UnitFileState") in ("enabled", "enabled-runtime"),
        active=shown.get("ActiveState") in ("active", "activating", "reloading"),
        pid=pid,
        needs_reload=shown.get("NeedDaemonReload") == "yes",
        restarts=int(shown.get("NRestarts") or 0),
        state=shown.get("ActiveState", "inactive"),
        sub_state=shown.get("SubState", "dead"),
        result=shown.get("Result", "success"),
        exit_status=int(shown.get("ExecMainStatus") or 0),
        started_at_us=int(shown.get("ExecMainStartTimestampMonotonic") or 0),
        started={name: hashlib.sha256(content).hexdigest() for name, content in started.items()} if pid else {},
        environment_unit=environment_unit,
        stopped=stopped,
        job=bool(shown.get("Job")),
    )


def shown_by_systemd(run: Run, unit: str) -> dict[str, str]:
    """Return PROPERTIES of `unit`, also of one that is not installed. Raises ToolError after ATTEMPTS.

    An answer without the state or the process is none: Kafka may run.
    """
    for _ in range(ATTEMPTS):
        rc, out, error = run(["systemctl", "show", "--property=" + ",".join(PROPERTIES), "--", unit])
        shown = parse_show(out)
        if rc == 0 and all(shown.get(name) for name in ALWAYS):
            return shown
        time.sleep(PAUSE)
    why = error.strip() or out.strip() or "no output"
    raise ToolError(f"systemd does not report the state of {unit} ({why}) -> systemctl show {unit}, then run again")


def observe_service(
    run: Run, unit: str = "kafka", started_dir: str = STARTED_DIR, booted: Path = SYSTEMD_RUNNING
) -> ServiceState:
    """Query systemd for `unit`; a host that does not run systemd has no service (not an error: see preflight).

    Raises ToolError if systemd does not answer: Kafka may run or not.
    """
    if not booted.is_dir():
        return ServiceState()
    shown = shown_by_systemd(run, f"{unit}.service")
    pid = int(shown.get("MainPID") or 0)
    started = started_files(started_dir)
    if not pid:
        return service_state(shown, started, "")
    found = service_state(shown, started, environment_value(pid, FINGERPRINT_VARIABLE), is_stopped(pid))
    heap = heap_bytes(started.get("jvm.options", b"").decode(errors="replace"))
    return dataclasses.replace(found, heap_bytes=heap, resident_bytes=resident_bytes(pid))
