"""The leader of the metadata quorum, by the controllers' answers. Pure: from claims to one verdict.

The rule is Raft's: the highest claimed epoch that a majority of the voters holds counts. A controller with another
claim is out of date (it is cut off, or an election has just been held).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.snapshot import NO_NODE


@dataclasses.dataclass(frozen=True)
class Claim:
    """One controller's answer. ``leader_id`` and ``epoch`` are -1 when unknown; ``error``: the reason for no answer."""

    node_id: int
    leader_id: int = NO_NODE
    epoch: int = -1
    error: str = ""

    @property
    def answered(self) -> bool:
        return not self.error

    def sentence(self) -> str:
        """Return its answer in words."""
        if self.error:
            return f"controller {self.node_id} does not answer: {self.error}"
        leader = "knows no leader" if self.leader_id == NO_NODE else f"follows controller {self.leader_id}"
        if self.leader_id == self.node_id:
            leader = "reports itself as the leader"
        return f"controller {self.node_id} {leader} (epoch {self.epoch})"


@dataclasses.dataclass(frozen=True)
class Leadership:
    """``leader_id`` is -1 if no majority agrees on one. ``according_to``: node ids that follow it.

    ``others``: controllers with another answer; ``silent``: those without an answer; ``needed``: a majority.
    ``stale``: those that name the same leader and are cut off from it: their answers are old.
    """

    leader_id: int = NO_NODE
    epoch: int = -1
    according_to: tuple[int, ...] = ()
    others: tuple[Claim, ...] = ()
    silent: tuple[Claim, ...] = ()
    needed: int = 0
    stale: tuple[int, ...] = ()

    @property
    def known(self) -> bool:
        return self.leader_id != NO_NODE

    def without(self, cut_off: Collection[int]) -> Leadership:
        """Return the same verdict; nodes that are `cut_off` do not count as followers."""
        kept = tuple(one for one in self.according_to if one not in cut_off)
        stale = tuple(one for one in self.according_to if one in cut_off)
        return dataclasses.replace(self, according_to=kept, stale=stale)


def leadership(claims: Iterable[Claim], voters: Collection[int]) -> Leadership:
    """Return the verdict on one claim of each controller; those that are no voters are shown and not counted."""
    given = {claim.node_id: claim for claim in claims}
    answered = [claim for claim in given.values() if claim.answered]
    needed = len(voters) // 2 + 1
    followers: dict[tuple[int, int], list[int]] = {}
    for claim in answered:
        if claim.leader_id != NO_NODE:
            followers.setdefault((claim.epoch, claim.leader_id), []).append(claim.node_id)
    held = [key for key, nodes in followers.items() if len(set(nodes) & set(voters)) >= needed]
    epoch, leader_id = max(held, default=(-1, NO_NODE))
    agreed = tuple(sorted(followers.get((epoch, leader_id), ())))
    return Leadership(
        leader_id=leader_id,
        epoch=epoch,
        according_to=agreed,
        others=_by_id(claim for claim in answered if claim.node_id not in agreed),
        silent=_by_id(claim for claim in given.values() if not claim.answered),
        needed=needed,
    )


def _by_id(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    return tuple(sorted(claims, key=lambda claim: claim.node_id))


def best_claims(views: Mapping[int, Iterable[Claim]], voters: Iterable[int]) -> tuple[Claim, ...]:
    """Return one claim for each of `voters`, from the answers that every node got from all of them.

    `views`: node id of the requesting node -> claims. A controller's answer to its own node counts first, since no
    network is between; then the highest epoch in any answer; then the reason why there was no answer.
    """
    heard: dict[int, list[tuple[int, Claim]]] = {}
    for asking, claims in views.items():
        for claim in claims:
            heard.setdefault(claim.node_id, []).append((asking, claim))
    return tuple(_best(node_id, heard.get(node_id, [])) for node_id in sorted(voters))


def _best(node_id: int, heard: Iterable[tuple[int, Claim]]) -> Claim:
    ranked = sorted(heard, key=lambda pair: (pair[1].answered, pair[0] == node_id, pair[1].epoch))
    return ranked[-1][1] if ranked else Claim(node_id, error="no host could connect to it")


def claims_from(data: Iterable[Mapping[str, Any]] | None) -> tuple[Claim, ...]:
    """Parse the ``controllers`` that ``kafka_connectivity_info`` returned."""
    fields = [field.name for field in dataclasses.fields(Claim)]
    return tuple(Claim(**{name: one[name] for name in fields}) for one in data or ())
