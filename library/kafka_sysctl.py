#!/usr/bin/python
"""Kernel settings, and an honest list of those that the host does not grant."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_sysctl
short_description: Sets kernel settings now and for the next boot, and reports those that the host does not grant
  (internal)
description:
  - Writes one file for the next boot, and the running kernel's values if they are writable. A value is listed as unmet
    if it cannot be written (in a container), if the kernel does not have it, or if another file overrides it at boot.
    It is neither a failure nor a change.
  - A higher value of C(vm.max_map_count), C(fs.file-max) and C(fs.nr_open) is kept and recorded.
  - Changed means that the file or a value of the running kernel was changed.
options:
  settings: {description: Name and value of each setting., type: dict, required: true}
  file: {description: The file that is read at boot., type: path, default: /etc/sysctl.d/90-kafka.conf}
  fact:
    description: Keep the result as the fact C(kafka_kernel) of the host.
    type: bool
    default: false
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Set the kernel's limit of memory maps
  kafka_sysctl:
    settings: {vm.max_map_count: "262144"}
"""

RETURN = r"""
unmet:
  description: Settings that the host does not grant. Each entry has O(ignore:name), wanted, value (null if unknown) and
    reason.
  returned: always
  type: list
  elements: dict
changed_settings:
  description: Settings of the running kernel that were changed, or would be in check mode.
  returned: always
  type: list
  elements: str
"""

from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.machine import kernel

ARGUMENT_SPEC: dict[str, Any] = {
    "settings": {"type": "dict", "required": True},
    "file": {"type": "path", "default": "/etc/sysctl.d/90-kafka.conf"},
    "fact": {"type": "bool", "default": False},
}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        result = kernel.ensure_settings(module.params, module.check_mode)
    except (KraftError, OSError) as error:
        module.fail_json(msg=f"kernel settings: {error}")
    module.exit_json(**result)


if __name__ == "__main__":
    main()
