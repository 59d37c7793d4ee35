"""Both sides of a copy, looked at: what the plan and the status are made of. Changes nothing."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import from_java
from ansible.module_utils.kraft.cluster import responses
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import LOG_DIR_ERRORS
from ansible.module_utils.kraft.errors import AccessError, ToolError, UnreachableError
from ansible.module_utils.kraft.node.other_services.mirror_service import TARGET
from ansible.module_utils.kraft.operations.mirror import identity, kept, topic_settings
from ansible.module_utils.kraft.operations.mirror.model import Source, Target, Topic
from ansible.module_utils.kraft.operations.mirror.side import SECONDS, Configs, Partition, Side, older_than
from ansible.module_utils.kraft.spec.desired.mirror import Wanted

#: A broker that died is missed after its session, 18 s in a cluster of ZooKeeper; then others lead.
ANSWERED_SECONDS = 60.0
NEARLY = 100  #: offsets; so few are looked at, since markers of transactions are never copied


@dataclasses.dataclass(frozen=True)
class Known:
    """``settings``: of topics that Kafka has here -> the broker's. ``ids``: of topics when their copy began."""

    settings: Mapping[str, str] = dataclasses.field(default_factory=dict)
    ids: Mapping[str, str] = dataclasses.field(default_factory=dict)


NOTHING = Known()


@dataclasses.dataclass(frozen=True)
class Seen:
    """``copied``: (topic, partition) -> the offset of the source that is copied next. ``failed``: task -> why.

    ``invisible``: partitions of the source with no record left to copy, only markers and aborted ones.
    ``back``: since a switch of clients, new records go back: this cluster is the source, the other one the target.
    ``works``: whether a task was said to run. ``made``: whether MirrorMaker has ever made a connector.
    """

    source: Source
    target: Target
    copied: Mapping[Partition, int]
    failed: Mapping[str, str]
    invisible: frozenset[Partition] = frozenset()
    back: bool = False
    works: bool = True
    made: bool = True


def source_options(wanted: Wanted, python_path: str | None) -> dict[str, Any]:
    """Return the ``client`` parameter of the source's client. Raises RefusedError for unsupported settings."""
    config = from_java(dict(wanted.client), ",".join(wanted.servers))
    given = {key: value for key, value in dataclasses.asdict(config).items() if value not in ("", None)}
    return {**given, "bootstrap_servers": list(wanted.servers), "python_path": python_path}


@contextlib.contextmanager
def asked(options: Mapping[str, Any], where: str = "") -> Iterator[Side]:
    """Open a side of the copy. `where` is added to errors, with the request to correct it."""
    with Client(options) as client:
        if not where:
            yield Side(client)
            return
        try:
            try:
                side = Side(client)
            except UnreachableError as error:
                raise ToolError(f"{where}: {error}. Correct the address, or open the port") from error
            yield side
        except UnreachableError as error:
            raise UnreachableError(f"{where}: {error}") from error
        except AccessError as error:
            raise ToolError(f"{where}: {error}. Correct its client, or give it the right") from error


def observe_mirror(wanted: Wanted, options: Mapping[str, Any], known: Known = NOTHING) -> Seen:
    """Observe both sides. `options`: ``client`` parameter of this cluster. Raises KraftError for a silent side.

    UnreachableError: a broker of it is away while others answer, which passes when others lead.
    `known`: by which topics' settings and ids are compared.
    """
    there, where = source_options(wanted, options.get("python_path")), f"kafka_mirror.source {wanted.name}"
    with asked(there, where) as side:
        back = kept.copied(kept.Kept(side).records(kept.offsets_topic(TARGET)))
        source = None if back else of_source(wanted, side)
    if source:
        with asked(options) as side:
            seen = with_target(wanted, source, side, known)
        if not rest(seen) and not topic_settings.limits(seen.source, seen.target):
            return seen
        with asked(there, where) as side:
            return with_older(without_invisible(seen, side), side)
    of_here = dataclasses.replace(wanted, name=TARGET, topics=tuple({name for name, _ in back}), exclude_topics=())
    with asked(options) as here, asked(there, where) as side:
        seen = with_target(of_here, of_source(dataclasses.replace(of_here, acls=False), here), side)
        return dataclasses.replace(without_invisible(seen, here), back=True)


def without_invisible(seen: Seen, side: Side) -> Seen:
    """Add partitions without visible rest. `side`: the source, queried again."""
    return dataclasses.replace(seen, invisible=frozenset(nothing_left(side, rest(seen))))


def with_older(seen: Seen, side: Side) -> Seen:
    """Count the records that this cluster would delete by its own retention. `side`: the source, queried again."""
    topics, now = dict(seen.source.topics), int(1000 * time.time())
    by_limit: dict[int, list[str]] = {}
    for name, limit in topic_settings.limits(seen.source, seen.target).items():
        by_limit.setdefault(limit, []).append(name)
    for limit, names in by_limit.items():
        found = side.offsets_at(names, now - limit)
        for name in names:
            first = {number: found.get((name, number)) for number in topics[name].partitions}
            topics[name] = dataclasses.replace(topics[name], older=older_than(topics[name].partitions, first))
    return dataclasses.replace(seen, source=dataclasses.replace(seen.source, topics=topics))


def of_target(side: Side, known: Known) -> Target:
    """Observe this cluster alone: all its topics with their settings."""
    names = sorted(side.topics)
    found = topics(names, {}, _configs_here(side, names), {})
    return Target(side.cluster_id, found, defaults=topic_settings.defaults(known.settings, side.broker_settings()))


