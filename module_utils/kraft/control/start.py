"""Check whether a run may begin with its options and with Ansible's settings. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

WHOLE = "all"
#: The machine on which Ansible runs, as plays name it.
HERE = "localhost"
#: Words of --skip-tags that leave out tasks whatever tags they carry, and the one tag that a task of ours has.
LEAVES_OUT = frozenset({"all", "always", "tagged", "untagged"})
#: Strategies that take all hosts through a task before the next one begins; the plays rely on it.
LOCK_STEP = ("linear", "debug")
NOTHING = "Nothing was changed."
BY_PARTS = "Run playbooks/deploy_cluster.yml with --limit, then playbooks/verify_cluster.yml without it."
WHOLE_RUN = "Run the playbook as a whole: a run changes only what differs"


@dataclasses.dataclass(frozen=True)
class Start:
    """The options of a run and the settings that decide over it.

    ``play_tags``: the tags of each play, which a playbook that imports ours may give; ``limit``: --limit; ``proves``:
    one of the plays proves the whole cluster; ``switches``: one proves a copy, by which clients switch to the cluster;
    ``config_file``: the ansible.cfg that Ansible reads, empty for none;
    ``root``: the project's directory; ``root_is_open``: others may write to it, so that Ansible ignores an ansible.cfg
    that it finds there; ``installed``: from a collection, whose users have a separate ansible.cfg.
    """

    tags: tuple[str, ...] = (WHOLE,)
    skip_tags: tuple[str, ...] = ()
    play_tags: tuple[frozenset[str], ...] = ()
    start_at_task: str = ""
    step: bool = False
    limit: str = ""
    proves: bool = False
    switches: bool = False
    strategy: str = "linear"
    injects_facts: bool = False
    config_file: str = ""
    root: str = ""
    root_is_open: bool = False
    installed: bool = False


def objection(start: Start) -> str:
    """Return why the run must not begin, with the remedy; empty if it may."""
    return partial(start) or partial_proof(start) or foreign_settings(start)


def partial(start: Start) -> str:
    """Refuse a partial run: it would skip validation, lock or preflight, or do nothing and report success."""
    options = {
        "--tags": "" if takes_all(start) else ",".join(start.tags),
        "--skip-tags": ",".join(tag for tag in start.skip_tags if tag in LEAVES_OUT.union(*start.play_tags)),
        "--start-at-task": f"'{start.start_at_task}'" if start.start_at_task else "",
        "--step": " " if start.step else "",
    }
    given = [f"{name} {value}".strip() for name, value in options.items() if value]
    if not given:
        return ""
    why = "each task needs the validation, the lock and the checks before it"
    return f"{' and '.join(given)} cannot be used with this playbook: {why}. {NOTHING} {WHOLE_RUN}."


def partial_proof(start: Start) -> str:
    """Refuse the proof of a part of a cluster; with --limit Ansible even leaves the proof out and reports success."""
    if not (start.proves or start.switches) or start.limit in ("", WHOLE):
        return ""
    why, remedy = "it proves the whole cluster at its end", BY_PARTS
    if start.switches:
        why, remedy = "it proves the whole copy before clients switch", "Run it without --limit."
    return f"--limit {start.limit} cannot be used with this playbook: {why}. {NOTHING} {remedy}"


def takes_all(start: Start) -> bool:
    """Check that ``--tags`` leaves nothing out: not given, or every play carries one of them."""
    return start.tags == (WHOLE,) or (bool(start.play_tags) and all(tags & set(start.tags) for tags in start.play_tags))


def nowhere(patterns: Sequence[str], limit: str = "", alone: bool = False) -> str:
    """Return why a run must end at a play without hosts: Ansible skips it, and reports success.

    `patterns`: the hosts of the play; none means that it has nothing to do. `alone`: every play of the playbook works
    on this machine. Beside others a play does so, too, and may be left out by `limit`.
    """
    if not patterns or (set(patterns) == {HERE} and not alone):
        return ""
    if HERE in patterns:
        return f"--limit {limit} leaves out {HERE}, where this playbook works. {NOTHING} Run it without --limit."
    group = ", ".join(patterns)
    if limit not in ("", WHOLE):
        return f"--limit {limit} leaves no host of the group {group}. {NOTHING} Correct --limit, or leave it out."
    remedy = f"Name the inventory with -i, and put its hosts into the group {group}."
    return f"The inventory has no host in the group {group}. {NOTHING} {remedy}"


def foreign_settings(start: Start) -> str:
    """Refuse another ansible.cfg, or none, that lacks a setting that the plays rely on."""
    lacking = {
        "inject_facts_as_vars = false": ("ANSIBLE_INJECT_FACT_VARS", start.injects_facts),
        "strategy = linear": ("ANSIBLE_STRATEGY", start.strategy.rpartition(".")[2] not in LOCK_STEP),
    }
    setting, variable = next(((name, variable) for name, (variable, lacks) in lacking.items() if lacks), ("", ""))
    if setting and start.installed:
        place = start.config_file or "an ansible.cfg beside your inventory"
        return (
            f"Ansible's settings lack `{setting}`, which the plays rely on. {NOTHING} "
            f"Write it into {place}, below [defaults], and unset {variable}."
        )
    ours, found = f"{start.root}/ansible.cfg", start.config_file or "no ansible.cfg"
    if not setting:
        return ""
    if start.config_file == ours:
        return f"The environment overrides `{setting}` of {ours}. {NOTHING} Unset {variable}."
    remedy = f"Run it from {start.root}, or set ANSIBLE_CONFIG={ours}"
    if start.root_is_open and not start.config_file:
        remedy = f"Run chmod o-w {start.root}: Ansible ignores the configuration of a world-writable directory"
    return f"Ansible reads {found}, not {ours}, and lacks `{setting}`. {NOTHING} {remedy}."
