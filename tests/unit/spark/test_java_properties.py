"""Files of Java's clients are read as Java reads them."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.spec.desired import java_properties

from spark_jobs.java_properties import parse


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a=b", {"a": "b"}),
        ("  a.b : c d \n", {"a.b": "c d "}),
        ("a b", {"a": "b"}),
        ("a", {"a": ""}),
        ("# no\n! no\n\na=1\na=2", {"a": "2"}),
        ("a=b\\\n   c", {"a": "bc"}),
        ("a=b\\\\\nc=d", {"a": "b\\", "c": "d"}),
        (r"a\=b=c\u00fc\t\x", {"a=b": "cü\tx"}),
    ],
)
def test_lines_and_escapes(text: str, found: dict[str, str]) -> None:
    assert parse(text) == found


def test_what_is_written_for_clients_is_read_again() -> None:
    awkward = {"sasl.jaas.config": r'x required password="a\"b\\c,d=e;${f:g} {{h}} ü";', "a": " b", "c": "", "d": "😀"}
    assert parse(java_properties.text_of(awkward)) == awkward