def _configs_here(side: Side, names: Iterable[str]) -> dict[str, Configs]:
    """Return the settings of topics; ToolError if the login may not see them, since defaults would stand for them."""
    found, missing = side.configs(names)
    if missing:
        raise ToolError(f"the login at this cluster lacks the right {missing[0]}. Give it the right, then repeat this")
    return found


def rest(seen: Seen) -> dict[Partition, int]:
    """Return (topic, partition) -> next offset of the copy, for partitions that are nearly copied."""
    return {
        where: at
        for name, topic in seen.source.topics.items()
        for number, (_, end) in topic.partitions.items()
        for where in [(name, number)]
        for at in [seen.copied.get(where, end)]
        if 0 < end - at <= NEARLY
    }


def nothing_left(side: Side, nearly: Mapping[Partition, int]) -> Iterator[Partition]:
    """Yield those without a record from there on. A transaction that is still open holds none yet."""
    leaders = side.partitions({name for name, _ in nearly})
    for where, start in nearly.items():
        if not kept.follows(side.client, side.brokers[leaders[where]], where, start):
            yield where


def of_source(wanted: Wanted, side: Side) -> Source:
    """Return the source's topics with ends, settings and sizes, its groups, and rights that the login lacks."""
    if side.is_old():
        return Source(side.cluster_id, {}, old=True)
    names = sorted(filter(wanted.takes_topic, side.topics))
    missing = [f"DESCRIBE of topic {name}" for name in side.refused if wanted.takes_topic(name)]
    missing += side.lacking(names)
    refused = {one.rpartition(" ")[2] for one in missing}
    ends = side.ends([name for name in names if name not in refused])
    (configs, lacks_configs), (sizes, lacks_sizes) = side.configs(names), side.sizes(names)
    missing += [*(one for one in lacks_configs if one not in missing), *lacks_sizes]
    missing += side.lacks_acls() if wanted.acls else []
    every = every_offset(wanted, side)
    committed = of_copied(wanted, every)
    found = topics(names, ends, configs, sizes)
    return Source(
        side.cluster_id,
        found,
        tuple(sorted(committed)),
        committed,
        tuple(missing),
        left_topics=wanted.left_topics(side.topics),
        left_groups=wanted.left_groups(every),
        ids=side.ids(names),
    )


def every_offset(wanted: Wanted, side: Side) -> dict[str, dict[Partition, int]]:
    """Return all committed offsets of the requested groups."""
    listed = {place: list(filter(wanted.asks_for_group, names)) for place, names in side.listed_groups().items()}
    return side.committed(listed)


def of_copied(wanted: Wanted, every: Mapping[str, Mapping[Partition, int]]) -> dict[str, dict[Partition, int]]:
    """Return the same for the wanted groups and topics; a group without any does not belong to the copy."""
    found = {
        group: {where: offset for where, offset in given.items() if wanted.takes_topic(where[0])}
        for group, given in every.items()
        if wanted.takes_group(group)
    }
    return {group: given for group, given in found.items() if given}


def topics(
    names: Iterable[str],
    ends: Mapping[Partition, tuple[int, int]],
    configs: Mapping[str, Configs],
    sizes: Mapping[str, int],
) -> dict[str, Topic]:
    nothing = Configs({}, {})
    by_topic: dict[str, dict[int, tuple[int, int]]] = {}
    for (topic, number), where in ends.items():
        by_topic.setdefault(topic, {})[number] = where
    return {
        name: Topic(by_topic.get(name, {}), one.own, sizes.get(name, 0), one.effective)
        for name in names
        for one in [configs.get(name, nothing)]
    }


def with_target(wanted: Wanted, source: Source, side: Side, known: Known = NOTHING) -> Seen:
    """Add the same topics here, and MirrorMaker's own records."""
    here = sorted(name for name in source.topics if name in side.topics)
    reader = kept.Kept(side)
    copied = kept.copied(reader.records(kept.offsets_topic(wanted.name)))
    states = reader.records(kept.status_topic(wanted.name))
    configs = _configs_here(side, here) if known.settings else {}
    found = topics(here, side.ends(here), configs, side.sizes(here)[0])
    defaults = topic_settings.defaults(known.settings, side.broker_settings()) if known.settings else {}
    touched, committed = frozenset(name for name, _ in copied), of_copied(wanted, every_offset(wanted, side))
    target = Target(side.cluster_id, found, touched, committed, free(side), len(side.brokers), defaults)
    gone = sorted({name for name in touched if name not in source.topics and wanted.takes_topic(name)})
    changed = identity.changed(source, copied, known.ids)
    source = dataclasses.replace(source, changed=changed, gone=tuple(gone))
    return Seen(source, target, copied, kept.failed(states), works=kept.works(states), made=bool(kept.states(states)))


def free(side: Side) -> dict[int, int]:
    """Return broker -> free bytes of its log dirs, if it reports them."""
    found: dict[int, int] = {}
    for node, address in side.brokers.items():
        answer = side.client.send(address, side.client.request("DescribeLogDirsRequest", topics=[]), SECONDS)
        left = [one.usable_bytes for one in responses.log_dirs(node, answer, LOG_DIR_ERRORS) if not one.error]
        if left and all(isinstance(one, int) and one >= 0 for one in left):
            found[node] = sum(left)
    return found
