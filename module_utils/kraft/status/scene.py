"""Facts in which the causes of a sick cluster are found. Values only."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ansible.module_utils.kraft.cluster.leadership import Leadership
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Snapshot
from ansible.module_utils.kraft.status.evidence import Evidence
from ansible.module_utils.kraft.status.obstacles import Obstacle


@dataclasses.dataclass(frozen=True)
class Finding:
    """A rule that holds for one node; nodes with the same words become one cause. ``{}`` stands for their names.

    ``obstacles``: what must be out of the way before Kafka can start there.
    """

    rule: str
    node_id: int
    text: str
    detail: str = ""
    obstacles: tuple[Obstacle, ...] = ()


@dataclasses.dataclass(frozen=True)
class Scene:
    """All that is known. ``snapshot``: None if no broker answers; ``voters``: node ids that count for a majority.

    ``controllers`` and ``brokers``: what the inventory wants; ``dynamic``: whether it wants a dynamic quorum.
    """

    nodes: Sequence[Evidence]
    leadership: Leadership
    snapshot: Snapshot | None
    voters: frozenset[int]
    controllers: frozenset[int]
    brokers: frozenset[int]
    dynamic: bool = False

    @property
    def registered(self) -> frozenset[int]:
        return frozenset(one.node_id for one in self.snapshot.brokers) if self.snapshot else frozenset()

    @property
    def listed(self) -> frozenset[int] | None:
        """Return the voters as the leader lists them; None without a leader or an answer."""
        quorum = self.snapshot.quorum if self.snapshot else None
        if quorum is None or quorum.leader_id == NO_NODE:
            return None
        return frozenset(voter.node_id for voter in quorum.voters)

    @property
    def foreign(self) -> frozenset[str]:
        """Return names of the hosts whose node is another one."""
        return frozenset(node.host for node in self.nodes if node.foreign)

    def heard(self, node: Evidence) -> bool:
        """Check whether the cluster still hears of a node that Ansible cannot reach."""
        if node.is_controller:
            said = [one for other in self.nodes for one in other.claims if one.node_id == node.node_id]
            return any(one.answered for one in said)
        return self.snapshot is not None and node.node_id in self.snapshot.unfenced
