#!/usr/bin/python
"""Break the node of a host for a short while; it comes back by itself, whatever becomes of the run."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_fault
short_description: Breaks a running node on purpose
description:
  - For drills on a cluster that can take it; ask M(kafka_shutdown_check) first.
  - Nothing has to be put right afterwards. systemd starts a killed node again. For a frozen one, a timer that lets it
    go on is set before it is frozen, so it goes on although the run was killed.
  - A node that does not run is not broken again.
options:
  action:
    description:
      - V(killed) ends the process at once, as the kernel would for want of memory, and waits until systemd has started
        another one.
      - V(frozen) stops the process where it is, for O(seconds).
    type: str
    choices: [killed, frozen]
    required: true
  seconds: {description: How long the node is frozen., type: int, default: 30}
  unit: {description: Name of the unit without C(.service)., type: str, default: kafka}
  timeout: {description: Seconds in which systemd must have started a killed node again., type: int, default: 30}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Freeze the node for half a minute
  kafka_fault:
    action: frozen
    seconds: 30
"""

RETURN = r"""
commands:
  description: What was run, or would be.
  returned: always
  type: list
  elements: list
"""

import time
from typing import Any

from ansible.module_utils.basic import AnsibleModule

POLL_SECONDS = 0.1
ARGUMENT_SPEC: dict[str, Any] = {
    "action": {"type": "str", "choices": ["killed", "frozen"], "required": True},
    "seconds": {"type": "int", "default": 30},
    "unit": {"type": "str", "default": "kafka"},
    "timeout": {"type": "int", "default": 30},
}


def commands(action: str, unit: str, seconds: int) -> list[list[str]]:
    """What breaks the node, in order; what ends the fault comes first."""
    service = f"{unit}.service"
    if action == "killed":
        return [["systemctl", "kill", "--signal=KILL", service]]
    thaw = ["systemctl", "kill", "--signal=CONT", service]
    timer = ["systemd-run", "--quiet", "--collect", f"--on-active={seconds}s", "--timer-property=AccuracySec=100ms"]
    return [[*timer, *thaw], ["systemctl", "kill", "--signal=STOP", service]]


def process(module: AnsibleModule) -> str:
    """The id of the unit's process; ``0`` where none runs."""
    unit = f"{module.params['unit']}.service"
    _, out, _ = module.run_command(["systemctl", "show", "--property=MainPID", "--value", unit], check_rc=True)
    return str(out).strip()


def started_again(module: AnsibleModule, before: str) -> bool:
    """Whether another process than the one of `before` runs, within the timeout."""
    deadline = time.monotonic() + module.params["timeout"]
    while process(module) in ("0", before):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    params = module.params
    if params["seconds"] < 1:
        module.fail_json(msg=f"seconds: {params['seconds']} is less than 1")
    before = process(module)
    if before == "0":
        module.fail_json(msg=f"{params['unit']}.service does not run on this host; bring the node back first")
    steps = commands(params["action"], params["unit"], params["seconds"])
    for command in [] if module.check_mode else steps:
        module.run_command(command, check_rc=True)
    if params["action"] == "killed" and not module.check_mode and not started_again(module, before):
        module.fail_json(msg=f"Kafka has not started again: see journalctl -u {params['unit']}")
    module.exit_json(changed=True, commands=steps)


if __name__ == "__main__":
    main()
