"""Users, ACLs, quotas and topics as data: what ``tls_scram`` derives, and what is refused before any query."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.control.files import text_of
from ansible.module_utils.kraft.spec.desired import client_files, describe, listener_protocols, own_clients
from ansible.module_utils.kraft.spec.desired.node_client import login_parameters
from ansible.module_utils.kraft.spec.desired.server_properties import server_settings
from ansible.module_utils.kraft.spec.resources import acls, quotas, users

from tests.unit.spec.inventory import LISTENERS, cluster, finding, found, hosts, problems_of

PASSWORD = "drawn-for-this-test"  # noqa: S105 - opens nothing
UNNAMED = [{key: value for key, value in each.items() if key != "protocol"} for each in LISTENERS]
VERIFIER: dict[str, Any] = {"name": "verifier", "password": PASSWORD}
WRITER: dict[str, Any] = {
    "name": "writer",
    "password": PASSWORD,
    "allow": [{"topic": "orders", "operations": ["write"]}],
}
SECURED: dict[str, Any] = {
    "kafka_security": "tls_scram",
    "kafka_listeners": UNNAMED,
    "kafka_tls": {"passphrase": "only-for-this-test", "directory": "/srv/tls"},
    "kafka_users": [VERIFIER, WRITER],
    "kafka_client_user": "verifier",
}


def secured(**more: Any) -> dict[str, Any]:
    return {**SECURED, **more}


def user(**more: Any) -> dict[str, Any]:
    return secured(kafka_users=[VERIFIER, {**WRITER, **more}])


def allowed(**entry: Any) -> dict[str, Any]:
    return user(allow=[entry])


def test_a_cluster_with_users_has_no_problem() -> None:
    given = problems_of(hosts(**SECURED), client_options={listener_protocols.SMOKE: {}, listener_protocols.PROBE: {}})
    assert [str(each) for each in given] == []


def test_a_password_that_no_one_gave_is_generated_where_the_run_can_keep_it() -> None:
    given = hosts(**user(password=None))
    assert problems_of(given) == []
    (problem,) = problems_of(given, password_fault="this run has no vault secret")  # noqa: S106 - no password
    assert (problem.rule, *finding(problem)) == (
        "user_password",
        "error",
        "",
        "kafka_users[writer].password",
        "(hidden)",
    )


def test_clients_log_in_nodes_are_super_users_and_all_else_is_refused() -> None:
    made = cluster(**SECURED)
    assert [each.protocol for each in made.nodes[0].listeners] == ["SASL_SSL", "SSL", "SSL"]
    settings = server_settings(made, made.nodes[0])
    assert {key: value for key, value in settings.items() if "sasl" in key or "reauth" in key or "users" in key} == {
        "listener.name.client.connections.max.reauth.ms": "900000",
        "listener.name.client.sasl.enabled.mechanisms": "SCRAM-SHA-512",
        "listener.name.client.scram-sha-512.sasl.jaas.config": (
            "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        ),
        "super.users": "User:CN=k1,OU=nodes,O=test;User:CN=k2,OU=nodes,O=test;User:CN=k3,OU=nodes,O=test",
    }
    assert settings["authorizer.class.name"].endswith("StandardAuthorizer")
    assert PASSWORD not in str(describe.desired_state(made))


def test_our_own_clients_log_in_as_the_user_that_is_named() -> None:
    options = listener_protocols.client_options(cluster(**SECURED))
    assert options["kafka.sasl.mechanism"] == "SCRAM-SHA-512"
    assert not [key for key in options if "jaas" in key]
    with_login = own_clients.with_login(options, SECURED["kafka_users"], "verifier")
    assert f'username="verifier" password="{PASSWORD}"' in with_login["kafka.sasl.jaas.config"]
    assert own_clients.with_login(options, SECURED["kafka_users"], "") == options
    numbered = own_clients.with_login(options, [{"name": 1234, "password": PASSWORD}], "1234")
    assert 'username="1234"' in numbered["kafka.sasl.jaas.config"]
    assert listener_protocols.client_options(cluster(**secured(kafka_client_user=""))) == {}


@pytest.mark.parametrize(("bind", "host"), [("0.0.0.0", "10.0.0.1"), ("10.9.9.9", "10.9.9.9")])  # noqa: S104
def test_passwords_are_tried_at_the_brokers_own_listener(bind: str, host: str) -> None:
    listeners = [{**UNNAMED[0], "bind": bind}, *UNNAMED[1:]]
    made = cluster(**secured(kafka_listeners=listeners))
    ((mechanism, login),) = login_parameters(describe.describe_node(made, made.nodes[0]), "ours").items()
    assert (mechanism, login["security_protocol"]) == ("SCRAM-SHA-512", "SASL_SSL")
    assert login["bootstrap_servers"] == [f"{host}:9092"]
    assert login["cluster_id"] == "ours"
    assert login["check_hostname"] is False  # certificates are for what is advertised
    plain = cluster(kafka_listeners=LISTENERS)
    assert login_parameters(describe.describe_node(plain, plain.nodes[0]), "ours") == {}


ONLY = {"mechanisms": ["SCRAM-SHA-256"]}
SHORT = {"name": "SHORT", "port": 9095, "purpose": "client", "mechanisms": ["SCRAM-SHA-256"]}


def test_each_password_is_tried_where_its_mechanism_is_taken() -> None:
    made = cluster(**secured(kafka_listeners=[*UNNAMED, SHORT]))
    logins = login_parameters(describe.describe_node(made, made.nodes[0]), "ours")
    assert {mechanism: one["listener"] for mechanism, one in logins.items()} == {
        "SCRAM-SHA-512": "CLIENT",
        "SCRAM-SHA-256": "SHORT",
    }


SSO = {
    "name": "SSO",
    "port": 9096,
    "purpose": "client",
    "protocol": "SASL_SSL",
    "mechanisms": ["OAUTHBEARER"],
    "oauth": {"issuer": "https://id.example.org/", "audience": "kafka", "jwks": "https://id.example.org/jwks"},
}
BOTH = {**SHORT, "name": "BOTH", "port": 9097, "mechanisms": ["SCRAM-SHA-256", "SCRAM-SHA-512"]}
MUTUAL = {"name": "MUTUAL", "port": 9098, "purpose": "client", "protocol": "SSL", "client_auth": "required"}


def listeners_with_files(user: dict[str, Any], **given: Any) -> set[str]:
    files = client_files.user_files(describe.desired_state(cluster(**given)), [user], text_of)
    return {name.split("/")[1].split(".")[0] for name, content in files.items() if content}


def test_a_user_gets_files_for_listeners_that_take_its_mechanism() -> None:
    given = secured(kafka_listeners=[*UNNAMED, SHORT, SSO, BOTH, MUTUAL])
    assert listeners_with_files(VERIFIER, **given) == {"CLIENT", "BOTH"}
    assert listeners_with_files({**VERIFIER, "authentication": "scram-sha-256"}, **given) == {"SHORT", "BOTH"}
    assert listeners_with_files({"name": "shows", "authentication": "tls"}, **given) == {"MUTUAL"}


def public_files(**given: Any) -> dict[str, str]:
    """Return the public properties, by listener, if the smoke test has the inventory's options."""
    described = describe.desired_state(cluster(**given))["cluster"]
    files = client_files.client_files("test", described["clients"], described["client_options"], text_of)
    return {
        name.split(".")[0]: text or ""
        for name, text in files.items()
        if name.endswith(".properties") and name.count(".") == 1
    }


