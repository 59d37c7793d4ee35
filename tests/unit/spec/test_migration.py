"""The way from open listeners to secured ones: what nodes are in each phase, and who is where."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.node.service.deployed import deployed_node as describe_deployed
from ansible.module_utils.kraft.spec.desired.describe import describe_node
from ansible.module_utils.kraft.spec.desired.files import properties_text
from ansible.module_utils.kraft.spec.desired.migration import (
    KEEP,
    PHASES,
    SHOW,
    applied,
    in_phase,
    migration_refusals,
    phase_of,
)
from ansible.module_utils.kraft.spec.desired.model import Cluster
from ansible.module_utils.kraft.spec.desired.server_properties import server_settings
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.spec.inventory import LISTENERS, cluster

SECURED: list[dict[str, Any]] = [
    {"name": "CLIENT_TLS", "port": 9192, "purpose": "client"},
    {"name": "INTERNAL_TLS", "port": 19192, "purpose": "inter_broker"},
    {"name": "CONTROLLER_TLS", "port": 9193, "purpose": "controller"},
]
TLS: dict[str, Any] = {"kafka_security": "tls_scram", "kafka_tls": {"passphrase": "x" * 12, "directory": "/ca"}}
DEDICATED = {"k1": {"kafka_process_roles": ["controller"]}, "k2": {"kafka_process_roles": ["broker"]}}
#: Possible ends of a run: each node is in its old phase, or in the new one.
PARTLY = st.lists(st.booleans(), min_size=3, max_size=3)


def end(listeners: list[dict[str, Any]] | None = None, **more: Any) -> Cluster:
    return cluster(kafka_listeners=listeners or SECURED, **{**TLS, **more})


def start(**more: Any) -> Cluster:
    return cluster(**{"kafka_listeners": LISTENERS, **more})


def running(made: Cluster) -> dict[str, dict[str, Any]]:
    """Return each host's description if every node of `made` runs."""
    return {node.host: describe_deployed(server_settings(made, node), {}, "") for node in made.nodes}


def settings(made: Cluster, at: int = 0) -> dict[str, str]:
    return server_settings(made, made.nodes[at])


def after(*phases: str, wanted: Cluster | None = None, begin: Cluster | None = None) -> Cluster:
    """The cluster once each phase has come to all nodes."""
    wanted, made = wanted or end(), begin or start()
    for phase in phases:
        made = in_phase(wanted, phase, running(made))
    return made


def test_both_kinds_of_listeners_are_open_before_any_node_uses_a_new_one() -> None:
    now = settings(after("open"))
    assert now["listeners"].count("://") == len(SECURED) + len(LISTENERS)
    assert now["inter.broker.listener.name"] == "INTERNAL"
    assert now["controller.listener.names"] == "CONTROLLER,CONTROLLER_TLS"
    assert now["controller.quorum.bootstrap.servers"].endswith(":9093")
    assert "authorizer.class.name" not in now
    assert now["listener.name.client_tls.sasl.enabled.mechanisms"] == "SCRAM-SHA-512"
    assert now["listener.name.internal_tls.ssl.client.auth"] == "required"


def test_nodes_use_the_new_listeners_and_who_does_not_log_in_may_still_do_everything() -> None:
    now = settings(after("open", "switch"))
    assert now["listeners"].count("://") == len(SECURED) + len(LISTENERS)
    assert now["inter.broker.listener.name"] == "INTERNAL_TLS"
    assert now["controller.listener.names"] == "CONTROLLER_TLS,CONTROLLER"
    assert now["controller.quorum.bootstrap.servers"].endswith(":9193")
    assert now["super.users"].split(";")[-1] == "User:ANONYMOUS"
    assert "allow.everyone.if.no.acl.found" not in now


NODES = ";".join(f"User:CN={host},OU=nodes,O=test" for host in ("k1", "k2", "k3"))
AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"


