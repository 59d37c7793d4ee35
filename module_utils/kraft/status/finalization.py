"""A release that runs on all nodes although its features are not finalized. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ansible.module_utils.kraft.cluster.departed import METADATA_VERSION, level_of
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.spec.inventory.advisories import number
from ansible.module_utils.kraft.spec.inventory.releases import levels
from ansible.module_utils.kraft.status.evidence import Evidence
from ansible.module_utils.kraft.status.unfinished import span


def not_finalized(nodes: Sequence[Evidence], snapshot: Snapshot | None, inventory: str = "") -> Iterator[str]:
    """Yield a note if all nodes support a higher METADATA_VERSION than is finalized.

    Its time is that of the node that got the release last. While nodes run different releases, the upgrade itself goes
    on, and nothing is reported; nor of a release whose levels are not known.
    """
    level = level_of(snapshot.features) if snapshot else None
    here = [node for node in nodes if not (node.removed or node.foreign)]
    lines = {found[:2] if (found := number(node.release)) else None for node in here}
    if level is None or len(lines) != 1 or not (line := lines.pop()):
        return
    name = ".".join(map(str, line))
    supported = levels().get(name, {}).get(METADATA_VERSION, 0)
    if supported > level:
        lasts = span(min(node.release_age for node in here))
        words = ["ansible-playbook", inventory, f"playbooks/finalize_upgrade.yml -e kafka_finalize={name}"]
        command = " ".join(word for word in words if word)
        yield (
            f"Kafka {name} has run on all nodes for {lasts}, and {METADATA_VERSION} is {level}, not {supported}; "
            f"finalize the upgrade: {command}"
        )
