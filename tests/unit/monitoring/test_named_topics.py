"""Bytes of topics, as far as their names are asked for."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.monitoring.collected_samples import of_dirs

TOPICS = [{"name": name, "partitions": [{"partition_size": 7}]} for name in ("orders", "orders.eu", "payments-1")]
DIRECTORY = {"error_code": 0, "log_dir": "/data", "topics": TOPICS, "total_bytes": 100, "usable_bytes": 50}
ANSWER: dict[str, Any] = {"results": [DIRECTORY]}


@pytest.mark.parametrize(
    ("topics", "expected"),
    [
        (["*"], {"orders", "orders.eu", "payments-1"}),
        (["orders"], {"orders"}),
        (["ORDERS", "pay*"], {"payments-1"}),
    ],
)
def test_a_topic_has_bytes_where_its_name_is_asked_for(topics: list[str], expected: set[str]) -> None:
    found = [each for each in of_dirs(ANSWER, topics) if each.name == "kafka_topic_log_bytes"]
    assert {each.labels["topic"] for each in found} == expected
    assert all(each.value == 7 for each in found)
