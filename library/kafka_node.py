#!/usr/bin/python
"""The process of a node: start, restart, stop or inspect it, with the configuration that it was started with."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_node
short_description: Starts, restarts or stops a node, and reports whether it runs with the files on disk (internal)
description:
  - Compares the start of the running process with the requested release and the files on disk, and returns each
    difference as a sentence. The start is read from root's record, which the unit makes in C(/run/kafka-started), and
    from the unit's fingerprint in the process's environment. Changes by earlier tasks do not matter, so a killed run
    loses no restart.
  - The files to start with wait in C(next) below O(install_dir). Only a start puts them in place and leads the link
    C(current) to the release, so a node that crashes while it waits for its turn comes back with what it ran with.
    A file that a running process reads again by itself, or runs with already, is put in place at once.
    Then it reloads systemd if that has an older unit, enables the unit, and starts it once.
  - A start counts as done when the JVM loads classes. A process that ends at once is a failure, with its last output.
    M(kafka_health) checks that the node is ready.
  - If role C(kafka_collector) watches the host, a stop or a start leaves a marker for alerts. It marks work on the node
    as planned, with an end. M(kafka_health) ends it.
  - Another cluster's node, another node, and a deployed node that no log dir names are refused before any change.
    V(started) may be the first start, so it lets the last one pass.
  - In check mode everything is predicted, on a host with nothing installed, too.
options:
  unit: {description: Name of the unit without C(.service)., type: str, default: kafka}
  install_dir: {description: Directory of the releases., type: str, default: /opt/kafka}
  release: {description: Version that the node runs or is to run; not needed to stop it., type: str}
  cluster_id: {description: The cluster that the host's log dirs must name., type: str, required: true}
  node_id: {description: The node that they must name., type: int, required: true}
  state:
    description:
      - V(started) starts a node that is down and never restarts one that runs.
      - V(restarted) always restarts, once. Ask RV(stale) first.
      - V(reverted) restarts with the release and the files that were kept at the last restart with O(keep).
      - V(stopped) waits until systemd has stopped it, controlled shutdown included.
      - V(reported) only looks.
      - V(leaving) writes the mark that the node leaves its cluster, so that no run starts it again. The node runs on.
      - V(left) deletes the key, the configurations and the contributed files of a node that has left, in every release.
    type: str
    choices: [started, restarted, reverted, stopped, reported, leaving, left]
    default: started
  take:
    description:
      - Files for a start. V(next) is what was deployed last, even if it was never started. V(current) is what is in
        place, release included, and O(release) is not needed.
    type: str
    choices: [next, current]
    default: next
  keep:
    description:
      - If true, a restart keeps the files of the running process in C(previous), for a way back. Set false for a node
        that does not serve.
    type: bool
    default: true
  started_before:
    description: A moment in UTC, such as C(2026-11-21T20:00:00Z). A process that was started before it is stale, too.
    type: str
    default: ""
  replaces:
    description:
      - With V(restarted), RV(started_at) of the process that is to be replaced. If another one runs with the desired
        files, an attempt whose connection was lost has made the restart. The result reports it as done.
    type: int
    default: 0
  differences:
    description: Content of the diff for a restart in check mode, before the files of the restart are written.
    type: list
    elements: dict
    default: []
    suboptions:
      file: {description: File with the difference., type: str, required: true}
      key: {description: Name of the setting or option., type: str, default: ""}
      old: {description: The value that runs., type: str}
      new: {description: The wanted value., type: str}
      secret: {description: 'If true, the values are hidden.', type: bool, default: false}
  timeout:
    description: Seconds to wait for systemd; longer than the unit's own limit for stopping.
    type: int
    default: 330
  files:
    description:
      - The files of C(next), written before the process is compared with them, as M(kafka_files) writes them. Other
        files in C(next) are removed. Without any, the present files in C(next) count.
      - A file with another name than the node's own belongs to another role. C(contributed.list), given with them,
        names those files. The word C(restart) marks a file whose change needs a restart.
  certificate_due:
    description: In check mode, whether the node would get a certificate that it cannot load while it runs.
    type: bool
    default: false
  fact:
    description: Keep the result as the fact C(kafka_process) of the host. Not for a task that is delegated.
    type: bool
    default: false
  digest_salt:
    description: Salt for RV(secret_digests); none without.
    type: str
    default: ""
extends_documentation_fragment: [kafka_files]
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Start the node, or report that it runs with older files
  kafka_node:
    cluster_id: bWlycm9yLWV4YW1wbGUtMQ
    node_id: 1
    release: 4.4.0
    state: started
"""

