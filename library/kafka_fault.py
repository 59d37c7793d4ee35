#!/usr/bin/python
"""Break the node of a host for a short while; it comes back by itself, whatever becomes of the run."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_fault
short_description: Breaks a running node on purpose (internal)
description:
  - For drills on a cluster that can take it; ask M(kafka_safety_check) first.
  - Nothing has to be put right afterwards. systemd starts a killed node again. For every other fault a timer that ends
    it is set before it begins, so it ends although the run was killed.
  - A node that does not run, and one whose fault still lasts, may be what a killed drill has left. It is waited for,
    O(seconds) and 5 s long. Then it is refused.
  - Check mode reports the faults that this host does not support.
options:
  action:
    description:
      - V(killed) ends the process at once, as the kernel would for want of memory, and waits until systemd has started
        another one.
      - V(frozen) stops the process where it is, for O(seconds), and waits until it goes on.
      - V(unreadable) takes all rights off O(log_dir) for O(seconds). Kafka halts, and cannot start meanwhile. Then the
        rights are as before, systemd starts Kafka, and the module waits until it runs.
      - V(full) fills the filesystem of O(log_dir) for O(seconds), and goes on as V(unreadable). The file has no name,
        so its space is free when its process ends. Refused if anything but Kafka may need that filesystem.
      - V(cut_off) drops Kafka's traffic between this host and O(peers) for O(seconds), by C(nft), and waits until that
        is over. Clients reach the node meanwhile.
    type: str
    choices: [killed, frozen, unreadable, full, cut_off]
    required: true
  log_dir: {description: The node's metadata log dir; with V(action=unreadable) and V(action=full)., type: path}
  peers:
    description: Names or addresses of the other nodes; with V(action=cut_off).
    type: list
    elements: str
    default: []
  ports:
    description: Kafka's ports, of this node and of the others; with V(action=cut_off).
    type: list
    elements: int
    default: []
  seconds: {description: Duration of a fault that is not over at once., type: int, default: 30}
  unit: {description: Name of the unit without C(.service)., type: str, default: kafka}
  timeout: {description: Seconds in which systemd must have started the node again., type: int, default: 30}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Freeze the node for 20 seconds
  kafka_fault:
    action: frozen
    seconds: 20
"""

RETURN = r"""
commands:
  description: Commands that were run, or would be in check mode.
  returned: always
  type: list
  elements: list
"""

from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.drill.breaking import FAULTS

ARGUMENT_SPEC: dict[str, Any] = {
    "action": {"type": "str", "choices": ["killed", "frozen", "unreadable", "full", "cut_off"], "required": True},
    "log_dir": {"type": "path"},
    "peers": {"type": "list", "elements": "str", "default": []},
    "ports": {"type": "list", "elements": "int", "default": []},
    "seconds": {"type": "int", "default": 30},
    "unit": {"type": "str", "default": "kafka"},
    "timeout": {"type": "int", "default": 30},
}


def main() -> None:
    needs_dir = [("action", one, ["log_dir"]) for one in ("unreadable", "full")]
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True, required_if=needs_dir)
    params = module.params
    if params["seconds"] < 1:
        module.fail_json(msg=f"seconds: {params['seconds']} is less than 1")
    try:
        nft = str(module.get_bin_path("nft", opt_dirs=["/usr/sbin", "/sbin"]) or "")
        fault = FAULTS[params["action"]](module.run_command, params, nft)
        down = f"{params['unit']}.service does not run on this host; start it first"
        refusal = fault.refusal() or (down if fault.down() else "")
        before = fault.process()
        steps = [] if refusal else fault.commands()
    except (KraftError, OSError) as error:
        module.fail_json(msg=f"the fault cannot be injected on this host: {error}")
    if refusal:
        module.fail_json(msg=refusal)
    for command in [] if module.check_mode else steps:
        module.run_command(command, check_rc=True)
    try:
        trouble = "" if module.check_mode else fault.trouble(before)
    except KraftError as error:
        trouble = f"it is not known whether the fault is over: {error}"
    if trouble:
        module.fail_json(msg=trouble)
    module.exit_json(changed=True, commands=steps)


if __name__ == "__main__":
    main()
