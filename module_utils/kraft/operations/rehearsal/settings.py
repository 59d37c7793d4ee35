"""Dynamic settings of topics and brokers that a release does not have. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

#: A setting of one listener, or of one mechanism of a listener.
OF_LISTENER = re.compile(r"listener\.name\.[^.]+\.(?:(?:gssapi|plain|scram-sha-256|scram-sha-512|oauthbearer)\.)?(.+)")


def unknown(
    settings: Mapping[tuple[str, str], Collection[str]], known: Mapping[str, Collection[str]]
) -> dict[tuple[str, str], list[str]]:
    """Return kind and name of each resource -> its settings that are not in `known` (kind -> names of settings)."""
    found = {
        resource: sorted(name for name in names if plain(name) not in known[resource[0]])
        for resource, names in settings.items()
    }
    return {resource: names for resource, names in sorted(found.items()) if names}


def plain(name: str) -> str:
    """Return a setting without the prefix of a listener."""
    matched = OF_LISTENER.fullmatch(name)
    return matched[1] if matched else name
