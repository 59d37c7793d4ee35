"""Text that java.util.Properties reads back as the very same settings."""

from __future__ import annotations

import re

import pytest
from ansible.module_utils.kraft.spec.desired.java_properties import text_of, value_text
from hypothesis import given, settings
from hypothesis import strategies as st

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)


def unescape(text: str) -> str:
    """Resolve escapes as java.util.Properties does."""
    named = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}

    def one(match: re.Match[str]) -> str:
        return (
            chr(int(match[1][1:], 16)) if match[1][0] == "u" and len(match[1]) == 5 else named.get(match[1], match[1])
        )

    raw = re.sub(r"\\(u[0-9a-f]{4}|.)", one, text)
    return raw.encode("utf-16-be", "surrogatepass").decode("utf-16-be")


def load(text: str) -> dict[str, str]:
    """java.util.Properties.load, by its documentation: ISO-8859-1 bytes, comments, escapes, separators."""
    loaded = {}
    for line in text.encode("ascii").decode("iso-8859-1").split("\n"):
        stripped = line.lstrip(" \t\f")
        if not stripped or stripped[0] in "#!":
            continue
        key = re.match(r"(?:\\.|[^\\=: \t\f])*", stripped)[0]  # type: ignore[index]
        rest = re.sub(r"^[ \t\f]*[=:]?[ \t\f]*", "", stripped[len(key) :])
        loaded[unescape(key)] = unescape(rest)
    return loaded


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(TEXT.filter(bool), TEXT, max_size=4))
def test_java_reads_back_what_was_written(written: dict[str, str]) -> None:
    assert load(text_of(written, "a heading\nof two lines")) == written


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("C:\\kafka", "key=C:\\\\kafka"),
        (" leading", "key=\\ leading"),
        ("trailing ", "key=trailing "),
        ("a\nb=c", "key=a\\nb=c"),
        ("größe", "key=gr\\u00f6\\u00dfe"),
        ("\U0001f600", "key=\\ud83d\\ude00"),
        ("", "key="),
        ("#no comment", "key=#no comment"),
    ],
)
def test_value_is_escaped_only_where_java_needs_it(value: str, line: str) -> None:
    assert text_of({"key": value}) == f"{line}\n"


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (False, "false"), (3, "3"), (1.0, "1"), (0.8, "0.8"), (["a", "b"], "a,b"), ("x", "x"), ([], "")],
)
def test_yaml_values_become_what_kafka_reads(value: object, text: str) -> None:
    assert value_text(value) == text


def test_keys_are_sorted() -> None:
    assert text_of({"b": "2", "a": "1"}, "top") == "# top\na=1\nb=2\n"
