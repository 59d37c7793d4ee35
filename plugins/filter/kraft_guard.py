"""Filters for playbooks that are installed as a collection, where Ansible loads no callback of theirs by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible import constants, context
from ansible.errors import AnsibleFilterError

ROOT = Path(__file__).resolve().parents[2]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))

from ansible.module_utils.kraft.control import module_results
from ansible.module_utils.kraft.control.home import home
from ansible.module_utils.kraft.control.start import HERE, Start, nowhere, objection

module_results.install()  # playbooks of a collection name their hosts through this filter, before the first task
#: Options of Ansible by which it runs no play.
LISTINGS = ("syntax", "listhosts", "listtasks", "listtags")


def kraft_guard(
    hosts: Any, proves: bool = False, switches: bool = False, groups: Mapping[str, Any] | None = None
) -> Any:
    """Return `hosts` of a play unchanged; the run ends here, before the play, if it must not begin like this.

    `groups`: of the inventory, where `hosts` may be one of them.
    """
    options, settings = context.CLIARGS, vars(constants)
    text = objection(
        Start(
            tags=tuple(options.get("tags") or ("all",)),
            skip_tags=tuple(options.get("skip_tags") or ()),
            start_at_task=str(options.get("start_at_task") or ""),
            step=bool(options.get("step")),
            limit=str(options.get("subset") or ""),
            proves=proves,
            switches=switches,
            strategy=str(settings["DEFAULT_STRATEGY"]),
            injects_facts=bool(settings["INJECT_FACTS_AS_VARS"]),
            config_file=str(settings["CONFIG_FILE"] or ""),
            installed=True,
        )
    )
    if groups is not None and not any(options.get(name) for name in LISTINGS) and is_absent(hosts, groups):
        text = text or nowhere([hosts])
    if text:
        raise AnsibleFilterError(text)
    return hosts


def is_absent(hosts: Any, groups: Mapping[str, Any]) -> bool:
    """Check whether `hosts` names a group without hosts; Ansible would skip the play, and report success."""
    return isinstance(hosts, str) and hosts != HERE and not groups.get(hosts)


def kraft_home(playbook_dir: str) -> str:
    """Return the folder for a run's authorities and reports, by the directory of its playbook."""
    return str(home(Path(playbook_dir).parent, Path.cwd()))


class FilterModule:
    """Ansible's entry point."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {"kraft_guard": kraft_guard, "kraft_home": kraft_home}