def test_files_for_everyone_name_the_only_mechanism_and_whom_to_trust() -> None:
    brought = {"listener.name.mutual.ssl.keystore.location": "/etc/pki/mutual.pem"}
    listeners = [*UNNAMED, SHORT, SSO, BOTH, MUTUAL]
    found = public_files(**secured(kafka_listeners=listeners, kafka_config=brought))
    lines = {name: text.splitlines() for name, text in found.items()}
    named = {name: [each for each in text if each.startswith("sasl.mechanism=")] for name, text in lines.items()}
    assert named == {
        "CLIENT": ["sasl.mechanism=SCRAM-SHA-512"],
        "SHORT": ["sasl.mechanism=SCRAM-SHA-256"],
        "SSO": ["sasl.mechanism=OAUTHBEARER"],
        "BOTH": [],
        "MUTUAL": [],
    }
    trusting = {name for name, text in lines.items() if "ssl.truststore.location=/srv/tls/nodes.pem" in text}
    assert trusting == {name for name, text in lines.items() if "security.protocol=SASL_SSL" in text}


def test_the_first_listener_is_described_where_no_client_of_ours_logs_in() -> None:
    text = public_files(**secured(kafka_client_user=""))["CLIENT"]
    assert "sasl.mechanism=SCRAM-SHA-512" in text
    assert "ssl.truststore.location=/srv/tls/nodes.pem" in text


