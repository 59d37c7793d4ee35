"""Meaning of a plan for a topic, for people: sentences, and the topic before and after for a diff. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.snapshot import Topic
from ansible.module_utils.kraft.operations.topics.plan import Plan

#: First words of the steps that create and delete a topic.
CREATE, DELETE = "create", "delete"
#: Stands for the value of a setting that the topic does not have.
DEFAULT = "default"


def entry(
    one: Plan, topic: Topic | None, overrides: Mapping[str, str], resolved: Mapping[str, tuple[int, int]]
) -> dict[str, Any]:
    """Return a plan as the module returns it, with its diff. `resolved`: Kafka's defaults of new topics."""
    name = one.desired.name
    given = resolved.get(name)
    was, will = before(one, topic, overrides), after(one, topic, overrides, given)
    steps = list(sentences(one, topic, overrides, given))
    found = {"name": name, "topic_id": topic.topic_id if topic else "", "changed": one.changes, "steps": steps}
    return {**found, **will, "diff": _diff(name, was, will)}


def _diff(name: str, was: Mapping[str, Any], will: Mapping[str, Any]) -> dict[str, str]:
    header = f"topic {name}"
    return {"before_header": header, "after_header": header, "before": _text(was), "after": _text(will)}


def _text(value: Mapping[str, Any]) -> str:
    """Return YAML with one line for each setting and partition, so that a diff shows exactly the differences."""
    lines: list[str] = []
    for key, one in value.items():
        lines += (
            [f"{key}:", *(f"  {name}: {held}" for name, held in one.items())]
            if isinstance(one, dict)
            else [f"{key}: {one}"]
        )
    return "".join(f"{line}\n" for line in lines)


def sentences(
    one: Plan, topic: Topic | None, overrides: Mapping[str, str], resolved: tuple[int, int] | None = None
) -> tuple[str, ...]:
    """Describe the steps of a plan in their order, each with what it replaces: an approved plan is compared by them."""
    if one.create or topic is None:
        return _creation(one, resolved) if one.create else ()
    if one.delete:
        return (f"{DELETE}: topic id {topic.topic_id}, partitions {len(topic.partitions)}",)
    there = len(topic.partitions)
    held = {part.partition: part.replicas for part in topic.partitions}
    settings = _settings(one, overrides)
    added = (f"add partitions: {there} -> {one.add_to}",) if one.add_to else ()
    moves = tuple(f"move partition {n}: {list(held[n])} -> {list(nodes)}" for n, nodes in sorted(one.moves.items()))
    return (*added, *moves, *settings) if one.grows else (*added, *settings, *moves)


def _creation(one: Plan, resolved: tuple[int, int] | None) -> tuple[str, ...]:
    partitions, replicas = resolved or (one.desired.partitions, one.desired.replication_factor)
    settings = (f"set {key} = {value}" for key, value in sorted(one.settings.items()))
    return (f"{CREATE}: partitions {partitions}, replicas {replicas}", *settings)


def _settings(one: Plan, overrides: Mapping[str, str]) -> tuple[str, ...]:
    """Describe changed settings. The value of a default is left out: the same run may change it before (site.yml)."""
    sets = (f"set {key}: {overrides.get(key, DEFAULT)} -> {value}" for key, value in sorted(one.settings.items()))
    return (*sets, *(f"reset {key}: {overrides.get(key)} -> {DEFAULT}" for key in sorted(one.resets)))


def before(one: Plan, topic: Topic | None, overrides: Mapping[str, str]) -> dict[str, Any]:
    """Return the topic now; empty if it does not exist. Replicas are shown for the partitions that are to move."""
    if topic is None:
        return {}
    moving = {part.partition: list(part.replicas) for part in topic.partitions if part.partition in one.moves}
    return _shown(len(topic.partitions), topic.replication_factor, dict(overrides), moving)


def after(
    one: Plan, topic: Topic | None, overrides: Mapping[str, str], resolved: tuple[int, int] | None = None
) -> dict[str, Any]:
    """Return the topic after the plan; empty if it is gone or never was."""
    if not one.desired.present:
        return {}
    config = {key: value for key, value in overrides.items() if key not in one.resets}
    config.update(one.settings)
    if topic is None:
        partitions, replicas = resolved or (one.desired.partitions, one.desired.replication_factor)
        return _shown(partitions, replicas, config, {})
    replicas = one.desired.replication_factor or topic.replication_factor
    moved = {number: list(nodes) for number, nodes in one.moves.items()}
    return _shown(one.add_to or len(topic.partitions), replicas, config, moved)


def _shown(
    partitions: int | None, replicas: int | None, config: Mapping[str, str], moving: Mapping[int, list[int]]
) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "partitions": partitions,
        "replication_factor": replicas,
        "config": dict(sorted(config.items())),
    }
    if moving:
        shown["replicas"] = {str(number): nodes for number, nodes in sorted(moving.items())}
    return shown
