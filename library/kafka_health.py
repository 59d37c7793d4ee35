"""Wait until a cluster is healthy, and report the reason if it is not."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_health
short_description: Waits until a cluster is healthy (internal)
description:
  - Healthy means that a leader is known, all expected controllers are voters and caught up, all expected brokers are
    registered and unfenced, no partition is without a leader or under-replicated, and the node itself answers and
    goes on running.
  - Polls over sockets, five times a second. Gives up early if the node's unit has failed or crashes repeatedly.
  - Waits as long as something advances. That is a node, controller or replica that comes back, a log that is recovered
    after a crash, or a replica that is filled.
  - A failure shows every problem, the node's own last errors, their likely cause and a remedy.
  - Changes nothing but that it ends the marker of planned work that M(kafka_node) has left for alerts, once the
    node of O(node_id) on this host is healthy. In check mode it looks once and reports, and does not fail.
options:
  node_id:
    description: The node of this host, which is queried at its own listener. Without it, the answer of any broker is
      enough.
    type: int
  unit:
    description: The node's systemd unit on this host; an empty string if there is none.
    type: str
    default: kafka
  log_file:
    description: Directory of the node's log. Only that log names the partitions that it recovers.
    type: path
    default: /var/log/kafka/server.log
  controllers:
    description: Controller listeners as C(host:port), queried for their leader if none is known.
    type: list
    elements: str
    default: []
  timeout:
    description: Seconds without any advance after which waiting is given up.
    type: int
    default: 120
  until_known:
    description:
      - In check mode, repeat the check for up to 30 seconds, until each controller has caught up or is found silent. A
        new leader has no fetch times of the others yet.
    type: bool
    default: false
  deployed:
    description:
      - At the end of a deployment, what the node must have been started with. The record of its process is compared
        with the files that the deployment has written. A node that died meanwhile may have come back with older ones.
    type: dict
    suboptions:
      host: {description: Its name in the inventory., type: str, required: true}
      install_dir: {description: Directory of the releases., type: path, required: true}
      release: {description: Version that it must run., type: str, required: true}
      settled: {description: Settings that were changed live., type: list, elements: str, default: []}
  others:
    description: >-
      Seconds for which a healthy node waits for the others, with O(expected.only), since nodes that start at the same
      moment are healthy one after the other. With more, O(all_healthy) is true more often. Others never make it fail.
    type: int
    default: 0
  steady:
    description: Seconds for which it must then stay healthy. Trouble that is over within 5 seconds is let pass.
    type: int
    default: 0
extends_documentation_fragment: [kafka_client, kafka_client.expected]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Wait until the node serves
  kafka_health:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    expected: {broker_ids: [1, 2, 3], voter_ids: [1, 2, 3]}
    node_id: 1
    timeout: 60
"""

RETURN = r"""
healthy:
  description: True if there is no problem. Always true outside check mode, because a problem is a failure there.
  returned: always
  type: bool
all_healthy:
  description: True if the same check shows no problem of the other nodes either, regardless of O(expected.only).
  returned: always
  type: bool
answer:
  description: C(known); C(unknown) if something is there and gave no usable answer; C(unreachable).
  returned: always
  type: str
problems:
  description: Problems, as sentences.
  returned: always
  type: list
  elements: str
snapshot:
  description: Brokers and quorum, as in M(kafka_cluster_info); null if no broker answered.
  returned: always
  type: dict
waited:
  description: Seconds until the cluster was healthy.
  returned: success
  type: float
diagnosis:
  description: The node's last errors, the rule that matches them, cause and remedy.
  returned: failure
  type: dict
differences:
  description: Comparison of the process's start with O(deployed), as M(kafka_node) returns it.
  returned: if the process runs with something older
  type: list
  elements: dict
"""

import dataclasses
import time
from typing import Any

from ansible.module_utils.kraft.cluster import controllers as controller_listeners
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.health import EXPECTED_SPEC, Expected, expected
from ansible.module_utils.kraft.cluster.health_wait import Node, UnhealthyError, Watch, look_once
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node import planned_work
from ansible.module_utils.kraft.node.service import end_of_deployment
from ansible.module_utils.kraft.node.service import log as node_log
from ansible.module_utils.kraft.node.service import unit_state as service

ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "expected": {"type": "dict", "options": EXPECTED_SPEC},
    "node_id": {"type": "int"},
    "unit": {"type": "str", "default": "kafka"},
    "log_file": {"type": "path", "default": "/var/log/kafka/server.log"},
    "controllers": {"type": "list", "elements": "str", "default": []},
    "timeout": {"type": "int", "default": 120},
    "steady": {"type": "int", "default": 0},
    "others": {"type": "int", "default": 0},
    "until_known": {"type": "bool", "default": False},
    "deployed": {"type": "dict", "options": end_of_deployment.DEPLOYED_SPEC},
}


def node(module: KraftModule) -> Node | None:
    """Return the process on this host, if there is one to inspect."""
    unit, log_file = module.params["unit"], module.params["log_file"]
    if not unit:
        return None

    def run(command: list[str]) -> tuple[int, str, str]:
        return module.run_command(command, handle_exceptions=False)

    return Node(
        lambda: service.observe_service(run, unit),
        lambda: node_log.last_lines(run, unit, log_file),
        lambda: node_log.loading(log_file),
    )


def wait(module: KraftModule, client: Client, wanted: Expected) -> dict[str, Any]:
    params, started = module.params, time.monotonic()
    watch = Watch(client, wanted, params["node_id"], node(module))
    seen = watch.wait_for_others(params["others"], params["timeout"])
    if params["unit"] and params["node_id"] is not None:
        planned_work.end()
    if params["deployed"]:
        end_of_deployment.require_deployed(module.run_command, params["unit"], params["deployed"])
    waited = round(time.monotonic() - started, 2)
    if params["steady"]:
        seen = watch.stay(params["steady"])
    return {"changed": False, **seen.as_dict(wanted), "waited": waited}


def failure(client: Client, params: dict[str, Any], wanted: Expected, error: UnhealthyError) -> dict[str, Any]:
    """Return the failure with its diagnosis; controllers are queried too if no node reports a leader."""
    leader = error.look.snapshot.controller_id if error.look.snapshot else NO_NODE
    words = controller_listeners.whom_they_follow(client, params["controllers"]) if leader == NO_NODE else []
    message = "\n".join([str(error), *words])
    return {"msg": message, "diagnosis": dataclasses.asdict(error.diagnosis), **error.look.as_dict(wanted)}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    wanted = expected(module.params["expected"] or {})
    if module.check_mode:
        params = module.params
        found = look_once(params["client"], wanted, params["node_id"], until_known=params["until_known"])
        module.exit_json(changed=False, **found)
    try:
        # Every deployment waits here first, so this is where the client is unpacked for all that ask later.
        with Client(module.params["client"], unpack=True, warn=module.warn) as client:
            try:
                found = wait(module, client, wanted)
            except UnhealthyError as error:
                module.fail_json(**failure(client, module.params, wanted, error))
    except end_of_deployment.OlderConfigurationError as error:
        module.fail_json(msg=str(error), differences=[one.as_dict() for one in error.differences])
    except KraftError as error:
        module.fail_json(msg=str(error))
    module.exit_json(**found)


if __name__ == "__main__":
    main()
