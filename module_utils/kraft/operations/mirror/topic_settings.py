"""Settings that topics need here to mean the same as on the source, and the effects without them. Pure.

MirrorMaker copies a topic's own settings alone. The defaults of the source's brokers matter as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.operations.config.settings import same
from ansible.module_utils.kraft.operations.mirror.model import Source, Target, Topic, few, megabytes

UNLIMITED = str(2**63 - 1)
#: In place of a bound on timestamps while the copy runs. No one else sets it, so it can be taken off again.
LIFTED = str(2**63 - 2)
BOUNDS = ("message.timestamp.before.max.ms", "message.timestamp.after.max.ms")
OLD_BOUND = "message.timestamp.difference.max.ms"  #: both of them, until Kafka 3.9
RETENTION, LARGEST = "retention.ms", "max.message.bytes"
#: They change what a topic holds, wherever they come from.
MEANING = (
    *(RETENTION, "retention.bytes", "cleanup.policy", LARGEST, "message.timestamp.type", "compression.type"),
    *("delete.retention.ms", "min.compaction.lag.ms", "max.compaction.lag.ms"),
)
#: A cluster's own affair. Source: Kafka's ``DefaultConfigPropertyFilter``, but for what a cluster of today takes.
OWN_AFFAIR = (
    *("follower.replication.throttled.replicas", "leader.replication.throttled.replicas", OLD_BOUND),
    *("unclean.leader.election.enable", "min.insync.replicas"),
)
HOUR = 3_600_000
#: Older names of a broker's setting, with their unit in ms; the first one that is set counts.
COARSER = {
    "log.retention.ms": {"log.retention.minutes": 60_000, "log.retention.hours": HOUR},
    "log.roll.ms": {"log.roll.hours": HOUR},
    "log.roll.jitter.ms": {"log.roll.jitter.hours": HOUR},
}


def defaults(known: Mapping[str, str], values: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return topics' setting -> a new topic's value. `known`: setting -> the broker's; `values`: of a broker."""
    return {name: _default(server, values) if server else None for name, server in known.items()}


def _default(server: str, values: Mapping[str, str | None]) -> str | None:
    for name, unit in {server: 1, **COARSER.get(server, {})}.items():
        value = values.get(name)
        if value is not None:
            return value if unit == 1 else str(max(-1, int(value) * unit))
    return None


def here(name: str, target: Target) -> Mapping[str, str | None]:
    """Return the settings that a topic has here, or would get."""
    there = target.topics.get(name)
    return {**target.defaults, **(there.effective if there else {})}


def needed(topic: Topic, found: Mapping[str, str | None], known: Mapping[str, str | None]) -> dict[str, str]:
    """Return setting -> value by which a topic means the same as on the source. `found`: its values here."""
    own = {name: value for name, value in topic.config.items() if name not in (*OWN_AFFAIR, *BOUNDS)}
    given = {name: topic.effective[name] for name in MEANING if name in topic.effective}
    if LARGEST in given and LARGEST not in own and int(given[LARGEST]) <= int(found.get(LARGEST) or 0):
        del given[LARGEST]  # larger records may come
    wanted = {name: value for name, value in {**given, **own}.items() if not same(found.get(name), value)}
    lifted = {name: LIFTED for name in BOUNDS if found.get(name) != LIFTED and _binds(name, topic, found)}
    return {name: value for name, value in {**wanted, **lifted}.items() if name in known}


def _binds(name: str, topic: Topic, found: Mapping[str, str | None]) -> bool:
    own = topic.config.get(name, topic.config.get(OLD_BOUND, UNLIMITED))
    return found.get(name) != UNLIMITED or own != UNLIMITED


def wanted(source: Source, target: Target) -> dict[str, dict[str, str]]:
    """Return topic -> settings to set here; empty for a topic that is to be created and needs nothing."""
    every = {name: needed(one, here(name, target), target.defaults) for name, one in source.topics.items()}
    return {name: one for name, one in sorted(every.items()) if one or name not in target.topics}


def topics(source: Source, target: Target, replication_factor: int) -> list[dict[str, Any]]:
    """Return the same in the form of module ``kafka_topic``. Existing topics keep their partitions and replicas."""
    return [
        {"name": name, "config": config, **({} if name in target.topics else _size(source, name, replication_factor))}
        for name, config in wanted(source, target).items()
    ]


def _size(source: Source, name: str, replication_factor: int) -> dict[str, int]:
    return {"partitions": len(source.topics[name].partitions), "replication_factor": replication_factor}


