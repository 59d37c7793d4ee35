#!/usr/bin/python
"""The collector and node_exporter of a host: they run with what is wanted, or are gone."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_collector
short_description: Runs the collector of a broker's figures, and node_exporter, as services
description:
  - Writes the collector's program, settings and unit, and the unit of node_exporter, and starts what differs anew. The
    program is this module's own code; it asks Kafka through the same client.
  - Without settings it stops both and removes what it wrote. A unit that somebody else has written is refused.
  - The log shipper of earlier versions (C(kafka-logs), C(kafka-logs-proxy)) is stopped and removed.
options:
  settings:
    description: C(collector) of the node in the fact C(kafka_desired); empty where the node is to have none.
    type: dict
    default: {}
  install_dir:
    description: Where Kafka lives.
    type: path
    default: /opt/kafka
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Remove the collector
  kafka_collector:
    settings: {}
"""

RETURN = r"""
changed:
  description: Whether anything differed.
  returned: success
  type: bool
"""

from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.monitoring import collector as _  # noqa: F401 - is a part of the program
from ansible.module_utils.kraft.node import collector

ARGUMENT_SPEC: dict[str, Any] = {
    "settings": {"type": "dict", "default": {}},
    "install_dir": {"type": "path", "default": "/opt/kafka"},
}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        changed = collector.ensure(module.run_command, check_mode=module.check_mode, **module.params)
    except (KraftError, OSError) as error:
        module.fail_json(msg=str(error))
    module.exit_json(changed=changed)


if __name__ == "__main__":
    main()
