"""The rule for two lists of voters against its own definition, for every pair of small sets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest
from ansible.module_utils.kraft.cluster.voter_sets import can_be_disjoint

MOST = 7  # ids; enough for five voters if two stay


def subsets(ids: frozenset[int], size: int = 0) -> Iterator[frozenset[int]]:
    """Those with at least `size` ids."""
    return (frozenset(some) for count in range(size, len(ids) + 1) for some in combinations(sorted(ids), count))


def majorities(voters: frozenset[int]) -> Iterator[frozenset[int]]:
    return subsets(voters, len(voters) // 2 + 1)


def by_definition(old: frozenset[int], new: frozenset[int]) -> bool:
    return any(not one & other for one in majorities(old) for other in majorities(new))


@pytest.mark.parametrize("size", range(1, MOST + 1))
def test_rule_is_its_definition_for_all_pairs_of_small_sets(size: int) -> None:
    old = frozenset(range(size))
    everybody = frozenset(range(MOST))
    for new in subsets(everybody, 1):
        assert can_be_disjoint(old, new) == by_definition(old, new), f"{sorted(old)} -> {sorted(new)}"
        assert can_be_disjoint(new, old) == can_be_disjoint(old, new)


@pytest.mark.parametrize(
    ("old", "new", "disjoint"),
    [
        ({1, 2, 3}, {1, 2, 3}, False),
        ({1, 2, 3}, {1, 2}, False),
        ({1, 2}, {1}, False),
        ({1, 2, 3, 4}, {1, 2}, False),
        ({1, 2, 3}, {1, 2, 3, 4}, False),
        ({1, 2, 3, 4, 5}, {1, 2, 3, 4}, False),
        ({1, 2, 3}, {1}, True),
        ({1}, {1, 2, 3}, True),
        ({1, 2, 3, 4, 5}, {1, 2, 3}, True),
        ({1, 2, 3}, {1, 2, 3, 4, 5}, True),
        ({1, 2, 3}, {1, 2, 4}, True),
        ({1, 2, 3}, {4, 5, 6}, True),
        (set(), {1, 2, 3}, False),
        ({1, 2, 3}, set(), False),
    ],
)
def test_changes_that_operators_make(old: set[int], new: set[int], disjoint: bool) -> None:
    assert can_be_disjoint(old, new) == disjoint
