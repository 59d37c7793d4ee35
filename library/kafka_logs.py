#!/usr/bin/python
"""The shipper of a node's log files: it runs with what is wanted, or is gone."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_logs
short_description: Ships a node's log files to a receiver
description:
  - Writes configurations and units of an rsyslog and a stunnel beside the system's own, and starts them.
  - rsyslog reads Kafka's log files and keeps lines in a queue on disk while the receiver is away. stunnel shows
    the node's certificate.
  - Without settings it stops both and removes what it wrote. Lines that nobody has received stay on disk, with a
    warning.
  - A unit that somebody else has written is refused.
options:
  settings:
    description: >-
      C(logs) of the node in the fact C(kafka_desired), with the certificates of the receiver's authority as C(roots);
      empty where the node's logs are not shipped.
    type: dict
    default: {}
  state:
    description: >-
      V(present) brings files and services to what is wanted. V(reloaded) restarts stunnel where it has
      another certificate than the node.
    type: str
    choices: [present, reloaded]
    default: present
  install_dir:
    description: Where Kafka lives.
    type: path
    default: /opt/kafka
  group:
    description: The group that may read the log files.
    type: str
    default: kafka
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: No longer ship the logs
  kafka_logs:
    settings: {}
"""

RETURN = r"""
changed:
  description: Whether anything differed.
  returned: success
  type: bool
kept:
  description: Messages that nobody has received, and that stay on disk where shipping has ended.
  returned: success
  type: int
"""

from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node import log_shipping

ARGUMENT_SPEC: dict[str, Any] = {
    "settings": {"type": "dict", "default": {}},
    "state": {"type": "str", "choices": ["present", "reloaded"], "default": "present"},
    "install_dir": {"type": "path", "default": "/opt/kafka"},
    "group": {"type": "str", "default": "kafka"},
}


def ensure(module: KraftModule) -> dict[str, Any]:
    run, given, check_mode = module.run_command, module.params, module.check_mode
    if given["state"] == "reloaded":
        changed = log_shipping.reload(run, check_mode)
        return {"changed": changed, "kept": 0}
    return log_shipping.ensure(run, given["settings"], given["install_dir"], given["group"], check_mode)


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        found = ensure(module)
    except (KraftError, OSError) as error:
        module.fail_json(msg=str(error))
    if found["kept"]:
        place = log_shipping.WORK
        module.warn(f"{found['kept']} messages were not delivered. They stay in {place} until you remove it.")
    module.exit_json(**found)


if __name__ == "__main__":
    main()
