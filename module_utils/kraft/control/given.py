"""Facts for rules about certificates that the operator provides: plain values, so that rules need no library."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

GIVEN = "given"  #: value of ``kafka_tls.authority``
#: Kinds of faults.
FILE, KEY, CHAIN, ROOT, DATES, ENDS, USAGE, WEAK, SUBJECT = (
    *("file", "key", "chain", "root", "dates", "ends", "usage", "weak", "subject"),
)


@dataclasses.dataclass(frozen=True)
class Fault:
    """A fault of the file at ``path``, as a clause, and the remedy."""

    kind: str
    message: str
    remedy: str
    path: str


@dataclasses.dataclass(frozen=True)
class Given:
    """A node's certificate. ``is_read``: there is one.

    ``principal``: Kafka's name of its owner, in full; empty if that is unsure.
    ``names``: DNS names and addresses that it is valid for. ``shared``: faults of files that all nodes share.
    ``clients``: there are roots of clients. ``users``: those with certificates; for our own client with the reason why
    it could not connect by it.
    """

    is_read: bool = False
    principal: str = ""
    names: frozenset[str] = frozenset()
    faults: tuple[Fault, ...] = ()
    shared: tuple[Fault, ...] = ()
    clients: bool = False
    users: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def lacks(self, names: list[str]) -> list[str]:
        """Return those of `names` for which it is not valid; ``*`` is one label (RFC 6125, 6.4.3)."""
        return [name for name in names if name not in self.names and _wildcard(name) not in self.names]


def _wildcard(name: str) -> str:
    _, _, parent = name.partition(".")
    return f"*.{parent}"
