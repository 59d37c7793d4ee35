"""A listener may have any name: what it is called makes nothing a secret."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.secret_values import is_secret, shown


@pytest.mark.parametrize("name", ["PRIVATE", "SECRET_NET", "TOKENS", "CREDENTIALED"])
def test_listener_named_like_a_secret_is_none(name: str) -> None:
    settings = {
        "listeners": f"PUBLIC://0.0.0.0:29092,{name}://10.0.0.1:39092",
        "advertised.listeners": f"PUBLIC://k1:29092,{name}://10.0.0.1:39092",
        "listener.security.protocol.map": f"PUBLIC:PLAINTEXT,{name}:PLAINTEXT",
        "inter.broker.listener.name": name,
    }
    assert not [key for key, value in settings.items() if is_secret(key, value)]
    assert shown(settings) == settings


def test_credentials_in_an_address_are_secret_in_any_setting() -> None:
    assert is_secret("listeners", "https://admin:hunter2@k1:9092")
