#!/usr/bin/python
"""The process of a node: runs, runs anew, does not run, and with what it was started."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_node
short_description: Starts, restarts or stops a node, and says whether it runs with what is on disk
description:
  - Compares what the running process was started with (the record that the unit keeps in C(/run/kafka/started), the
    unit's fingerprint in the process's environment) with the asked release and the files on disk, and gives each
    difference in words. Whether an earlier task changed something does not matter, so a killed run loses no restart.
  - Leads the link C(current) to the release only together with a start, reloads systemd where it has an older unit,
    enables the unit, and starts it once, with the final configuration.
  - A start is done when the JVM loads classes. One that ends at once is a failure, with its last words. Whether the
    node is ready is asked by M(kafka_health).
  - In check mode everything is predicted, on a host with nothing installed, too.
options:
  unit: {description: Name of the unit without C(.service)., type: str, default: kafka}
  install_dir: {description: Where releases live., type: str, default: /opt/kafka}
  release: {description: Version that the node runs or is to run; not needed to stop it., type: str}
  state:
    description:
      - V(started) starts a node that is down and never restarts one that runs.
      - V(restarted) always restarts, once. Ask RV(stale) first.
      - V(stopped) waits until systemd has stopped it, controlled shutdown included.
      - V(reported) only looks.
    type: str
    choices: [started, restarted, stopped, reported]
    default: started
  timeout:
    description: Seconds to wait for systemd; longer than the unit's own limit for stopping.
    type: int
    default: 330
  files:
    description:
      - The files of the node as M(kafka_files) gets them. Read in check mode only, where they are not on disk yet; of
        each entry path and content.
    type: list
    elements: dict
    default: []
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Start the node if it is down
  kafka_node:
    release: 4.3.1
  register: started

- name: Restart the node
  kafka_node:
    release: 4.3.1
    state: restarted
"""

RETURN = r"""
running:
  description: Whether the process runs, or would in check mode.
  returned: always
  type: bool
pid:
  description: Its process id, 0 where it does not run.
  returned: always
  type: int
stale:
  description: Whether the process (after this task) was started with something else than what is wanted.
  returned: always
  type: bool
reasons:
  description:
    - Every difference between the process that was found and what is wanted, such as
      C(server.properties, num.io.threads 8 -> 16), C(release 4.2.1 -> 4.3.1), C(unit). Values of secrets are hidden.
  returned: always
  type: list
  elements: str
actions:
  description: What was done, or would be.
  returned: always
  type: list
  elements: str
current:
  description: Version that the link C(current) leads to.
  returned: always
  type: str
"""

import os
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.kraft.errors import KraftError, RefusedError
from ansible.module_utils.kraft.node import apply as node_io
from ansible.module_utils.kraft.node import plan as node
from ansible.module_utils.kraft.node.service import Run

ARGUMENT_SPEC: dict[str, Any] = {
    "unit": {"type": "str", "default": "kafka"},
    "install_dir": {"type": "str", "default": "/opt/kafka"},
    "release": {"type": "str"},
    "state": {"type": "str", "choices": list(node.STATES), "default": node.STARTED},
    "timeout": {"type": "int", "default": 330},
    "files": {"type": "list", "elements": "dict", "default": []},
}
NEEDS_RELEASE = [("state", state, ("release",)) for state in node.STATES if state != node.STOPPED]


def given_files(params: dict[str, Any], check_mode: bool) -> dict[str, str]:
    """Name -> content of what check mode has not written."""
    return {os.path.basename(f["path"]): f["content"] for f in params["files"]} if check_mode else {}


def described(state: node.NodeState, found: node.NodeState) -> dict[str, Any]:
    """The module's words for a node; the reasons are those of the process that was `found`."""
    return {
        "running": state.running,
        "pid": state.service.pid,
        "stale": bool(state.reasons),
        "reasons": list(found.reasons),
        "current": state.current,
    }


def predicted(found: node.NodeState, actions: tuple[str, ...], release: str) -> dict[str, Any]:
    """What ``described`` would say after the actions; a process that is not there yet has no id."""
    begins, ends = bool({node.START, node.RESTART} & set(actions)), node.STOP in actions
    return {
        **described(found, found),
        "running": begins or (found.running and not ends),
        "pid": 0 if begins or ends else found.service.pid,
        "stale": bool(found.reasons) and not (begins or ends),
        "current": release if node.FLIP in actions else found.current,
    }


def bring_about(run: Run, params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The five steps; gives the module's result."""
    place = node_io.Place(params["unit"], params["install_dir"], params["release"] or "")
    given = given_files(params, check_mode)
    found = node_io.observe_node(run, place, given)
    actions = node.plan_node(found, params["state"], place.release)
    result = {"changed": node.changes(actions), "actions": list(actions), "diff": []}
    if node.changes(actions):
        result["diff"] = [node.diff(found, actions, place.release, place.service)]
    if check_mode or not actions:
        return {**result, **predicted(found, actions, place.release)}
    if {node.START, node.RESTART} & set(actions):
        problems = node_io.start_problems(place)
        if problems:
            raise RefusedError(problems)
    node_io.apply(run, actions, place, params["timeout"])
    return {**result, **described(node_io.observe_node(run, place, given), found)}


def main() -> None:
    # no_log keeps the parameters, which hold the files' contents, out of the host's journal.
    module = AnsibleModule(
        argument_spec=ARGUMENT_SPEC, supports_check_mode=True, no_log=True, required_if=NEEDS_RELEASE
    )
    invocation = {"module_args": {name: value for name, value in module.params.items() if name != "files"}}
    try:
        result = bring_about(module.run_command, module.params, module.check_mode)
    except (KraftError, OSError) as error:
        module.fail_json(msg=str(error), invocation=invocation)
    module.exit_json(invocation=invocation, **result)


if __name__ == "__main__":
    main()
