#!/usr/bin/python
"""The half of `kafka_ec2` that calls AWS; its action plugin works out the plan, and names the run."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_ec2
short_description: Plans and makes the resources of a cluster on EC2 (internal)
description:
  - Needs boto3 on the control machine. Credentials come from AWS's own variables and files.
  - V(plan) compares the variables of role C(kafka_ec2) and the listeners that M(kafka_desired)
    worked out with the cluster's resources, and refuses with every problem at once. Nothing is changed. One look at
    VPC, subnets, security groups, key pairs, volumes, instances and Elastic IPs, found by the cluster's tag, and at
    what is named by id. A dozen calls, side by side; throttled ones are repeated. In check mode it shows the whole plan
    as a diff and reports a change if there is one; otherwise the tasks that follow do.
  - With O(exposure=true) a plan also compares every rule of every security group of the instances with the rules that
    the listeners need.
  - V(apply) creates the resources that the plan found missing, and reads each one until AWS shows it as requested.
    Fails after a limit with the resources that AWS does not show. Reports a machine that ended at launch with AWS's own
    reason. Skipped in check mode.
  - V(audit) fails if a port is open that no listener needs, or if an answer differs from the plan. It makes no
    connection.
  - V(apply) holds a lock in AWS meanwhile, a key pair whose name only one run can take. It takes over the lock of a
    dead run of this machine. Every thing gets its tags in the call that makes it, so that a killed run goes on where it
    was.
options:
  operation:
    description: Make the plan, apply it, or compare the ports that answer with it.
    type: str
    choices: [plan, apply, audit]
    required: true
  state:
    description: V(present) creates the cluster, V(absent) removes it.
    type: str
    choices: [present, absent]
    default: present
  hosts:
    description: Inventory names of all the cluster's nodes. Required for V(plan), as O(settings) is.
    type: list
    elements: str
  settings:
    description: The role's variables without C(kafka_ec2_). A host's own value has precedence.
    type: dict
  found: {description: State that V(apply) returned. AWS is queried if it is empty., type: dict, default: {}}
  exposure: {description: "If true, lists the ports that security groups open.", type: bool, default: false}
  wanted: {description: "Desired state, as V(plan) gives it. Required for V(apply).", type: dict}
  seen:
    description:
      - Host to its ports, as filter C(kraft_results) gives them. C(exposure) is of the plan, C(from_here) and
        C(from_node) are results of M(kafka_connectivity_info). Required for V(audit).
    type: dict
  delete_data: {description: "If true, data disks and Elastic IPs are removed, too.", type: bool, default: false}
  terminate:
    description: With O(state=absent) only the machines of these hosts end.
    type: list
    elements: str
    default: []
  patience: {description: Seconds until AWS must show what it has accepted., type: float, default: 120}
  boot: {description: Seconds until a machine must run., type: float, default: 600}
  pause: {description: Seconds between two looks., type: float, default: 2}
  young: {description: Seconds to wait after the lock of a dead run was taken over., type: float, default: 20}
  break_run: {description: Run whose lock is removed., type: str, default: ''}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Plan the cluster's resources on EC2
  kafka_ec2:
    operation: plan
    hosts: "{{ groups['ec2'] }}"
    settings: "{{ ec2_settings }}"

- name: Create what the cluster lacks on EC2
  kafka_ec2:
    operation: apply
    wanted: "{{ ansible_facts['kafka_ec2'].wanted }}"
"""

RETURN = r"""
lines:
  description: Planned actions, as sentences.
  returned: for a plan
  type: list
  elements: str
ansible_facts:
  description: C(kafka_ec2) with what the role's tasks read. With O(state=absent) C(kafka_ec2_gone), true if anything is
    to be removed.
  returned: for a plan
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
found:
  description: State afterwards, for O(found).
  returned: after V(apply) with O(state=present)
  type: dict
granted:
  description: True if this run had the lock. Otherwise RV(holder) has it and nothing was changed.
  returned: after V(apply)
  type: bool
holder:
  description: The run that has the lock.
  returned: when another run has it
  type: dict
"""

