"""kafka_safety_check for a batch that the plan lets go unchecked: evidence of an hour ago is none."""

from __future__ import annotations

import contextlib
import dataclasses

import pytest
from ansible.module_utils.kraft.cluster.gather import Patience
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, Unknown, Unreachable
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.operations.safety import shutdown_wait

from tests.unit.cluster.snapshots import cluster, partition, quorum, topic
from tests.unit.modules.module_runner import Result, RunModule

#: It serves, and node 2 is needed.
SERVES = cluster(topic("orders", partition(0, [1, 2, 3], [1, 2])))
BLIND = dataclasses.replace(SERVES, topics=None, unanswered={"topics": "late"})

EXPECTED = {"expected": {"cluster_id": SERVES.cluster_id}}


@pytest.fixture
def asked(run_module: RunModule, monkeypatch: pytest.MonkeyPatch) -> RunModule:
    def run(seen: Outcome[Snapshot], once_led: bool) -> Result:
        monkeypatch.setattr(shutdown_wait, "Client", lambda *_, **__: contextlib.nullcontext())
        monkeypatch.setattr(Patience, "observe", lambda *_: seen)
        client = {"bootstrap_servers": ["127.0.0.1:9092"]}
        return run_module("kafka_safety_check", client=client, node_ids=[2], once_led=once_led, timeout=0, **EXPECTED)

    return run


@pytest.mark.parametrize("seen", [Known(SERVES), Known(BLIND)])
@pytest.mark.parametrize("once_led", [True, False])
def test_a_cluster_that_serves_by_now_is_judged(asked: RunModule, seen: Known[Snapshot], once_led: bool) -> None:
    assert asked(seen, once_led)["reasons"]


NO_QUORUM = dataclasses.replace(SERVES, quorum=None, unanswered={"quorum": "k1:9092 said so"})
LATE = dataclasses.replace(NO_QUORUM, late=("quorum",))


@pytest.mark.parametrize(
    "seen",
    [Unreachable("nothing listens"), Unknown("late", late=True), Known(cluster(leader=quorum(-1))), Known(LATE)],
    ids=["unreachable", "late", "no leader", "late quorum"],
)
def test_without_a_leader_only_an_unchecked_batch_goes(asked: RunModule, seen: Outcome[Snapshot]) -> None:
    assert asked(seen, True)["allowed"]
    assert asked(seen, False)["failed"]


@pytest.mark.parametrize(
    "seen", [Unknown("k1:9092 said so"), Known(NO_QUORUM)], ids=["denied or untrusted", "quorum denied"]
)
def test_an_answer_that_is_denied_or_not_understood_lets_no_batch_go(asked: RunModule, seen: Outcome[Snapshot]) -> None:
    assert "k1:9092 said so" in asked(seen, True)["reasons"][0]


def test_another_cluster_without_a_leader_lets_no_batch_go(asked: RunModule) -> None:
    foreign = dataclasses.replace(cluster(leader=quorum(-1)), cluster_id="foreign")
    assert "foreign" in asked(Known(foreign), True)["reasons"][0]