@pytest.mark.parametrize("security", ["tls_scram", "tls"])
def test_nodes_without_a_certificate_are_let_in_until_the_end_whatever_super_users_the_inventory_gives(
    security: str,
) -> None:
    given = {"super.users": f"User:admin;{NODES}"}
    given |= {"authorizer.class.name": AUTHORIZER} if security == "tls" else {}
    wanted = end(kafka_security=security, kafka_config=given)
    for phases in (("open",), ("open", "switch"), ("open", "switch", "reopen"), ("open", "switch", "reopen", "leave")):
        now = settings(after(*phases, wanted=wanted))
        assert not now.get("authorizer.class.name") or now["super.users"].split(";")[-1] == "User:ANONYMOUS"
    switched = after("open", "switch", wanted=wanted)
    written = properties_text(describe_node(switched, switched.nodes[0]), [given])
    assert f"super.users={given['super.users']};User:ANONYMOUS\n" in written
    closed = settings(after("open", "switch", "close", wanted=wanted))
    assert (closed["super.users"], closed["authorizer.class.name"]) == (given["super.users"], AUTHORIZER)


@pytest.mark.parametrize("listeners", [SECURED, [*SECURED, LISTENERS[0]]], ids=["goes", "stays"])
def test_own_clients_use_the_old_listener_until_the_end(listeners: list[dict[str, Any]]) -> None:
    for phases, port in ((("open",), 9092), (("open", "switch"), 9092), (("open", "switch", "close"), 9192)):
        made = after(*phases, wanted=end(listeners))
        found = made.client_listener(made.nodes[0])
        assert found
        assert found.port == port


@pytest.mark.parametrize("more", [{}, {"kafka_quorum": "static"}, {"per_host": DEDICATED}], ids=str)
def test_the_end_is_what_the_inventory_says(more: dict[str, Any]) -> None:
    wanted = end(**more)
    made = after("open", "switch", "close", wanted=wanted, begin=start(**more))
    assert [settings(made, at) for at in range(3)] == [settings(wanted, at) for at in range(3)]


@pytest.mark.parametrize("phases", [("open", "leave"), ("open", "switch", "reopen", "leave")])
@pytest.mark.parametrize("more", [{}, {"kafka_quorum": "static"}, {"per_host": DEDICATED}], ids=str)
def test_the_way_back_ends_where_it_began(phases: tuple[str, ...], more: dict[str, Any]) -> None:
    made = after(*phases, wanted=end(**more), begin=start(**more))
    assert [settings(made, at) for at in range(3)] == [settings(start(**more), at) for at in range(3)]


def test_a_listener_that_stays_is_there_in_every_phase() -> None:
    wanted = end([*SECURED, LISTENERS[0]])
    for phases in (("open",), ("open", "switch"), ("open", "switch", "close"), ("open", "switch", "reopen", "leave")):
        assert "CLIENT://10.0.0.1:9092" in settings(after(*phases, wanted=wanted))["listeners"]


@given(PARTLY)
def test_a_killed_run_is_finished_by_the_next_and_takes_no_node_back(came: list[bool]) -> None:
    for before, phase in ((("open",), "switch"), (("open", "switch"), "close")):
        old, new = running(after(*before)), running(after(*before, phase))
        mixed = {host: (new if there else old)[host] for host, there in zip(old, came)}
        for asked in ("open", phase):
            made = in_phase(end(), asked, mixed)
            expected = phase if any(came) or asked == phase else before[-1]
            assert made.migration == expected
            assert settings(made) == settings(after(*before, *([phase] if expected == phase else [])))


@given(PARTLY)
def test_a_killed_way_back_is_finished_by_the_next(came: list[bool]) -> None:
    old, new = running(after("open")), running(after("open", "leave"))
    mixed = {host: (new if there else old)[host] for host, there in zip(old, came)}
    assert settings(in_phase(end(), "leave", mixed)) == settings(start())
    if any(came):
        assert phase_of(end(), "reopen", mixed) == "leave"


