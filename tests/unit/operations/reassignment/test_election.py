"""Preferred leader election: what Kafka refused is said, and not only returned."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.operations.reassignment.election import warning


@pytest.mark.parametrize(("refused", "words"), [(0, ""), (1, "t-0: no. "), (25, "t-19: no and 5 more. ")])
def test_elections_that_kafka_refused_are_said(refused: int, words: str) -> None:
    said = warning([f"t-{number}: no" for number in range(refused)])
    assert words in said
    assert bool(said) == bool(refused)
