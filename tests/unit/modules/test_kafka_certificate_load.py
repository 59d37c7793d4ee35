"""Who is asked that a node reads its certificate."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.errors import KraftError, ToolError, UnreachableError
from kafka_certificate_load import NOT_CONTROLLER, asked_at, load

LISTENERS = [
    {"purpose": "client", "address": "k1:9092"},
    {"purpose": "inter_broker", "address": "k1:19092"},
    {"purpose": "controller", "address": "k1:9093"},
]
CONTROLLERS = ["c1:9093", "c2:9093"]


class Cluster:
    """Answers with a code for each address, or an exception."""

    def __init__(self, **answers: Any) -> None:
        self.answers, self.asked = answers, list[str]()

    def request(self, _: str, **__: Any) -> str:
        return "request"

    def error(self, what: str, code: int, _: Any) -> KraftError | None:
        return ToolError(f"{what}: {code}") if code else None

    def ask_all(self, questions: list[Any]) -> list[Any]:
        self.asked += [one.address for one in questions]
        answer = self.answers[questions[0].address.partition(":")[0]]
        failed = isinstance(answer, KraftError)
        return [answer if failed else {"responses": [{"error_code": answer, "error_message": None}]}]


def test_a_broker_is_asked_itself_and_a_mere_controller_through_the_controllers() -> None:
    assert asked_at(LISTENERS, CONTROLLERS) == ["k1:19092"]
    assert asked_at(LISTENERS[2:], CONTROLLERS) == CONTROLLERS


@pytest.mark.parametrize("first", [NOT_CONTROLLER, UnreachableError("nothing listens")])
def test_the_next_controller_is_asked_where_one_is_away_or_not_the_active_one(first: Any) -> None:
    cluster: Any = Cluster(c1=first, c2=0)
    load(cluster, 101, CONTROLLERS)
    assert cluster.asked == CONTROLLERS


def test_a_refusal_is_not_asked_again() -> None:
    cluster: Any = Cluster(c1=29, c2=0)
    with pytest.raises(KraftError, match="node 101: 29"):
        load(cluster, 101, CONTROLLERS)
    assert cluster.asked == CONTROLLERS[:1]
