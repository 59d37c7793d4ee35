"""The plan of a change, as a block that a person reads before it happens. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ansible.module_utils.kraft.difference import Difference
from ansible.module_utils.kraft.node.service.client_moves import move_lines
from ansible.module_utils.kraft.node.service.difference_text import sentences
from ansible.module_utils.kraft.operations.config.live import Decision, Node
from ansible.module_utils.kraft.operations.config.plan import Change
from ansible.module_utils.kraft.operations.config.settings import Entity, Setting, shown
from ansible.module_utils.kraft.operations.disks.throttle import RATE as DISK_RATE
from ansible.module_utils.kraft.operations.reassignment.throttle import RATES, is_our_rate
from ansible.module_utils.kraft.wording import BETWEEN_LOG_DIRS, limited

LABEL = 10
Undeclared = tuple[Entity, str, Setting]  #: an override that the inventory does not name


def block(
    nodes: Sequence[Node],
    decision: Decision,
    started: Iterable[int] = (),
    undeclared: Collection[Undeclared] = (),
    refused: Mapping[str, str] | None = None,
) -> list[str]:
    """Return ``live``, ``restart``, ``clients``, ``start``, ``drift`` and ``nothing``, as lines; only present ones.

    `started`: ids of nodes that were down. `undeclared`: overrides that the inventory does not name. `refused`: what
    Kafka would not change live -> why.
    """
    restarts = {node.node_id: decision.restarts(node) for node in nodes}
    down = frozenset(started)
    touched = {one.entity.name for one in decision.changes}
    busy = {node.node_id for node in nodes if restarts[node.node_id] or str(node.node_id) in touched} | down
    idle = [node.node_id for node in nodes if node.node_id not in busy and not (node.serves and "" in touched)]
    rows = [
        *_rows("live", live_lines(decision.changes, len([n for n in nodes if n.serves]))),
        *_rows("start", [f"{named(sorted(down))}, down until now"] if down else []),
        *_rows("restart", restart_lines(restarts)),
        *_rows("clients", move_lines({node.node_id: node.moves for node in nodes if restarts[node.node_id]})),
        *_rows("not live", [f"{what}: {why}" for what, why in (refused or {}).items()]),
        *_rows("drift", [*drift_lines(undeclared), *throttle_lines(undeclared)]),
        *_rows("nothing", [named(idle)] if idle else []),
    ]
    return ["Plan of the change", *rows]


def _rows(label: str, lines: Sequence[str]) -> list[str]:
    return [f"  {'' if number else label:{LABEL}}{line}" for number, line in enumerate(lines)]


def named(node_ids: Sequence[int]) -> str:
    """Format ``node 1``, ``nodes 1, 2``."""
    return f"node{'s' if len(node_ids) > 1 else ''} {', '.join(map(str, node_ids))}"


def live_lines(changes: Iterable[Change], brokers: int) -> list[str]:
    """Return one line for each key and its values, with the brokers that it concerns."""
    where: dict[str, list[str]] = {}
    for one in changes:
        where.setdefault(said(one), []).append(one.entity.name)
    return [f"{text} on {_brokers(names, brokers)}" for text, names in where.items()]


def said(change: Change) -> str:
    """Describe the change of the effective value."""
    value = shown(change.value, change.secret)
    if change.after is not None:
        return f"{change.key} {value} -> {shown(change.after, change.secret)}"
    after = shown(change.beneath, change.secret)
    if not change.matters:
        return f"{change.key} stays {value} (the file has it, the override goes)"
    return f"{change.key} {value} -> {after} (the override goes)"


def _brokers(names: Sequence[str], brokers: int) -> str:
    if "" in names:
        return "all brokers, as their common default"
    return "all brokers" if len(names) == brokers > 1 else named(sorted(map(int, names)))


def restart_lines(restarts: Mapping[int, Sequence[Difference]]) -> list[str]:
    """Return one line for each reason, below the nodes that share it; a single reason is on their line."""
    sharing: dict[str, dict[int, None]] = {}
    for node_id, differences in sorted(restarts.items()):
        for text in sentences(differences):
            sharing.setdefault(text, {})[node_id] = None
    groups: dict[tuple[int, ...], list[str]] = {}
    for text, ids in sharing.items():
        groups.setdefault(tuple(ids), []).append(text)
    return [line for ids, texts in groups.items() for line in _reasons(f"{named(ids)}, because of", texts)]


def _reasons(head: str, texts: Sequence[str]) -> list[str]:
    return [f"{head} {texts[0]}"] if len(texts) == 1 else [head, *(f"  {text}" for text in texts)]


def drift_lines(undeclared: Iterable[Undeclared]) -> list[str]:
    """Describe foreign overrides, which are left as they are."""
    return [
        f"{key} {shown(setting.value, setting.secret, key)} on {entity} ({setting.source}): "
        "not in the inventory; not changed"
        for entity, key, setting in undeclared
        if not is_throttle(key, setting)
    ]


def is_throttle(key: str, setting: Setting) -> bool:
    """Check whether the override is a limit that a run of moves has set."""
    return key in (*RATES, DISK_RATE) and is_our_rate(setting.value or "")


def throttled(undeclared: Iterable[Undeclared], *keys: str) -> dict[int, int]:
    """Return broker -> bytes per second that a run of moves has set there, by one of `keys`."""
    ours = [one for one in undeclared if one[0].name and one[1] in keys and is_throttle(one[1], one[2])]
    return {int(entity.name): int(setting.value or 0) for entity, _, setting in ours}


def throttle_lines(undeclared: Collection[Undeclared]) -> list[str]:
    """Describe limits of moves that are still set: by a run of moves that goes on, or by one that was killed."""
    between_brokers, between_disks = throttled(undeclared, *RATES), throttled(undeclared, DISK_RATE)
    lines = [(limited(between_brokers), "rebalance.yml")] if between_brokers else []
    lines += [(limited(between_disks, BETWEEN_LOG_DIRS), "balance_disks.yml")] if between_disks else []
    return [f"{text}: if no run moves replicas now, playbooks/{playbook} removes it" for text, playbook in lines]
