"""Unfinished work of a run while the cluster works: a migration, a limit of moves. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.spec.desired.model import DYNAMIC, OPEN, SWITCH
from ansible.module_utils.kraft.spec.inventory.advisories import affecting, number
from ansible.module_utils.kraft.status.advice import steps
from ansible.module_utils.kraft.status.causes import Cause
from ansible.module_utils.kraft.status.evidence import Evidence
from ansible.module_utils.kraft.wording import BETWEEN_LOG_DIRS, limited, named


def unfinished(
    nodes: Sequence[Evidence],
    snapshot: Snapshot | None,
    about: Mapping[str, Any],
    live: Mapping[str, Any],
    inventory: str = "",
) -> Iterator[Cause]:
    """Find unfinished work. `about`: cluster of ``kafka_desired``. `live`: result of ``kafka_change_plan``."""
    phases = Counter(node.migration for node in nodes if node.migration)
    if phases or about.get("migration") in (OPEN, SWITCH):
        text = ", ".join(f"{count} of {len(nodes)} nodes {phase}" for phase, count in sorted(phases.items()))
        text = f"migration: {text or 'phase ' + about['migration']}"
        detail = "old listeners are open beside the secured ones"
        yield Cause("migrating", (), (), text, detail, steps=steps("migrating", (), inventory))
    static = sum(node.static for node in nodes)
    if static and about.get("quorum") == DYNAMIC:
        text = f"migration of the quorum: {static} of {len(nodes)} nodes have controller.quorum.voters"
        detail = "controllers cannot be added, removed or replaced before it ends"
        yield Cause("migrating_quorum", (), (), text, detail, steps=steps("migrating_quorum", (), inventory))
    rates, disks = by_node(live.get("throttled")), by_node(live.get("throttled_disks"))
    if rates and snapshot and snapshot.reassignments == ():
        hosts = tuple(node.host for node in nodes if node.node_id in rates)
        text = f"{limited(rates)}, and nothing is on the move"
        yield Cause("throttle_left", tuple(sorted(rates)), hosts, text, steps=steps("throttle_left", hosts, inventory))
    if disks:
        hosts = tuple(node.host for node in nodes if node.node_id in disks)
        text = f"{limited(disks, BETWEEN_LOG_DIRS)}, and was killed or still moves replicas"
        todo = steps("disk_throttle_left", hosts, inventory)
        yield Cause("disk_throttle_left", tuple(sorted(disks)), hosts, text, steps=todo)


def by_node(rates: Mapping[str, int] | None) -> dict[int, int]:
    return {int(broker): rate for broker, rate in (rates or {}).items()}


def notes(nodes: Sequence[Evidence]) -> Iterator[str]:
    """Return notes that make no status worse: first the advisories of the releases that run."""
    yield from exposed(nodes)
    for node in nodes:
        if node.restarts and node.age:
            times = f"{node.restarts} time{'s' * (node.restarts > 1)}"
            yield f"{node.name} was restarted by systemd {times}, the last time {span(node.age)} ago"


def exposed(nodes: Sequence[Evidence]) -> Iterator[str]:
    """Yield each advisory of a running release, with its hosts, and the hosts whose release is unknown."""
    up = [node for node in nodes if not (node.down or node.removed or node.foreign)]
    if unknown := [node.host for node in up if number(node.release) is None]:
        yield f"the release that runs on {named(unknown)} is not known, so it may have advisories"
    for release in sorted({node.release for node in nodes} - {""}):
        hosts = [node.host for node in nodes if node.release == release]
        for one in affecting(release):
            text = f"Kafka {release} runs on {named(hosts)} and has {one.identifier}: {one.effect} ({one.reach})"
            yield f"{text}; {one.remedy}"


def span(seconds: float) -> str:
    """Format a time in its largest unit."""
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
