"""Two offsets point at the same record if equally many pairs are before them."""

from __future__ import annotations

import pytest

from spark_jobs.proof.group_positions import Course, partial, place
from spark_jobs.proof.law import Heads
from spark_jobs.proof.stretches import Block, Part, Stretch

BLOCKS = [Block(0, 100, 10, 120, 1), Block(1, 100, 121, 220, 2), Block(2, 40, 221, 260, 3)]


def test_pairs_before_both_offsets_are_compared() -> None:
    assert place(500, 500, exact=False) == ("same", 0, True)
    assert place(500, 900, exact=True) == ("later", 400, True)  # records that repeat have places, too
    assert place(5000, 0, exact=False) == ("earlier", 5000, False)


@pytest.mark.parametrize(
    ("offset", "found"), [(10, (0, None)), (11, (0, 10)), (120, (0, 10)), (121, (100, None)), (300, (240, None))]
)
def test_whole_blocks_are_known_and_of_one_the_offsets_are_read(offset: int, found: tuple[int, int | None]) -> None:
    assert partial(BLOCKS, offset) == found


def test_pairs_are_counted_around_a_stretch() -> None:
    """The source has 240 records, 30 of them in the stretch; 28 of these are paired."""
    stretch = Stretch(Part(121, 151, 30), Part(111, 139, 28), False, 100)
    course = Course(238, (240, 238), None, stretch, ({130: 7}, {}))
    visible = {100: 90, 121: 100, 130: 109, 151: 130, 200: 180}
    before = {at: course.before(0, at, lambda _, offset: visible[offset]) for at in visible}
    assert before == {100: 90, 121: 100, 130: 107, 151: 128, 200: 178}
    assert [at for at in visible if not course.counts(0, at)] == [130]


def test_pairs_that_are_known_are_counted() -> None:
    course = Course(3, (3, 3), [(5, 1), (8, 2), (9, 7)])
    assert [course.before(1, at, lambda *_: 0) for at in (0, 1, 2, 3, 8)] == [0, 0, 1, 2, 3]


@pytest.mark.parametrize("side", [0, 1])
def test_a_head_that_one_side_has_deleted_is_counted_from_the_offset_on(side: int) -> None:
    read = Course(10, (10, 14), heads=Heads([0, 4], ({}, {1: 3})))
    assert [read.alone(1, at, lambda *_: 0) for at in (1, 7)] == [3, 0]
    records = [0, 0]
    records[side] = 4
    unread = Course(10, (10 + records[0], 10 + records[1]), heads=Heads(records, counted=False))
    assert (read.exact, unread.exact) == (True, True)
    assert [unread.alone(side, at, lambda _, offset: offset) for at in (0, 3, 4, 9)] == [4, 1, 0, 0]
    assert unread.alone(1 - side, 0, lambda _, offset: offset) == 0
    assert unread.counts(side, 2)


@pytest.mark.parametrize(
    ("course", "found"),
    [
        (Course(3, (3, 3), [(5, 1), (8, 2), (9, 7)]), [1, 2, 7, 12]),
        (Course(3, (3, 4), [(5, 1), (8, 2), (9, 7)]), [1, 2, 7, 12]),
        (Course(3, (3, 3)), [1, None, None, 12]),  # all records are paired, and their offsets are not known
        (Course(3, (3, 4), first=2), [2, None, None, 12]),  # the source has deleted the first one
        (Course(0, (0, 0)), [12]),
    ],
)
def test_the_next_record_on_the_target_follows_from_the_pairs_before_it(
    course: Course, found: list[int | None]
) -> None:
    assert [course.next_on_target(before, 1, 12) for before in range(course.paired + 1)] == found
