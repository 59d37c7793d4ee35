"""Check mode's prediction for a cluster that is not there yet."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.kraft.operations.resources.predicted import steps
from ansible.module_utils.kraft.spec.resources import users

PEOPLE: list[dict[str, Any]] = [
    {
        "name": "writer",
        "allow": [{"topic": "orders", "operations": ["write"]}],
        "quotas": {"producer_byte_rate": 1048576},
    },
    {"name": "reader", "authentication": "tls"},
    {"name": "leaver", "state": "absent"},
]


def test_everything_that_is_declared_is_new_and_nothing_else() -> None:
    topics: list[dict[str, Any]] = [{"name": "orders", "partitions": 3}, {"name": "old", "state": "absent"}]
    credentials, acls, quotas = users.credentials(PEOPLE), users.acls(PEOPLE, []), users.quotas(PEOPLE, [])
    assert steps(topics, credentials, acls, quotas) == [
        "add topic orders",
        "add user writer (SCRAM-SHA-512)",
        "add User:writer may write: topic orders",
        "add user writer: producer_byte_rate (bytes/s) = 1048576",
    ]


def test_a_right_that_is_declared_twice_is_one() -> None:
    right = {"principal": "User:writer", "topic": "orders", "operations": ["write"]}
    assert steps([], [], [right, right], []) == ["add User:writer may write: topic orders"]


def test_nothing_declared_is_nothing() -> None:
    assert steps([], [], [], []) == []
