#!/usr/bin/python
"""The host's half of `kafka_support_bundle`: collect diagnostics, with secrets hidden."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_support_bundle
short_description: Collects configuration, state and logs of nodes, with secrets hidden, and packs them into one
  archive (internal)
description:
  - With O(log_dirs) it reads the node's configuration, its unit, its state in
    systemd and the kernel, the ends of its logs, the size of its log dirs, and a dump of its threads. Changes nothing,
    but that the JVM writes the dump into its journal.
  - Secrets are hidden on the host, in files by their names, and in logs wherever their values turn up. The files are
    written into a folder for each host in O(directory).
  - With O(cluster) it packs O(directory), and files beside it, into C(support-<cluster>-<time>.tar.gz). Then it removes
    the directory. The archive is for its owner alone. Opens no connection.
options:
  cluster:
    description: Description of the cluster for the archive. Its C(name) is part of the archive's name.
    type: dict
  directory:
    description: Directory on the control machine for the collected files. The archive is made beside it.
    type: path
    required: true
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
  beside:
    description: Other files that join, if they exist.
    type: list
    elements: path
    default: []
  collected:
    description: Host to the result of collecting there, empty for a host without one.
    type: dict
    default: {}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Collect what support needs
  kafka_support_bundle:
    directory: .kraftwright/orders
    log_dirs: [/data/kafka1]
"""

RETURN = r"""
collected:
  description: Names of the files that were collected on this host.
  returned: with O(log_dirs)
  type: list
  elements: str
bundle:
  description: The archive.
  returned: with O(cluster)
  type: str
bytes:
  description: Its size.
  returned: with O(cluster)
  type: int
files:
  description: Names of the files in the archive.
  returned: with O(cluster)
  type: list
  elements: str
"""

from typing import Any

from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.support import collect

HOST_SPEC: dict[str, Any] = {
    "install_dir": {"type": "path", "default": "/opt/kafka"},
    "log4j_dir": {"type": "path", "default": "/var/log/kafka"},
    "log_dirs": {"type": "list", "elements": "path"},
    "java": {"type": "path", "default": "/usr/bin/java"},
    "unit": {"type": "str", "default": "kafka"},
    "sysctl_file": {"type": "path", "default": "/etc/sysctl.d/90-kafka.conf"},
}


def main() -> None:
    module = KraftModule(argument_spec=HOST_SPEC, supports_check_mode=True)
    module.exit_json(changed=False, files=collect(module.run_command, module.params))


if __name__ == "__main__":
    main()
