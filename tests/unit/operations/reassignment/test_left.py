"""A limit that a killed run has left: its rate, none, or unknown with each answer that is missing."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.snapshot import Broker, Reassignment, Snapshot
from ansible.module_utils.kraft.errors import KraftError, ToolError, UnreachableError
from ansible.module_utils.kraft.operations.reassignment.admin import DYNAMIC_BROKER
from ansible.module_utils.kraft.operations.reassignment.left import rate_left
from ansible.module_utils.kraft.operations.reassignment.throttle import RATES, marked_rate

from tests.unit.cluster.snapshots import cluster

OURS, FOREIGN = marked_rate(2_000_000), "2000000"
MOVING = (Reassignment("orders", 0, (3,), ()),)
QUIET = dataclasses.replace(cluster(), reassignments=())
ALONE = dataclasses.replace(QUIET, brokers=(Broker(1, "kafka1", 9092, fenced=True),))


class Told(Client):
    """A client whose broker 1 answers `rate`, refuses with an error code, or fails."""

    def __init__(self, rate: str | int | KraftError) -> None:
        self.rate = rate

    def request(self, name: str, /, **fields: Any) -> Any:
        return SimpleNamespace(kind=name, **fields)

    def error(self, *_: Any) -> None:
        return None

    def send(self, *_: Any, **__: Any) -> dict[str, Any]:
        if isinstance(self.rate, KraftError):
            raise self.rate
        refused = self.rate if isinstance(self.rate, int) else 0
        config = {"name": RATES[0], "value": self.rate, "config_source": DYNAMIC_BROKER}
        configs = [] if refused or not self.rate else [config]
        return {"results": [{"resource_name": "1", "error_code": refused, "configs": configs}]}


@pytest.mark.parametrize(
    ("rate", "snapshot", "expected"),
    [
        (OURS, QUIET, int(OURS)),
        (FOREIGN, QUIET, 0),
        ("", QUIET, 0),
        (OURS, dataclasses.replace(QUIET, reassignments=MOVING), 0),
        (OURS, dataclasses.replace(QUIET, brokers=()), 0),
        (29, QUIET, None),
        (UnreachableError("late"), QUIET, None),
        (ToolError("denied"), QUIET, None),
        (OURS, None, None),
        (OURS, dataclasses.replace(QUIET, reassignments=None), None),
        (OURS, ALONE, None),
    ],
)
def test_what_is_not_told_is_unknown_and_not_without_a_limit(
    rate: str | int | KraftError, snapshot: Snapshot | None, expected: int | None
) -> None:
    assert rate_left(Told(rate), snapshot, 1) == expected
