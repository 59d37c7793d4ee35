"""An answer about all topics gets more time after each late one, for every caller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.client import Answer, Client
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.errors import LateError, UnansweredError

PLACE = "kafka1:9092"


class Slow(Client):
    """A broker that needs some seconds to give all topics, and has no leader to pass questions to."""

    def __init__(self, needs: float) -> None:
        self.needs, self.limits = needs, list[float]()

    def request(self, name: str, /, **_: Any) -> Any:
        return name

    def error(self, what: str, code: int, detail: str | None) -> None:
        assert not code, (what, detail)

    def send_all(self, questions: Sequence[Any], seconds: float = 5.0, raw: bool = False) -> list[Answer]:
        assert not raw
        self.limits.append(seconds)
        return [self.answer(one.request, seconds) for one in questions]

    def answer(self, request: str, seconds: float) -> Answer:
        if request == "DescribeClusterRequest":
            return {"error_code": 0, "cluster_id": "x", "brokers": []}
        if request == "MetadataRequest" and seconds >= self.needs:
            return {"error_code": 0, "topics": []}
        return UnansweredError("late")


def test_topics_that_were_late_get_more_time_up_to_a_minute() -> None:
    client = Slow(needs=40.0)
    seen = [observe(client, ("topics",), PLACE, 3.0).topics is not None for _ in range(7)]
    assert client.limits == [3.0, 6.0, 12.0, 24.0, 48.0, 48.0, 48.0]
    assert seen == [False] * 4 + [True] * 3
    never = Slow(needs=1e9)
    for _ in range(8):
        observe(never, ("topics",), PLACE, 5.0)
    assert never.limits == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0, 60.0, 60.0]


@pytest.mark.parametrize("parts", [("quorum",), ("quorum", "reassignments")])
def test_what_waits_for_a_leader_is_asked_as_quickly_again(parts: tuple[str, ...]) -> None:
    client = Slow(needs=0.0)
    for _ in range(3):
        assert observe(client, parts, PLACE, 3.0).unanswered
    assert client.limits == [3.0] * 3


class Leaderless(Slow):
    """The question for the quorum times out; that for moves ends with the connection."""

    def answer(self, request: str, seconds: float) -> Answer:
        failed = {
            "DescribeQuorumRequest": LateError("late"),
            "ListPartitionReassignmentsRequest": UnansweredError("closed"),
        }
        return failed.get(request) or super().answer(request, seconds)


def test_a_part_that_was_late_is_told_from_one_that_was_not() -> None:
    seen = observe(Leaderless(0.0), ("topics", "quorum", "reassignments"), PLACE)
    assert seen.late == ("quorum",)
    assert [reason.split()[0] for _, reason in sorted(seen.unanswered.items())] == ["late", "closed"]
    assert all("passes this question on" in reason for reason in seen.unanswered.values())
