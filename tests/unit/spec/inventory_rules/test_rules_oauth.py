"""Listeners that configure clients' logins: by SCRAM, and by tokens of an external issuer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.control import key_sets
from ansible.module_utils.kraft.control.files import text_of
from ansible.module_utils.kraft.spec.desired import client_files, describe, listener_protocols
from ansible.module_utils.kraft.spec.desired.contributions import contributed
from ansible.module_utils.kraft.spec.desired.jvm import own_options
from ansible.module_utils.kraft.spec.desired.node_client import login_parameters
from ansible.module_utils.kraft.spec.desired.server_properties import server_settings

from tests.unit.problems import worded
from tests.unit.spec.inventory import cluster, finding, found, hosts, problems_of
from tests.unit.spec.inventory_rules.test_rules_resources import SECURED, UNNAMED
from tests.wording_files import Wording

JWKS = "https://id.example.org/jwks"
OAUTH = {"issuer": "https://id.example.org/", "audience": "kafka", "jwks": JWKS}
SSO: dict[str, Any] = {
    "name": "SSO",
    "port": 9096,
    "purpose": "client",
    "protocol": "SASL_SSL",
    "mechanisms": ["OAUTHBEARER"],
    "oauth": OAUTH,
}
FILE = "/srv/keys.json"
PREFIX = "listener.name.sso.oauthbearer.sasl"
ALLOWED = "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls"


def with_sso(*before: dict[str, Any], **changes: Any) -> dict[str, Any]:
    listener = {key: value for key, value in {**SSO, **changes}.items() if value is not None}
    return {**SECURED, "kafka_listeners": [*before, *UNNAMED, listener]}


def jwks(given: str) -> dict[str, Any]:
    return with_sso(oauth={**OAUTH, "jwks": given})


@pytest.mark.parametrize(
    ("address", "options", "servers"),
    [
        (JWKS, [], ["id.example.org:443"]),
        ("https://id.example.org:8443/jwks", [], ["id.example.org:8443"]),
        ("https://[2001:db8::1]/jwks", [], ["[2001:db8::1]:443"]),
        (JWKS, ["-Dhttps.proxyHost=proxy.example.org"], []),
        (FILE, [], []),
    ],
)
def test_who_is_asked_for_keys_is_known(address: str, options: list[str], servers: list[str]) -> None:
    node = describe.desired_state(cluster(**jwks(address), kafka_jvm_options=options))["nodes"]["k1"]
    assert [each["server"] for each in node["key_servers"]] == servers


@pytest.mark.parametrize(
    "key", ["sasl.oauthbearer.allow.unverified.issuer", f"{PREFIX}.oauthbearer.allow.unverified.audience"]
)
@pytest.mark.parametrize(("profile", "severity"), [("production", "error"), ("test", "warning")])
def test_tokens_that_no_one_verifies_are_a_risk(key: str, profile: str, severity: str, wording: Wording) -> None:
    given = {**with_sso(), "kafka_profile": profile}
    problems = [
        one for one in problems_of(hosts(3, **given, kafka_config={key: True})) if one.rule == "oauth_unverified"
    ]
    assert {finding(one) for one in problems} == {
        (severity, f"k{at}", f"kafka_config[{key}]", "true") for at in (1, 2, 3)
    }
    wording(worded(problems[:1]))
    assert not found("oauth_unverified", 3, **given, kafka_config={key: False})


@pytest.mark.parametrize(
    ("given", "severities"),
    [
        ({}, ["error"] * 3),
        ({"kafka_profile": "test"}, ["warning"] * 3),
        ({"kafka_accepted_risks": ["oauth_super_users"]}, ["warning"] * 3),
        ({"kafka_config": {"principal.builder.class": "org.example.Builder"}}, []),
        ({"kafka_config": {"super.users": "User:admin"}}, []),
        ({"kafka_security": "tls"}, []),  # without super users
    ],
)
def test_a_token_that_could_name_a_node_is_refused_unless_accepted(
    given: dict[str, Any], severities: list[str]
) -> None:
    made = {**with_sso(), "kafka_profile": "production", **given}
    assert [one[:2] for one in found("oauth_super_users", 3, **made)] == [
        (severity, f"k{at}") for at, severity in enumerate(severities, 1)
    ]


def test_a_listener_with_tokens_has_no_problem_and_all_its_settings() -> None:
    assert {each.rule for each in problems_of(hosts(**with_sso()))} == {"oauth_super_users"}
    made = cluster(**with_sso())
    settings = server_settings(made, made.nodes[0])
    assert {key: value for key, value in settings.items() if key.startswith("listener.name.sso.")} == {
        "listener.name.sso.connections.max.reauth.ms": "900000",
        "listener.name.sso.sasl.enabled.mechanisms": "OAUTHBEARER",
        f"{PREFIX}.jaas.config": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;",
        f"{PREFIX}.server.callback.handler.class": (
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler"
        ),
        f"{PREFIX}.oauthbearer.jwks.endpoint.url": JWKS,
        f"{PREFIX}.oauthbearer.expected.issuer": OAUTH["issuer"],
        f"{PREFIX}.oauthbearer.expected.audience": "kafka",
    }
    assert own_options(made.nodes[0])[-1] == f"{ALLOWED}={JWKS}"
    assert not any(option.startswith(ALLOWED) for option in own_options(cluster(**SECURED).nodes[0]))


def test_a_file_of_keys_becomes_one_of_the_node_that_no_change_of_restarts() -> None:
    node = describe.desired_state(cluster(**jwks(FILE)))["nodes"]["k1"]
    assert node["key_sets"] == [{"name": "jwks-sso.json", "source": FILE}]
    url = "file:///opt/kafka/config/jwks-sso.json"
    assert node["properties"][f"{PREFIX}.oauthbearer.jwks.endpoint.url"] == url
    assert f"{ALLOWED}={url}" in node["derived_jvm_options"]
    files = contributed([], node, ["{}"])["files"]
    assert [(each["path"], each["content"]) for each in files] == [
        ("/opt/kafka/next/contributed.list", "jwks-sso.json\n"),
        ("/opt/kafka/next/jwks-sso.json", "{}\n"),
    ]
    assert contributed([], {**node, "key_sets": []}, [])["files"] == []


def test_scram_and_tokens_share_a_listener_without_an_authorizer() -> None:
    given = with_sso(mechanisms=["SCRAM-SHA-256", "OAUTHBEARER"])
    made = cluster(**{**given, "kafka_security": "tls", "kafka_users": []})
    settings = server_settings(made, made.nodes[0])
    assert settings["listener.name.sso.sasl.enabled.mechanisms"] == "SCRAM-SHA-256,OAUTHBEARER"
    assert settings["listener.name.sso.scram-sha-256.sasl.jaas.config"].endswith("ScramLoginModule required;")
    assert "authorizer.class.name" not in settings


def test_passwords_are_tried_and_given_where_someone_takes_them() -> None:
    first = {**SSO, "name": "FIRST", "port": 9097}
    described = describe.desired_state(cluster(**with_sso(first)))
    tried = login_parameters(described["nodes"]["k1"], "ours")
    assert {mechanism: one["listener"] for mechanism, one in tried.items()} == {"SCRAM-SHA-512": "CLIENT"}
    files = client_files.user_files(described, SECURED["kafka_users"], text_of)
    assert {name.split("/")[1].split(".")[0] for name, content in files.items() if content} == {"CLIENT"}
    public = client_files.client_files("test", described["cluster"]["clients"], {}, text_of)
    shown = public["SSO.properties"] or ""
    assert "sasl.mechanism=OAUTHBEARER" in shown
    assert "sasl.jaas.config" not in shown


AT = "kafka_listeners[SSO]"
CASES: list[tuple[str, dict[str, Any], tuple[str, str, str, Any]]] = [
    ("oauth", with_sso(oauth=None), ("error", "k1", f"{AT}.oauth", None)),
    ("listener_login", with_sso(mechanisms=None), ("error", "k1", f"{AT}.oauth", None)),
    ("listener_login", with_sso(protocol="SSL"), ("error", "k1", f"{AT}.mechanisms", None)),
    ("listener_login", with_sso(purpose="controller", protocol="SSL"), ("error", "k1", f"{AT}.mechanisms", None)),
    ("listener_login", with_sso(purpose="inter_broker"), ("error", "k1", f"{AT}.mechanisms", None)),
    ("oauth_open", with_sso(protocol="SASL_PLAINTEXT"), ("warning", "k1", f"{AT}.protocol", None)),
    ("oauth_keys", jwks("http://id.example.org/jwks"), ("error", "k1", f"{AT}.oauth.jwks", "http://id.example.org/jwks")),
    ("oauth_keys", jwks("keys.json"), ("error", "k1", f"{AT}.oauth.jwks", "keys.json")),
    ("oauth_keys", jwks("https://a,https://b"), ("error", "k1", f"{AT}.oauth.jwks", "https://a,https://b")),
    ("oauth_keys", jwks("https:///jwks"), ("error", "k1", f"{AT}.oauth.jwks", "https:///jwks")),
    ("oauth_keys", jwks("https://a:99999/jwks"), ("error", "k1", f"{AT}.oauth.jwks", "https://a:99999/jwks")),
    ("oauth_keys", jwks("https://a:opens@id.example.org/"), ("error", "k1", f"{AT}.oauth.jwks", "(hidden)")),
    ("oauth_allowed", {**with_sso(), "kafka_jvm_options": [f"{ALLOWED}=https://b"]},
     ("error", "k1", "kafka_jvm_options", None)),
    ("setting_derived", {**with_sso(), "kafka_config": {f"{PREFIX}.oauthbearer.expected.audience": "any"}},
     ("error", "k1", f"kafka_config[{PREFIX}.oauthbearer.expected.audience]", None)),
    ("setting_derived", {**with_sso(), "kafka_host_config": {"listener.name.sso.sasl.enabled.mechanisms": "PLAIN"}},
     ("error", "k1", "kafka_host_config[listener.name.sso.sasl.enabled.mechanisms]", None)),
    ("type", with_sso(oauth={"issuer": "a", "jwks": JWKS}), ("error", "k1", "kafka_listeners[3].oauth.audience", None)),
    ("type", with_sso(mechanisms=["PLAIN"]), ("error", "k1", "kafka_listeners[3].mechanisms[0]", "PLAIN")),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "given", "expected"), CASES)
def test_what_lets_the_wrong_ones_in_is_refused(rule: str, given: dict[str, Any], expected: tuple[Any, ...]) -> None:
    assert expected in found(rule, **given)


@pytest.mark.parametrize(("key", "value"), [("ssl.client.auth", "none"), ("ssl.principal.mapping.rules", "DEFAULT")])
def test_who_shows_a_certificate_is_no_one_else_by_hand(key: str, value: str) -> None:
    given = with_sso(mechanisms=None, oauth=None, protocol="SSL", client_auth="required")
    setting = f"listener.name.sso.{key}"
    assert ("error", "k1", f"kafka_config[{setting}]", None) in found(
        "setting_derived", **{**given, "kafka_config": {setting: value}}
    )


def test_a_file_that_cannot_be_used_is_refused_on_every_node() -> None:
    made = problems_of(hosts(**jwks(FILE)), key_set_faults={FILE: "is no JSON"})
    said = [each for each in made if each.severity == "error"]
    assert [(each.rule, *finding(each)) for each in said] == [
        ("oauth_keys", "error", host, f"{AT}.oauth.jwks", FILE) for host in ("k1", "k2", "k3")
    ]


def test_our_own_clients_have_no_token() -> None:
    first = {**SSO, "name": "FIRST", "port": 9097}
    said = problems_of(hosts(**with_sso(first)), client_options={listener_protocols.SMOKE: {}})
    assert ("error", "", "kafka_listeners[FIRST].mechanisms", None) in [
        finding(each) for each in said if each.rule == "oauth_own_clients"
    ]


KEY = {"kty": "RSA", "n": "AQAB", "e": "AQAB"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"keys": [KEY, {"kty": "EC"}]}, ""),
        ({"keys": []}, "has no list of keys"),
        ([KEY], "has no list of keys"),
        ({"keys": ["a"]}, "has no list of keys"),
        ({"keys": [{**KEY, "d": "AQAB"}]}, "holds a private key"),
        ({"keys": [{"kty": "oct", "k": "AQAB"}]}, "holds a private key"),
        ({"keys": [{"kty": "OKP", "x": "AQAB"}]}, "of the kind OKP"),
        ("no json", "is no JSON"),
        (None, "cannot be read"),
    ],
)
def test_a_file_holds_public_keys_and_nothing_else(tmp_path: Path, content: Any, said: str) -> None:
    path = tmp_path / "keys.json"
    if content is not None:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    given = [[{"name": "SSO", "oauth": {**OAUTH, "jwks": str(path)}}, "no mapping", {"oauth": 1}], None, 5]
    assert said in key_sets.faults(given).get(str(path), "")
    assert bool(key_sets.faults(given)) == bool(said)