def put_back(source: Mapping[str, Topic], target: Target) -> list[dict[str, Any]]:
    """Return the settings that end the copy: bounds on timestamps as on the source, or ours. For ``kafka_topic``."""
    lifted = {
        name: {bound: _bound(bound, source.get(name), target) for bound in BOUNDS if one.config.get(bound) == LIFTED}
        for name, one in sorted(target.topics.items())
    }
    return [{"name": name, "config": config} for name, config in lifted.items() if config]


def _bound(name: str, topic: Topic | None, target: Target) -> str | None:
    if topic is None:
        return None
    own = topic.config.get(name, topic.config.get(OLD_BOUND))
    value = own or topic.effective.get(name, topic.effective.get(OLD_BOUND, UNLIMITED))
    usual = value in (LIFTED, target.defaults.get(name)) or (own is None and value == UNLIMITED)
    return None if usual else value


def limits(source: Source, target: Target) -> dict[str, int]:
    """Return topic -> ms after which this cluster would delete records that the source keeps."""
    every = wanted(source, target).items()
    found = [(name, one[RETENTION], here(name, target).get(RETENTION)) for name, one in every if RETENTION in one]
    return {name: int(ours) for name, theirs, ours in found if ours is not None and _longer(theirs, ours)}


def _longer(theirs: str, ours: str) -> bool:
    """Check whether the source has no limit, or a larger one."""
    return int(ours) >= 0 and (int(theirs) < 0 or int(theirs) > int(ours))


def lines(source: Source, target: Target, most: int = 1) -> Iterator[str]:
    """Describe each difference of meaning, with its effect. `most`: 0 names all topics."""
    found: dict[tuple[str, str, str | None], list[str]] = {}
    lifted = []
    for name, config in wanted(source, target).items():
        for setting in filter(config.__contains__, MEANING):
            usual = here(name, target).get(setting)
            found.setdefault((setting, config[setting], usual), []).append(name)
        lifted += [name] if LIFTED in config.values() else []
    for (setting, theirs, ours), names in found.items():
        follows = (
            "" if ours is None else CONSEQUENCES[setting](theirs, ours, {name: source.topics[name] for name in names})
        )
        where = f"{few(names, most)} (it is {ours or 'unknown'} here{follows})"
        yield f"Set as on the source: {setting}={theirs} of {where}"
    if lifted:
        yield (
            f"Any timestamp is accepted while the copy runs, by {few(lifted, most)}. "
            "The switch or the end of the copy restores the limits"
        )


def status(source: Source, target: Target, most: int = 1) -> list[str]:
    """Describe topics that are here with different settings. `most`: 0 names all topics."""
    found: dict[str, list[str]] = {}
    for name, config in wanted(source, target).items():
        if name in target.topics:
            found.setdefault(", ".join(sorted(config)), []).append(name)
    remedy = "Run mirror_cluster.yml again: it sets them"
    return [
        f"Different from the source: {settings} of {few(names, most)}. {remedy}" for settings, names in found.items()
    ]


def _retention(theirs: str, ours: str, topics: Mapping[str, Topic]) -> str:
    if not _longer(theirs, ours):
        return ": records would stay longer"
    older = sum(one.older or 0 for one in topics.values())
    silent = [name for name, one in topics.items() if one.older is None]
    least, unknown = ("at least ", f"; the number in {few(silent, 1)} is not known") if silent else ("", "")
    return f": {least}{older} records are older than {int(ours) / HOUR:g} h and would be deleted{unknown}"


def _bytes(theirs: str, ours: str, topics: Mapping[str, Topic]) -> str:
    if not _longer(theirs, ours):
        return ": records would stay longer"
    above = sum(max(0, one.size - int(ours) * len(one.partitions)) for one in topics.values())
    return f": {f'at least {megabytes(above)}' if above else 'what is above'} would be deleted"


def _nothing(*_: object) -> str:
    return ""


CONSEQUENCES: Mapping[str, Callable[[str, str, Mapping[str, Topic]], str]] = {
    **dict.fromkeys(MEANING, _nothing),
    RETENTION: _retention,
    "retention.bytes": _bytes,
    "cleanup.policy": lambda *_: ": other records would be deleted",
    LARGEST: lambda theirs, ours, _: ": larger records would be refused" if _longer(theirs, ours) else "",
    "message.timestamp.type": lambda *_: ": records would have other timestamps",
    "compression.type": lambda *_: ": brokers would compress the records again",
}
