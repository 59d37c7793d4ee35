"""What counts as a change of a host, and what a running Kafka does by itself."""

from __future__ import annotations

import pytest
from host_state import differences

LOG_DIR = "/opt/kafka/kraft-logs/kafka-logs1"
KEPT = {f"{LOG_DIR}/orders-0": ["0o40750", 999, 997], f"{LOG_DIR}/meta.properties": ["0o100644", 999, 997]}


@pytest.mark.parametrize("name", ["__consumer_offsets-12", "orders-1", "orders-2-future"])
def test_a_partition_that_comes_is_the_broker_s_own_work(name: str) -> None:
    assert differences(KEPT, {**KEPT, f"{LOG_DIR}/{name}": ["0o40750", 999, 997]}) == []


@pytest.mark.parametrize(
    ("name", "now"),
    [
        (f"{LOG_DIR}/orders-0", None),
        (f"{LOG_DIR}/orders-0", ["0o40750", 0, 0]),
        (f"{LOG_DIR}/meta.properties", ["0o100644", 0, 0]),
        (f"{LOG_DIR}/bootstrap.checkpoint", ["0o100644", 999, 997]),
        ("/opt/kafka/releases/4.3.1-1", ["0o40755", 0, 0]),
    ],
)
def test_whatever_else_differs_is_a_change(name: str, now: list[object] | None) -> None:
    assert differences(KEPT, {**KEPT, name: now}) == [name]
