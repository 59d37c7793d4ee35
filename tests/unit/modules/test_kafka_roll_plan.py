"""kafka_roll_plan: nodes go unchecked only where nobody is harmed by it."""

from __future__ import annotations

import dataclasses
from typing import Any

import kafka_roll_plan
import pytest
from ansible.module_utils.kraft.cluster import gather
from ansible.module_utils.kraft.cluster.health import expected
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.errors import AccessError, KraftError, TrustError, UnreachableError

from tests.unit.cluster.snapshots import cluster

WITHOUT_LEADER = dataclasses.replace(cluster(), quorum=None, unanswered={"quorum": "no answer"})
CLIENT: Any = None  #: nobody is asked: `looks` gives the answer
PARAMS: dict[str, Any] = {"nodes": [{"host": f"k{one}", "node_id": one} for one in (1, 2, 901)], "together": 3}


def looks(monkeypatch: pytest.MonkeyPatch, answer: Snapshot | KraftError) -> None:
    def observe(*_: object) -> Snapshot:
        if isinstance(answer, KraftError):
            raise answer
        return answer

    monkeypatch.setattr(gather, "observe", observe)


@pytest.mark.parametrize("error", [UnreachableError("nothing listens"), TrustError("expired")])
def test_nobody_is_harmed_where_nobody_answers_or_can_be_trusted(
    monkeypatch: pytest.MonkeyPatch, error: KraftError
) -> None:
    looks(monkeypatch, error)
    assert kafka_roll_plan.looked(CLIENT, 0) is None
    [batch] = kafka_roll_plan.planned(None, PARAMS, expected({}))
    assert (batch["node_ids"], batch["checked"]) == ([1, 2, 901], False)


def test_a_cluster_that_refuses_us_is_not_restarted(monkeypatch: pytest.MonkeyPatch) -> None:
    looks(monkeypatch, AccessError("kafka1:9092 refuses us: wrong password"))
    with pytest.raises(AccessError, match="refuses us"):
        kafka_roll_plan.looked(CLIENT, 0)


def test_brokers_that_answer_are_checked_although_the_controllers_have_no_leader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks(monkeypatch, WITHOUT_LEADER)
    snapshot = kafka_roll_plan.looked(CLIENT, 0)
    found = kafka_roll_plan.planned(snapshot, PARAMS, expected({"voter_ids": [901]}))
    assert [(batch["node_ids"], batch["checked"]) for batch in found] == [([901], False), ([1], True), ([2], True)]
    assert not any(node["ready"] for batch in found for node in batch["nodes"])


def test_with_a_leader_every_batch_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    looks(monkeypatch, cluster())
    found = kafka_roll_plan.planned(kafka_roll_plan.looked(CLIENT, 0), PARAMS, expected({}))
    assert all(batch["checked"] for batch in found)
