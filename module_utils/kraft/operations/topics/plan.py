"""Changes of topics from the current to the desired state. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.snapshot import Reassignment, Snapshot, Topic
from ansible.module_utils.kraft.operations.topics.placement import with_factor
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.java_properties import value_text
from ansible.module_utils.kraft.spec.resources.topics import NAME


@dataclasses.dataclass(frozen=True)
class Desired:
    """A topic as asked for. None means: as it is, or the cluster's default for a new topic.

    ``config`` maps a key to its value as Kafka writes it, or to None to reset it to the cluster's default.
    """

    name: str
    present: bool = True
    partitions: int | None = None
    replication_factor: int | None = None
    config: Mapping[str, str | None] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Plan:
    """The difference for one topic.

    ``moves``: partition → replicas. ``grows``: some get more of them than they have, now or by a move under way.
    ``awaited``: a move is under way already.
    """

    desired: Desired
    create: bool = False
    delete: bool = False
    add_to: int | None = None
    moves: Mapping[int, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    grows: bool = False
    awaited: bool = False
    settings: Mapping[str, str] = dataclasses.field(default_factory=dict)
    resets: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        return bool(self.create or self.delete or self.add_to or self.moves or self.settings or self.resets)


def desired(data: Mapping[str, Any]) -> Desired:
    """Convert a module's parameters; values of any YAML type become Kafka's strings."""
    return Desired(
        name=data["name"],
        present=data.get("state") != "absent",
        partitions=data.get("partitions"),
        replication_factor=data.get("replication_factor"),
        config={str(key): config_value(value) for key, value in (data.get("config") or {}).items()},
    )


def config_value(value: Any) -> str | None:
    """Convert ``True`` → ``true``, ``[a, b]`` → ``a,b``, 1.0e+6 → ``1000000``; None stays (reset)."""
    return None if value is None else value_text(value).strip()


def plan(wanted: Desired, snapshot: Snapshot, overrides: Mapping[str, str]) -> Plan:
    """Plan a topic. `overrides` are its own settings now (empty for a topic that does not exist)."""
    topic = find(snapshot, wanted.name)
    if not wanted.present:
        return Plan(wanted, delete=topic is not None)
    settings = {key: value for key, value in wanted.config.items() if value is not None and overrides.get(key) != value}
    if topic is None:
        return Plan(wanted, create=True, settings=settings)
    moving = [one for one in snapshot.reassignments or () if one.topic == wanted.name]
    moves = _moves(wanted, topic, snapshot, moving)
    held = {one.partition: len(one.replicas) for one in topic.partitions}
    more = wanted.partitions is not None and wanted.partitions > len(topic.partitions)
    return Plan(
        wanted,
        add_to=wanted.partitions if more else None,
        moves=moves,
        grows=any(len(nodes) > held[number] for number, nodes in moves.items()) or any(one.adding for one in moving),
        awaited=bool(moving) and wanted.replication_factor is not None,
        settings=settings,
        resets=tuple(key for key, value in wanted.config.items() if value is None and key in overrides),
    )


def find(snapshot: Snapshot, name: str) -> Topic | None:
    return next((topic for topic in snapshot.topics or () if topic.name == name), None)


def _moves(
    wanted: Desired, topic: Topic, snapshot: Snapshot, moving: Sequence[Reassignment]
) -> dict[int, tuple[int, ...]]:
    if wanted.replication_factor is None:
        return {}
    able = [broker for broker in snapshot.brokers if not broker.fenced]
    if wanted.replication_factor > len(able):
        return {}  # one of the problems
    leaving = {one.partition: one.removing for one in moving}
    return with_factor(topic, wanted.replication_factor, able, snapshot.topics or (), leaving)


def topic_refusals(wanted: Desired, snapshot: Snapshot) -> tuple[Problem, ...]:
    """Return reasons against the plan."""
    topic = find(snapshot, wanted.name)
    internal = wanted.name.startswith("__") or bool(topic and topic.internal)
    found = [*_name(wanted)]
    if not wanted.present:
        return (*found, *([_internal(wanted)] if internal and topic else []))
    there = len(topic.partitions) if topic else 0
    found += _partitions(wanted, there, internal)
    found += _factor(wanted, topic, snapshot)
    return tuple(found)


def _problem(wanted: Desired, rule: str, message: str, remedy: str, value: Any = None) -> Problem:
    return Problem(rule=f"topic_{rule}", message=message, remedy=remedy, variable=f"topic {wanted.name}", value=value)


def _name(wanted: Desired) -> list[Problem]:
    if NAME.fullmatch(wanted.name):
        return []
    return [_problem(wanted, "name", "Kafka does not allow this name", "use 1 to 249 letters, digits, dots, _ and -")]


def _internal(wanted: Desired) -> Problem:
    return _problem(wanted, "internal", "The topic is internal to Kafka and is never deleted", "take it off the list")


def _partitions(wanted: Desired, there: int, internal: bool) -> list[Problem]:
    asked = wanted.partitions
    if asked is not None and asked < 1:
        return [_problem(wanted, "partitions", f"A topic cannot have {asked} partitions", "ask for 1 or more", asked)]
    if asked is None or asked == there:
        return []
    if asked < there:
        text = f"The topic has {there} partitions, and {asked} are configured: Kafka cannot remove partitions"
        return [_problem(wanted, "shrink", text, f"ask for {there}, or make a new topic and copy the records", asked)]
    if internal and there:
        text = f"The topic is internal to Kafka: more than {there} partitions would separate keys from their state"
        return [_problem(wanted, "internal", text, "leave partitions out", asked)]
    return []


def _factor(wanted: Desired, topic: Topic | None, snapshot: Snapshot) -> list[Problem]:
    """Report an impossible replication factor; a topic that has its replicas already needs no brokers that are away."""
    asked, brokers = wanted.replication_factor, len(snapshot.unfenced)
    if asked is not None and asked < 1:
        return [_problem(wanted, "factor", f"A topic cannot have {asked} replicas", "ask for 1 or more", asked)]
    if (
        asked is not None
        and asked > brokers
        and not (topic and all(len(one.replicas) == asked for one in topic.partitions))
    ):
        text = f"The topic needs {asked} replicas, but only {brokers} brokers serve"
        away = sorted(broker.node_id for broker in snapshot.brokers if broker.fenced)
        remedy = f"ask for at most {brokers}, or add brokers"
        if asked <= len(snapshot.brokers):
            remedy = f"start the brokers that are away ({', '.join(map(str, away))})"
        return [_problem(wanted, "factor", text, remedy, asked)]
    return []


def unnamed(plans: Sequence[Plan], named: Collection[str]) -> tuple[Problem, ...]:
    """Report topics that would be deleted though the run does not name them. `named`: ``kafka_delete_topics``."""
    gone = [one.desired.name for one in plans if one.delete]
    remedy = f"to delete it with all records: -e kafka_delete_topics={','.join(gone)}"
    message = "The topic is declared absent but exists: only a run that names it deletes it"
    return tuple(
        _problem(one.desired, "delete", message, remedy)
        for one in plans
        if one.delete and one.desired.name not in named
    )


def duplicates(entries: Sequence[Desired]) -> tuple[Problem, ...]:
    """Report topics that are declared more than once."""
    names = [one.name for one in entries]
    twice = [one for one in entries if names.count(one.name) > 1 and one is entries[names.index(one.name)]]
    return tuple(
        _problem(one, "twice", "The topic is listed more than once", "keep one of the entries") for one in twice
    )