def test_a_user_gets_no_file_for_a_listener_that_some_broker_opens_in_another_way() -> None:
    given = secured(
        kafka_listeners=[*UNNAMED, BOTH], per_host={"k2": {"kafka_listeners": [*UNNAMED, {**BOTH, **ONLY}]}}
    )
    assert listeners_with_files(VERIFIER, **given) == {"CLIENT"}


def test_mechanisms_of_all_listeners_count_where_settings_give_them() -> None:
    listeners = [{**UNNAMED[0], "protocol": "SASL_PLAINTEXT"}, *LISTENERS[1:]]
    given = {"kafka_listeners": listeners, "kafka_config": {"sasl.enabled.mechanisms": "scram-sha-256, PLAIN"}}
    short = {**VERIFIER, "authentication": "scram-sha-256"}
    assert listeners_with_files(short, **given) == {"CLIENT"}
    assert found("user_mechanism", kafka_users=[short], **given) == []
    where = "kafka_users[verifier].authentication"
    assert found("user_mechanism", kafka_users=[VERIFIER], **given) == [("error", "", where, "scram-sha-512")]


def test_our_own_clients_log_in_by_the_mechanism_of_their_user() -> None:
    short = {**VERIFIER, "authentication": "scram-sha-256"}
    given = secured(kafka_listeners=[SHORT, *UNNAMED[1:]], kafka_users=[short])
    assert listener_protocols.client_options(cluster(**given))["kafka.sasl.mechanism"] == "SCRAM-SHA-256"
    assert problems_of(hosts(**given)) == []


