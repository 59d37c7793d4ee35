"""kafka_shutdown_check for a batch that the plan lets go unchecked: evidence of an hour ago is none."""

from __future__ import annotations

import contextlib
import dataclasses

import kafka_shutdown_check
import pytest
from ansible.module_utils.kraft.cluster.gather import Patience
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, Unknown, Unreachable
from ansible.module_utils.kraft.cluster.snapshot import Snapshot

from tests.unit.cluster.snapshots import cluster, partition, quorum, topic
from tests.unit.modules.module_runner import Result, RunModule

#: It serves, and node 2 is needed.
SERVES = cluster(topic("orders", partition(0, [1, 2, 3], [1, 2])))
BLIND = dataclasses.replace(SERVES, topics=None, unanswered={"topics": "late"})


@pytest.fixture
def asked(run_module: RunModule, monkeypatch: pytest.MonkeyPatch) -> RunModule:
    def run(seen: Outcome[Snapshot], once_led: bool) -> Result:
        monkeypatch.setattr(kafka_shutdown_check, "Client", lambda *_, **__: contextlib.nullcontext())
        monkeypatch.setattr(Patience, "look", lambda *_: seen)
        client = {"bootstrap_servers": ["127.0.0.1:9092"]}
        return run_module("kafka_shutdown_check", client=client, node_ids=[2], once_led=once_led, timeout=0)

    return run


@pytest.mark.parametrize("seen", [Known(SERVES), Known(BLIND)])
@pytest.mark.parametrize("once_led", [True, False])
def test_a_cluster_that_serves_by_now_is_judged(asked: RunModule, seen: Known[Snapshot], once_led: bool) -> None:
    assert asked(seen, once_led)["reasons"]


@pytest.mark.parametrize(
    "seen",
    [Unreachable("nothing listens"), Unknown("late"), Known(cluster(leader=quorum(-1)))],
    ids=lambda one: str(one)[:9],
)
def test_without_a_leader_only_an_unchecked_batch_goes(asked: RunModule, seen: Outcome[Snapshot]) -> None:
    assert asked(seen, True)["allowed"]
    assert asked(seen, False)["failed"]
