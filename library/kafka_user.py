#!/usr/bin/python
"""Users who log in with a password."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_user
short_description: Makes users who log in with SCRAM be as they are declared
description:
  - Takes all users at once.
  - A password is compared with what the metadata log of this host's node has (O(client.node)), or else by logging in
    with it. So a run with nothing to do changes nothing.
  - The password is sent and stored with a salt, as a hash. The password itself never leaves the host on which the
    module runs.
extends_documentation_fragment: [kafka_client, kafka_resource, kafka_users]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Let two log in, and a third no more
  kafka_user:
    client:
      bootstrap_servers: ["192.0.2.11:9092", "192.0.2.12:9092"]
      python_path: /opt/kafka/client/kafka_python.zip
    users:
      - {name: orders-writer, password: "{{ vault_orders_writer }}"}
      - {name: billing, password: "{{ vault_billing }}", mechanism: SCRAM-SHA-256}
      - {name: intern, state: absent}
    logins:
      SCRAM-SHA-512:
        bootstrap_servers: ["192.0.2.11:9094"]
        security_protocol: SASL_SSL
        ca_file: /opt/kafka/tls/nodes.pem
        python_path: /opt/kafka/client/kafka_python.zip
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
    "users": asked.USERS,
    "logins": asked.LOGINS,
    **RUN_SPEC,
}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True, required_one_of=[("users",)])
    carry_out_kind(module, asked.users)


if __name__ == "__main__":
    main()
