"""An approved plan covers topics, users, ACLs, quotas and certificates of users, or the run leaves them alone."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Topic
from ansible.module_utils.kraft.operations.deployment import document
from ansible.module_utils.kraft.operations.deployment.comparison import outdated
from ansible.module_utils.kraft.operations.deployment.plan import deployment_plan
from ansible.module_utils.kraft.operations.resources import plan as kind_plan
from ansible.module_utils.kraft.operations.resources import reviewed
from ansible.module_utils.kraft.operations.resources.reviewed import resources_plan
from ansible.module_utils.kraft.operations.topics import report as topic_report
from ansible.module_utils.kraft.operations.topics.plan import Desired, plan
from ansible.module_utils.kraft.spec.resources.quotas import Quota

from tests.unit.cluster.snapshots import cluster, partition, topic

DESIRED = {"cluster": {"name": "logs", "cluster_id": "a3JhZnR3cmlnaHQtZGVtbw"}}
USER = {"name": "ann", "mechanism": "SCRAM-SHA-512", "password": "c4n4ry-secret", "state": "present"}
TOPIC = {"name": "orders", "partitions": 6, "config": {"retention.ms": 5}, "state": "present"}
ADD_USER = "add user ann (SCRAM-SHA-512)"


def given(found: str = "running", topics: Any = None, steps: Any = (), **more: Any) -> dict[str, Any]:
    """Return the input from the tasks. `topics`: name -> steps."""
    changed = [{"name": name, "topic_id": "AAAA", "steps": each} for name, each in (topics or {}).items()]
    result = {"topics": changed, "steps": list(steps)}
    return {"found": found, "result": result, "topics": [TOPIC], "users": [USER], "acls": [], "quotas": [], **more}


def whole(values: dict[str, Any]) -> dict[str, Any]:
    return deployment_plan(DESIRED, {}, [], [], resources_plan(values, "salt"))


def of_topic(wanted: Desired, topic: Topic, **overrides: str) -> dict[str, Any]:
    """Return the input for a plan that was made while the topic was like this."""
    own = {key.replace("_", "."): value for key, value in overrides.items()}
    made = topic_report.entry(plan(wanted, cluster(topic), own), topic, own, {})
    return {**given(), "result": {"topics": [made], "steps": []}}


def of_quotas(desired: float, now: float) -> dict[str, Any]:
    quota = Quota((("user", "ann"),), "producer_byte_rate")
    found = kind_plan.plan({quota: desired}, {quota: now}, lambda _: False)
    return given(steps=kind_plan.result(found, {quota: now}, "quotas")["steps"])


def refused(approved: dict[str, Any], now: dict[str, Any]) -> list[str]:
    declared = resources_plan({**now, "found": reviewed.NEW}, "salt")
    return [each.variable for each in outdated(whole(approved), whole(now), declared)]


CHANGES: dict[str, dict[str, Any]] = {
    "a topic": given(topics={"orders": ["delete: topic id AAAA, partitions 6"]}),
    "a step of a topic": given(topics={"orders": ["add partitions: 6 -> 12"]}),
    "a setting of a topic": given(topics={"orders": ["set retention.ms: 7 -> 14"]}),
    "a quota": given(steps=["set user ann: producer_byte_rate (bytes/s): 1 -> 2"]),
    "an ACL": given(steps=["add User:ann may read topic orders"]),
    "a user who goes": given(steps=["remove user bob (SCRAM-SHA-512)"]),
    "a password": given(steps=["set user ann (SCRAM-SHA-512)"]),
    "a generated password": given(generated=["generate the password of carl"]),
    "a certificate": given(certificates=["ann has a certificate that ends"]),
}


ORDERS = Desired("orders", config={"retention.ms": "14"})
KEPT = Desired("orders", config={"retention.ms": None})
OLD = Desired("orders", present=False)
SMALL, LARGE = [partition(0, [1])], [partition(number, [1]) for number in range(2)]
#: State at the approval, and another one under the run, though the inventory is the same.
REPLACED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a setting": (
        of_topic(ORDERS, topic("orders", *SMALL), retention_ms="7"),
        of_topic(ORDERS, topic("orders", *SMALL), retention_ms="365"),
    ),
    "a setting that was the default": (
        of_topic(ORDERS, topic("orders", *SMALL)),
        of_topic(ORDERS, topic("orders", *SMALL), retention_ms="365"),
    ),
    "a setting that goes": (
        of_topic(KEPT, topic("orders", *SMALL), retention_ms="7"),
        of_topic(KEPT, topic("orders", *SMALL), retention_ms="365"),
    ),
    "a topic made again": (
        of_topic(OLD, topic("orders", *SMALL, topic_id="AAAA")),
        of_topic(OLD, topic("orders", *SMALL, topic_id="BBBB")),
    ),
    "a topic made again, with the same settings": (
        of_topic(ORDERS, topic("orders", *SMALL, topic_id="AAAA"), retention_ms="7"),
        of_topic(ORDERS, topic("orders", *SMALL, topic_id="BBBB"), retention_ms="7"),
    ),
    "a topic with more partitions": (
        of_topic(OLD, topic("orders", *SMALL, topic_id="AAAA")),
        of_topic(OLD, topic("orders", *LARGE, topic_id="AAAA")),
    ),
    "a topic that is declared with more partitions": (
        of_topic(Desired("orders", partitions=6), topic("orders", *SMALL)),
        of_topic(Desired("orders", partitions=6), topic("orders", *LARGE)),
    ),
    "a quota": (of_quotas(2, 1), of_quotas(2, 1048576)),
    "the wanted value of a quota": (of_quotas(1048576, 1), of_quotas(1048577, 1)),
}


@pytest.mark.parametrize(("approved", "now"), REPLACED.values(), ids=list(REPLACED))
def test_a_plan_that_replaces_something_else_is_another_plan(approved: dict[str, Any], now: dict[str, Any]) -> None:
    assert refused(approved, now)
    assert refused(approved, approved) == []


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
        ({"topics": {"orders": ["delete: topic id AAAA, partitions 6"]}}, "resources"),
        ({"topics": {"orders": ["set retention.ms: 7 -> 14"]}}, "resources"),
        ({"topics": {"orders": ["add partitions: 1 -> 6"]}}, "resources"),
        ({"steps": ["set user ann: producer_byte_rate (bytes/s): 1 -> 2"]}, "resources"),
        ({"steps": [ADD_USER], "certificates": ["bob has no certificate"]}, "resources > certificates"),
    ],
)
def test_a_plan_without_a_cluster_takes_nothing_away(more: dict[str, Any], where: str) -> None:
    assert refused(given("new"), given(**more)) == [where]


def test_other_topics_than_those_approved_without_a_cluster_are_refused() -> None:
    now = {**given(topics={"orders": ["create: partitions 9, replicas 3"]}), "topics": [{**TOPIC, "partitions": 9}]}
    assert refused(given("new"), now) == ["resources > topics > orders"]
