"""Kafka's own definitions of its settings, dumped from its classes (scripts/kafka_definitions), one file a version.

Only the control side reads them: the data does not travel to the hosts.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
FILE = re.compile(r"kafka_(\d+)\.(\d+)\.(\d+)\.json")

READ_ONLY = "read-only"
CLUSTER_WIDE = "cluster-wide"


@dataclasses.dataclass(frozen=True)
class Setting:
    """One key. ``update``: whether and for whom it can change while a broker runs; ``section``: who defines it."""

    name: str
    type: str
    default: str | None = None
    choices: tuple[str, ...] = ()
    any_case: bool = False
    min: float | None = None
    max: float | None = None
    allowed: str = ""
    empty_allowed: bool = True
    section: str = ""
    update: str = READ_ONLY
    internal: bool = False
    #: of a topic's setting: the server's setting that is its default
    server: str = ""

    @property
    def secret(self) -> bool:
        return self.type == "password"


@dataclasses.dataclass(frozen=True)
class Definitions:
    """All settings of one version of Kafka."""

    version: str
    server: Mapping[str, Setting]
    topic: Mapping[str, Setting]


@lru_cache(maxsize=1)
def versions() -> tuple[str, ...]:
    """Return the versions with definitions, the newest last."""
    found = (FILE.fullmatch(path.name) for path in DATA.glob("kafka_*.json"))
    known = sorted(tuple(map(int, match.groups())) for match in found if match)
    return tuple(".".join(map(str, each)) for each in known)


def nearest_version(version: str) -> str:
    """Return `version` if it is known, else the newest known one of its minor release, else the newest."""
    known = versions()
    series = version.rpartition(".")[0]
    alike = [each for each in known if each.rpartition(".")[0] == series]
    return version if version in known else (alike or list(known))[-1]


def of_mirror(version: str) -> dict[str, Any]:
    """Return key of MirrorMaker -> entry of the dump: of `version`, else of the newest known release."""
    wanted = DATA / f"mirror_{version}.json"
    file = wanted if wanted.exists() else max(DATA.glob("mirror_*.json"))
    entries: dict[str, Any] = json.loads(file.read_text())["mirror"]
    return entries


@lru_cache(maxsize=4)
def load(version: str) -> Definitions:
    """Load the definitions of a known version."""
    data = json.loads((DATA / f"kafka_{version}.json").read_text())
    return Definitions(data["version"], _settings(data["server"]), _settings(data["topic"]))


def _settings(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Setting]:
    return {name: setting(name, entry) for name, entry in entries.items()}


def setting(name: str, entry: Mapping[str, Any]) -> Setting:
    """Return an entry of the dump as a setting."""
    fields = {field.name for field in dataclasses.fields(Setting)} & set(entry) - {"choices"}
    return Setting(
        name=name,
        choices=tuple(entry.get("choices", ())),
        **{field: entry[field] for field in fields},
    )
