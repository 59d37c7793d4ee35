"""Cluster ids and directory ids."""

from __future__ import annotations

import hashlib

import pytest
from ansible.module_utils.kraft.identity import (
    decode,
    directory_id,
    directory_id_problem,
    encode,
    id_problem,
    is_reserved,
)
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.problems import named
from tests.wording_files import Wording

CLUSTER_ID = "a3JhZnR3cmlnaHQtZGVtbw"


@given(st.binary(min_size=16, max_size=16))
def test_sixteen_bytes_and_their_text_are_the_same(raw: bytes) -> None:
    assert decode(encode(raw)) == raw


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (CLUSTER_ID, None),
        ("MkU3OEVBNTcwNTJENDM2Qk", None),  # not canonical, but Kafka's own documentation has it
        ("-3JhZnR3cmlnaHQtZGVtbw", None),
        ("not-a-uuid", ["10", "22", "16", "base64url"]),
        ("", ["0", "22", "16", "base64url"]),
        ("a3JhZnR3cmlnaHQtZGVtbw==", ["24", "22", "16", "base64url"]),
        ("a3JhZnR3+mlnaHQ/ZGVtbw", ["/", "base64url"]),
        ("a3JhZnR3ümlnaHQtZGVtbw", ["base64url"]),
        ("AAAAAAAAAAAAAAAAAAAAAA", []),
        ("AAAAAAAAAAAAAAAAAAAAAQ", []),
    ],
)
def test_cluster_id_is_judged_with_a_reason(text: str, problem: list[str] | None, wording: Wording) -> None:
    assert named([id_problem(text)]) == [problem or []]
    assert bool(id_problem(text)) == (problem is not None)
    wording([id_problem(text)] if problem is not None else [])


def test_directory_id_must_be_what_kafka_writes_back() -> None:
    assert "MkU3OEVBNTcwNTJENDM2Qg" in directory_id_problem("MkU3OEVBNTcwNTJENDM2Qk").split()
    assert directory_id_problem(CLUSTER_ID) == ""


def test_derived_directory_id_is_the_hash_that_the_docstring_promises() -> None:
    digest = hashlib.sha256(f"kraftwright directory:{CLUSTER_ID}:1".encode()).digest()
    assert directory_id(CLUSTER_ID, 1) == encode(digest[:16]) == "JIefPlNOIllyGYjyWUA8og"


@given(st.text("ABCabc019-_", min_size=22, max_size=22), st.integers(0, 2**31 - 1))
def test_derived_directory_ids_are_ones_that_kafka_takes(cluster_id: str, node_id: int) -> None:
    drawn = directory_id(cluster_id, node_id)
    assert directory_id_problem(drawn) == ""
    assert not drawn.startswith("-")
    assert drawn == directory_id(cluster_id, node_id)


def test_a_directory_id_that_would_look_like_an_option_is_drawn_again() -> None:
    def first_draw(node_id: int) -> str:
        return encode(hashlib.sha256(f"kraftwright directory:{CLUSTER_ID}:{node_id}".encode()).digest()[:16])

    dashed = next(node_id for node_id in range(1000) if first_draw(node_id).startswith("-"))
    again = encode(hashlib.sha256(f"kraftwright directory:{CLUSTER_ID}:{dashed}:1".encode()).digest()[:16])
    assert directory_id(CLUSTER_ID, dashed) == again


def test_the_first_hundred_ids_are_kafkas() -> None:
    assert is_reserved((99).to_bytes(16, "big"))
    assert not is_reserved((100).to_bytes(16, "big"))
