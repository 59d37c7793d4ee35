#!/usr/bin/python
"""Facts about a cluster's resources on EC2."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_ec2_info
short_description: Looks at everything that a cluster has on EC2
description:
  - One look at VPC, subnets, security groups, key pairs, volumes, instances and Elastic IPs, found by the
    cluster's tag, and at what is named by id. A dozen calls, side by side; throttled ones are repeated.
  - Changes nothing, so it runs in check mode as it does otherwise. Credentials come from AWS's own variables and files.
  - Needs boto3 where it runs.
options:
  region: {description: Region of the cluster., type: str, required: true}
  cluster: {description: 'Name of the cluster: value of the tag C(kraftwright_cluster).', type: str, required: true}
  vpc_id: {description: 'VPC that is given; empty: the one with the tag.', type: str, default: ''}
  subnet_ids: {description: Subnets that are given., type: list, elements: str, default: []}
  image: {description: 'Image to resolve: an id, or C(ssm:) and the name of a parameter.', type: str, default: ''}
  hosts:
    description: Hosts that need a machine. Image and zones are looked up for those without one.
    type: list
    elements: str
    default: []
  types: {description: Instance types of these hosts., type: list, elements: str, default: []}
  sources: {description: Security groups and prefix lists that rules name., type: list, elements: str, default: []}
  placement_group: {description: Placement group of machines that are needed., type: str, default: ''}
  protection: {description: Read for each machine if it refuses to be terminated., type: bool, default: false}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Look at what the cluster has
  kafka_ec2_info:
    region: eu-central-1
    cluster: orders
"""

RETURN = r"""
found:
  description: zones, vpc, subnets, groups (with rules), volumes, instances, addresses, keys, image, tags, types,
    sources, offered, placement.
  returned: always
  type: dict
"""

import dataclasses
from typing import Any

from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.providers.ec2 import account
from ansible.module_utils.kraft.providers.ec2.answers import Question
from ansible.module_utils.kraft.providers.ec2.observe import observe

ARGUMENT_SPEC: dict[str, Any] = {
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
}


def look(params: dict[str, Any]) -> dict[str, Any]:
    """Return the present resources as plain data; raises AccountError."""
    asked = {name: params[name] for name in ("cluster", "vpc_id", "image", "protection", "placement_group")}
    asked |= {name: tuple(params[name]) for name in ("subnet_ids", "hosts", "types", "sources")}
    try:
        clients = (account.client("ec2", params["region"]), account.client("ssm", params["region"]))
        return dataclasses.asdict(observe(*clients, Question(**asked)))
    except Exception as error:
        raise account.explained(error, params["region"]) from error


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    module.finish(lambda: {"found": look(module.params)})


if __name__ == "__main__":
    main()
