"""A changed value in one line: whatever differs is in it, however long the value is."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.difference import Difference
from ansible.module_utils.kraft.node.service.change_text import AROUND, LONGEST, change_text
from ansible.module_utils.kraft.node.service.difference_text import sentence

THREE = "CLIENT://10.0.0.1:9092,INTERNAL://10.0.0.1:19092,CONTROLLER://10.0.0.1:9093"
VOTERS = ",".join(f"{n}@control-{n}.kafka.internal.example.com:9093" for n in range(1, 6))
LONG = "a" * 100


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("8", "16", "8 -> 16"),
        (None, "a", "(unset) -> a"),
        ("a", None, "a -> (unset)"),
        ("delete", "compact,delete", "+ compact (1 stays)"),
        (THREE, THREE.replace("9092,I", "9192,I"), "CLIENT://10.0.0.1:9092 -> CLIENT://10.0.0.1:9192 (2 stay)"),
        (THREE, THREE.removeprefix("CLIENT://10.0.0.1:9092,"), "- CLIENT://10.0.0.1:9092 (2 stay)"),
        (THREE, THREE + ",PUBLIC://203.0.113.7:9094", "+ PUBLIC://203.0.113.7:9094 (3 stay)"),
        (
            THREE,
            THREE.replace("10.0.0.1", "k1"),
            "CLIENT://10.0.0.1:9092 -> CLIENT://k1:9092, INTERNAL://10.0.0.1:19092 -> INTERNAL://k1:19092, "
            "CONTROLLER://10.0.0.1:9093 -> CONTROLLER://k1:9093",
        ),
        ("A:PLAINTEXT,B:PLAINTEXT", "A:SSL,B:PLAINTEXT", "A:PLAINTEXT -> A:SSL (1 stays)"),
        (
            VOTERS,
            VOTERS.rsplit(",", 2)[0],
            "- 4@control-4.kafka.internal.example.com:9093, - 5@control-5.kafka.internal.example.com:9093 (3 stay)",
        ),
        ("/a,/b", "/a,/c", "- /b, + /c (1 stays)"),
        ("/a,/b", "/b,/a", "/a,/b -> /b,/a"),
        (
            "RULE:^CN=(.*?), OU=x$/$1/",
            "RULE:^CN=(.*?), OU=y$/$1/",
            "RULE:^CN=(.*?), OU=x$/$1/ -> RULE:^CN=(.*?), OU=y$/$1/",
        ),
        (f"{LONG}1{LONG}", f"{LONG}2{LONG}", "...{0}1{0}... -> ...{0}2{0}...".format("a" * AROUND)),
        (f"{LONG}1", f"{LONG}12", "...{0}1 -> ...{0}12".format("a" * (AROUND - 1))),
    ],
)
def test_change_is_shown(before: str | None, after: str | None, text: str) -> None:
    assert change_text(before, after) == text


NODES = "User:CN=mq1,OU=nodes,O=walk;User:CN=mq2,OU=nodes,O=walk;User:CN=mq3,OU=nodes,O=walk"


@pytest.mark.parametrize(
    ("key", "before", "after", "text"),
    [
        ("super.users", NODES, f"{NODES};User:CN=mq4,OU=nodes,O=walk", "+ User:CN=mq4,OU=nodes,O=walk (3 stay)"),
        ("super.users", "User:a;User:b", "User:b", "- User:a (1 stays)"),
        (
            "super.users",
            "User:CN=a,O=x;User:admin",
            "User:CN=b,O=x;User:admin",
            "User:CN=a,O=x -> User:CN=b,O=x (1 stays)",
        ),
        ("super.users", "User:CN=a b,O=x", "User:CN=a b,O=x;User:c", "+ User:c (1 stays)"),
        (
            "ssl.principal.mapping.rules",
            "RULE:^CN=k.*,OU=x$/a/,DEFAULT",
            "RULE:^CN=k.*,OU=y$/a/,DEFAULT",
            "RULE:^CN=k.*,OU=x$/a/,DEFAULT -> RULE:^CN=k.*,OU=y$/a/,DEFAULT",
        ),
        ("cleanup.policy", "delete", "compact,delete", "+ compact (1 stays)"),
    ],
)
def test_list_is_cut_at_its_own_separator(key: str, before: str, after: str, text: str) -> None:
    assert sentence(Difference("server.properties", key, before, after)) == f"server.properties: {key} {text}"


def test_end_that_goes_is_seen_although_it_repeats_what_is_before_it() -> None:
    old, new = change_text(f"{LONG}aa", f"{LONG}a").split(" -> ")
    assert old == f"{new}a"


@pytest.mark.parametrize("at", range(0, 300, 7))
def test_one_changed_character_of_a_long_value_is_never_hidden(at: int) -> None:
    value = "b" * 300
    old, new = change_text(value, value[:at] + "X" + value[at + 1 :]).split(" -> ")
    assert "X" in new
    assert len(old) == len(new) <= 2 * AROUND + 7


def test_only_what_is_endless_is_cut() -> None:
    text = change_text(None, "x" * (LONGEST + 1))
    assert text == f"(unset) -> {'x' * LONGEST}... ({LONGEST + 1} characters)"


def test_every_element_of_a_long_list_is_shown() -> None:
    before = ",".join(f"N{n}://10.0.0.{n}:9092" for n in range(50))
    text = change_text(before, before.replace(":9092", ":9192"))
    assert all(f"N{n}://10.0.0.{n}:9092 -> N{n}://10.0.0.{n}:9192" in text for n in range(50))
