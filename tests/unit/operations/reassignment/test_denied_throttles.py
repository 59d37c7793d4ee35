"""A throttle that may not be read is unknown: without that, a foreign one would be replaced, and ours would stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.client import Client, DeniedError, Question
from ansible.module_utils.kraft.operations.disks.admin import DisksAdmin
from ansible.module_utils.kraft.operations.reassignment.admin import ReassignmentAdmin
from ansible.module_utils.kraft.operations.reassignment.throttle import Throttles

from tests.unit.cluster.snapshots import broker, cluster, partition, topic

CLUSTER_DENIED, TOPIC_DENIED, UNKNOWN_TOPIC = 31, 29, 3
SEEN = cluster(topic("orders", partition(0, [1])), brokers=[broker(1)])


class Refusing(Client):
    """A client of broker 1, which answers about each resource with `codes` by its name."""

    codes: dict[str, int]

    def reach(self, _: Any = ()) -> str:
        return "kafka1:9092"

    def send(self, *asked: Any, **_: Any) -> dict[str, Any]:
        names = [one[1] for one in asked[1].resources]
        return {
            "results": [
                {"resource_name": one, "error_code": self.codes.get(one, 0), "error_message": "", "configs": []}
                for one in names
            ]
        }

    def send_all(self, questions: Sequence[Question], *_: Any, **__: Any) -> list[Any]:
        return [self.send(one.address, one.request) for one in questions]


@pytest.fixture
def client() -> Iterator[Refusing]:
    made = Refusing({"bootstrap_servers": []})
    yield made
    made.close()


@pytest.mark.parametrize("codes", [{"1": CLUSTER_DENIED}, {"orders": TOPIC_DENIED}])
def test_a_denied_throttle_of_moves_is_not_none(client: Refusing, codes: dict[str, int]) -> None:
    client.codes = codes
    with pytest.raises(DeniedError, match=next(iter(codes))):
        ReassignmentAdmin(client).throttles(SEEN)


def test_a_denied_throttle_of_copies_is_not_none(client: Refusing) -> None:
    client.codes = {"1": CLUSTER_DENIED}
    with pytest.raises(DeniedError):
        DisksAdmin(client).rates(SEEN.brokers)


def test_a_topic_that_is_gone_by_now_has_no_throttle(client: Refusing) -> None:
    client.codes = {"orders": UNKNOWN_TOPIC}
    assert ReassignmentAdmin(client).throttles(SEEN) == Throttles()