RETURN = r"""
running: {description: "True if it runs, or would in check mode.", returned: unless it left, type: bool}
pid: {description: "Its process id, 0 if it does not run.", returned: unless it left, type: int}
started_at:
  description: Start of the process, in microseconds since the host's boot; 0 if it does not run.
  returned: unless it left
  type: int
stale:
  description: True if the process (after this task) was started with other files than desired.
  returned: unless it left
  type: bool
differences:
  description:
    - Every difference between the process that was found and what is wanted.
    - Each has C(file) (C(server.properties), C(jvm.options), C(log4j2.yaml), C(unit), C(release), C(record) or
      C(request)), C(key) (empty if the file differs as a whole), C(old), C(new) (null for unset) and C(secret). The
      values of secrets are hidden.
  returned: unless it left
  type: list
  elements: dict
client_moves:
  description: >-
    Client listeners whose advertised address or protocol differs between the process that was found and what is wanted,
    each with listener, before and after (empty if the listener goes).
  returned: unless it left
  type: list
  elements: dict
actions:
  description: Changes that were made, or would be made in check mode. Returned also if the start then failed.
  returned: unless it left
  type: list
  elements: str
changed_paths:
  description: Those of O(files) that were changed, or would be in check mode, as M(kafka_files) gives them.
  returned: always
  type: list
  elements: str
secret_digests:
  description: As M(kafka_files) gives them, of O(files).
  returned: always
  type: dict
release:
  description: Version that the process was started from; empty if it does not run, or if this is not known.
  returned: unless it left
  type: str
current:
  description: Version that the link C(current) leads to.
  returned: unless it left
  type: str
"""

import dataclasses
from typing import Any

from ansible.module_utils.kraft.difference import DIFFERENCE_SPEC, differences_from
from ansible.module_utils.kraft.errors import KraftError, RefusedError, ToolError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node import identity
from ansible.module_utils.kraft.node.files.ensure import FILE_SPEC, ensure_files
from ansible.module_utils.kraft.node.service import age, repetition, staging
from ansible.module_utils.kraft.node.service import apply as node_io
from ansible.module_utils.kraft.node.service import plan as node
from ansible.module_utils.kraft.node.service.staging import CURRENT, NEXT
from ansible.module_utils.kraft.node.service.unit_state import Run

LEAVING, LEFT = "leaving", "left"
ARGUMENT_SPEC: dict[str, Any] = {
    "unit": {"type": "str", "default": "kafka"},
    "install_dir": {"type": "str", "default": "/opt/kafka"},
    "release": {"type": "str"},
    "cluster_id": {"type": "str", "required": True},
    "node_id": {"type": "int", "required": True},
    "state": {"type": "str", "choices": [*node.STATES, LEAVING, LEFT], "default": node.STARTED},
    "take": {"type": "str", "choices": [NEXT, CURRENT], "default": NEXT},
    "keep": {"type": "bool", "default": True},
    "started_before": {"type": "str", "default": ""},
    "certificate_due": {"type": "bool", "default": False},
    "replaces": {"type": "int", "default": 0},
    "differences": {"type": "list", "elements": "dict", "default": [], "options": DIFFERENCE_SPEC},
    "timeout": {"type": "int", "default": 330},
    "files": {"type": "list", "elements": "dict", "default": [], "options": FILE_SPEC},
    "fact": {"type": "bool", "default": False},
    "digest_salt": {"type": "str", "default": "", "no_log": False},
}
#: States that start something new, or compare with it.
WITH_RELEASE = (node.STARTED, node.RESTARTED, node.REPORTED)


class StartError(KraftError):
    """systemd or the process failed after something was changed; ``actions`` were begun."""

    def __init__(self, message: str, actions: tuple[str, ...]) -> None:
        super().__init__(message)
        self.actions = actions


