#!/usr/bin/python
"""The collector and node_exporter of a host: they run with what is wanted, or are gone."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_collector
short_description: Runs the collector of a broker's figures, and node_exporter, as services (internal)
description:
  - Writes the collector's program, settings and unit, and the unit of node_exporter, and restarts those that differ.
    The program is this module's own code and queries Kafka through the same client.
  - Without settings it stops both and removes what it wrote. It refuses a unit that this module did not write.
  - The log shipper of earlier versions (C(kafka-logs), C(kafka-logs-proxy)) is stopped and removed.
options:
  settings:
    description: C(collector) of the node in the fact C(kafka_desired); empty if the node is to have none.
    type: dict
    default: {}
  install_dir:
    description: Kafka's installation directory.
    type: path
    default: /opt/kafka
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Run the collector of the groups' lag
  kafka_collector:
    settings: "{{ collector_settings }}"
"""

RETURN = r"""
changed:
  description: True if anything differed.
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