CASES: list[tuple[str, dict[str, Any], tuple[str, str, str, Any]]] = [
    ("user_name", user(name="a,b=c"), ("error", "", "kafka_users[a,b=c]", None)),
    ("resource_twice", user(name="verifier"), ("error", "", "kafka_users[verifier]", None)),
    ("weak_secret", user(password="short"), ("warning", "", "kafka_users[writer].password", "(hidden)")),  # noqa: S106
    ("weak_secret", user(password="aaaaaaaabbc"), ("warning", "", "kafka_users[writer].password", "(hidden)")),  # noqa: S106
    ("weak_secret", user(name="long-enough", password="Long-Enough"),  # noqa: S106
     ("warning", "", "kafka_users[long-enough].password", "(hidden)")),
    ("user_mechanism", user(authentication="scram-sha-256"),
     ("error", "", "kafka_users[writer].authentication", "scram-sha-256")),
    ("client_user", secured(kafka_client_user="nobody"), ("error", "", "kafka_client_user", "nobody")),
    ("client_user", secured(kafka_users=[{**VERIFIER, "state": "absent"}]),
     ("error", "", "kafka_client_user", "verifier")),
    ("client_user", secured(kafka_listeners=[SHORT, *UNNAMED]), ("error", "", "kafka_client_user", "verifier")),
    ("resources_differ", secured(per_host={"k2": {"kafka_users": [VERIFIER]}}), ("error", "", "kafka_users", None)),
    ("type", user(password=["a"]), ("error", "k1", "kafka_users[1].password", "(hidden)")),
    ("type", secured(kafka_users=["writer:secret"]), ("error", "k1", "kafka_users[0]", None)),
    ("type", allowed(topics="orders"), ("error", "k1", "kafka_users[1].allow[0].topics", None)),
    ("acl", allowed(operations=["read"]), ("error", "", "kafka_users[writer].allow[0]", None)),
    ("acl", allowed(topic="a", group="b", operations=["read"]), ("error", "", "kafka_users[writer].allow[0]", None)),
    ("acl", allowed(topic="a"), ("error", "", "kafka_users[writer].allow[0]", None)),
    ("acl", allowed(group="a", operations=["write"]), ("error", "", "kafka_users[writer].allow[0]", None)),
    ("acl", allowed(topic="*", pattern="prefixed", operations=["read"]),
     ("error", "", "kafka_users[writer].allow[0]", None)),
    ("acl", secured(kafka_acls=[{"principal": "User:a", "topic": "t", "state": "absent"}]),
     ("error", "", "kafka_acls[0]", None)),
    ("acl", secured(kafka_acls=[{"principal": "User:a", "operations": ["read"], "state": "absent"}]),
     ("error", "", "kafka_acls[0]", None)),
    ("acl_principal", secured(kafka_acls=[{"principal": "user:a", "topic": "t", "operations": ["read"]}]),
     ("error", "", "kafka_acls[0]", "user:a")),
    ("acl_client_user",
     secured(kafka_acls=[{"principal": "User:*", "topic": "*", "operations": ["all"], "permission": "deny"}]),
     ("error", "", "kafka_acls[0]", None)),
    ("acl_authorizer", secured(kafka_security="tls", kafka_client_user=""), ("error", "", "kafka_users", None)),
    ("quota", user(quotas={"producer_byte_rate": 0}), ("error", "", "kafka_users[writer].quotas", None)),
    ("quota", secured(kafka_quotas=[{"producer_byte_rate": 1}]), ("error", "", "kafka_quotas[0]", None)),
    ("quota", secured(kafka_quotas=[{"ip": "*", "producer_byte_rate": 1}]), ("error", "", "kafka_quotas[0]", None)),
    ("quota", secured(kafka_quotas=[{"user": "a"}]), ("error", "", "kafka_quotas[0]", None)),
    ("quota", secured(kafka_quotas=[{"user": "a", "ip": "b", "connection_creation_rate": 1}]),
     ("error", "", "kafka_quotas[0]", None)),
    ("type", secured(kafka_quotas=[{"user": "a", "byte_rate": 1}]), ("error", "k1", "kafka_quotas[0].byte_rate", 1)),
    ("topic_factor", secured(kafka_topics=[{"name": "t", "replication_factor": 4}]),
     ("error", "", "kafka_topics[t]", 4)),
    ("topic_min_isr", secured(kafka_topics=[{"name": "t", "config": {"min.insync.replicas": 4}}]),
     ("error", "", "kafka_topics[t]", "4")),
    ("topic_setting", secured(kafka_topics=[{"name": "t", "config": {"retention.mss": 1}}]),
     ("error", "", "kafka_topics[t].config[retention.mss]", None)),
    ("topic_setting", secured(kafka_topics=[{"name": "t", "config": {"cleanup.policy": "shred"}}]),
     ("error", "", "kafka_topics[t].config[cleanup.policy]", "shred")),
    ("resource_twice", secured(kafka_topics=[{"name": "t"}, {"name": "t"}]), ("error", "", "kafka_topics[t]", None)),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "given", "expected"), CASES)
def test_what_cannot_be_meant_is_refused(rule: str, given: dict[str, Any], expected: tuple[Any, ...]) -> None:
    assert expected in found(rule, **given)


@pytest.mark.parametrize(
    ("entry", "of_all"),
    [
        ({}, True),
        ({"operations": [], "host": "*", "pattern": "literal", "permission": "allow"}, True),
        ({"operations": ["read"]}, False),
        ({"host": "10.0.0.9"}, False),
        ({"topic": "t"}, False),
        ({"permission": "deny"}, False),
        ({"state": "present"}, False),
    ],
)
def test_only_an_entry_that_names_a_principal_alone_takes_all_of_it_away(entry: dict[str, Any], of_all: bool) -> None:
    assert acls.is_of_all({"principal": "User:a", "state": "absent", **entry}) == of_all


def test_a_user_who_goes_needs_no_password_and_a_list_as_setting_is_read() -> None:
    topics = [{"name": "t", "config": {"cleanup.policy": ["compact", "delete"], "retention.ms": None}}]
    given = secured(kafka_users=[VERIFIER, {"name": "intern", "state": "absent"}], kafka_topics=topics)
    assert problems_of(hosts(**given)) == []


