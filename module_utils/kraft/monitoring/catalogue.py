"""The catalogue of metrics: names, sources and meanings. Data and its reader; decides nothing."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).resolve().parent / "data"
NODE, TOPIC = LEVELS = ("node", "topic")
AGENT, COLLECTOR, MARKER = "agent", "collector", "marker"


@dataclasses.dataclass(frozen=True)
class Metric:
    """One entry; the fields are explained in ``data/catalogue.yml``."""

    name: str
    type: str
    unit: str
    help: str
    role: str
    level: str
    mbean: str = ""
    attribute: str = ""
    scale: float = 1
    text: str = ""
    of: str = "node"
    by: str = AGENT
    labels: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    quantiles: tuple[float, ...] = ()

    def belongs_to(self, roles: tuple[str, ...]) -> bool:
        """Check that a node with these roles has it."""
        return self.role == "both" or self.role in roles


@functools.lru_cache(maxsize=1)
def catalogue() -> tuple[Metric, ...]:
    """Return all entries, in the order of the file."""
    entries = read("catalogue")
    return tuple(Metric(**{**entry, "quantiles": tuple(entry.get("quantiles", ()))}) for entry in entries)


def at_level(level: str, by: str = AGENT) -> tuple[Metric, ...]:
    """Return the entries that a node publishes at a level: those of topics come beside its own."""
    return tuple(metric for metric in catalogue() if metric.level in (NODE, level) and metric.by == by)


def read(name: str) -> Any:
    """Return a data file of this room."""
    return yaml.load((DATA / f"{name}.yml").read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
