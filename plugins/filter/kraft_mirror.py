"""Filters of a mirror: thin names for pure functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.spec.desired import properties
from ansible.module_utils.kraft.spec.desired.mirror import split
from ansible.module_utils.kraft.spec.inventory.definitions import load, nearest_version


def kraft_mirror_public(mirror: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``kafka_mirror`` without the secrets of its source."""
    source = mirror["source"]
    return {**mirror, "source": {**source, "client": split(source.get("client") or {})[0]}}


def kraft_mirror_secrets(mirror: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Return the secrets of the source's client; `prefix`: MirrorMaker's before each name."""
    return {f"{prefix}{key}": value for key, value in split(mirror["source"].get("client") or {})[1].items()}


def kraft_java_properties(settings: Mapping[str, Any], prefix: str = "") -> str:
    """Return a file of Kafka's Java client; `prefix`: begins names of `settings`, and not the file's."""
    return properties.text_of(
        {name.removeprefix(prefix): properties.value_text(value) for name, value in settings.items()}, ""
    )


def kraft_topic_settings(version: str) -> dict[str, str]:
    """Return topics' settings in this version of Kafka, each with the brokers' setting that is its default."""
    return {name: one.server or "" for name, one in sorted(load(nearest_version(version)).topic.items())}


class FilterModule:
    """Filters for mirrors."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_java_properties": kraft_java_properties,
            "kraft_mirror_public": kraft_mirror_public,
            "kraft_mirror_secrets": kraft_mirror_secrets,
            "kraft_topic_settings": kraft_topic_settings,
        }
