"""Secrets: by name, by value, in data, in a file's lines."""

from __future__ import annotations

import json

import pytest
from ansible.module_utils.kraft import kafka_terms
from ansible.module_utils.kraft.secret_values import (
    HIDDEN,
    differing,
    is_of_plugin,
    is_secret,
    secret_keys,
    shown,
    shown_line,
    shown_text,
)
from ansible.module_utils.kraft.spec.inventory.definitions import load, versions

SECRET = "c4n4ry"  # noqa: S105
NAMED = [
    "ssl.keystore.password",
    "listener.name.client.scram-sha-512.sasl.jaas.config",
    "listener.name.client.ssl.keystore.key",
    "kafka.sasl.jaas.config",
    "kafka.ssl.truststore.password",
    "config.providers.vault.param.token",
    "rsm.config.storage.aws.secret.access.key",
    "rlmm.config.remote.log.metadata.common.client.ssl.key.password",
    "my.plugin.api.key",
    "my.plugin.apiKey",
    "my.plugin.privateKey",
    "vault.secret.id",
    "-Djavax.net.ssl.trustStorePassword",
    "-Dvault.token",
    "kafka_config[ssl.key.password",
    "ldap.bind.pass",
    "vault.passcode",
    "basic.auth.user.info",
    "metrics.push.auth",
    "-Dhttp.proxyAuth",
    "user_alice",
    "audit.hmac",
    "session.cookie",
    "alerts.webhook.url",
]
PUBLIC = {
    "ssl.keystore.location": "/etc/kafka/keystore.p12",
    "sasl.oauthbearer.token.endpoint.url": "https://id.example.com/token",
    "sasl.oauthbearer.client.credentials.client.id": "kafka",
    "listener.name.client.sasl.oauthbearer.client.credentials.client.id": "kafka",
    "-Dcom.sun.management.jmxremote.password.file": "/etc/kafka/jmx.password",
    "-Djavax.net.ssl.keyStorePasswordFile": "/etc/kafka/word",
    "listeners": "CLIENT://10.0.0.1:9092,INTERNAL://10.0.0.1:19092",
    "super.users": "User:CN=a@example.com,O=x;User:c",
    "ssl.principal.mapping.rules": "RULE:^CN=(.*?),.*$/$1/L,DEFAULT",
    "delegation.token.max.lifetime.ms": "1000",
    "log.dirs": "/srv/secret/logs",
    "PrivateTmp": "true",
    "ssl.client.auth": "required",
    "compass": "north",
}
VALUES = [
    f"https://kafka:{SECRET}@id.example.com/jwks",
    f"https://{SECRET}@id.example.com/jwks",
    f"https://id.example.com/jwks?sig_token={SECRET}",
    f'org.example.LoginModule required username="a" password="{SECRET}";',
    f"https://blob.example.com/x?sig={SECRET}",
    f"https://func.example.com/x?a=b&code={SECRET}",
    f"ldap.bind.pass={SECRET}",
    f"basic.auth.user.info=user:{SECRET}",
    f'user_alice="{SECRET}"',
    f"/opt/agent.jar=port=1,token={SECRET}",
    f'{{"client_secret": "{SECRET}"}}',
    f"Authorization: Bearer {SECRET}{SECRET}",
    f"-----BEGIN ENCRYPTED PRIVATE KEY-----\n{SECRET}",
]


@pytest.mark.parametrize("key", NAMED)
def test_what_is_named_like_a_secret_is_one(key: str) -> None:
    assert is_secret(key)
    assert shown(SECRET, key) == HIDDEN


@pytest.mark.parametrize("key", PUBLIC)
def test_what_only_stands_beside_a_secret_is_none(key: str) -> None:
    assert shown(PUBLIC[key], key) == PUBLIC[key]


@pytest.mark.parametrize("value", VALUES)
def test_a_value_that_looks_like_a_secret_is_hidden_whatever_it_belongs_to(value: str) -> None:
    assert is_secret("unknown.name", value)
    assert SECRET not in json.dumps(shown({"unknown.name": ["a", value]}))


def test_of_an_address_only_the_credentials_are_hidden() -> None:
    text = shown(f"https://kafka:{SECRET}@id.example.com/kafka.tgz")
    assert text == f"https://{HIDDEN}@id.example.com/kafka.tgz"
    assert shown(text) == text