CERTIFIED: dict[str, Any] = {
    **SECURED,
    "kafka_security": "mtls",
    "kafka_users": [
        {"name": "verifier", "authentication": "tls"},
        {"name": "writer", "authentication": "tls", "allow": WRITER["allow"]},
    ],
}


def test_with_mtls_clients_show_certificates_of_their_own_authority() -> None:
    made = cluster(**CERTIFIED)
    assert [each.spoken for each in made.nodes[0].listeners] == ["SSL with client certificates", "SSL", "SSL"]
    settings = server_settings(made, made.nodes[0])
    assert {key: value for key, value in settings.items() if "name.client" in key} == {
        "listener.name.client.ssl.client.auth": "required",
        "listener.name.client.ssl.truststore.location": "/opt/kafka/tls/clients.pem",
        "listener.name.client.ssl.truststore.type": "PEM",
        "listener.name.client.ssl.principal.mapping.rules": "RULE:^CN=([A-Za-z0-9._-]+),OU=clients,O=test$/$1/",
    }
    assert settings["ssl.truststore.location"] == "/opt/kafka/tls/nodes.pem"
    assert settings["super.users"].startswith("User:CN=k1,OU=nodes,O=test;")
    assert listener_protocols.client_options(made) == {
        "kafka.security.protocol": "SSL",
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.location": "/srv/tls/nodes.pem",
        "kafka.ssl.keystore.type": "PEM",
        "kafka.ssl.keystore.location": "/srv/tls/users/verifier.pem",
    }
    given = problems_of(hosts(**CERTIFIED), client_options={listener_protocols.SMOKE: {}, listener_protocols.PROBE: {}})
    assert [str(each) for each in given] == []


def test_a_mutual_listener_without_an_authority_of_its_own_trusts_whom_the_inventory_says() -> None:
    own = [{**UNNAMED[0], "protocol": "SSL", "client_auth": "required"}, *UNNAMED[1:]]
    made = cluster(kafka_listeners=own)
    settings = server_settings(made, made.nodes[0])
    found = {key: value for key, value in settings.items() if "ssl" in key}
    assert found == {"listener.name.client.ssl.client.auth": "required"}


@pytest.mark.parametrize(
    ("more", "rule", "where"),
    [
        ({"kafka_client_user": ""}, "client_options", listener_protocols.SMOKE),
        (
            {"kafka_users": [VERIFIER, {"name": "writer", "authentication": "tls"}]},
            "client_user",
            "kafka_client_user",
        ),
        ({"kafka_tls": {}}, "user_certificate", "kafka_users[writer].authentication"),
        (
            {"kafka_users": [CERTIFIED["kafka_users"][0], {**WRITER, "authentication": "tls"}]},
            "user_password",
            "kafka_users[writer].password",
        ),
        (
            {"kafka_users": [CERTIFIED["kafka_users"][0], {"name": "..", "authentication": "tls"}]},
            "user_name",
            "kafka_users[..]",
        ),
        (
            {"kafka_security": "tls", "kafka_client_user": ""},
            "user_mechanism",
            "kafka_users[writer].authentication",
        ),
        (
            {"kafka_listeners": [UNNAMED[0], {**UNNAMED[1], "client_auth": "required"}, UNNAMED[2]]},
            "client_auth",
            "kafka_listeners[INTERNAL].client_auth",
        ),
        (
            {"kafka_listeners": [{**UNNAMED[0], "protocol": "SASL_SSL", "client_auth": "required"}, *UNNAMED[1:]]},
            "client_auth",
            "kafka_listeners[CLIENT].client_auth",
        ),
    ],
)
def test_certificates_of_users_that_no_one_could_use_are_refused(more: dict[str, Any], rule: str, where: str) -> None:
    given = problems_of(hosts(**{**CERTIFIED, **more}), client_options={listener_protocols.SMOKE: {}})
    assert (rule, where) in {(each.rule, each.variable) for each in given}


