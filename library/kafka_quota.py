#!/usr/bin/python
"""Management of client quotas."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_quota
short_description: Makes quotas be as they are declared
description:
  - Takes all quotas at once. Limits that an entry does not name stay as they are.
extends_documentation_fragment: [kafka_client, kafka_resource, kafka_quotas]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Limit one user, all others, and each address
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
  description: Changes that were made, or would be made in check mode.
  returned: success
  type: list
  elements: str
drift:
  description: Resources that are in the cluster and not declared. They are left alone without O(prune).
  returned: success
  type: list
  elements: str
problems:
  description: Everything that forbids it.
  returned: when refused
  type: list
  elements: str
"""

from typing import Any

from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.resources import asked
from ansible.module_utils.kraft.operations.resources.shell import RUN_SPEC, carry_out_kind

ARGUMENT_SPEC: dict[str, Any] = {
    "quotas": asked.QUOTAS,
    **RUN_SPEC,
}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True, required_one_of=[("quotas",)])
    carry_out_kind(module, asked.quotas)


if __name__ == "__main__":
    main()
