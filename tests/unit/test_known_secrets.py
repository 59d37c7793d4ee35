"""Known secrets are hidden in every form that a log may have them in."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import escape

import pytest
from ansible.module_utils.kraft.known_secrets import KnownSecrets, base64_parts, without_private_keys
from ansible.module_utils.kraft.secret_values import HIDDEN

SECRET = 'pw/X=7&q "long" ü+:#-value'  # noqa: S105 - opens nothing
JAVA = SECRET.replace("=", "\\=").replace(":", "\\:").replace("#", "\\#").replace(" ", "\\ ")
FILE = f"node.id=1\nadv.plugin={SECRET}\nssl.key.password=abc4\nldap.bind.pass=go\n"


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


WRITTEN = {
    "plain": SECRET,
    "json": json.dumps({"a": SECRET}),
    "json with slashes": json.dumps(SECRET).replace("/", "\\/"),
    "url": f"https://h/?a={quote(SECRET, safe='')}",
    "url in lower case": f"https://h/?a={quote(SECRET, safe='').lower()}".replace("x%3d", "X%3d"),
    "form": quote_plus(SECRET),
    "xml": f"<a b='{escape(SECRET, {chr(34): '&quot;'})}'/>",
    "hex": SECRET.encode().hex(),
    "hex in upper case": SECRET.encode().hex().upper(),
    "properties": JAVA,
    "base64": encoded(SECRET),
    "url-safe": base64.urlsafe_b64encode(SECRET.encode()).decode(),
    "unpadded": encoded(SECRET).rstrip("="),
    **{f"pair of {user}": encoded(f"{user}:{SECRET}") for user in ("a", "bob", "anne", "worker")},
    "in the middle": encoded(f"user:{SECRET};next=1"),
}


@pytest.mark.parametrize("form", WRITTEN)
def test_a_known_secret_is_hidden_in_each_form(form: str) -> None:
    hidden = KnownSecrets([FILE]).hidden(f"before {WRITTEN[form]} after\nnext line\n")
    assert HIDDEN in hidden
    assert WRITTEN[form] not in hidden
    assert not [part for part in base64_parts(SECRET) if part in hidden]
    assert "long" not in hidden
    assert hidden.endswith("next line\n")


def test_a_short_secret_is_hidden_as_a_word_of_its_own() -> None:
    hidden = KnownSecrets([FILE]).hidden("said abc4, not abc45 nor xabc4 nor org.abc4.Name; go on\n")
    assert hidden == f"said {HIDDEN}, not abc45 nor xabc4 nor org.abc4.Name; go on\n"


def test_names_of_users_and_short_values_of_plugins_stay_readable() -> None:
    line = 'x.sasl.jaas.config=org.Login required username="admin" password="go-5-go";'
    text = "User:admin at level INFO, 500000 bytes\n"
    assert KnownSecrets([f"{line}\nadv.level=INFO\nadv.limit=500000\n"]).hidden(text) == text


def test_a_continued_value_is_one_secret() -> None:
    text = 'x.jaas.config=org.Login required \\\n  username="a" \\\n  password="bobspass-5";\n'
    assert "bobspass" not in KnownSecrets([text]).hidden("said bobspass-5 aloud\n")
    broken = "ssl.key.password=bobs\\\n    pass-5\n"
    assert KnownSecrets([broken]).hidden("said bobspass-5 aloud\n") == f"said {HIDDEN} aloud\n"


KEY = ["-----BEGIN RSA PRIVATE KEY-----\n", "MIIabc\n", "MIIdef\n", "-----END RSA PRIVATE KEY-----\n"]


@pytest.mark.parametrize("prefix", ["", "Nov 27 10:00:00 kafka1 kafka[7]: "])
def test_the_body_of_a_private_key_is_hidden(prefix: str) -> None:
    lines = [f"{prefix}{line}" for line in ["a\n", *KEY, "b\n"]]
    assert list(without_private_keys(lines)) == [f"{prefix}a\n", *[f"{HIDDEN}\n"] * 4, f"{prefix}b\n"]


def test_a_text_that_begins_within_a_private_key_shows_nothing_of_it() -> None:
    assert list(without_private_keys([*KEY[2:], "b\n", *KEY])) == [*[f"{HIDDEN}\n"] * 2, "b\n", *[f"{HIDDEN}\n"] * 4]
