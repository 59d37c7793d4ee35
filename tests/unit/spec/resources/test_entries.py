"""Entries of the inventory, taken apart into what Kafka keeps."""

from __future__ import annotations

from ansible.module_utils.kraft.spec.resources import users
from ansible.module_utils.kraft.spec.resources.acls import Acl, expanded
from ansible.module_utils.kraft.spec.resources.quotas import Quota, entity
from ansible.module_utils.kraft.spec.resources.quotas import expanded as quotas_of


def test_an_entry_is_one_acl_for_each_operation() -> None:
    entry = {"topic": "orders-", "pattern": "prefixed", "operations": ["read", "describe"]}
    assert expanded(entry, "User:a") == tuple(
        Acl("User:a", "topic", "orders-", operation, pattern="prefixed") for operation in ("read", "describe")
    )
    (acl,) = expanded({"principal": "User:b", "cluster": True, "operations": ["alter"], "permission": "deny"})
    assert (acl.resource, acl.name, acl.permission) == ("cluster", "kafka-cluster", "deny")


def test_the_default_entity_has_no_name() -> None:
    assert entity({"user": "*", "client_id": "app"}) == (("client-id", "app"), ("user", None))
    assert quotas_of({"ip": "10.0.0.1", "connection_creation_rate": 5}) == {
        Quota((("ip", "10.0.0.1"),), "connection_creation_rate"): 5.0
    }


def test_a_user_who_goes_leaves_no_acl_and_no_quota() -> None:
    gone = [{"name": "intern", "state": "absent"}]
    assert users.credentials(gone) == [{"name": "intern", "state": "absent"}]
    assert users.acls(gone, []) == [{"principal": "User:intern", "state": "absent"}]
    assert users.quotas(gone, []) == [{"user": "intern", "state": "absent"}]


def test_what_a_user_is_allowed_is_of_that_user_and_our_own_clients_get_what_they_need() -> None:
    people = [{"name": "a", "allow": [{"topic": "t", "operations": ["read"]}], "quotas": {"request_percentage": 5}}]
    assert users.acls(people, [])[0]["principal"] == "User:a"
    assert users.quotas(people, [])[0]["request_percentage"] == 5
    own = users.acls([], [], "verifier")
    assert {each["principal"] for each in own} == {"User:verifier"}
    assert {each.get("topic") or each.get("group") for each in own} == {"kraftwright-", "spark-kafka-"}
