"""What rules look at of certificates that the operator brings: plain values, so that nothing here needs a library."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

GIVEN = "given"  #: of ``kafka_tls.authority``
#: Kinds of faults.
FILE, KEY, CHAIN, ROOT, DATES, ENDS, USAGE, WEAK, SUBJECT = (
    *("file", "key", "chain", "root", "dates", "ends", "usage", "weak", "subject"),
)


@dataclasses.dataclass(frozen=True)
class Fault:
    """What is wrong with the file at ``path``, as a clause, and what to do."""

    kind: str
    message: str
    remedy: str
    path: str


@dataclasses.dataclass(frozen=True)
class Given:
    """A node's certificate. ``is_read``: whether there is one.

    ``principal``: as whom Kafka knows its owner, by the whole name; empty where that is unsure.
    ``names``: DNS names and addresses that it is good for. ``shared``: faults of what is no node's own.
    ``clients``: whether there are roots of clients. ``users``: those whose certificates are there; that of our own
    client with the reason why it could not connect by it.
    """

    is_read: bool = False
    principal: str = ""
    names: frozenset[str] = frozenset()
    faults: tuple[Fault, ...] = ()
    shared: tuple[Fault, ...] = ()
    clients: bool = False
    users: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def lacks(self, names: list[str]) -> list[str]:
        """Those of `names` for which it is not good; ``*`` stands for one label (RFC 6125, 6.4.3)."""
        return [name for name in names if name not in self.names and _wildcard(name) not in self.names]


def _wildcard(name: str) -> str:
    _, _, parent = name.partition(".")
    return f"*.{parent}"
