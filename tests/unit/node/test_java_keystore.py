"""A keystore for Java. That Java reads it is a test of tests/integration."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.java_keystore import keystore

KEY = "-----BEGIN PRIVATE KEY-----\nAAECAwQ=\n-----END PRIVATE KEY-----\n"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nBQYHCAk=\n-----END CERTIFICATE-----\n"


def test_the_same_files_make_the_same_keystore_and_the_key_is_not_in_it() -> None:
    made = keystore(KEY + CERTIFICATE, CERTIFICATE)
    assert made == keystore(KEY + CERTIFICATE, CERTIFICATE) != keystore(KEY + CERTIFICATE, CERTIFICATE * 2)
    assert bytes(range(5)) not in made
    assert made.count(bytes(range(5, 10))) == 2


@pytest.mark.parametrize(
    ("key", "trusted", "named"),
    [
        ("", CERTIFICATE, "unencrypted"),
        (KEY.replace("PRIVATE", "ENCRYPTED PRIVATE"), CERTIFICATE, "unencrypted"),
        (KEY, "", "truststore"),
    ],
)
def test_an_encrypted_key_and_missing_authorities_are_refused(key: str, trusted: str, named: str) -> None:
    with pytest.raises(RefusedError, match=named):
        keystore(key, trusted)
