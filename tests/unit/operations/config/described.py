"""Settings as Kafka describes them, in a few words, for tests."""

from __future__ import annotations

from ansible.module_utils.kraft.operations.config.settings import (
    DEFAULT,
    DYNAMIC_BROKER,
    DYNAMIC_DEFAULT,
    STATIC,
    TOPIC_OVERRIDE,
    Layer,
    Setting,
)

SHORT = {
    "topic": TOPIC_OVERRIDE,
    "own": DYNAMIC_BROKER,
    "all": DYNAMIC_DEFAULT,
    "file": STATIC,
    "default": DEFAULT,
}


def setting(key: str, read_only: bool = False, secret: bool = False, **layers: str) -> Setting:
    """``setting("num.io.threads", own="12", file="8")``: the layers in the order in which they count."""
    found = tuple(Layer(SHORT[name], key, None if secret else layers[name]) for name in SHORT if name in layers)
    first = found[0] if found else Layer(DEFAULT, key, None)
    return Setting(first.value, first.source, read_only, secret, found)
