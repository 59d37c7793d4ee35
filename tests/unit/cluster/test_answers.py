"""The end of a question becomes known, unknown or unreachable."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.cluster.client import ApiError
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, Unknown, Unreachable, outcome
from ansible.module_utils.kraft.errors import (
    AccessError,
    KraftError,
    LateError,
    OtherClusterError,
    ToolError,
    UnansweredError,
    UnreachableError,
)


def asked(error: KraftError) -> Outcome[int]:
    def question() -> int:
        raise error

    return outcome(question)


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (UnreachableError("nothing listens"), Unreachable("nothing listens")),
        (UnansweredError("closed"), Unknown("closed")),
        (LateError("late"), Unknown("late", late=True)),
        (AccessError("denied"), Unknown("denied")),
        (ToolError("not read"), Unknown("not read")),
        (ApiError("x", "RequestTimedOut", "y", retriable=True), Unknown("x: RequestTimedOut: y", late=True)),
    ],
)
def test_only_a_refused_connection_is_unreachable(error: KraftError, found: Outcome[int]) -> None:
    assert asked(error) == found


def test_an_answer_is_known_and_another_cluster_ends_the_question() -> None:
    assert outcome(lambda: 0) == Known(0)
    with pytest.raises(OtherClusterError):
        asked(OtherClusterError("k1:9092", "theirs", "ours"))