def test_brokers_ask_alike_for_certificates() -> None:
    lenient = [{**UNNAMED[0], "client_auth": "none"}, *UNNAMED[1:]]
    given = problems_of(hosts(per_host={"k2": {"kafka_listeners": lenient}}, **CERTIFIED))
    assert [(each.rule, each.host, each.value) for each in given] == [("listener_differs", "k2", "SSL")]


def with_acls(*entries: dict[str, Any]) -> dict[str, Any]:
    return secured(kafka_acls=list(entries))


def with_quotas(*entries: dict[str, Any]) -> dict[str, Any]:
    return secured(kafka_quotas=list(entries))


def with_topics(*entries: dict[str, Any], **more: Any) -> dict[str, Any]:
    return secured(kafka_topics=list(entries), **more)


def tiered(config: dict[str, Any]) -> dict[str, Any]:
    """A topic of a cluster that has remote storage."""
    given = {"remote.log.storage.system.enable": True, "remote.log.storage.manager.class.name": "org.example.Storage"}
    return secured(kafka_config=given, kafka_topics=[{"name": "a", "config": config}])


TOPIC_SETTING = ("topic_setting", "kafka_topics[a].config[min.insync.replicas]")
READ = {"principal": "User:a", "topic": "t", "operations": ["read"]}
LIMIT = {"user": "writer", "producer_byte_rate": 5.0}


