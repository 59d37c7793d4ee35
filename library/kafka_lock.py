#!/usr/bin/python
"""The host's half of the lock; the control side's is plugins/action/kafka_lock.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_lock
short_description: Lets one run at a time change a host
description:
  - Takes or releases the lock of a cluster on a host. A second run is refused and told who holds it, since when,
    and how to clear it.
  - The lock of a run that was started on the same control machine and is dead is taken over. Work that a dead run left
    going on this host (a package installation, a format) is waited for first; tasks carry the name of their run in the
    environment variable C(KRAFTWRIGHT_RUN), which the fact C(kafka_run) holds.
  - Not a change of the host's state; in check mode nothing is taken, and a held lock is only reported.
options:
  state:
    description: Whether to take the lock or to give it back. Another run's lock is never given back.
    type: str
    choices: [held, released]
    default: held
  path:
    description: Where the lock lies; a directory that is empty after a reboot.
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
    description: Who asks; filled in on the control side.
    type: dict
    default: {}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Let no other run change the host
  kafka_lock:
    break_run: "{{ kafka_break_lock | default('') }}"

- name: Let others in again
  kafka_lock:
    state: released
"""

RETURN = r"""
granted:
  description: Whether this run holds the lock (or would, in check mode).
  returned: always
  type: bool
holder:
  description: Who held it before, with run, who, machine, place, process and since; empty where nobody did.
  returned: always
  type: dict
waited:
  description: Seconds for which a dead run's work was waited for.
  returned: when the lock was taken
  type: float
"""

import fcntl
import json
import os
import time
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.kraft.node.run_lock import lock, workers

ARGUMENT_SPEC: dict[str, Any] = {
    "state": {"type": "str", "choices": ["held", "released"], "default": "held"},
    "path": {"type": "path", "default": "/run/kraftwright.lock"},
    "break_run": {"type": "str", "default": ""},
    "timeout": {"type": "int", "default": 120},
    "record": {"type": "dict", "default": {}},
}


def read(path: str) -> lock.Record | None:
    """The record at `path`; None where there is none, or one that a crash of the host tore (nobody holds that)."""
    try:
        with open(path, encoding="utf-8") as file:
            return lock.record(json.load(file))
    except (FileNotFoundError, ValueError):
        return None


def write(path: str, record: lock.Record) -> None:
    """Put the record in its place in one step."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(record.as_dict(), file)
    os.replace(path + ".new", path)


def acquire_or_release(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Acquire or release the lock, while no other process on this host looks at the lock."""
    path, asked = params["path"], lock.record(params["record"])
    if asked is None:
        raise ValueError("kafka_lock works through its action plugin, which says who asks")
    held = read(path)
    granted = lock.granted(asked, held, params["break_run"])
    if params["state"] == "held" and granted and not check_mode:
        write(path, asked)
    if params["state"] == "released" and held and held.run == asked.run and not check_mode:
        os.unlink(path)
    return {"changed": False, "granted": granted, "holder": held.as_dict() if held else {}}


def wait_for_leftovers(params: dict[str, Any]) -> dict[str, Any]:
    """Wait for what a dead run left at work. Raises ValueError when it does not end."""
    began = time.monotonic()
    left = workers.wait_for_others(params["record"]["run"], params["timeout"])
    if left:
        raise ValueError(lock.unfinished(left, params["timeout"]))
    return {"waited": round(time.monotonic() - began, 1)}


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        with open(module.params["path"] + ".guard", "a", encoding="utf-8") as guard:
            fcntl.flock(guard, fcntl.LOCK_EX)
            result = acquire_or_release(module.params, module.check_mode)
        if module.params["state"] == "held" and result["granted"] and not module.check_mode:
            result |= wait_for_leftovers(module.params)
    except (OSError, ValueError) as error:
        module.fail_json(msg=f"cannot lock this host at {module.params['path']}: {error}")
    module.exit_json(**result)


if __name__ == "__main__":
    main()
