"""MirrorMaker's whole file against Kafka's own definitions, before its service starts. Pure.

A key may have the alias of a cluster or ``a->b`` before it, and among the settings of a cluster the name of a client.
Source: ``MirrorMakerConfig`` of Kafka 4.3.1. Its own check is late: a worker starts, and refuses each connector alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.secret_values import is_secret
from ansible.module_utils.kraft.spec.inventory.definitions import Setting, setting
from ansible.module_utils.kraft.spec.inventory.setting_values import value_problem

FLOW = re.compile(r"[^.]+->[^.]+\.")
PASSED_ON = "config.providers."  #: a config provider reads the rest
REST = "listeners.https."  #: settings of TLS for workers alone. Source: ``RestServerConfig``
STORES = ("config.storage.", "offset.storage.", "status.storage.")  #: for Connect's own topics, each topic setting


def refuse(properties: Mapping[str, str], definitions: Mapping[str, Any]) -> None:
    """Raise RefusedError with each key that is no setting, and each value that its definition does not allow.

    `definitions`: ``mirror`` (key of MirrorMaker → entry of the dump) and ``topic`` (names of topics' settings).
    """
    found = list(faults(properties, definitions))
    if found:
        remedy = "Correct kafka_mirror, above all source.client"
        raise RefusedError([f"mirror.properties: {one}. {remedy}" for one in found])


def faults(properties: Mapping[str, str], definitions: Mapping[str, Any]) -> Iterator[str]:
    """Describe each fault, without the values of secrets."""
    aliases = [one.strip() for one in properties.get("clusters", "").split(",")]
    stored = {f"{store}{one}" for store in STORES for one in definitions["topic"]}
    for key, value in sorted(properties.items()):
        name = of_cluster(key, aliases)
        if name.startswith(PASSED_ON) or name in stored:
            continue
        known = defined(definitions["mirror"], key, name)
        if known is None:
            yield f"{key} is no setting of MirrorMaker"
            continue
        fault, allowed = value_problem(known, value)
        if fault:
            yield f"{key}: {'the value is not allowed' if is_secret(key) else fault}: {allowed}"


def of_cluster(key: str, aliases: list[str]) -> str:
    """Return the key without ``a->b.`` or the alias before it, or the name of the workers' listener."""
    flow = FLOW.match(key)
    if flow:
        return key[flow.end() :]
    alias, _, rest = key.partition(".")
    return rest if alias in aliases else key.removeprefix(REST)


def defined(known: Mapping[str, Any], *names: str) -> Setting | None:
    """Return the definition of the first name that has one."""
    return next((setting(name, known[name]) for name in names if name in known), None)
