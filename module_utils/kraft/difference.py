"""A difference between what a process runs with and what is wanted, as a value. Sentences are made by the printer."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

PROPERTIES, JVM_OPTIONS, LOGGING = "server.properties", "jvm.options", "log4j2.yaml"
#: Names of the files that other roles give the node, one a line; ``name restart`` where a change needs a restart.
CONTRIBUTED = "contributed.list"
#: What differs where it is no file of the node's configuration.
UNIT, RELEASE, RECORD, REQUEST = "unit", "release", "record", "request"
#: Keys of RELEASE: the process has no manifest, or one with other files of the same version.
MANIFEST_MISSING, OTHER_FILES = "manifest", "files"


@dataclasses.dataclass(frozen=True)
class Difference:
    """``file``: where. ``key``: which setting or option there; empty where the file differs as a whole.

    ``old`` and ``new``: the value that runs and the one that is wanted; None stands for unset. With ``secret`` both
    are hidden already, on the host. Of a unit they are the lines that go and those that come.
    """

    file: str
    key: str = ""
    old: str | None = None
    new: str | None = None
    secret: bool = False

    @property
    def setting(self) -> str:
        """The key of server.properties that differs; '' for any other difference."""
        return self.key if self.file == PROPERTIES else ""

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def differences_from(found: Iterable[Mapping[str, Any]]) -> tuple[Difference, ...]:
    """The differences that a module returned or was given, each as ``Difference.as_dict`` wrote it."""
    return tuple(Difference(**one) for one in found)


#: Of a module's list of differences.
DIFFERENCE_SPEC: dict[str, Any] = {
    "file": {"type": "str", "required": True},
    "key": {"type": "str", "default": "", "no_log": False},
    "old": {"type": "str"},
    "new": {"type": "str"},
    "secret": {"type": "bool", "default": False, "no_log": False},
}
