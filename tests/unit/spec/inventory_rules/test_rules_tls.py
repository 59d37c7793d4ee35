"""Certificates of the cluster's own authority: what is derived from ``kafka_tls``, and what is refused."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.control import authority
from ansible.module_utils.kraft.spec.desired import describe, listener_protocols
from ansible.module_utils.kraft.spec.desired.listener_properties import CIPHERS
from ansible.module_utils.kraft.spec.desired.server_properties import server_settings

from plugins.action import kafka_desired
from tests.unit.problems import worded
from tests.unit.spec.inventories import example, host_variables
from tests.unit.spec.inventory import LISTENERS, cluster, found, hosts, problems_of, sentences
from tests.wording_files import Wording

PASSPHRASE = "only-for-this-test"  # noqa: S105 - opens nothing
TLS: dict[str, Any] = {"passphrase": PASSPHRASE, "directory": "/srv/tls"}
UNNAMED = [{key: value for key, value in each.items() if key != "protocol"} for each in LISTENERS]
SECURED: dict[str, Any] = {"kafka_security": "tls", "kafka_listeners": UNNAMED, "kafka_tls": TLS}


def tls(**more: Any) -> dict[str, Any]:
    return {**SECURED, "kafka_tls": {**TLS, **more}}


def test_a_secured_cluster_has_no_problem() -> None:
    assert [str(each) for each in problems_of(hosts(**SECURED), client_options={listener_protocols.SMOKE: {}})] == []


def test_listeners_that_name_no_protocol_use_that_of_the_cluster() -> None:
    named = [LISTENERS[0], *UNNAMED[1:]]
    for given, protocols in (
        (SECURED, ["SSL"] * 3),
        ({**SECURED, "kafka_listeners": named}, ["PLAINTEXT", "SSL", "SSL"]),
    ):
        assert [each.protocol for each in cluster(**given).nodes[0].listeners] == protocols
    assert [each.protocol for each in cluster(kafka_listeners=UNNAMED).nodes[0].listeners] == ["PLAINTEXT"] * 3


def test_a_node_shows_its_certificate_and_trusts_the_nodes_authority() -> None:
    made = cluster(**SECURED)
    settings = {key: value for key, value in server_settings(made, made.nodes[0]).items() if "ssl" in key}
    assert settings == {
        "listener.name.controller.ssl.client.auth": "required",
        "listener.name.internal.ssl.client.auth": "required",
        "ssl.keystore.location": "/opt/kafka/tls/node.pem",
        "ssl.cipher.suites": ",".join(CIPHERS),
        "ssl.keystore.type": "PEM",
        "ssl.truststore.location": "/opt/kafka/tls/nodes.pem",
        "ssl.truststore.type": "PEM",
    }


def test_only_ciphers_that_authenticate_what_they_encrypt_are_offered() -> None:
    assert len(CIPHERS) == len({each for each in CIPHERS if re.search(r"_(?:GCM_SHA\d{3}|POLY1305_SHA256)$", each)})
    assert [each for each in CIPHERS if not re.match(r"TLS_(?:AES|CHACHA20|ECDHE)_", each)] == []


def test_without_a_listener_with_tls_nothing_is_derived() -> None:
    made = cluster(kafka_tls=TLS)
    assert describe.certificate(made, made.nodes[0]) is None
    assert not [key for key in server_settings(made, made.nodes[0]) if "ssl" in key]
    assert listener_protocols.client_options(made) == {}


def test_a_certificate_carries_what_the_listeners_advertise_and_what_is_asked_for() -> None:
    made = cluster(**tls(names={"CLIENT": ["kafka.example.org"], "INTERNAL": "k1.internal"}))
    described = describe.certificate(made, made.nodes[0])
    assert described is not None
    assert described["node"] == {
        "host": "k1",
        "cluster": "test",
        "names": ["10.0.0.1", "k1.internal", "kafka.example.org"],
    }
    assert PASSPHRASE not in str(describe.desired_state(made))


def test_names_and_addresses_are_those_that_a_certificate_holds() -> None:
    """Another spelling would be missed in each run, and each run would issue another certificate."""
    names = {"CLIENT": ["Kafka.Example.ORG.", "2001:DB8:0::1"]}
    made = cluster(kafka_address="k1.example.org.", **tls(names=names))
    described = describe.certificate(made, made.nodes[0])
    assert described is not None
    assert described["node"]["names"] == ["2001:db8::1", "k1.example.org", "kafka.example.org"]


def test_our_own_clients_trust_the_authority_of_the_cluster() -> None:
    assert listener_protocols.client_options(cluster(**SECURED)) == {
        "kafka.security.protocol": "SSL",
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.location": "/srv/tls/nodes.pem",
    }


@pytest.mark.parametrize("role", ["controller", "broker"])
def test_a_node_with_plain_listeners_has_a_certificate_where_the_others_need_one(role: str) -> None:
    """A module on its host connects to the others as this node."""
    purpose = "inter_broker" if role == "controller" else "controller"
    mixed = [{**each, "protocol": "SSL" if each["purpose"] == purpose else "PLAINTEXT"} for each in LISTENERS]
    other = "broker" if role == "controller" else "controller"
    roles = {"k1": {"kafka_process_roles": [role]}, **{f"k{at}": {"kafka_process_roles": [other]} for at in (2, 3, 4)}}
    made = cluster(4, roles, kafka_listeners=mixed, kafka_tls=TLS)
    assert describe.certificate(made, made.nodes[0]) is not None


CASES: list[tuple[str, dict[str, Any], tuple[str, str, str, Any]]] = [
    ("tls_passphrase", tls(passphrase="short"), ("error", "", "kafka_tls.passphrase", "(hidden)")),  # noqa: S106
    ("tls_passphrase", tls(passphrase="a" * 20), ("error", "", "kafka_tls.passphrase", "(hidden)")),
    ("tls_passphrase", {**SECURED, "kafka_tls": {"days": 90}}, ("error", "", "kafka_tls.passphrase", "(hidden)")),
    (
        "tls_differs",
        {**SECURED, "per_host": {"k2": {"kafka_tls": {**TLS, "passphrase": "another-one-of-them"}}}},
        ("error", "", "kafka_tls.passphrase", "(hidden)"),
    ),
    (
        "tls_differs",
        {**SECURED, "per_host": {"k2": {"kafka_tls": {**TLS, "directory": "/srv/other"}}}},
        ("error", "", "kafka_tls.directory", None),
    ),
    ("tls_days", tls(days=0), ("error", "k1", "kafka_tls.days", 0)),
    ("tls_days", tls(days=3650), ("error", "k1", "kafka_tls.days", 3650)),
    ("tls_days", tls(days=30, renew_before_days=30), ("error", "k1", "kafka_tls.renew_before_days", 30)),
    ("tls_days", tls(days=30, renew_before_days=0), ("error", "k1", "kafka_tls.renew_before_days", 0)),
    ("tls_name", tls(names={"CLIENTS": ["a"]}), ("error", "k1", "kafka_tls.names[CLIENTS]", "CLIENTS")),
    ("tls_name", {**SECURED, "kafka_cluster_name": "c" * 57}, ("error", "", "kafka_cluster_name", "c" * 57)),
    ("tls_name", tls(names={"CLIENT": None}), ("error", "k1", "kafka_tls.names[CLIENT]", "")),
    ("tls_name", tls(names={"CLIENT": ["a", False]}), ("error", "k1", "kafka_tls.names[CLIENT]", "")),
    ("tls_name", tls(names={"CLIENT": ["a b"]}), ("error", "k1", "kafka_tls.names[CLIENT]", "a b")),
    (
        "setting_derived",
        {**SECURED, "kafka_config": {"ssl.keystore.location": "/mine.pem"}},
        ("error", "k1", "kafka_config[ssl.keystore.location]", None),
    ),
    (
        "setting_derived",
        {**SECURED, "kafka_config": {"listener.name.client.ssl.truststore.location": "/mine.pem"}},
        ("error", "k1", "kafka_config[listener.name.client.ssl.truststore.location]", None),
    ),
    ("node_certificate", {**SECURED, "kafka_tls": {}}, ("error", "k1", "*", None)),
    ("listener_key", {**SECURED, "kafka_tls": {}}, ("error", "k1", "kafka_listeners[CLIENT]", None)),
    ("type", tls(day=3), ("error", "k1", "kafka_tls.day", 3)),
]


@pytest.mark.parametrize(("rule", "given", "expected"), CASES)
def test_what_cannot_be_meant_is_refused(rule: str, given: dict[str, Any], expected: tuple[Any, ...]) -> None:
    made = found(rule, **given)
    if expected[2] == "*":
        assert {(one[0], one[1]) for one in made} >= {expected[:2]}
    else:
        assert expected in made


def test_a_host_with_a_name_that_no_certificate_can_hold_is_refused() -> None:
    given = hosts(1, **SECURED)
    made = problems_of([dataclasses.replace(given[0], host="k" * 65)])
    assert [each.host for each in made if each.rule == "tls_name"] == ["k" * 65]


def test_with_an_authorizer_every_node_must_be_a_super_user() -> None:
    authorizer = {"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer"}
    names = ";".join(f"User:CN=k{at},OU=nodes,O=test" for at in (1, 2, 3))
    for users, refused in ((names, 0), (names.replace("k3", "k4"), 3), ("", 3)):
        config = {**authorizer, **({"super.users": users} if users else {})}
        assert len(found("super_users", **{**SECURED, "kafka_config": config})) == refused


def test_wording(wording: Wording) -> None:
    given = [each for rule, given, _ in CASES for each in sentences(rule, **given)]
    ends = problems_of(hosts(1, **SECURED), tls_days_left=100)
    wording([*given, *worded(each for each in ends if each.rule == "tls_days")])


def test_no_refusal_shows_the_passphrase() -> None:
    for _, given, _ in CASES:
        assert not [each for each in problems_of(hosts(**given)) if PASSPHRASE in str(each)]


def test_an_authority_that_the_passphrase_does_not_open_is_refused(tmp_path: Path) -> None:
    directory = tmp_path / "tls"
    authority.ensure(authority.Place(directory, PASSPHRASE), "x")
    for passphrase, refused in ((PASSPHRASE, []), ("something-else-entirely", ["tls_authority"])):
        given = {"passphrase": passphrase, "directory": str(directory)}
        hostvars = host_variables(example(tmp_path / passphrase, kafka_security="tls", kafka_tls=given))
        _, problems = kafka_desired.read_inventory(hostvars, hostvars._loader, ["node1", "node2", "node3"])
        assert [each.rule for each in problems if each.rule.startswith("tls")] == refused


@pytest.mark.parametrize(("left", "refused"), [(None, 0), (396, 3), (397, 0), (-1, 0)])
def test_a_certificate_that_would_outlive_its_authority_is_refused(left: int | None, refused: int) -> None:
    """An authority that has ended is refused as such."""
    made = [each for each in problems_of(hosts(**SECURED), tls_days_left=left) if each.rule == "tls_days"]
    assert [(each.host, each.variable, each.value) for each in made] == [
        (f"k{at}", "kafka_tls.days", 397) for at in range(1, refused + 1)
    ]
    short = problems_of(hosts(**tls(days=300)), tls_days_left=left)
    assert [each for each in short if each.rule == "tls_days"] == []


def test_the_authority_on_this_machine_is_held_against_the_days(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authority, "YEARS", 1)
    directory = tmp_path / "tls"
    authority.ensure(authority.Place(directory, PASSPHRASE), "x")
    for days, refused in ((364, []), (365, ["tls_days"] * 3)):
        given = {"passphrase": PASSPHRASE, "directory": str(directory), "days": days}
        hostvars = host_variables(example(tmp_path / str(days), kafka_security="tls", kafka_tls=given))
        _, problems = kafka_desired.read_inventory(hostvars, hostvars._loader, ["node1", "node2", "node3"])
        assert [each.rule for each in problems if each.rule.startswith("tls")] == refused


def test_the_authority_of_a_cluster_has_a_place_of_its_own(tmp_path: Path) -> None:
    hostvars = host_variables(example(tmp_path, kafka_tls={"passphrase": PASSPHRASE}))
    made, _ = kafka_desired.read_inventory(hostvars, hostvars._loader, ["node1", "node2", "node3"])
    assert made.nodes[0].tls is not None
    assert Path(made.nodes[0].tls.authority).is_absolute()
    assert made.nodes[0].tls.authority.endswith(f".kraftwright/{made.name}/tls")


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("ssl.enabled.protocols", "TLSv1.2,TLSv1.1"),
        ("listener.name.client.ssl.enabled.protocols", "TLSv1"),
        ("ssl.protocol", "SSLv3"),
        ("ssl.cipher.suites", "TLS_AES_256_GCM_SHA384,TLS_RSA_WITH_NULL_SHA256"),
        ("ssl.cipher.suites", "SSL_DH_anon_WITH_RC4_128_MD5"),
        ("ssl.endpoint.identification.algorithm", ""),
    ],
)
def test_what_is_broken_is_not_offered(setting: str, value: str) -> None:
    given = {**SECURED, "kafka_config": {setting: value}, "kafka_profile": "production"}
    found = [(each.rule, each.severity) for each in problems_of(hosts(**given))]
    assert ("weak_tls", "error") in found


@pytest.mark.parametrize("value", ["TLSv1.2,TLSv1.3", "TLSv1.3"])
def test_present_versions_and_strong_ciphers_are_let_through(value: str) -> None:
    settings = {"ssl.enabled.protocols": value, "ssl.cipher.suites": "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"}
    assert [str(each) for each in problems_of(hosts(**{**SECURED, "kafka_config": settings}))] == []


@pytest.mark.parametrize("prefix", ["", "listener.name.internal.", "listener.name.controller."])
def test_a_rule_does_not_rename_nodes_that_are_super_users(prefix: str) -> None:
    rule = {f"{prefix}ssl.principal.mapping.rules": "RULE:^CN=(.*?),.*$/$1/"}
    found = problems_of(hosts(**{**SECURED, "kafka_security": "mtls", "kafka_config": rule}))
    assert {("node_names", host) for host in ("k1", "k2", "k3")} <= {(each.rule, each.host) for each in found}
    assert "node_names" not in [each.rule for each in problems_of(hosts(**{**SECURED, "kafka_config": rule}))]
