#!/usr/bin/python
"""Makes what a cluster lacks on EC2, or removes what it has."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_ec2_apply
short_description: Makes what a cluster lacks on EC2 (internal)
description:
  - Creates the resources that M(kafka_ec2_plan) found missing, with boto3, and reads each one until AWS shows it as
    requested. Fails after a limit with the resources that AWS does not show.
  - Reports a machine that ended at launch with AWS's own reason.
  - Holds a lock in AWS meanwhile, a key pair whose name only one run can take. It takes over the lock of a dead run of
    this machine.
  - Every thing gets its tags in the call that makes it, so that a killed run goes on where it was.
  - Needs boto3 where it runs.
options:
  state:
    description: V(present) creates the cluster, V(absent) removes it.
    type: str
    choices: [present, absent]
    default: present
  wanted: {description: "Desired state, as M(kafka_ec2_plan) gives it.", type: dict, required: true}
  delete_data: {description: "If true, data disks and Elastic IPs are removed, too.", type: bool, default: false}
  hosts:
    description: With O(state=absent) only the machines of these hosts end.
    type: list
    elements: str
    default: []
  patience: {description: Seconds until AWS must show what it has accepted., type: float, default: 120}
  boot: {description: Seconds until a machine must run., type: float, default: 600}
  pause: {description: Seconds between two looks., type: float, default: 2}
  young: {description: Seconds to wait after the lock of a dead run was taken over., type: float, default: 20}
  record: {description: The run that takes the lock; the action plugin sets it., type: dict, default: {}}
  break_run: {description: Run whose lock is removed., type: str, default: ''}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Create what the cluster lacks on EC2
  kafka_ec2_apply:
    wanted: "{{ ec2_plan.wanted }}"
"""

RETURN = r"""
found:
  description: State afterwards, as M(kafka_ec2_plan) finds it.
  returned: with O(state=present)
  type: dict
granted:
  description: True if this run had the lock. Otherwise RV(holder) has it and nothing was changed.
  returned: always
  type: bool
holder:
  description: The run that has the lock.
  returned: when another run has it
  type: dict
"""

import dataclasses
import time
from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.providers.ec2 import account, apply, observe, remove, values
from ansible.module_utils.kraft.providers.ec2.waiting import Aws

ARGUMENT_SPEC: dict[str, Any] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "wanted": {"type": "dict", "required": True},
    "delete_data": {"type": "bool", "default": False},
    "hosts": {"type": "list", "elements": "str", "default": []},
    "patience": {"type": "float", "default": 120},
    "boot": {"type": "float", "default": 600},
    "pause": {"type": "float", "default": 2},
    "young": {"type": "float", "default": 20},
    "record": {"type": "dict", "default": {}},
    "break_run": {"type": "str", "default": ""},
}


def work(params: dict[str, Any]) -> dict[str, Any]:
    """Do all work under the lock; raises AccountError."""
    wanted = values.desired(params["wanted"])
    if not params["record"].get("run"):
        raise account.AccountError("kafka_ec2_apply needs the record of its run: use it as a task")
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
            remove.remove(aws, observe.question_for(wanted), params["delete_data"], params["hosts"])
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
    module = KraftModule(argument_spec=ARGUMENT_SPEC)
    try:
        result = explained(module.params)
    except KraftError as error:
        module.fail_json(msg=str(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
