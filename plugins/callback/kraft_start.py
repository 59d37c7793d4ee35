"""Refuses a run of this project's playbooks that would skip a part of them, or lack settings that they rely on."""

from __future__ import annotations

DOCUMENTATION = """
name: kraft_start
type: aggregate
short_description: Refuses runs that cannot be right, before the first play
description:
  - Refuses C(--tags), C(--skip-tags), C(--start-at-task) and C(--step) for the playbooks of this project. Each would
    leave out validation, lock or preflight, or do nothing and report success.
  - Refuses C(--limit) for a playbook that proves the cluster (C(site.yml), C(verify_cluster.yml)), or a copy
    (C(mirror_cutover.yml)).
  - Refuses a play whose hosts the inventory does not have, or C(--limit) leaves out. Ansible passes over it and
    reports success.
  - Refuses an inventory with a file that is no YAML, or that no given vault password decrypts, with file and line.
  - Refuses a run without the settings of the project's C(ansible.cfg) that the plays rely on.
  - Gives Ansible the modules that an earlier run has built, if no source has changed, and keeps those that it builds.
  - Other playbooks are left alone. Listings (C(--list-tasks), C(--syntax-check)) load no callback.
  - Ansible calls callbacks before any play, regardless of the task at which a run begins. This one is found beside the
    playbooks (C(playbooks/callback_plugins)), so that it needs no ansible.cfg.
author: Kraftwright
"""

import contextlib
import stat
import sys
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible import constants, context
from ansible.plugins.callback import CallbackBase

ROOT = Path(__file__).resolve().parents[2]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))
from ansible.module_utils.kraft.control import built_modules, module_results
from ansible.module_utils.kraft.control.start import HERE, Start, nowhere, objection
from ansible.module_utils.kraft.spec.inventory import report, yaml_files
from ansible.module_utils.kraft.spec.inventory.refusal import width

module_results.install()  # in the main process, before the first task
PROOF = "verify_cluster.yml"
SWITCH = "mirror_cutover.yml"
BAD_OPTIONS = 5  # Ansible's own exit code for options that cannot be used
REFUSED = 2  # as if the inventory is refused


def ours(playbook: Any) -> list[tuple[Any, str]]:
    """Return the plays of `playbook` in this project's playbooks, each with the name of its file."""
    paths = [(play, Path(str(play.get_path()).rpartition(":")[0]).resolve()) for play in playbook.get_plays()]
    return [(play, path.name) for play, path in paths if path.parent == ROOT / "playbooks"]


def patterns(play: Any) -> list[str]:
    """Return the hosts of a play: one name or a list, as written or, once it runs, as templates gave it."""
    return [play.hosts] if isinstance(play.hosts, str) else list(play.hosts or ())


def asked(plays: list[tuple[Any, str]]) -> Start:
    """Return the options and settings of a run of `plays`."""
    options, settings = context.CLIARGS, vars(constants)
    return Start(
        tags=tuple(options.get("tags") or ("all",)),
        skip_tags=tuple(options.get("skip_tags") or ()),
        play_tags=tuple(frozenset(play.tags) for play, _ in plays),
        start_at_task=str(options.get("start_at_task") or ""),
        step=bool(options.get("step")),
        limit=str(options.get("subset") or ""),
        proves=any(name == PROOF for _, name in plays),
        switches=any(name == SWITCH for _, name in plays),
        strategy=str(settings["DEFAULT_STRATEGY"]),
        injects_facts=bool(settings["INJECT_FACTS_AS_VARS"]),
        config_file=str(settings["CONFIG_FILE"] or ""),
        root=str(ROOT),
        root_is_open=bool(ROOT.stat().st_mode & stat.S_IWOTH),
    )


def unreadable(play: Any) -> str:
    """Return a table of inventory files that Ansible could not read; empty if it can read them all."""
    variables = getattr(play, "_variable_manager", None)
    found = yaml_files.unreadable_files(variables._inventory, play.get_loader()) if variables else []
    heading = f"Inventory validation failed: {report.summary(found)}. No host was changed."
    return f"{heading}\n\n{report.table(found, 0, width())}" if found else ""


class CallbackModule(CallbackBase):
    """Start of a run."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "kraft_start"

    def __init__(self) -> None:
        super().__init__()
        self._ours: list[Any] = []
        self._play: Any = None
        self._modules: built_modules.BuiltModules | None = None

    def v2_playbook_on_start(self, playbook: Any) -> None:
        """End the run if it must not begin: Ansible makes a warning of a callback's errors, so this one exits."""
        plays = ours(playbook)
        self._ours = [play for play, _ in plays]
        self._end(objection(asked(plays)) if plays else "", BAD_OPTIONS)
        self._end(unreadable(plays[0][0]) if plays else "", REFUSED)
        with contextlib.suppress(OSError):  # without them, Ansible builds all modules
            self._modules = built_modules.of_project(ROOT) if plays else None
        if self._modules:
            self._modules.take()

    def v2_playbook_on_stats(self, stats: Any) -> None:  # noqa: ARG002 - Ansible's signature
        if self._modules:
            self._modules.keep()

    def v2_playbook_on_play_start(self, play: Any) -> None:
        self._play = play

    def v2_playbook_on_no_hosts_matched(self) -> None:
        """End a run that would do nothing and report success. Plays with an empty list have nothing to do."""
        if self._play in self._ours:
            alone = all(patterns(each) == [HERE] for each in self._ours)
            text = nowhere(patterns(self._play), str(context.CLIARGS.get("subset") or ""), alone)
            self._end(text, REFUSED)

    def _end(self, text: str, code: int) -> None:
        if text:
            self._display.error(text, wrap_text=False)
            sys.exit(code)
