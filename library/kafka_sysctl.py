#!/usr/bin/python
"""Kernel settings, and an honest list of those that the host does not grant."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_sysctl
short_description: Sets kernel settings now and for the next boot, and says which the host does not grant
description:
  - Writes one file for the next boot and the running kernel's values where they can be written. A value that cannot be
    written (in a container), that the kernel does not know, or that another file overrides at boot is listed as unmet.
    It is neither a failure nor a change.
  - Changed means that the file or a value of the running kernel was changed.
options:
  settings: {description: Name and value of each setting., type: dict, required: true}
  file: {description: The file that is read at boot., type: path, default: /etc/sysctl.d/90-kafka.conf}
  at_least:
    description: Settings of which a higher value is fine, too. A higher value that the kernel has is kept and recorded.
    type: list
    elements: str
    default: [vm.max_map_count, fs.file-max, fs.nr_open]
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Set the kernel parameters for many files and steady writes
  kafka_sysctl:
    settings:
      vm.swappiness: 1
      vm.max_map_count: 262144
"""

RETURN = r"""
unmet:
  description: What the host does not grant. Each entry has O(ignore:name), wanted, value (null if unknown) and reason.
  returned: always
  type: list
  elements: dict
changed_settings:
  description: Settings of the running kernel that were changed, or would be in check mode.
  returned: always
  type: list
  elements: str
"""

import dataclasses
import os
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.kraft.errors import KraftError, RefusedError
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.node.files import plan as files
from ansible.module_utils.kraft.node.machine import sysctl

ARGUMENT_SPEC: dict[str, Any] = {
    "settings": {"type": "dict", "required": True},
    "file": {"type": "path", "default": "/etc/sysctl.d/90-kafka.conf"},
    "at_least": {"type": "list", "elements": "str", "default": ["vm.max_map_count", "fs.file-max", "fs.nr_open"]},
}


def observe(settings: dict[str, Any], file: str, at_least: frozenset[str]) -> dict[str, sysctl.Setting]:
    """The running kernel's values, and what is said about them after our file at boot."""
    later = sysctl.boot_overrides(file)
    found = {name: sysctl.read_setting(name) for name in settings}
    wanted = sysctl.effective(settings, found, at_least)
    overridden = {
        name: f"{path}: {value}"
        for name, (path, value) in later.items()
        if name in wanted and (sysctl.raised(wanted[name], value) if name in at_least else wanted[name]) != value
    }
    return {name: dataclasses.replace(s, boot_override=overridden.get(name, "")) for name, s in found.items()}


def write_live(plan: sysctl.Plan, found: dict[str, sysctl.Setting]) -> tuple[list[str], list[sysctl.Unmet]]:
    """Names that were changed, and what the kernel refused although it looked writable."""
    refusals = {name: sysctl.write_setting(name, value) for name, value in plan.live.items()}
    refused = [
        sysctl.Unmet(name, plan.live[name], found[name].value, f"the kernel refused it: {why}")
        for name, why in refusals.items()
        if why
    ]
    return [name for name, why in refusals.items() if not why], refused


def diffs(plan: sysctl.Plan, found: dict[str, sysctl.Setting], changes: list[files.Change]) -> list[dict[str, str]]:
    """The file's diff, and one of the running kernel's values."""
    headers = {"before_header": "running kernel", "after_header": "running kernel"}
    before = "".join(f"{name} = {found[name].value}\n" for name in plan.live)
    after = "".join(f"{name} = {value}\n" for name, value in plan.live.items())
    return files.diffs(changes) + ([{**headers, "before": before, "after": after}] if plan.live else [])


def plan_file(path: str, text: str, check_mode: bool) -> tuple[list[files.Change], files.Accounts]:
    """What differs in the file for the next boot; raises RefusedError where it cannot be written."""
    me = str(os.geteuid()), str(os.getegid())
    wanted = files.Wanted(path, files.FILE, *me, mode=0o644, content=text.encode())
    known, found = file_io.accounts([wanted]), file_io.find(wanted)
    problems = files.problems([wanted], [found], known, predict=check_mode)
    if problems:
        raise RefusedError(problems)
    return files.plan([wanted], [found], known), known


def bring_about(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The five steps; gives the module's result."""
    problems = sysctl.bad_names(params["settings"])
    if problems:
        raise RefusedError(problems)
    at_least = frozenset(params["at_least"])
    found = observe(params["settings"], params["file"], at_least)
    plan = sysctl.plan_settings(params["settings"], found, at_least)
    changes, known = plan_file(params["file"], plan.text, check_mode)
    changed, unmet = list(plan.live), list(plan.unmet)
    if not check_mode:
        for change in changes:
            file_io.apply(change, known)
        changed, refused = write_live(plan, found)
        unmet += refused
    return {
        "changed": bool(changes or changed),
        "changed_settings": changed,
        "unmet": [dataclasses.asdict(u) for u in unmet],
        "diff": diffs(plan, found, changes),
    }


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        result = bring_about(module.params, module.check_mode)
    except (KraftError, OSError) as error:
        module.fail_json(msg=f"kernel settings: {error}")
    module.exit_json(**result)


if __name__ == "__main__":
    main()
