"""Refusals of principals that never match, and of an authorizer that keeps the nodes out."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.problem import Problem

from tests.unit.spec.inventory import hosts, problems_of

STANDARD = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
NODES = "User:ANONYMOUS"
SUPER = "kafka_config[super.users]"


def said(rule: str, count: int = 1, **given: Any) -> list[Problem]:
    return [each for each in problems_of(hosts(count, **given)) if each.rule == rule]


def settings(supers: str, **more: Any) -> dict[str, Any]:
    return {"kafka_config": {"authorizer.class.name": STANDARD, "super.users": supers, **more}}


@pytest.mark.parametrize(
    "supers",
    [
        "user:a",
        "USER:a",
        "a",
        "Group:a",
        ":a",
        "User:",
        "User: a",
        "User:*",
        "User:admin-*",
        "User:a,User:b",
        "User:a, user:b",
        "User:a,b",
        "User:CN=a,O=x,User:b",
        "User:CN=a, O=x",
        'User:CN=a;"User:b"',
        "User:a;user:b",
        "User:a;b",
    ],
)
@pytest.mark.parametrize("profile", ["production", "test"])
def test_a_principal_that_matches_no_one_is_refused_once(supers: str, profile: str) -> None:
    given = f"{supers};{NODES}"
    made = said("super_users", kafka_profile=profile, **settings(given))
    assert [(each.severity, each.host, each.variable, each.value) for each in made] == [("error", "k1", SUPER, given)]


@pytest.mark.parametrize(
    "supers",
    [
        NODES,
        f"User:a;{NODES};",
        f" User:a ; {NODES} ",
        f"User:CN=node 1,OU=kafka,O=Example\\, Inc.;{NODES}",
        f"User:a b;{NODES}",
        f"User:CN=*.example.com,O=Example;{NODES}",
        "${file:/etc/kafka/users:supers}",
    ],
)
def test_principals_that_someone_has_are_taken(supers: str) -> None:
    assert said("super_users", **settings(supers)) == []


def test_a_list_in_yaml_becomes_one_user_with_a_comma_and_is_refused() -> None:
    given = {"authorizer.class.name": STANDARD, "super.users": ["User:a", NODES]}
    assert [each.host for each in said("super_users", kafka_config=given)] == ["k1"]


def test_a_builder_of_principals_may_make_types_of_its_own() -> None:
    builder = {"principal.builder.class": "org.example.Builder"}
    assert said("super_users", **settings("Group:a", **builder)) == []
    assert [each.host for each in said("super_users", **settings("a", **builder))] == ["k1"]


def test_another_authorizer_has_a_form_of_its_own() -> None:
    given = {"authorizer.class.name": "org.example.Authorizer", "super.users": "a,b"}
    assert said("super_users", kafka_config=given) == []
    assert said("authorizer_missing", kafka_config=given) == []


def test_the_variable_is_the_one_that_gives_the_setting() -> None:
    made = said("super_users", kafka_group_config={"super.users": "user:a"})
    assert [each.variable for each in made] == ["kafka_group_config[super.users]"]


@pytest.mark.parametrize("supers", ["User:admin", ""])
def test_nodes_that_do_not_log_in_must_be_super_users(supers: str) -> None:
    made = said("super_users", 3, **settings(supers))
    assert [(each.severity, each.host) for each in made] == [("error", "k1"), ("error", "k2"), ("error", "k3")]
    assert all(NODES in each.remedy for each in made)
    everyone = {"allow.everyone.if.no.acl.found": True}
    assert said("super_users", 3, **settings(supers, **everyone)) == []


def test_the_authorizer_is_the_same_on_all_nodes() -> None:
    given = {"k1": {"kafka_host_config": {"authorizer.class.name": STANDARD, "super.users": NODES}}}
    made = said("authorizer_differs", 3, per_host=given)
    assert [(each.severity, each.host, each.variable) for each in made] == [
        ("error", "", "kafka_config[authorizer.class.name]")
    ]


def test_super_users_without_an_authorizer_are_a_warning() -> None:
    made = said("authorizer_missing", kafka_config={"super.users": NODES})
    assert [(each.severity, each.host) for each in made] == [("warning", "k1")]


@pytest.mark.parametrize(("profile", "severity"), [("production", "error"), ("test", "warning")])
def test_everyone_is_a_risk(profile: str, severity: str) -> None:
    everyone = {"allow.everyone.if.no.acl.found": True}
    made = said("open_authorizer", kafka_profile=profile, **settings(NODES, **everyone))
    assert [(each.severity, each.variable) for each in made] == [
        (severity, "kafka_config[allow.everyone.if.no.acl.found]")
    ]
