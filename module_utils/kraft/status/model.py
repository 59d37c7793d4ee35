"""A cluster's status as one value."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from ansible.module_utils.kraft.cluster.leadership import Leadership
from ansible.module_utils.kraft.node.machine.ungranted import Ungranted
from ansible.module_utils.kraft.status.advice import Step
from ansible.module_utils.kraft.status.causes import Cause
from ansible.module_utils.kraft.status.certificates import Certificate
from ansible.module_utils.kraft.status.cluster_figures import NO_CLUSTER_FIGURES, ClusterFigures
from ansible.module_utils.kraft.status.figures import NO_FIGURES, Figures
from ansible.module_utils.kraft.status.last_change import LastChange
from ansible.module_utils.kraft.status.watched import Watched


@dataclasses.dataclass(frozen=True)
class Node:
    """``state``: its present work; ``may_go``: whether it may go down now, and ``reasons`` why not.

    ``may_go`` is None if that is unknown, and for a node that is down already.
    """

    host: str
    node_id: int
    roles: tuple[str, ...]
    state: str
    leads: bool
    may_go: bool | None
    reasons: tuple[str, ...]
    drift: tuple[str, ...] = ()
    uncompared: tuple[str, ...] = ()
    certificates: tuple[Certificate, ...] = ()
    figures: Figures = NO_FIGURES


@dataclasses.dataclass(frozen=True)
class Status:
    """``causes`` say why the cluster is not healthy, ``problems`` what it shows of that.

    ``leader``: host and node id of the active controller in words, empty where there is none. ``drift``: unknown nodes
    and overrides. ``ungranted``: what hosts do not grant, which makes no status worse. ``counts``: label -> figure.
    ``uncompared``: parts of no single host that could not be compared.
    ``unfinished``: what a run began, as causes with their steps; ``notes`` make no status worse.
    ``figures``, those of the nodes and ``changed`` (by the last deployment from this machine) make it no worse, either.
    ``corrections``: the command that shows what corrects the drift.
    ``watched``: what Prometheus has seen, None where none is named; it makes no status better or worse, either.
    """

    name: str
    cluster_id: str
    leader: str
    leadership: Leadership
    causes: tuple[Cause, ...]
    problems: tuple[str, ...]
    nodes: tuple[Node, ...]
    drift: tuple[str, ...]
    ungranted: tuple[Ungranted, ...]
    counts: Mapping[str, str]
    watched: Watched | None = None
    uncompared: tuple[str, ...] = ()
    unfinished: tuple[Cause, ...] = ()
    notes: tuple[str, ...] = ()
    figures: ClusterFigures = NO_CLUSTER_FIGURES
    changed: LastChange | None = None
    corrections: tuple[Step, ...] = ()

    @property
    def healthy(self) -> bool:
        return not self.problems and not self.causes

    @property
    def drifted(self) -> bool:
        return bool(self.drift or any(node.drift for node in self.nodes))

    @property
    def differences(self) -> list[str]:
        """Return every difference with its nodes; one that several nodes have is one."""
        nodes: dict[str, list[Node]] = {}
        for node in self.nodes:
            for text in node.drift:
                nodes.setdefault(text, []).append(node)
        return [*(f"{self._node_names(found)} {text}" for text, found in nodes.items()), *self.drift]

    def _node_names(self, found: Sequence[Node]) -> str:
        if 1 < len(found) == len(self.nodes):
            return "all nodes:"
        hosts, ids = (", ".join(map(str, each)) for each in zip(*((one.host, one.node_id) for one in found)))
        return f"{hosts} (node{'s' if len(found) > 1 else ''} {ids}){':' if len(found) > 1 else ''}"

    @property
    def compared(self) -> bool:
        """Check that every host, and the brokers' settings, could be compared with the inventory."""
        return not self.uncompared and not any(node.uncompared for node in self.nodes)

    @property
    def good(self) -> bool:
        return self.healthy and not self.drifted and not self.unfinished and self.compared

    @property
    def reason(self) -> str:
        """Describe its health and its differences, without its name."""
        found = self.differences
        away = [node for node in self.nodes if node.uncompared]
        words = [one.text for one in self.unfinished]
        words += [f"{_number(found, 'difference')} from the inventory"] if found else []
        words += [f"{_number(away, 'node')} not compared"] if away else []
        words += ["settings of brokers not compared"] if self.uncompared else []
        if self.healthy:
            return ", ".join(words or ["as the inventory says"])
        more = f" {_number(self.causes[1:], 'more cause')}." if self.causes[1:] else ""
        return f"{self.causes[0].sentence}.{more}{' Also: ' + ', '.join(words) + '.' if words else ''}".rstrip(".")

    @property
    def headline(self) -> str:
        """Return one or two sentences that are complete alone: the first cause, then the number of differences."""
        health = "healthy, " if self.healthy else "NOT HEALTHY: "
        return f"Cluster {self.name}: {health}{self.reason}."


def _number(things: Sequence[object], noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"
