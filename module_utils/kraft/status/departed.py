"""Controllers that left and are still registered: what they hold back, and what to do about it. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.departed import METADATA_VERSION, level_of, unregisters
from ansible.module_utils.kraft.cluster.health import listed
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.spec.inventory.releases import levels
from ansible.module_utils.kraft.status.advice import Step
from ansible.module_utils.kraft.status.causes import Cause
from ansible.module_utils.kraft.status.evidence import unread


@dataclasses.dataclass(frozen=True)
class Left:
    """Controllers that left, in a status: work that can be done now, or a note."""

    unfinished: tuple[Cause, ...] = ()
    notes: tuple[str, ...] = ()


def departures(
    views: Iterable[Mapping[str, Any] | None],
    snapshot: Snapshot | None,
    about: Mapping[str, Any],
    inventory: str = "",
) -> Left:
    """Find controllers that are registered, no voters, and in no inventory. `views`: hosts' data (``registered``)."""
    if snapshot is None or snapshot.quorum is None:
        return Left()
    said = {one for view in views if view and not unread(view) for one in view.get("registered") or ()}
    voters = {one.node_id for one in snapshot.quorum.voters}
    node_ids = tuple(sorted(said - voters - set(about["controller_ids"])))
    level = level_of(snapshot.features)
    if not node_ids:
        return Left()
    if level is None:
        return Left(notes=(f"{sentence(node_ids)}; the level of {METADATA_VERSION} is not known",))
    if not unregisters(level):
        return Left(
            notes=(f"{sentence(node_ids)}; finalize_upgrade.yml renews the registration, and removes it with 4.4",)
        )
    known = [release for release, found in levels().items() if found[METADATA_VERSION] <= level]
    words = ["ansible-playbook", inventory, "playbooks/finalize_upgrade.yml", f"-e kafka_finalize={known[-1]}"]
    step = Step(" ".join(word for word in words if word), "remove the registration of each")
    detail = "later features must wait for it"
    return Left((Cause("controller_left", node_ids, (), sentence(node_ids), detail, (), (step,)),))


def sentence(node_ids: tuple[int, ...]) -> str:
    """Name the controllers that have left."""
    if len(node_ids) == 1:
        return f"controller {node_ids[0]} has left and is still registered"
    return f"controllers {listed(node_ids)} have left and are still registered"
