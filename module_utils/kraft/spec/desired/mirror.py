"""Desired state of ``kafka_mirror``, as a value, and the topics and groups that it takes. Pure."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.secret_values import is_secret
from ansible.module_utils.parsing.convert_bool import boolean

NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
OWN = "it is MirrorMaker's own"
#: Topics that MirrorMaker never copies, or not under their name, and why.
#: Source: Kafka 4.3.1's ``ReplicationPolicy.isInternalTopic`` and ``IdentityReplicationPolicy.formatRemoteTopic``.
NEVER = {
    r"__.*": "MirrorMaker treats it as internal to Kafka, since it begins with __",
    r"\..*": "MirrorMaker treats it as internal to Kafka, since it begins with a dot",
    r"mm2.*\.internal": OWN,
    r".*\.checkpoints\.internal": OWN,
    r".*heartbeats": "MirrorMaker takes it for heartbeats, and would copy it under another name",
}
NEVER_GROUPS = r"__.*"
GROUP_OF_KAFKA = "its name begins with __, as internal topics of Kafka do"
#: An entry of such letters alone is a name: a dot in it is a dot. Source: Kafka's ``Topic.LEGAL_CHARS``.
INTERNAL = frozenset(
    {"__consumer_offsets", "__transaction_state", "__share_group_state", "__remote_log_metadata", "__cluster_metadata"}
)
PLAIN = re.compile(r"[A-Za-z0-9._-]+")


@dataclasses.dataclass(frozen=True)
class Wanted:
    """``client``: settings of Kafka's Java client for the source. Topics, groups: names and regular expressions."""

    name: str
    servers: tuple[str, ...]
    client: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)
    topics: tuple[str, ...] = (".*",)
    exclude_topics: tuple[str, ...] = ()
    groups: tuple[str, ...] = (".*",)
    exclude_groups: tuple[str, ...] = ()
    acls: bool = True

    def takes_topic(self, name: str) -> bool:
        return _taken(name, self.topics, (*self.exclude_topics, *NEVER))

    def left_topics(self, names: Iterable[str]) -> dict[str, str]:
        """Return requested `names` that cannot be copied, with reasons; without Kafka's own topics."""
        asked = [name for name in sorted(names) if _taken(name, self.topics, self.exclude_topics)]
        whys = {name: next((why for one, why in NEVER.items() if _matches(name, [one])), "") for name in asked}
        return {
            name: why for name, why in whys.items() if why and (name in self.named_topics or not _is_usual(name, why))
        }

    def left_groups(self, committed: Mapping[str, Iterable[tuple[str, int]]]) -> dict[str, str]:
        """Return requested groups whose offsets are not copied, with reasons. `committed`: group -> its partitions."""
        asked = {name: places for name, places in committed.items() if self.asks_for_group(name)}
        return {
            name: GROUP_OF_KAFKA if _matches(name, [NEVER_GROUPS]) else "its offsets are in topics that are not copied"
            for name, places in sorted(asked.items())
            if places and (_matches(name, [NEVER_GROUPS]) or not any(self.takes_topic(topic) for topic, _ in places))
        }

    @property
    def contradictions(self) -> list[str]:
        """Return topics and groups that are named and excluded, too."""
        pairs = ((self.named_topics, self.exclude_topics), (plain(self.groups), self.exclude_groups))
        return [name for names, excluded in pairs for name in names if _matches(name, excluded)]

    def asks_for_group(self, name: str) -> bool:
        return _taken(name, self.groups, self.exclude_groups)

    def takes_group(self, name: str) -> bool:
        return _taken(name, self.groups, (*self.exclude_groups, NEVER_GROUPS))

    @property
    def named_topics(self) -> list[str]:
        """Return literal names in `topics`."""
        return plain(self.topics)


def wanted(given: Mapping[str, Any]) -> Wanted:
    """Convert the variable ``kafka_mirror``, which the rules have checked."""
    source = given["source"]
    lists = {name: tuple(map(str, given[name])) for name in LISTS if given.get(name) is not None}
    return Wanted(
        name=str(source["name"]),
        servers=tuple(map(str, source["bootstrap_servers"])),
        client={str(key): text(value) for key, value in (source.get("client") or {}).items()},
        acls=boolean(given.get("acls", True), strict=False),
        **lists,
    )


def with_secrets(given: Mapping[str, Any], secrets: Mapping[str, str]) -> Wanted:
    """Return the same, with `secrets` among the settings of the source's client."""
    source = given["source"]
    return wanted({**given, "source": {**source, "client": {**(source.get("client") or {}), **secrets}}})


def plain(entries: Iterable[str]) -> list[str]:
    """Return the literal names among entries."""
    return [name for name in (one.replace("\\.", ".") for one in entries) if PLAIN.fullmatch(name)]


LISTS = ("topics", "exclude_topics", "groups", "exclude_groups")


def text(value: Any) -> str:
    """Format a value for Java's properties."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def split(client: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Split a client's settings: the public ones, and its secrets."""
    texts = {str(key): text(value) for key, value in client.items()}
    secrets = {key: value for key, value in texts.items() if is_secret(key, value)}
    return {key: value for key, value in texts.items() if key not in secrets}, secrets


def parted(mirror: Mapping[str, Any], prefix: str = "") -> dict[str, dict[str, Any]]:
    """Split ``kafka_mirror`` into ``mirror`` without secrets, and the ``secrets`` of its source's client.

    `prefix`: MirrorMaker's before the name of each secret.
    """
    source = mirror["source"]
    public, secrets = split(source.get("client") or {})
    return {
        "mirror": {**mirror, "source": {**source, "client": public}},
        "secrets": {f"{prefix}{key}": value for key, value in secrets.items()},
    }


def expression(entry: str) -> str:
    """Return MirrorMaker's pattern for an entry; patterns are joined with ``|``, so a group encloses each."""
    return entry.replace(".", "\\.") if PLAIN.fullmatch(entry) else f"(?:{entry})"


def _is_usual(name: str, why: str) -> bool:
    """Check for a topic that every cluster, or every one with a mirror, has."""
    return name in INTERNAL or why == OWN


def _taken(name: str, entries: Iterable[str], excluded: Iterable[str]) -> bool:
    return _matches(name, entries) and not _matches(name, excluded)


def _matches(name: str, entries: Iterable[str]) -> bool:
    """Match like Java's ``Matcher.matches``: the whole name, and ``\\w`` is ASCII."""
    return any(re.fullmatch(expression(one), name, re.ASCII) for one in entries)
