"""Which settings hold secrets: those that Kafka calls passwords, and whatever is named like one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ansible.module_utils.kraft.inventory.definitions import load, nearest_version

HIDDEN = "(hidden)"
NAMED = re.compile(r"passw|secret|jaas|credential|token$|keystore\.key$", re.IGNORECASE)


def is_secret(key: str, version: str) -> bool:
    """Whether the value of `key` must not be shown; a listener's own setting is like the node's."""
    bare = re.sub(r"^listener\.name\.[^.]+\.", "", key)
    setting = load(nearest_version(version)).server.get(bare)
    return bool(NAMED.search(key)) if setting is None else setting.secret


def has_secrets(settings: Mapping[str, str], version: str) -> bool:
    """Whether any value of `settings` must not be shown."""
    return any(is_secret(key, version) for key in settings)