@pytest.mark.parametrize(
    ("given", "rule", "where"),
    [
        (user(password="two\nlines-of-it"), "user_password", "kafka_users[writer].password"),  # noqa: S106 - opens nothing
        (user(name="ANONYMOUS"), "user_name", "kafka_users[ANONYMOUS]"),
        (allowed(topic="t", operations=["read"], host="10.0.0.0/8"), "acl", "kafka_users[writer].allow[0]"),
        (allowed(topic="t", operations=["read"], host="db.example.org"), "acl", "kafka_users[writer].allow[0]"),
        (allowed(topic="t", operations=["read"], host="fe80::1%eth0"), "acl", "kafka_users[writer].allow[0]"),
        (with_acls({**READ, "host": "fe80::1%eth0"}), "acl", "kafka_acls[0]"),
        (with_acls({**READ, "host": "0.0.0.0"}), "acl", "kafka_acls[0]"),  # noqa: S104 - no address of a listener
        (with_acls({**READ, "topic": "orders-*"}), "acl", "kafka_acls[0]"),
        (allowed(topic="orders.*", operations=["read"], pattern="prefixed"), "acl", "kafka_users[writer].allow[0]"),
        (with_acls({**READ, "topic": "orders "}), "acl", "kafka_acls[0]"),
        (with_acls({"principal": "User:a", "user": "b", "operations": ["create_tokens"]}), "acl", "kafka_acls[0]"),
        (with_acls({**READ, "principal": "User:CN=a, OU=b"}), "acl_principal", "kafka_acls[0]"),
        (with_acls({**READ, "principal": "User:CN = a"}), "acl_principal", "kafka_acls[0]"),
        (with_acls({**READ, "principal": "User:team-*"}), "acl_principal", "kafka_acls[0]"),
        (with_quotas({"state": "absent"}), "quota", "kafka_quotas[0]"),
        (with_quotas({"ip": "10.0.0.0/8", "state": "absent"}), "quota", "kafka_quotas[0]"),
        (with_quotas({"ip": "*", "user": "a", "state": "absent"}), "quota", "kafka_quotas[0]"),
        (with_quotas({**LIMIT, "user": "User:writer"}), "quota", "kafka_quotas[0]"),
        (with_quotas({**LIMIT, "user": "<default>"}), "quota", "kafka_quotas[0]"),
        (with_quotas({**LIMIT, "client_id": "spark-*"}), "quota", "kafka_quotas[0]"),
        (with_quotas({"ip": "0.0.0.0", "connection_creation_rate": 5.0}), "quota", "kafka_quotas[0]"),  # noqa: S104
        (with_quotas({"ip": "fe80::1%eth0", "connection_creation_rate": 5.0}), "quota", "kafka_quotas[0]"),
        (with_acls(READ, {**READ, "state": "absent"}), "resource_twice", "kafka_acls"),
        (with_acls(READ, {"principal": "User:a", "state": "absent"}), "resource_twice", "kafka_acls"),
        (
            with_acls({"principal": "User:writer", "topic": "orders", "operations": ["write"], "state": "absent"}),
            *("resource_twice", "kafka_acls"),
        ),
        (with_acls({"principal": "User:verifier", "state": "absent"}), "resource_twice", "kafka_acls"),
        (with_quotas(LIMIT, {"user": "writer", "state": "absent"}), "resource_twice", "kafka_quotas"),
        (with_acls({**READ, "principal": "User:CN=k1,OU=nodes,O=test"}), "acl_super_user", "kafka_acls[0]"),
        (with_quotas({"ip": "999.1.1.1", "connection_creation_rate": 5.0}), "quota", "kafka_quotas[0]"),
        (with_quotas({"ip": "10.0.0.1", "connection_creation_rate": 3e9}), "quota", "kafka_quotas[0]"),
        (with_quotas({**LIMIT, "producer_byte_rate": 5.5}), "quota", "kafka_quotas[0]"),
        (with_quotas({**LIMIT, "producer_byte_rate": "nan"}), "type", "kafka_quotas[0].producer_byte_rate"),
        (
            with_quotas(LIMIT, {**LIMIT, "consumer_byte_rate": 1.0}),
            "resource_twice",
            "kafka_quotas[user writer: producer_byte_rate (bytes/s)]",
        ),
        (
            {**user(quotas={"producer_byte_rate": 9.0}), "kafka_quotas": [LIMIT]},
            "resource_twice",
            "kafka_quotas[user writer: producer_byte_rate (bytes/s)]",
        ),
        (with_topics({"name": "a b"}), "topic", "kafka_topics[a b]"),
        (with_topics({"name": ".."}), "topic", "kafka_topics[..]"),
        (with_topics({"name": "a" * 250}), "topic", f"kafka_topics[{'a' * 250}]"),
        (with_topics({"name": "a", "partitions": 0}), "topic", "kafka_topics[a]"),
        (with_topics({"name": "a.b"}, {"name": "a_b"}), "topic", "kafka_topics"),
        (with_topics({"name": "__cluster_metadata", "partitions": 1}), "topic", "kafka_topics[__cluster_metadata]"),
        (with_topics({"name": "__consumer_offsets", "state": "absent"}), "topic", "kafka_topics[__consumer_offsets]"),
        (
            with_topics({"name": "a", "config": {"leader.replication.throttled.replicas": "*"}}),
            "topic",
            "kafka_topics[a]",
        ),
        *(
            (with_topics({"name": "a", "config": config}), "topic_conflict", "kafka_topics[a]")
            for config in (
                {"min.compaction.lag.ms": 10, "max.compaction.lag.ms": "9"},
                {"remote.storage.enable": True},
            )
        ),
        *(
            (tiered({"remote.storage.enable": True, **config}), "topic_conflict", "kafka_topics[a]")
            for config in (
                {"cleanup.policy": ["compact", "delete"]},
                {"retention.ms": 10, "local.retention.ms": 11},
                {"retention.bytes": 10, "local.retention.bytes": -1},
                {"retention.ms": 10, "local.retention.ms": 9, "remote.log.copy.disable": True},
            )
        ),
        (with_topics({"name": "a", "config": {"min.insync.replicas": "²"}}), *TOPIC_SETTING),
        (with_topics({"name": "a", "partitions": 100_000}), "topic_partitions", "kafka_topics"),
        (with_topics({"name": "a"}, kafka_delete_topics="a"), "topic_undeclared", "kafka_delete_topics"),
        (secured(kafka_delete_topics="a"), "topic_undeclared", "kafka_delete_topics"),
        (secured(kafka_delete_topics=True), "topic", "kafka_delete_topics"),
        (secured(kafka_prune="user"), "prune", "kafka_prune"),
        (secured(kafka_prune=True), "prune", "kafka_prune"),
        (secured(kafka_prune="users", kafka_prune_most=0), "prune", "kafka_prune_most"),
    ],
)
def test_what_kafka_would_not_take_or_no_one_can_mean_is_refused(given: dict[str, Any], rule: str, where: str) -> None:
    assert (rule, where) in {(each.rule, each.variable) for each in problems_of(hosts(**given))}


