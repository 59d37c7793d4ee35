"""The faults of vars/faults.yml, and the comparison with the observed alerts. Pure except for the file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from observer import PAGE, Alert
from sweeps import taken

PLACE = Path(__file__).parent / "vars/faults.yml"
#: Seconds that an alert may fire after its duration, and those in which it resolves after the cluster is healthy.
FIRES, RESOLVES = 20, 60


@dataclass(frozen=True)
class Fault:
    """One entry of vars/faults.yml, which explains the fields."""

    name: str
    hosts: Sequence[str] = ()
    make: str = ""
    undo: str = ""
    client: str = ""
    deployed: bool = False
    rolled: bool = False
    fires: str = ""
    everywhere: bool = False
    also: Collection[str] = ()
    after: int = 0
    stays: int = 0

    def expected(self, alerts: Iterable[Alert], hosts: Sequence[str]) -> bool:
        """Check that the alert is among those that fire, for its node."""
        return any(one.name == self.fires and (self.everywhere or one.host == hosts[0]) for one in alerts)

    def unrelated(self, alerts: Iterable[Alert]) -> list[str]:
        """Return pages that do not belong to it."""
        mine = {self.fires, *self.also}
        return sorted(str(one) for one in alerts if one.severity == PAGE and one.name not in mine)


def load(place: Path, sweep: str = "") -> list[Fault]:
    """Return the faults of `sweep`, else of ``KRAFT_SWEEP``."""
    return [Fault(**entry) for entry in taken(yaml.safe_load(place.read_text())["faults"], sweep)]