import dataclasses
import time
from typing import Any

from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.providers.ec2 import account, apply, audit, kms, observe, remove, unasked, values
from ansible.module_utils.kraft.providers.ec2.answers import Question
from ansible.module_utils.kraft.providers.ec2.waiting import Aws

#: Parameters from the action plugin: ``region``, and the fields of ``Question``. With ``allowed``, the rules that the
#: listeners need, only the groups are read; ``listeners``: port -> purpose and name, the most severe first.
LOOK_SPEC: dict[str, Any] = {
    "region": {"type": "str"},
    "cluster": {"type": "str"},
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
#: For ``apply``: ``record`` is the run that takes the lock.
APPLY_SPEC: dict[str, Any] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "wanted": {"type": "dict"},
    "delete_data": {"type": "bool", "default": False},
    "terminate": {"type": "list", "elements": "str", "default": []},
    "patience": {"type": "float", "default": 120},
    "boot": {"type": "float", "default": 600},
    "pause": {"type": "float", "default": 2},
    "young": {"type": "float", "default": 20},
    "record": {"type": "dict", "default": {}},
    "break_run": {"type": "str", "default": ""},
}
HOST_SPEC = {"operation": {"type": "str", "choices": ["plan", "apply"], "required": True}, **LOOK_SPEC, **APPLY_SPEC}


def read_resources(params: dict[str, Any]) -> dict[str, Any]:
    """Return the present resources as plain data; raises AccountError."""
    asked = {name: params[name] for name in ("cluster", "vpc_id", "image", "protection", "elastic", "placement_group")}
    asked |= {name: tuple(params[name]) for name in ("subnet_ids", "hosts", "types", "sources", "kms_keys")}
    try:
        ec2, ssm = (account.client(service, params["region"], read=unasked.READ) for service in ("ec2", "ssm"))
        found = observe.observe(ec2, ssm, Question(**asked))
        if named := params["kms_keys"]:
            client = account.client("kms", params["region"], read=unasked.READ)
            found = dataclasses.replace(found, kms_keys=kms.kms_keys(client, named))
        return dataclasses.asdict(found)
    except Exception as error:
        raise account.explained(error, params["region"]) from error


def work(params: dict[str, Any]) -> dict[str, Any]:
    """Do all work under the lock; raises AccountError."""
    wanted = values.desired(params["wanted"])
    if not params["record"].get("run"):
        raise account.AccountError("kafka_ec2 needs the record of its run: use it as a task")
    seconds = {name: params[name] for name in ("patience", "boot", "pause", "young")}
    aws = Aws(
        wanted.region,
        account.client("ec2", wanted.region),
        account.client("ssm", wanted.region),
        account.client("ec2", wanted.region, account.LAUNCH_TRIES),
        account.client("ec2", wanted.region, 1),
        **seconds,
    )
    with apply.locked(aws, wanted, params["record"], params["break_run"]) as holder:
        if holder:
            return {"granted": False, "holder": dict(holder)}
        if params["break_run"]:
            time.sleep(aws.young)
        if params["state"] == "absent":
            remove.remove(aws, wanted, params["delete_data"], params["terminate"])
            return {"granted": True, "changed": True}
        found = apply.apply(aws, wanted, observe.question_for(wanted))
        return {"granted": True, "changed": True, "found": dataclasses.asdict(found)}


def explained(params: dict[str, Any]) -> dict[str, Any]:
    """Do the same; a refusal of AWS becomes an AccountError with its remedy."""
    try:
        return work(params)
    except Exception as error:
        raise account.explained(error, params["wanted"]["region"]) from error


def main() -> None:
    module = KraftModule(argument_spec=HOST_SPEC, supports_check_mode=True)
    params = module.params
    if params["operation"] == "apply":
        module.finish(lambda: explained(params))
    exposed = params["allowed"] is not None
    module.finish(lambda: audit.exposed(params) if exposed else {"found": read_resources(params)})


if __name__ == "__main__":
    main()
