"""Settings as a running cluster describes them: each with its value, its source, and the values beneath it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.secret_values import HIDDEN, is_secret

BROKER, TOPIC = "broker", "topic"
#: Kafka's ConfigResource.Type.
RESOURCE = {BROKER: 4, TOPIC: 2}
TOPIC_OVERRIDE, DYNAMIC_BROKER, DYNAMIC_DEFAULT = "DYNAMIC_TOPIC", "DYNAMIC_BROKER", "DYNAMIC_DEFAULT_BROKER"
STATIC, DEFAULT = "STATIC_BROKER", "DEFAULT"
#: Kafka's DescribeConfigsResponse.ConfigSource, by the names that ``kafka-configs.sh`` prints.
SOURCES = {1: TOPIC_OVERRIDE, 2: DYNAMIC_BROKER, 3: DYNAMIC_DEFAULT, 4: STATIC, 5: DEFAULT, 6: "DYNAMIC_BROKER_LOGGER"}


@dataclasses.dataclass(frozen=True, order=True)
class Entity:
    """Owner of settings: a topic, a broker (``name`` is its node id), or with an empty name all brokers."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}" if self.name else f"all {self.kind}s"

    @property
    def source(self) -> str:
        """Return the source of an override of this entity."""
        if self.kind == TOPIC:
            return TOPIC_OVERRIDE
        return DYNAMIC_BROKER if self.name else DYNAMIC_DEFAULT


ALL_BROKERS = Entity(BROKER, "")


def broker(node_id: int) -> Entity:
    return Entity(BROKER, str(node_id))


@dataclasses.dataclass(frozen=True)
class Layer:
    """One place that gives a value. ``key`` may be a synonym (log.retention.hours for log.retention.ms)."""

    source: str
    key: str
    value: str | None


@dataclasses.dataclass(frozen=True)
class Setting:
    """A setting now. ``layers``: every place that gives it a value, the one that counts first."""

    value: str | None
    source: str
    read_only: bool = False
    secret: bool = False
    layers: tuple[Layer, ...] = ()

    def layer(self, source: str) -> Layer | None:
        return next((one for one in self.layers if one.source == source), None)

    def beneath(self, source: str, key: str) -> str | None:
        """Return the effective value without a source; a synonym's value is ignored, as it may have another unit."""
        layer = next((one for one in self.layers if one.source != source), None)
        return layer.value if layer and layer.key == key else None


Settings = Mapping[str, Setting]


def read(configs: list[dict[str, Any]]) -> dict[str, Setting]:
    """Convert a resource's ``configs`` of a DescribeConfigs answer (with synonyms): key -> setting."""
    return {
        one["name"]: Setting(
            value=one["value"],
            source=SOURCES.get(one["config_source"], "UNKNOWN"),
            read_only=one["read_only"],
            secret=one["is_sensitive"],
            layers=tuple(Layer(SOURCES.get(s["source"], "UNKNOWN"), s["name"], s["value"]) for s in one["synonyms"]),
        )
        for one in configs
    }


def shown(value: str | None, secret: bool, key: str = "") -> str:
    """Return a value as it may be printed; `secret` is Kafka's own flag, which ignores the content of a value."""
    if value is None:
        return "(unset)"
    return HIDDEN if secret or is_secret(key, value) else value


def same(value: str | None, wanted: str | None) -> bool:
    """Compare a value in Kafka's own notation with the desired one: Kafka trims lists and reformats numbers."""
    if value is None or wanted is None:
        return value == wanted
    try:
        return float(value) == float(wanted)
    except ValueError:
        return [one.strip() for one in value.split(",")] == [one.strip() for one in wanted.split(",")]
