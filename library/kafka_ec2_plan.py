#!/usr/bin/python
"""The look of `kafka_ec2_plan` at a cluster's resources on EC2; its action plugin works out the plan."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_ec2_plan
short_description: Works out what a cluster lacks on EC2 (internal)
description:
  - Compares the variables of role C(kafka_ec2) and the listeners that M(kafka_desired)
    worked out with the cluster's resources, and refuses with every problem at once. Nothing is changed.
  - One look at VPC, subnets, security groups, key pairs, volumes, instances and Elastic IPs, found by the cluster's
    tag, and at what is named by id. A dozen calls, side by side; throttled ones are repeated. Credentials come from
    AWS's own variables and files. Needs boto3 on the control machine.
  - In check mode it shows the whole plan as a diff and reports a change if there is one; otherwise the tasks that
    follow do.
  - With O(exposure=true) it also compares every rule of every security group of the instances with the rules that the
    listeners need.
options:
  state:
    description: V(present) creates the cluster, V(absent) removes it.
    type: str
    choices: [present, absent]
    default: present
  hosts: {description: Inventory names of all the cluster's nodes., type: list, elements: str, required: true}
  settings:
    description: The role's variables without C(kafka_ec2_). A host's own value has precedence.
    type: dict
    required: true
  found: {description: Result of M(kafka_ec2_apply). AWS is queried if it is empty., type: dict, default: {}}
  exposure: {description: "If true, lists the ports that security groups open.", type: bool, default: false}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Plan the cluster's resources on EC2
  kafka_ec2_plan:
    hosts: "{{ groups['ec2'] }}"
    settings: "{{ ec2_settings }}"
  register: ec2_plan
"""

RETURN = r"""
lines:
  description: Planned actions, as sentences.
  returned: always
  type: list
  elements: str
ansible_facts:
  description: C(kafka_ec2) with what the role's tasks read. With O(state=absent) C(kafka_ec2_gone), true if anything is
    to be removed.
  returned: always
  type: dict
reachable:
  description: Every rule of every group, as a sentence.
  returned: with O(exposure=true)
  type: list
  elements: str
unjustified:
  description: Open ports that no listener needs, as sentences, the most severe first.
  returned: with O(exposure=true)
  type: list
  elements: str
instances:
  description: Instances whose groups were read.
  returned: with O(exposure=true)
  type: list
  elements: str
"""

import dataclasses
from typing import Any

from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.providers.ec2 import account, audit, kms, unasked
from ansible.module_utils.kraft.providers.ec2.answers import Question
from ansible.module_utils.kraft.providers.ec2.observe import observe

#: Parameters from the action plugin: ``region``, and the fields of ``Question``. With ``allowed``, the rules that the
#: listeners need, only the groups are read; ``listeners``: port -> purpose and name, the most severe first.
LOOK_SPEC: dict[str, Any] = {
    "region": {"type": "str", "required": True},
    "cluster": {"type": "str", "required": True},
    "vpc_id": {"type": "str", "default": ""},
    "subnet_ids": {"type": "list", "elements": "str", "default": []},
    "image": {"type": "str", "default": ""},
    "hosts": {"type": "list", "elements": "str", "default": []},
    "types": {"type": "list", "elements": "str", "default": []},
    "sources": {"type": "list", "elements": "str", "default": []},
    "placement_group": {"type": "str", "default": ""},
    "protection": {"type": "bool", "default": False},
    "elastic": {"type": "bool", "default": False},
    "kms_keys": {"type": "list", "elements": "str", "default": []},
    "allowed": {
        "type": "list",
        "elements": "dict",
        "options": {"port": {"type": "int", "required": True}, "source": {"type": "str", "required": True}},
    },
    "listeners": {"type": "dict", "default": {}},
}


def read_resources(params: dict[str, Any]) -> dict[str, Any]:
    """Return the present resources as plain data; raises AccountError."""
    asked = {name: params[name] for name in ("cluster", "vpc_id", "image", "protection", "elastic", "placement_group")}
    asked |= {name: tuple(params[name]) for name in ("subnet_ids", "hosts", "types", "sources", "kms_keys")}
    try:
        ec2, ssm = (account.client(service, params["region"], read=unasked.READ) for service in ("ec2", "ssm"))
        found = observe(ec2, ssm, Question(**asked))
        if named := params["kms_keys"]:
            client = account.client("kms", params["region"], read=unasked.READ)
            found = dataclasses.replace(found, kms_keys=kms.kms_keys(client, named))
        return dataclasses.asdict(found)
    except Exception as error:
        raise account.explained(error, params["region"]) from error


def main() -> None:
    module = KraftModule(argument_spec=LOOK_SPEC, supports_check_mode=True)
    params = module.params
    exposed = params["allowed"] is not None
    module.finish(lambda: audit.exposed(params) if exposed else {"found": read_resources(params)})


if __name__ == "__main__":
    main()
