"""Plan of a copy, its omissions, and reasons for a refusal: from observations of both sides. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.operations.mirror import identity, topic_settings
from ansible.module_utils.kraft.operations.mirror.model import Source, Target, Topic, megabytes
from ansible.module_utils.kraft.spec.desired.mirror import Wanted, plain
from ansible.module_utils.kraft.wording import counted, named

ROOM = 0.85  #: of the target's free bytes; the rest is for what its own clients write meanwhile
SHOWN = 20
LOG_APPEND = "LogAppendTime"


def mirror_refusals(wanted: Wanted, source: Source, target: Target, replication_factor: int) -> list[str]:
    """Return every reason against a start, each with its remedy."""
    if source.cluster_id and source.cluster_id == target.cluster_id:
        return [f"the source is this cluster itself (cluster id {target.cluster_id}): name another one's brokers"]
    if source.old:
        return ["the source is older than Kafka 2.1, which is the oldest that today's client reads: upgrade it first"]
    return [
        *(f"the login at the source lacks the right {one}" for one in source.missing),
        *_unknown(wanted, source),
        *_named_in_vain(wanted, source),
        *(f"topic {name} {why}. {identity.REMEDY}" for name, why in source.changed.items()),
        *_in_the_way(source, target),
        *_room(source, target, replication_factor),
    ]


def _unknown(wanted: Wanted, source: Source) -> Iterator[str]:
    for name in wanted.named_topics:
        if name not in source.topics and wanted.takes_topic(name):
            yield f"topic {name} is not on the source, or hidden from its login (DESCRIBE): correct kafka_mirror.topics"
    if not source.topics:
        yield "no topic of the source matches kafka_mirror.topics: correct it"


def _named_in_vain(wanted: Wanted, source: Source) -> Iterator[str]:
    """Report literal names that will not be copied."""
    for name in wanted.contradictions:
        yield f"{name} of kafka_mirror is both named and excluded: remove it from one of the two lists"
    for name in sorted(source.left_topics.keys() & set(wanted.named_topics)):
        yield f"topic {name} cannot be copied: {source.left_topics[name]}. Remove it from kafka_mirror.topics"
    for name in sorted(source.left_groups.keys() & set(plain(wanted.groups))):
        yield f"group {name} cannot be copied: {source.left_groups[name]}. Remove it from kafka_mirror.groups"


def left_out(source: Source) -> list[str]:
    """Describe things that match a pattern and are not copied."""
    return [
        *(f"Not copied: topic {name}, {why}" for name, why in source.left_topics.items()),
        *(f"Not copied: group {name}, {why}" for name, why in source.left_groups.items()),
    ]


def _in_the_way(source: Source, target: Target) -> Iterator[str]:
    for name, topic in sorted(source.topics.items()):
        there = target.topics.get(name)
        if there is None:
            continue
        ours, theirs = len(topic.partitions), len(there.partitions)
        if theirs > ours or (theirs < ours and name not in target.copied):
            yield f"topic {name} has {theirs} partitions here and {ours} on the source: remove it here, or exclude it"
        elif there.holds_records and name not in target.copied:
            yield f"topic {name} holds records here that no mirror copied: remove it here, or exclude it"


def _room(source: Source, target: Target, replication_factor: int) -> Iterator[str]:
    if not target.free:
        return
    needed = sum(max(0, one.size - _there(name, target)) for name, one in source.topics.items()) * replication_factor
    share, least = needed // len(target.free), min(target.free.values())
    if share > least * ROOM:
        yield (
            f"the topics need about {megabytes(share)} on each broker, and one has {megabytes(least)} free: "
            "add disks or nodes, or copy fewer topics"
        )


def _there(name: str, target: Target) -> int:
    return target.topics[name].size if name in target.copied and name in target.topics else 0


def unknown_settings(source: Source, target: Target) -> dict[str, list[str]]:
    """Return setting that Kafka no longer has -> topics of the source that set it."""
    found = dict[str, list[str]]()
    for topic, one in sorted(source.topics.items()):
        for setting in sorted(set(one.config) - set(target.defaults)):
            found.setdefault(setting, []).append(topic)
    return found


def screen(
    wanted: Wanted, source: Source, target: Target, unknown: Mapping[str, list[str]], most: int = SHOWN
) -> list[str]:
    """Describe the plan: copied things, and those without an equivalent. `most`: topics and groups; 0 for all."""
    fresh = [name for name in source.topics if name not in target.topics]
    partitions = sum(len(one.partitions) for one in source.topics.values())
    total = sum(one.size for one in source.topics.values())
    return [
        f"From {wanted.name} ({', '.join(wanted.servers)}), cluster id {source.cluster_id}",
        f"Copies {counted(len(source.topics), 'topic')} with {counted(partitions, 'partition')}, "
        f"about {megabytes(total)}; {len(fresh)} of them are created here",
        *shortened([_topic(name, one, target) for name, one in sorted(source.topics.items())], "topics", most),
        f"Translates the offsets of {counted(len(source.groups), 'group')}",
        *shortened([f"  group {one}" for one in sorted(source.groups)], "groups", most),
        *topic_settings.lines(source, target, most),
        *notes(wanted, source, unknown),
    ]


def _topic(name: str, topic: Topic, target: Target) -> str:
    how = "" if name in target.topics else ", created here"
    size = f"{topic.records} records at most, {megabytes(topic.size)}"
    return f"  topic {name}: {counted(len(topic.partitions), 'partition')}, {size}{how}"


def shortened(texts: list[str], what: str, most: int = SHOWN) -> list[str]:
    """Return the first of them, `most` at most, and the number of others; all with 0."""
    left = len(texts) - most if most else 0
    more = [f"  and {left} more {what} (kafka_mirror_shown: 0 shows all)"]
    return [*texts[: most or None], *(more if left > 0 else [])]


def notes(wanted: Wanted, source: Source, unknown: Mapping[str, list[str]]) -> Iterator[str]:
    """Describe differences after the copy."""
    yield from left_out(source)
    for setting, topics in unknown.items():
        yield f"No equivalent: {setting} of {named(topics)}"
    stamped = [name for name, one in source.topics.items() if one.effective.get("message.timestamp.type") == LOG_APPEND]
    if stamped:
        yield (
            f"New timestamps: this cluster stamps the records of {named(sorted(stamped))} at the copy, and retention "
            "begins again. To keep the times, set CreateTime on the source first"
        )
    if wanted.acls:
        yield "ACLs: rights to read topics are copied. Rights to write and rights of groups are not: use kafka_acls"


def answer(
    wanted: Wanted, source: Source, target: Target, replication_factor: int, most: int = SHOWN
) -> dict[str, Any]:
    """Return all of it as plain data. `most`: topics and groups on the screen; 0 for all."""
    unknown = unknown_settings(source, target)
    return {
        "problems": mirror_refusals(wanted, source, target, replication_factor),
        "screen": screen(wanted, source, target, unknown, most),
        "unknown_settings": sorted(unknown),
        "topics": sorted(source.topics),
        "groups": sorted(source.groups),
        "partitions": sum(len(one.partitions) for one in source.topics.values()),
        "bytes": sum(one.size for one in source.topics.values()),
        "create": sorted(name for name in source.topics if name not in target.topics),
        "settings": topic_settings.topics(source, target, replication_factor),
        "put_back": topic_settings.put_back(source.topics, target),
    }


def answer_back(wanted: Wanted, source: Source) -> dict[str, Any]:
    """Return the same after a switch: nothing is copied from there any more. `source`: this cluster."""
    problem = (
        f"clients have switched and new records go back to {wanted.name}: a copy from it would bring them back. "
        "Continue with mirror_cutover.yml -e kafka_mirror_back=true, or end the way back with kafka_mirror_state=absent"
    )
    partitions = sum(len(one.partitions) for one in source.topics.values())
    size = sum(one.size for one in source.topics.values())
    nothing: dict[str, Any] = {"unknown_settings": [], "create": [], "settings": []}
    put_back = topic_settings.put_back({}, Target(source.cluster_id, source.topics))
    screen = [f"New records of {counted(len(source.topics), 'topic')} go back to {wanted.name}"]
    named_here = {"topics": sorted(source.topics), "groups": sorted(source.groups)}
    sizes = {"partitions": partitions, "bytes": size, "put_back": put_back}
    return {"problems": [problem], "screen": screen, **named_here, **nothing, **sizes}
