"""A difference between a running process and its desired inputs, as a value. The printer makes sentences of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

PROPERTIES, JVM_OPTIONS, LOGGING = "server.properties", "jvm.options", "log4j2.yaml"
#: Names of the files that other roles give the node, one a line; ``name restart`` if a change needs a restart.
CONTRIBUTED = "contributed.list"
#: Places of differences other than the files of the node's configuration.
UNIT, RELEASE, RECORD, REQUEST = "unit", "release", "record", "request"
#: Keys of RELEASE: the process has no manifest, or one with other files of the same version.
MANIFEST_MISSING, OTHER_FILES = "manifest", "files"


@dataclasses.dataclass(frozen=True)
class Difference:
    """``file``: where. ``key``: the setting or option there; empty if the file differs as a whole.

    ``old`` and ``new``: the running and the desired value; None means unset. With ``secret`` both are hidden already,
    on the host. For a unit they are the removed and the added lines.
    """

    file: str
    key: str = ""
    old: str | None = None
    new: str | None = None
    secret: bool = False

    @property
    def setting(self) -> str:
        """Return the key of server.properties that differs; '' for any other difference."""
        return self.key if self.file == PROPERTIES else ""

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def differences_from(found: Iterable[Mapping[str, Any]]) -> tuple[Difference, ...]:
    """Return the differences that a module returned or was given, each as ``Difference.as_dict`` wrote it."""
    return tuple(Difference(**one) for one in found)


#: Argument spec of a module's list of differences.
DIFFERENCE_SPEC: dict[str, Any] = {
    "file": {"type": "str", "required": True},
    "key": {"type": "str", "default": "", "no_log": False},
    "old": {"type": "str"},
    "new": {"type": "str"},
    "secret": {"type": "bool", "default": False, "no_log": False},
}
