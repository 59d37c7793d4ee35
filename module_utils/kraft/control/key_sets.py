"""Files with the keys that verify tokens (JWKS, RFC 7517), and their faults. Read-only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

#: Members that only a private or a symmetric key has (RFC 7518, 6.2.2, 6.3.2, 6.4.1).
PRIVATE = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})
SIGNING = ("RSA", "EC")  #: kinds of keys that brokers take


def fault(path: str) -> str:
    """Return why a file cannot be given to a node, as a clause; empty if it can."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    except ValueError:
        return "is no JSON"
    keys = content.get("keys") if isinstance(content, dict) else None
    if not isinstance(keys, list) or not keys or not all(isinstance(each, dict) for each in keys):
        return "has no list of keys"
    if any(PRIVATE & set(each) for each in keys):
        return "holds a private key: whoever reads it on a node can make tokens"
    unknown = [str(each.get("kty")) for each in keys if each.get("kty") not in SIGNING]
    return f"has a key of the kind {unknown[0]}, by which no broker judges a token" if unknown else ""


def faults(given: Iterable[Any]) -> dict[str, str]:
    """Return path -> fault, of the files that are named by `given`, the ``kafka_listeners`` of each host."""
    paths = {path for each in given if isinstance(each, list) for path in _paths(each)}
    found = {path: fault(path) for path in sorted(paths)}
    return {path: each for path, each in found.items() if each}


def _paths(listeners: Iterable[Any]) -> Iterator[str]:
    for each in listeners:
        oauth = each.get("oauth") if isinstance(each, Mapping) else None
        jwks = oauth.get("jwks") if isinstance(oauth, Mapping) else None
        if isinstance(jwks, str) and jwks.startswith("/"):
            yield jwks