def test_nodes_of_two_phases_in_a_row_can_reach_each_other() -> None:
    """Every listener that a node uses towards others is open on all of them, in this phase and in the one before."""
    way = ["open", "switch", "close"]
    for at in range(len(way)):
        old, new = after(*way[:at]), after(*way[: at + 1])
        for one, other in ((old, new), (new, old)):
            used = settings(one)
            names = {used["inter.broker.listener.name"], used["controller.listener.names"].split(",")[0]}
            assert all(f"{name}:" in settings(other)["listeners"] for name in names)


@pytest.mark.parametrize("phase", sorted({*PHASES} - {KEEP, SHOW}))
def test_a_cluster_that_is_secured_already_or_not_there_stays_as_the_inventory_says(phase: str) -> None:
    wanted = end()
    assert settings(in_phase(wanted, phase, {})) == settings(wanted)
    if phase not in ("reopen", "leave"):
        assert settings(in_phase(wanted, phase, running(wanted))) == settings(wanted)


def test_phases_that_are_behind_all_nodes_are_known() -> None:
    assert set(after("open").migration_passed) == {"reopen"}
    assert set(in_phase(end(), "open", running(after("open"))).migration_passed) == {"open", "reopen"}
    assert set(in_phase(end(), "open", running(after("open", "switch"))).migration_passed) == {"open", "switch"}


@pytest.mark.parametrize("asked", ["keep", "show"])
@pytest.mark.parametrize("phases", [("open",), ("open", "switch")])
def test_any_other_operation_keeps_the_phase(phases: tuple[str, ...], asked: str) -> None:
    facts = {host: {"deployed": now} for host, now in running(after(*phases)).items()}
    made, found = applied(end(), asked, facts)
    assert not found
    assert settings(made) == settings(after(*phases))


@pytest.mark.parametrize("made", [start(), after("open", "switch", "close"), after("open", "leave")])
def test_outside_of_a_migration_the_inventory_is_taken_as_it_is(made: Cluster) -> None:
    facts = {host: {"deployed": now} for host, now in running(made).items()}
    assert applied(end(), "keep", facts) == (end(), [])


def test_all_nodes_take_part() -> None:
    """One that is left out, and one that is none yet, would not be found by those that switch."""
    for now in (None, {"deployed": describe_deployed({}, {}, "")}):
        facts: dict[str, Any] = {host: {"deployed": one} for host, one in running(after("open")).items()}
        _, found = applied(end(), "switch", {**facts, "k2": now})
        assert [(one.rule, one.host) for one in found] == [("migration_left_out", "k2")]
        assert applied(end(), "show", {**facts, "k2": now})[1] == []  # a look takes what there is


def listener(at: int, **more: Any) -> list[dict[str, Any]]:
    return [{**one, **(more if at == number else {})} for number, one in enumerate(SECURED)]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (listener(1, name="INTERNAL"), ("migration_name", "k1", "kafka_listeners[INTERNAL].name", "INTERNAL")),
        (listener(0, port=19092), ("migration_port", "k1", "kafka_listeners[CLIENT_TLS].port", 19092)),
    ],
)
def test_a_secured_listener_has_a_name_and_a_port_of_its_own(wanted: Any, found: tuple[Any, ...]) -> None:
    told = [
        (one.rule, one.host, one.variable, one.value)
        for one in migration_refusals(end(wanted), "open", running(start()))
    ]
    assert found in told
    assert {one[0] for one in told} == {found[0]}


def test_only_open_listeners_are_left_this_way() -> None:
    before = start(
        kafka_listeners=[*LISTENERS, {"name": "OTHER", "port": 9999, "protocol": "SSL", "purpose": "client"}]
    )
    told = [(one.rule, one.host, one.value) for one in migration_refusals(end(), "open", running(before))]
    assert told == [("migration_protocol", host, "OTHER") for host in ("k1", "k2", "k3")]


@pytest.mark.parametrize("phase", ["reopen", "leave"])
def test_there_is_no_way_back_from_the_end(phase: str) -> None:
    closed = after("open", "switch", "close")
    assert [one.rule for one in migration_refusals(end(), phase, running(closed))] == ["migration_closed"]
    assert not list(migration_refusals(end(), phase, running(after("open", "switch"))))