@pytest.mark.parametrize(
    "given",
    [
        user(state="absent", quotas={"producer_byte_rate": 1.0}),
        {**user(state="absent"), "kafka_acls": [{**READ, "principal": "User:writer"}]},
        {**user(state="absent", quotas={"producer_byte_rate": 1.0}), "kafka_quotas": [LIMIT]},
        with_quotas(LIMIT, {"user": "writer", "client_id": "a", "state": "absent"}),
        with_quotas({"user": "User:writer", "state": "absent"}, {"user": "<default>", "state": "absent"}),
        with_quotas({**LIMIT, "producer_byte_rate": 2**63 - 1}),
        with_acls({**READ, "principal": "User:CN=a,OU=b\\, c,O=d"}, {**READ, "topic": "*"}),
        with_acls({**READ, "topic": "orders-*", "host": "::", "state": "absent"}),
        with_acls({**READ, "principal": "User:CN=a, OU=b", "state": "absent"}),
        with_acls({**READ, "principal": "User:team-*", "state": "absent"}),
        with_acls({**READ, "principal": "User:CN=*"}, {**READ, "principal": "User:*.example.com"}),
        with_acls({"principal": "User:a", "user": "User:b", "operations": ["create_tokens"]}),
        with_acls({"principal": "User:a", "user": "Us", "pattern": "prefixed", "operations": ["describe_tokens"]}),
        with_acls({"principal": "User:a", "group": "spark-*", "operations": ["read"]}),
        secured(kafka_prune="users, acls"),
        secured(kafka_prune=["quotas"], kafka_prune_most=3),
        allowed(topic="t", operations=["read"], host="2001:db8::1"),
        with_acls(READ, {**READ, "host": "10.0.0.1", "state": "absent"}),
        with_quotas({"ip": "::1", "connection_creation_rate": 5.0}, {"user": "*", "request_percentage": 12.5}),
        with_topics({"name": "a.b", "state": "absent"}, {"name": "a_b", "partitions": 12}),
        with_topics({"name": "a", "state": "absent"}, {"name": "b", "state": "absent"}, kafka_delete_topics="a, b"),
        with_topics({"name": "__consumer_offsets", "config": {"segment.bytes": 104857600}}),
        with_topics({"name": "a", "config": {"retention.ms": 10, "local.retention.ms": 11}}),
        with_topics({"name": "a", "state": "absent", "config": {"remote.storage.enable": True}}),
        with_topics({"name": "a", "config": {"min.compaction.lag.ms": 10, "max.compaction.lag.ms": None}}),
        tiered({"remote.storage.enable": True, "retention.ms": -1, "local.retention.ms": 11}),
        tiered({"remote.storage.enable": True, "cleanup.policy": "", "retention.ms": 10, "local.retention.ms": -2}),
        tiered({"remote.storage.enable": True, "local.retention.ms": 10**12}),
    ],
)
def test_what_kafka_takes_is_let_through(given: dict[str, Any]) -> None:
    found = problems_of(hosts(**given), client_options={listener_protocols.SMOKE: {}, listener_protocols.PROBE: {}})
    assert [str(each) for each in found] == []


def test_a_user_who_goes_keeps_nothing_of_what_the_entry_allowed() -> None:
    gone = {**WRITER, "state": "absent", "quotas": {"producer_byte_rate": 1.0}}
    assert users.acls([gone], []) == [{"principal": "User:writer", "state": "absent"}]
    assert users.quotas([gone], []) == [{"user": "writer", "state": "absent"}]
    assert users.credentials([gone]) == [{"name": "writer", "state": "absent"}]


def test_an_address_is_compared_as_java_writes_it() -> None:
    entry = {"topic": "t", "operations": ["read"], "host": "2001:DB8::0010"}
    assert [each.host for each in acls.expanded(entry, "User:a")] == ["2001:db8:0:0:0:0:0:10"]
    assert quotas.entity({"ip": "::1"}) == (("ip", "0:0:0:0:0:0:0:1"),)
    assert acls.as_java("10.0.0.1") == acls.as_java("::ffff:10.0.0.1") == "10.0.0.1"
    assert acls.as_java("fe80::1%eth0") == "fe80::1%eth0"
