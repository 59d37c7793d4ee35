#!/usr/bin/python
"""How much of the cluster a client may use."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_quota
short_description: Makes quotas be as they are declared
description:
  - Takes all quotas at once. What an entry does not name is left as it is.
options:
  quotas:
    description: Each entry names a user, a client or both, or an address, and what it may use.
    type: list
    elements: dict
    required: true
    suboptions:
      user:
        description: A user; C(*) is Kafka's default, for users without a quota of their own.
        type: str
      client_id:
        description: A client id, in the same way.
        type: str
      ip:
        description: An address from which clients connect, in the same way.
        type: str
      state:
        description: V(absent) takes every quota of this entity away.
        type: str
        choices: [present, absent]
        default: present
      producer_byte_rate:
        description: Bytes a second to each broker.
        type: float
      consumer_byte_rate:
        description: Bytes a second from each broker.
        type: float
      request_percentage:
        description: Share of the time of a broker's threads, in percent of one thread.
        type: float
      controller_mutation_rate:
        description: Partitions a second that are made or deleted.
        type: float
      connection_creation_rate:
        description: Connections a second to each broker, for an address.
        type: float
extends_documentation_fragment: [kafka_client, kafka_resources]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Limit one user, everybody else, and each address
  kafka_quota:
    client:
      bootstrap_servers: ["192.0.2.11:9092", "192.0.2.12:9092"]
      python_path: /opt/kafka/client/kafka_python.zip
    quotas:
      - {user: orders-writer, producer_byte_rate: 10485760}
      - {user: "*", client_id: "*", consumer_byte_rate: 52428800}
      - {ip: "*", connection_creation_rate: 50}
"""

RETURN = r"""
steps:
  description: What was done, or would be, in words.
  returned: success
  type: list
  elements: str
drift:
  description: What there is that nobody declared; it is left alone without O(prune).
  returned: success
  type: list
  elements: str
problems:
  description: Everything that forbids it.
  returned: when refused
  type: list
  elements: str
"""

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.resources.quota_admin import QuotaAdmin
from ansible.module_utils.kraft.operations.resources.run import Asked
from ansible.module_utils.kraft.operations.resources.shell import RUN_SPEC, carry_out
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.resources.quotas import UNITS, Quota, entity, expanded, faults

ARGUMENT_SPEC: dict[str, Any] = {
    "quotas": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "user": {"type": "str"},
            "client_id": {"type": "str"},
            "ip": {"type": "str"},
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            **{kind: {"type": "float"} for kind in UNITS},
        },
    },
    **RUN_SPEC,
}


def made(client: Client, params: Mapping[str, Any]) -> Asked[Quota]:
    """What the parameters ask for."""
    entries = params["quotas"]
    gone = {entity(one) for one in entries if one["state"] == "absent"}
    present = [one for one in entries if one["state"] == "present"]
    wrong = [
        Problem("quota", message, remedy, f"quota {number}")
        for number, one in enumerate(present, 1)
        for message, remedy in faults(one)
    ]
    if wrong:
        raise RefusedError(wrong)
    wanted = {quota: value for one in present for quota, value in expanded(one).items()}
    return Asked(QuotaAdmin(client), wanted, lambda quota: quota.entity in gone)


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    carry_out(module, made)


if __name__ == "__main__":
    main()
