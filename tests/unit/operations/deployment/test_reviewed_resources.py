"""An approved plan covers topics, users, ACLs, quotas and certificates of users, or the run leaves them alone."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.operations.deployment import document
from ansible.module_utils.kraft.operations.deployment.comparison import outdated
from ansible.module_utils.kraft.operations.deployment.plan import deployment_plan
from ansible.module_utils.kraft.operations.resources import reviewed
from ansible.module_utils.kraft.operations.resources.reviewed import resources_plan

DESIRED = {"cluster": {"name": "logs", "cluster_id": "a3JhZnR3cmlnaHQtZGVtbw"}}
USER = {"name": "ann", "mechanism": "SCRAM-SHA-512", "password": "c4n4ry-secret", "state": "present"}
TOPIC = {"name": "orders", "partitions": 6, "config": {"retention.ms": 5}, "state": "present"}
ADD_USER = "add user ann (SCRAM-SHA-512)"


def given(found: str = "running", topics: Any = None, steps: Any = (), **more: Any) -> dict[str, Any]:
    """Return the input from the tasks. `topics`: name -> steps."""
    result = {"topics": [{"name": name, "steps": each} for name, each in (topics or {}).items()], "steps": list(steps)}
    return {"found": found, "result": result, "topics": [TOPIC], "users": [USER], "acls": [], "quotas": [], **more}


def whole(values: dict[str, Any]) -> dict[str, Any]:
    return deployment_plan(DESIRED, {}, [], [], resources_plan(values, "salt"))


def refused(approved: dict[str, Any], now: dict[str, Any]) -> list[str]:
    declared = resources_plan({**now, "found": reviewed.NEW}, "salt")
    return [each.variable for each in outdated(whole(approved), whole(now), declared)]


CHANGES: dict[str, dict[str, Any]] = {
    "a topic": given(topics={"orders": ["delete"]}),
    "a step of a topic": given(topics={"orders": ["add partitions: 6 -> 12"]}),
    "an ACL": given(steps=["add User:ann may read topic orders"]),
    "a user who goes": given(steps=["remove user bob (SCRAM-SHA-512)"]),
    "a password": given(steps=["set user ann (SCRAM-SHA-512)"]),
    "a generated password": given(generated=["generate the password of carl"]),
    "a certificate": given(certificates=["ann has a certificate that ends"]),
}


@pytest.mark.parametrize("now", CHANGES.values(), ids=list(CHANGES))
@pytest.mark.parametrize("found", ["running", "new", "down"])
def test_a_change_of_resources_that_was_not_approved_is_refused(found: str, now: dict[str, Any]) -> None:
    if found == reviewed.NEW:
        now = {**now, "topics": [], "users": [{**USER, "password": "other-secret"}]}
    assert refused(given(found), now)


@pytest.mark.parametrize("now", CHANGES.values(), ids=list(CHANGES))
def test_what_was_approved_passes_and_so_does_nothing_left_to_do(now: dict[str, Any]) -> None:
    assert refused(now, now) == []
    assert refused(now, given()) == []
    assert refused(given("new"), given()) == []


def test_another_password_is_another_plan_and_none_is_shown() -> None:
    now = CHANGES["a password"]
    other = {**now, "users": [{**USER, "password": "other-secret"}]}
    assert refused(now, other) == ["resources > passwords > user ann (SCRAM-SHA-512)"]
    assert "c4n4ry" not in document.text(whole(now))
    assert whole(given())["resources"]["passwords"] == {}


def test_a_plan_without_a_cluster_is_carried_out_once_it_runs() -> None:
    made = given(topics={"orders": ["create: partitions 6, replicas 3", "set retention.ms = 5"]}, steps=[ADD_USER])
    assert whole(given("new"))["resources"]["topics"] == {"orders": ["create", "partitions 6", "set retention.ms = 5"]}
    assert refused(given("new"), made) == []


@pytest.mark.parametrize(
    ("more", "where"),
    [
        ({"steps": ["remove user bob (SCRAM-SHA-512)"]}, "resources"),
        ({"topics": {"orders": ["delete"]}}, "resources"),
        ({"steps": [ADD_USER], "certificates": ["bob has no certificate"]}, "resources > certificates"),
    ],
)
def test_a_plan_without_a_cluster_takes_nothing_away(more: dict[str, Any], where: str) -> None:
    assert refused(given("new"), given(**more)) == [where]


def test_other_topics_than_those_approved_without_a_cluster_are_refused() -> None:
    now = {**given(topics={"orders": ["create: partitions 9, replicas 3"]}), "topics": [{**TOPIC, "partitions": 9}]}
    assert refused(given("new"), now) == ["resources > topics > orders"]