@pytest.mark.parametrize("version", versions())
def test_kafkas_own_definitions_agree_with_the_names(version: str) -> None:
    definitions = load(version)
    for key, setting in {**definitions.server, **definitions.topic}.items():
        assert is_secret(key) == setting.secret, key
        assert not is_secret("", setting.default or ""), key


@pytest.mark.parametrize(
    "line",
    [
        f"ssl.key.password={SECRET}",
        f"ssl.key.password : {SECRET}",
        f"ssl.key.password {SECRET}",
        f"#ssl.key.password={SECRET}",
        f"# ssl.key.password={SECRET}",
        f"-Djavax.net.ssl.keyStorePassword={SECRET}",
        f'"-Djavax.net.ssl.keyStorePassword={SECRET} x"',
        f"-Dopen=1 -Dits.password={SECRET}",
        f"-javaagent:/opt/agent.jar=user=a,password={SECRET}",
        f"-Dproxy=http://me:{SECRET}@proxy:3128",
    ],
)
def test_a_line_of_a_file_shows_no_secret(line: str) -> None:
    assert SECRET not in shown_line(line)
    assert HIDDEN in shown_line(line)


def test_a_diff_hides_secrets_on_both_sides_and_what_continues_them() -> None:
    before = f"num.io.threads=8\nssl.key.password={SECRET}\\\n  {SECRET}\nx=1\n"
    after = "num.io.threads=16\nx=1\n"
    assert differing(before, after) == (f"num.io.threads=8\nssl.key.password={HIDDEN}\n{HIDDEN}\nx=1\n", after)


def test_every_line_of_a_private_key_is_hidden() -> None:
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}\n{SECRET}\n-----END RSA PRIVATE KEY-----"
    assert differing("", f"a\n{key}\nb\n")[1].split("\n") == ["a", *[HIDDEN] * 4, "b", ""]
    assert SECRET not in shown_line(key)


def test_a_diff_of_nothing_but_secrets_says_that_there_is_one() -> None:
    before, after = differing("ssl.key.password=a\n", f"ssl.key.password={SECRET}\n")
    assert before != after
    assert SECRET not in after


def test_the_secret_settings_of_a_file_are_named() -> None:
    settings = {
        "node.id": "1",
        "x.password": "1",
        "log.dir": "http://u:p@h/",
        "adv.plugin": "x",
        "adv.plugin.enabled": "x",
    }
    assert secret_keys(settings) == ["adv.plugin", "log.dir", "x.password"]


def test_a_line_that_is_continued_is_judged_as_a_whole() -> None:
    text = f'foo=x required \\\n  password="{SECRET}";\nnum.io.threads=\\\n  8\n'
    assert shown_text(text) == f"foo={HIDDEN}\n{HIDDEN}\nnum.io.threads=\\\n  8\n"
    split = f"ssl.key.pass\\\nword={SECRET}\n"
    assert SECRET not in shown_text(split)


PLUGINS = ["adv.plugin", "rsm.config.login", "config.providers.vault.param.address", "listener.name.client.adv.plugin"]


@pytest.mark.parametrize("key", PLUGINS)
def test_a_setting_that_no_kafka_knows_is_hidden_unless_it_is_harmless(key: str) -> None:
    assert not is_secret(key, SECRET)
    assert shown_text(f"{key}={SECRET}\nnode.id=1\n", settings=True) == f"{key}={HIDDEN}\nnode.id=1\n"
    assert secret_keys({key: SECRET, f"{key}.enabled": "x", "node.id": "1"}) == [key]
    assert secret_keys({key: "true"}) == []
    assert SECRET not in "".join(differing("", f"{key}={SECRET}\n", settings=True))


@pytest.mark.parametrize("version", versions())
def test_no_setting_of_kafka_is_taken_for_a_plugins(version: str) -> None:
    definitions = load(version)
    assert [key for key in {**definitions.server, **definitions.topic} if is_of_plugin(key)] == []
    assert not any(map(is_of_plugin, (kafka_terms.MIGRATION, kafka_terms.OPENED, kafka_terms.OLD_INTER_BROKER)))
