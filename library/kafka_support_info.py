#!/usr/bin/python
"""Collect diagnostics from a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_support_info
short_description: Collects configuration, state and logs of a node, with secrets hidden
description:
  - Reads the node's configuration, its unit, its state in systemd and the kernel, the ends of its logs, the size of its
    log dirs, and a dump of its threads. Changes nothing, but that the JVM writes the dump into its journal.
  - Secrets are hidden on the host, in files by their names, and in logs wherever their values turn up.
  - It works through its action plugin, which writes the files on the control machine and returns none.
options:
  install_dir:
    description: Kafka's installation directory.
    type: path
    default: /opt/kafka
  log4j_dir:
    description: Directory of Kafka's own log files.
    type: path
    default: /var/log/kafka
  log_dirs:
    description: The log dirs.
    type: list
    elements: path
    required: true
  java:
    description: The Java that Kafka runs with.
    type: path
    default: /usr/bin/java
  unit:
    description: Name of the unit, without its suffix.
    type: str
    default: kafka
  sysctl_file:
    description: File with kernel settings.
    type: path
    default: /etc/sysctl.d/90-kafka.conf
  directory:
    description: Directory on the control machine for the collected files, with a folder for each host.
    type: path
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Collect what helps
  kafka_support_info:
    log_dirs: [/data/kafka]
    directory: /tmp/collected
"""

RETURN = r"""
collected:
  description: Names of the files.
  returned: success
  type: list
  elements: str
"""

from typing import Any

from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.support import collect

ARGUMENT_SPEC: dict[str, Any] = {
    "install_dir": {"type": "path", "default": "/opt/kafka"},
    "log4j_dir": {"type": "path", "default": "/var/log/kafka"},
    "log_dirs": {"type": "list", "elements": "path", "required": True},
    "java": {"type": "path", "default": "/usr/bin/java"},
    "unit": {"type": "str", "default": "kafka"},
    "sysctl_file": {"type": "path", "default": "/etc/sysctl.d/90-kafka.conf"},
    "directory": {"type": "path"},
}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    module.exit_json(changed=False, files=collect(module.run_command, module.params))


if __name__ == "__main__":
    main()
