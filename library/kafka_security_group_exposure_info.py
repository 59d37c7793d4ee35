#!/usr/bin/python
"""Facts about a cluster's exposure on EC2, by its security groups."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_security_group_exposure_info
short_description: Lists which ports of a cluster's instances the security groups open, and to whom without need
  (internal)
description:
  - Reads every security group of every network interface of the cluster's instances. A rule of one group opens a port,
    regardless of the other groups. Each port and source is compared with O(allowed), the rules that follow from the
    listeners.
  - Changes nothing, so it runs in check mode as it does otherwise. Needs boto3 where it runs.
options:
  region: {description: Region of the cluster., type: str, required: true}
  cluster: {description: 'Name of the cluster: value of the tag C(kraftwright_cluster).', type: str, required: true}
  allowed:
    description: Rules that the listeners need. V(own group) as O(allowed[].source) is the cluster's own group.
    type: list
    elements: dict
    required: true
    suboptions:
      port: {description: Port., type: int, required: true}
      source: {description: CIDR or security group., type: str, required: true}
  listeners:
    description: Port of each listener with its purpose and name. The most severe is named first.
    type: dict
    default: {}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: List the ports that security groups open without need
  kafka_security_group_exposure_info:
    region: eu-central-1
    cluster: orders
    allowed: "{{ allowed_sources }}"
"""

RETURN = r"""
reachable:
  description: Every rule of every group, as a sentence.
  returned: always
  type: list
  elements: str
unjustified:
  description: Open ports that no listener needs, as sentences, the most severe first.
  returned: always
  type: list
  elements: str
instances:
  description: Instances that were read.
  returned: always
  type: list
  elements: str
"""

from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.providers.ec2 import account, answers, exposure, model, observe, unasked
from ansible.module_utils.kraft.providers.ec2.model import Rule

ARGUMENT_SPEC: dict[str, Any] = {
    "region": {"type": "str", "required": True},
    "cluster": {"type": "str", "required": True},
    "allowed": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {"port": {"type": "int", "required": True}, "source": {"type": "str", "required": True}},
    },
    "listeners": {"type": "dict", "default": {}},
}


def read_instances(client: Any, cluster: str) -> tuple[list[model.CurrentInstance], dict[str, model.CurrentGroup]]:
    """Return the cluster's instances and all their groups by id."""
    filters = observe.owned_by(cluster)
    reservations = observe.pages(client, "describe_instances", "Reservations", Filters=filters)
    found = [answers.instance(each) for group in reservations for each in group["Instances"]]
    living = [each for each in found if each.state in answers.LIVING]
    ids = sorted({group for each in living for group in each.group_ids})
    return living, observe.groups(client, ids, cluster) if ids else {}


def exposed(params: dict[str, Any]) -> dict[str, Any]:
    """Return the open ports, and those that are open without need; raises AccountError."""
    try:
        instances, groups = read_instances(
            account.client("ec2", params["region"], read=unasked.READ), params["cluster"]
        )
    except KraftError:
        raise
    except Exception as error:
        raise account.explained(error, params["region"]) from error
    name = model.group_name(params["cluster"])
    own = next((each.id for each in groups.values() if each.owned and each.name == name), "")
    rules = {f"{each.id} ({each.name})": each.rules for each in groups.values()}
    allowed = [Rule(each["port"], each["port"], each["source"]) for each in params["allowed"]]
    listeners = {int(port): str(text) for port, text in params["listeners"].items()}
    return {
        "reachable": exposure.reachable(rules),
        "unjustified": [str(each) for each in exposure.judge(rules, allowed, own, listeners)],
        "instances": [f"{each.host} ({each.id})" for each in instances],
    }


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        found = exposed(module.params)
    except KraftError as error:
        module.fail_json(msg=str(error))
    module.exit_json(changed=False, **found)


if __name__ == "__main__":
    main()
