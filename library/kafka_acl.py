#!/usr/bin/python
"""Management of ACLs."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_acl
short_description: Makes ACLs be as they are declared
description:
  - Takes all ACLs at once. New ones are added before old ones are removed, so no right is missing in between.
  - An entry that names a principal alone, with O(acls[].state=absent), takes every ACL of it away.
extends_documentation_fragment: [kafka_client, kafka_resource, kafka_acls]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Let one write and read
  kafka_acl:
    client:
      bootstrap_servers: ["192.0.2.11:9092", "192.0.2.12:9092"]
      python_path: /opt/kafka/client/kafka_python.zip
    acls:
      - {principal: "User:orders-writer", topic: orders, operations: [write]}
      - {principal: "User:billing", topic: orders-, pattern: prefixed, operations: [read]}
      - {principal: "User:billing", group: billing, operations: [read]}
      - {principal: "User:*", topic: payroll, operations: [all], permission: deny}
      - {principal: "User:intern", state: absent}
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
    "acls": asked.ACLS,
    **RUN_SPEC,
}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True, required_one_of=[("acls",)])
    carry_out_kind(module, asked.acls)


if __name__ == "__main__":
    main()
