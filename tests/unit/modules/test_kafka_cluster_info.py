"""kafka_cluster_info waits until the quorum lists its controllers as expected, and fails if the quorum is not known."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.cluster import gather
from ansible.module_utils.kraft.cluster.snapshot import Quorum, Snapshot

from tests.unit.modules.module_runner import Result, RunModule

VOTER = {"node_id": 1, "address": "k1:9093"}
KNOWN = Snapshot("id", quorum=Quorum(leader_id=1, leader_epoch=2, high_watermark=3, voters=(), observers=()))
UNKNOWN = Snapshot("id", unanswered={"quorum": "no leader"})


class Connected:
    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __enter__(self) -> Connected:
        return self

    def __exit__(self, *_: object) -> None: ...


@pytest.mark.parametrize(
    ("snapshot", "expected", "ends"),
    [
        (KNOWN, None, ""),
        (UNKNOWN, None, ""),
        (KNOWN, {}, ""),
        (UNKNOWN, {}, "no leader"),
        (KNOWN, {"listeners": ["CONTROLLER"]}, ""),
        (KNOWN, {"listeners": ["SECOND"]}, "controllers 1 by all of SECOND yet"),
        (KNOWN, {"controllers": [VOTER]}, ""),
        (KNOWN, {"controllers": [{**VOTER, "address": "k1:9094"}]}, "controllers 1 at k1:9094 yet"),
    ],
)
def test_the_quorum_is_required_as_expected(
    run_module: RunModule,
    monkeypatch: pytest.MonkeyPatch,
    snapshot: Snapshot,
    expected: dict[str, Any] | None,
    ends: str,
) -> None:
    monkeypatch.setattr("kafka_cluster_info.Client", Connected)
    monkeypatch.setattr(gather, "endpoints", lambda _: {1: {"CONTROLLER": "k1:9093"}})
    monkeypatch.setattr(gather, "patiently", lambda *_: snapshot)
    asked = {"client": {"bootstrap_servers": ["k1:9092"]}, "gather": ["quorum"], "timeout": 0}
    found: Result = run_module("kafka_cluster_info", **asked, **({} if expected is None else {"quorum": expected}))
    assert bool(found.get("failed")) is bool(ends)
    assert ends in found.get("msg", "")
    assert ends or found["snapshot"]["cluster_id"] == "id"
