"""Filters of a mirror: thin names for pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.spec.desired.mirror import split
from ansible.module_utils.kraft.spec.inventory.definitions import load, nearest_version


def kraft_mirror_split(mirror: Mapping[str, Any], prefix: str = "") -> dict[str, dict[str, Any]]:
    """Split ``kafka_mirror`` into ``mirror`` without secrets, and the ``secrets`` of its source's client.

    `prefix`: MirrorMaker's before the name of each secret.
    """
    source = mirror["source"]
    public, secrets = split(source.get("client") or {})
    return {
        "mirror": {**mirror, "source": {**source, "client": public}},
        "secrets": {f"{prefix}{key}": value for key, value in secrets.items()},
    }


def kraft_topic_settings(version: str) -> dict[str, str]:
    """Return topics' settings in this version of Kafka, each with the brokers' setting that is its default."""
    return {name: one.server or "" for name, one in sorted(load(nearest_version(version)).topic.items())}


def kraft_mirror_hosts(groups: Mapping[str, Iterable[str]], brokers: Iterable[str]) -> list[str]:
    """Return the mirror's hosts: the group ``mirror``, else those of all `brokers`."""
    return list(groups.get("mirror") or brokers)


class FilterModule:
    """Filters for mirrors."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_mirror_hosts": kraft_mirror_hosts,
            "kraft_mirror_split": kraft_mirror_split,
            "kraft_topic_settings": kraft_topic_settings,
        }
