#!/usr/bin/python
"""Break the node of a host for a short while; it comes back by itself, whatever becomes of the run."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_fault
short_description: Breaks a running node on purpose
description:
  - For drills on a cluster that can take it; ask M(kafka_shutdown_check) first.
  - Nothing has to be put right afterwards. systemd starts a killed node again. For a frozen one, and for an unreadable
    log dir, a timer that ends the fault is set before it begins, so it ends although the run was killed.
  - A node that does not run is not broken again. A log dir that its owner cannot use is not made unreadable.
options:
  action:
    description:
      - V(killed) ends the process at once, as the kernel would for want of memory, and waits until systemd has started
        another one.
      - V(frozen) stops the process where it is, for O(seconds).
      - V(unreadable) takes all rights off O(log_dir) for O(seconds). Kafka halts, and cannot start meanwhile. Then the
        rights are as before, systemd starts Kafka, and the module waits until it runs.
    type: str
    choices: [killed, frozen, unreadable]
    required: true
  log_dir: {description: The node's metadata log dir; with V(action=unreadable)., type: path}
  seconds: {description: How long the node is frozen or its log dir unreadable., type: int, default: 30}
  unit: {description: Name of the unit without C(.service)., type: str, default: kafka}
  timeout: {description: Seconds in which systemd must have started the node again., type: int, default: 30}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Freeze the node for half a minute
  kafka_fault:
    action: frozen
    seconds: 30

- name: Make the log dir unreadable for half a minute
  kafka_fault:
    action: unreadable
    log_dir: /opt/kafka/kraft-logs/kafka-logs1
    seconds: 30
"""

RETURN = r"""
commands:
  description: What was run, or would be.
  returned: always
  type: list
  elements: list
"""

import shlex
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

POLL_SECONDS = 0.1
ARGUMENT_SPEC: dict[str, Any] = {
    "action": {"type": "str", "choices": ["killed", "frozen", "unreadable"], "required": True},
    "log_dir": {"type": "path"},
    "seconds": {"type": "int", "default": 30},
    "unit": {"type": "str", "default": "kafka"},
    "timeout": {"type": "int", "default": 30},
}


def commands(action: str, unit: str, seconds: int, log_dir: str = "", mode: int = 0) -> list[list[str]]:
    """What breaks the node, in order; what ends the fault comes first. `mode`: of `log_dir` as it is."""
    service = f"{unit}.service"
    if action == "killed":
        return [["systemctl", "kill", "--signal=KILL", service]]
    timer = ["systemd-run", "--quiet", "--collect", f"--on-active={seconds}s", "--timer-property=AccuracySec=100ms"]
    if action == "frozen":
        thaw = ["systemctl", "kill", "--signal=CONT", service]
        return [[*timer, *thaw], ["systemctl", "kill", "--signal=STOP", service]]
    # systemd gives up on a node that fails to start five times, so it is started from outside; one that runs is left.
    restore = f"chmod {mode:04o} {shlex.quote(log_dir)}; systemctl reset-failed {service}; systemctl start {service}"
    return [[*timer, f"--unit={unit}-unreadable", "/bin/sh", "-c", restore], ["chmod", "0000", log_dir]]


def process(module: AnsibleModule) -> str:
    """The id of the unit's process; ``0`` where none runs."""
    unit = f"{module.params['unit']}.service"
    _, out, _ = module.run_command(["systemctl", "show", "--property=MainPID", "--value", unit], check_rc=True)
    return str(out).strip()


def happened(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether the condition became true in that time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def rights(path: str) -> int:
    """The permission bits of a directory."""
    return stat.S_IMODE(Path(path).stat().st_mode)


def await_end(module: AnsibleModule, before: str, mode: int) -> str:
    """Wait until the fault is over and another process than the one of `before` runs; why not, or nothing."""
    params = module.params
    if params["action"] == "frozen":
        return ""
    if params["action"] == "unreadable":
        noticed = happened(lambda: process(module) != before, params["seconds"])
        if not happened(lambda: rights(params["log_dir"]) == mode, params["seconds"] + params["timeout"]):
            return f"{params['log_dir']} is still unreadable: run chmod {mode:04o} {params['log_dir']} on this host"
        if not noticed:
            return f"Kafka did not notice the fault within {params['seconds']} s: give more kafka_drill_seconds"
    if not happened(lambda: process(module) not in ("0", before), params["timeout"]):
        return f"Kafka has not started again: see journalctl -u {params['unit']}"
    return ""


def main() -> None:
    module = AnsibleModule(
        argument_spec=ARGUMENT_SPEC, supports_check_mode=True, required_if=[("action", "unreadable", ["log_dir"])]
    )
    params = module.params
    if params["seconds"] < 1:
        module.fail_json(msg=f"seconds: {params['seconds']} is less than 1")
    before = process(module)
    if before == "0":
        module.fail_json(msg=f"{params['unit']}.service does not run on this host; bring the node back first")
    mode = rights(params["log_dir"]) if params["action"] == "unreadable" else stat.S_IRWXU
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        module.fail_json(msg=f"{params['log_dir']} is unreadable already (mode {mode:04o}); give its owner all rights")
    steps = commands(params["action"], params["unit"], params["seconds"], params["log_dir"] or "", mode)
    for command in [] if module.check_mode else steps:
        module.run_command(command, check_rc=True)
    trouble = "" if module.check_mode else await_end(module, before, mode)
    if trouble:
        module.fail_json(msg=trouble)
    module.exit_json(changed=True, commands=steps)


if __name__ == "__main__":
    main()
