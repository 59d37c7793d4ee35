"""The plan of a roll: what is asked, for how long, and what is made of answers that do not come."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.cluster import gather
from ansible.module_utils.kraft.cluster.outcome import Known, Unknown, Unreachable
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.errors import (
    AccessError,
    KraftError,
    ToolError,
    TrustError,
    UnansweredError,
    UnreachableError,
)
from ansible.module_utils.kraft.operations.roll import planner

from tests.unit.cluster.snapshots import cluster

CLIENT: Any = None  #: nothing is asked: `looks` gives the answer


def looks(monkeypatch: pytest.MonkeyPatch, *answers: Snapshot | KraftError) -> list[float]:
    """The answers in turn, the last one for ever; gives the seconds that each was given."""
    left, given = list(answers), list[float]()

    def observe(_client: object, _parts: object, seconds: float, _delay: object) -> Snapshot:
        given.append(seconds)
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, KraftError):
            raise answer
        return answer

    monkeypatch.setattr(gather, "through_current_broker", observe)
    monkeypatch.setattr("time.sleep", lambda _: None)
    return given


@pytest.mark.parametrize(
    "error",
    [
        AccessError("denied"),
        TrustError("expired"),
        ToolError("an answer that cannot be decoded"),
        UnansweredError("accepts connections and does not answer"),
    ],
)
def test_an_answer_that_is_denied_late_or_not_understood_is_unknown(
    monkeypatch: pytest.MonkeyPatch, error: KraftError
) -> None:
    looks(monkeypatch, error)
    assert planner.looked(CLIENT, 0, 2000) == Unknown(str(error))


def test_a_cluster_of_which_nothing_listens_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    looks(monkeypatch, UnreachableError("nothing listens"))
    assert planner.looked(CLIENT, 0, 2000) == Unreachable("nothing listens")
    assert planner.looked(CLIENT, 100, 2000, check_mode=True) == Unreachable("nothing listens")


def test_a_late_answer_is_given_more_time_until_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    given = looks(monkeypatch, *[UnansweredError("late")] * 5, cluster())
    assert planner.looked(CLIENT, 100, 2000) == Known(cluster())
    assert given == [5, 10, 20, 40, 60, 60]