def described(state: node.NodeState, found: node.NodeState) -> dict[str, Any]:
    """Return the module's result for a node; the differences are those of the process that was `found`."""
    return {
        "running": state.running,
        "pid": state.service.pid,
        "started_at": state.service.started_at_us if state.service.pid else 0,
        "stale": bool(state.differences),
        "differences": [one.as_dict() for one in found.differences],
        "client_moves": [dataclasses.asdict(move) for move in found.moves],
        "release": state.running_release if state.running else "",
        "current": state.current,
    }


def predicted(found: node.NodeState, actions: tuple[str, ...], release: str) -> dict[str, Any]:
    """Return the predicted result of ``described`` after the actions; a process that does not exist yet has no id."""
    begins, ends = bool({node.START, node.RESTART} & set(actions)), node.STOP in actions
    return {
        **described(found, found),
        "running": begins or (found.running and not ends),
        **({"pid": 0, "started_at": 0} if begins or ends else {}),
        "stale": bool(found.differences) and not (begins or ends),
        "release": release if begins else "" if ends else found.running_release,
        "current": release if node.FLIP in actions else found.current,
    }


def ensure(run: Run, params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Write the files, then handle the process; return the module's result."""
    node_io.require_identity(run, params)
    if params["state"] == LEAVING:
        return ensure_files({"files": [identity.mark(params["install_dir"], params["cluster_id"])]}, "", check_mode)
    if params["state"] == LEFT:
        return staging.delete_secrets(params["install_dir"], check_mode)
    names = node_io.given_files(params)
    gone = staging.strangers(f"{params['install_dir']}/{NEXT}", names) if names else ()
    files = ensure_files({"files": params["files"], "absent": gone}, params["digest_salt"], check_mode)
    process = ensure_node(run, params, check_mode)
    changed = files["changed"] or process["changed"]
    return {**files, **process, "changed": changed, "diff": [*files["diff"], *process["diff"]]}


def ensure_node(run: Run, params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Run the five steps; return the part about the process."""
    place = node_io.wanted_place(params)
    given = node_io.given_files(params) if check_mode else {}  # what check mode has not written
    if not check_mode:
        repetition.wait_for_job(run, place.unit, params["timeout"])
    found = age.asked_for(node_io.observe_node(run, place, given), params["started_before"])
    found = age.with_certificates(run, found, place, due=check_mode and params["certificate_due"])
    if check_mode and params["differences"]:
        found = dataclasses.replace(found, differences=differences_from(params["differences"]))
    if params["state"] == node.RESTARTED and repetition.is_done(found, params["replaces"]):
        actions = repetition.earlier_actions(place, params["replaces"])
        return {"changed": True, "actions": list(actions), "diff": [], **described(found, found)}
    actions = node.plan_node(found, params["state"], place.release, params["keep"])
    changed = node.changes(actions)
    diff = [node.diff(found, actions, place.release, place.service)] if changed else []
    result = {"changed": changed, "actions": list(actions), "diff": diff}
    if check_mode or not actions:
        return {**result, **predicted(found, actions, place.release)}
    if {node.START, node.RESTART} & set(actions) and (problems := node_io.start_problems(place)):
        raise RefusedError(problems)
    try:
        node_io.apply(run, found, actions, place, params["timeout"])
    except ToolError as error:
        raise StartError(str(error), actions) from error
    return {**result, **described(node_io.observe_node(run, place, given), found)}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    if module.params["state"] in WITH_RELEASE and module.params["take"] == NEXT and not module.params["release"]:
        module.fail_json(msg=f"missing: release, which state {module.params['state']} takes from next")
    invocation = {"module_args": {name: value for name, value in module.params.items() if name != "files"}}
    try:
        result = ensure(module.run_command, module.params, module.check_mode)
    except StartError as error:
        module.fail_json(msg=str(error), actions=list(error.actions), invocation=invocation)
    except (KraftError, OSError, ValueError) as error:
        module.fail_json(msg=str(error), invocation=invocation)
    module.exit_json(invocation=invocation, **result)


if __name__ == "__main__":
    main()
