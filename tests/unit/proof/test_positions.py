"""A translated offset points at the same record, or the number of records between is known."""

from __future__ import annotations

import pytest

from spark_jobs.proof.positions import behind, place


@pytest.mark.parametrize(
    ("source", "target", "found"),
    [
        ([1, 2, 3], [1, 2, 3], ("same", 0)),
        ([], [], ("same", 0)),
        ([1, 2, 3], [1, 2], ("same", 0)),
        ([3, 4], [1, 2, 3, 4], ("earlier", 2)),
        ([], [8, 9], ("earlier", 2)),
        ([1, 2, 3], [3], ("later", 2)),
        ([1, 2], [], ("later", 2)),
        ([7, 7, 7, 8], [7, 7, 8], ("later", 1)),
        ([1, 2], [5, 6], ("unknown", None)),
    ],
)
def test_the_next_records_say_where_an_offset_points(
    source: list[int], target: list[int], found: tuple[str, int | None]
) -> None:
    assert place(source, target) == found


@pytest.mark.parametrize(
    ("source", "target", "found"),
    [
        ([5, 6], [1, 2, 3, 4, 5, 6, 7], ("earlier", 4)),
        ([5, 6], [5, 7, 5, 6], ("earlier", 2)),
        ([5, 6], [1, 5], ("earlier", 1)),
        ([5, 6], [1, 2], ("unknown", None)),
        ([], [1, 2], ("unknown", None)),
    ],
)
def test_an_offset_that_is_far_too_early_is_recognised(
    source: list[int], target: list[int], found: tuple[str, int | None]
) -> None:
    assert behind(source, target) == found
