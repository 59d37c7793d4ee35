#!/usr/bin/python
"""Errors that MirrorMaker's service has logged on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_mirror_log_info
short_description: Reads errors of MirrorMaker's service from the journal (internal)
description:
  - Gives each error since the start of the service on this host, with its last cause.
  - It reads the last 2,000 lines. Errors that Connect retries by itself are left out.
  - Changes nothing.
options: {}
author: Kraftwright
"""

EXAMPLES = r"""
- name: Read what the service has logged
  kafka_mirror_log_info:
"""

RETURN = r"""
errors:
  description: C(text) in one line and C(age) in seconds of each error, the last one last.
  returned: success
  type: list
  elements: dict
"""

from typing import Any

from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node import mirror_log

ARGUMENT_SPEC: dict[str, Any] = {}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    module.finish(lambda: {"errors": mirror_log.errors(module.run_command)})


if __name__ == "__main__":
    main()
