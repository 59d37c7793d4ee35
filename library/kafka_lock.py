#!/usr/bin/python
"""The host's half of the lock; the control side's is plugins/action/kafka_lock.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_lock
short_description: Lets one run at a time change a host (internal)
description:
  - Takes or releases the lock of a cluster on a host. A second run is refused, with the holder, its start, and the way
    to clear the lock.
  - The lock of a run that was started on the same control machine and is dead is taken over. Work that a dead run left
    going on this host (a package installation, a format) is waited for first; tasks carry the name of their run in the
    environment variable C(KRAFTWRIGHT_RUN), which the fact C(kafka_run) holds.
  - Not a change of the host's state; in check mode nothing is taken, and a held lock is only reported.
options:
  state:
    description: V(held) takes the lock, V(released) releases it. Another run's lock is never released.
    type: str
    choices: [held, released]
    default: held
  shared:
    description:
      - If true, the run changes nothing, and shares the lock with others like it. A run that changes something excludes
        them, and they exclude it.
    type: bool
    default: false
  path:
    description: Path of the lock, in a directory that is empty after a reboot.
    type: path
    default: /run/kraftwright.lock
  break_run:
    description: Name of a dead run, as the refusal shows it, whose lock may be taken over.
    type: str
    default: ""
  timeout:
    description: Seconds to wait for what a dead run left at work on this host.
    type: int
    default: 120
  record:
    description: The run that takes the lock; filled in on the control side.
    type: dict
    default: {}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Take the lock of the host
  kafka_lock:
    state: held
"""

RETURN = r"""
granted:
  description: True if this run holds the lock (or would, in check mode).
  returned: always
  type: bool
holder:
  description: Run that holds the lock instead, with run, who, machine, place, process, since and use; otherwise empty.
  returned: always
  type: dict
waited:
  description: Seconds for which a dead run's work was waited for.
  returned: when the lock was taken
  type: float
"""

from typing import Any

from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.run_lock.hold import PATH, TIMEOUT, acquire_or_release, wait_for_leftovers

ARGUMENT_SPEC: dict[str, Any] = {
    "state": {"type": "str", "choices": ["held", "released"], "default": "held"},
    "shared": {"type": "bool", "default": False},
    "path": {"type": "path", "default": PATH},
    "break_run": {"type": "str", "default": ""},
    "timeout": {"type": "int", "default": TIMEOUT},
    "record": {"type": "dict", "default": {}},
}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True, without_lock=True)
    try:
        result = acquire_or_release(module.params, module.check_mode)
        if module.params["state"] == "held" and result["granted"] and not module.check_mode:
            result |= wait_for_leftovers(module.params)
    except (OSError, ValueError) as error:
        module.fail_json(msg=f"cannot lock this host at {module.params['path']}: {error}")
    module.exit_json(**result)


if __name__ == "__main__":
    main()
