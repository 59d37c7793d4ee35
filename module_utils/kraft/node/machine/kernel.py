"""Ensure kernel settings: observe, plan, stop in check mode, write."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.errors import refuse
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.node.files import plan as files
from ansible.module_utils.kraft.node.machine import sysctl

#: Settings for which a higher value is fine, too.
AT_LEAST = frozenset({"vm.max_map_count", "fs.file-max", "fs.nr_open"})


def observe(settings: dict[str, Any], file: str) -> dict[str, sysctl.Setting]:
    """Return the running kernel's values, with overrides that are read after our file at boot."""
    later = sysctl.boot_overrides(file)
    found = {name: sysctl.read_setting(name) for name in settings}
    wanted = sysctl.effective(settings, found, AT_LEAST)
    overridden = {
        name: f"{path}: {value}"
        for name, (path, value) in later.items()
        if name in wanted and (sysctl.raised(wanted[name], value) if name in AT_LEAST else wanted[name]) != value
    }
    return {name: dataclasses.replace(s, boot_override=overridden.get(name, "")) for name, s in found.items()}


def write_live(plan: sysctl.Plan, found: dict[str, sysctl.Setting]) -> tuple[list[str], list[sysctl.Unmet]]:
    """Write the plan. Returns the changed names, and what the kernel refused although it looked writable."""
    refusals = {name: sysctl.write_setting(name, value) for name, value in plan.live.items()}
    refused = [
        sysctl.Unmet(name, plan.live[name], found[name].value, f"the kernel refused it: {why}")
        for name, why in refusals.items()
        if why
    ]
    return [name for name, why in refusals.items() if not why], refused


def diffs(plan: sysctl.Plan, found: dict[str, sysctl.Setting], changes: list[files.Change]) -> list[dict[str, str]]:
    """Return the file's diff, and one of the running kernel's values."""
    headers = {"before_header": "running kernel", "after_header": "running kernel"}
    before = "".join(f"{name} = {found[name].value}\n" for name in plan.live)
    after = "".join(f"{name} = {value}\n" for name, value in plan.live.items())
    return files.diffs(changes) + ([{**headers, "before": before, "after": after}] if plan.live else [])


def plan_file(path: str, text: str, check_mode: bool) -> tuple[list[files.Change], files.Accounts]:
    """Return the difference in the file for the next boot. Raises RefusedError if it cannot be written."""
    me = str(os.geteuid()), str(os.getegid())
    wanted = files.Desired(path, files.FILE, *me, mode=0o644, content=text.encode())
    known, found = file_io.accounts([wanted]), file_io.find(wanted)
    refuse(files.file_refusals([wanted], [found], known, predict=check_mode))
    return files.plan([wanted], [found], known), known


def ensure_settings(params: Mapping[str, Any], check_mode: bool) -> dict[str, Any]:
    """Ensure the settings and return the module's result."""
    refuse(sysctl.bad_names(params["settings"]))
    found = observe(params["settings"], params["file"])
    plan = sysctl.plan_settings(params["settings"], found, AT_LEAST)
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
