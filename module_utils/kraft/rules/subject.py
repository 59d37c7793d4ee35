"""What rules look at: the cluster and whatever else was read on the control machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ..model import Cluster

#: Severity of what endangers data; ``severity.settle`` makes it an error or a warning.
RISK = "risk"


@dataclasses.dataclass(frozen=True)
class Subject:
    """``names``: all known variables. ``used``: host -> names of ``kafka_*`` variables that it has."""

    cluster: Cluster
    names: frozenset[str] = frozenset()
    used: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    archive_exists: bool | None = None
