"""Classification of a record without an equal at its place."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from spark_jobs.proof.pairing import Gap, Single
from spark_jobs.proof.unmatched_records import Alone, Details, Judge, Judgement, Side

ELSEWHERE = {200: 8}  # the source has this record at another place


def details(*wholes: Single, key: int = 1) -> dict[int, Details]:
    return {one.offset: Details(key, one.whole, 0, 0) for one in wholes}


def kinds(found: Judgement) -> list[tuple[str, int | None, int | None]]:
    return [(fault["kind"], fault["source_offset"], fault["target_offset"]) for fault in found.faults]


def judged(
    source: Sequence[Single],
    target: Sequence[Single],
    here: Side | None = None,
    there: Side | None = None,
    holes: int = 1,
) -> Judgement:
    """In each gap, each side lacks this number of offsets."""
    alone = Alone.from_singles(source, target)
    gaps: dict[int, Gap] = {}
    for side, singles in enumerate((source, target)):
        for one in singles:
            gaps.setdefault(one.segment, Gap((one.offset - 1, one.offset - 1))).visible[side] += 1
    for gap in gaps.values():
        gap.high = (gap.low[0] + 1 + gap.visible[0] + holes, gap.low[1] + 1 + gap.visible[1] + holes)
    here, there = here or Side(details=details(*source)), there or Side(details=details(*target))
    return Judge(3, True, gaps).judge(alone, here, there, ELSEWHERE)


def test_the_same_key_at_the_same_place_is_a_change_and_says_of_what() -> None:
    found = judged([Single(4, 10, 100)], [Single(4, 12, 101)])
    assert kinds(found) == [("changed", 10, 12)]
    assert (found.faults[0]["partition"], found.faults[0]["fields"]) == (3, ["value"])


def test_the_same_value_under_another_key_is_a_change_of_the_key() -> None:
    one, other = Single(4, 10, 100), Single(4, 12, 100_000)
    here = Side(details={10: Details(1, 7, 0, 0)})
    there = Side(details={12: Details(2, 7, 0, 5)})
    found = judged([one], [other], here, there)
    assert [fault["fields"] for fault in found.faults] == [["key", "timestamp"]]


def test_the_same_key_at_another_place_is_missing_and_extra() -> None:
    found = judged([Single(4, 10, 100)], [Single(5, 12, 101)])
    assert kinds(found) == [("missing", 10, None), ("extra", None, 12)]


def test_two_deletions_of_different_keys_are_no_change() -> None:
    here = Side(details={10: Details(1, None, 0, 0)})
    there = Side(details={12: Details(2, None, 0, 0)})
    found = judged([Single(4, 10, 100)], [Single(4, 12, 101)], here, there)
    assert kinds(found) == [("missing", 10, None), ("extra", None, 12)]


def test_an_extra_record_that_the_source_has_elsewhere_is_a_duplicate_of_that() -> None:
    assert kinds(judged([], [Single(4, 12, 200)])) == [("duplicated", 8, 12)]


def test_a_record_at_another_place_is_reordered() -> None:
    assert kinds(judged([Single(4, 10, 100)], [Single(9, 30, 100)])) == [("reordered", 10, 30)]


@pytest.mark.parametrize(("start", "excused"), [(0, 0), (1, 1), (2, 2), (900, 2)])
def test_the_log_start_offset_bounds_what_the_source_may_have_deleted(start: int, excused: int) -> None:
    target = [Single(0, 0, 100), Single(0, 1, 101), Single(7, 9, 102)]
    found = judged([], target, here=Side(start))
    assert [offset for _, _, offset in kinds(found)] == [0, 1, 9][excused:]
    assert found.excused.records["deleted_on_source"] == excused
    assert found.excused.at_most["deleted_on_source"] == (start if excused else 0)


def test_one_deleted_record_excuses_no_lost_ones() -> None:
    """The copy begins with a foreign record, then the records from 500 on; the first is deleted on the target."""
    source = [Single(0, offset, offset) for offset in range(500)]
    found = judged(source, [], there=Side(1))
    assert (found.excused.records["deleted_on_target"], len(found.faults)) == (1, 499)


def test_a_change_of_the_first_common_record_is_not_taken_for_one_of_a_deleted_record() -> None:
    target = [Single(0, 0, 100), Single(0, 1, 101)]
    source = [Single(0, 50, 102)]
    found = judged(source, target, here=Side(5, details=details(*source)))
    assert kinds(found) == [("changed", 50, 1)]
    assert found.excused.records == {"deleted_on_source": 1}


def test_only_one_side_can_have_deleted_what_the_other_holds() -> None:
    here, there = [Single(0, 50, 102)], [Single(0, 40, 100)]
    sides = [Side(10, details=details(*some, key=key)) for some, key in ((here, 1), (there, 2))]
    found = judged(here, there, sides[0], sides[1])
    assert (kinds(found), found.excused.records) == ([("missing", 50, None)], {"deleted_on_source": 1})


def compacted(extents: dict[int, tuple[int, int]], *singles: Single, value: bool = True) -> Side:
    found = details(*singles)
    held = found if value else {offset: one._replace(value=None) for offset, one in found.items()}
    return Side(compacted=True, details=held, extents=extents)


@pytest.mark.parametrize(
    ("here", "last_there", "value", "holes", "fault"),
    [
        ({1: (90, 90)}, 12, True, 1, "extra"),  # the latest of its key on the target: the source has another one
        ({1: (90, 90)}, 99, True, 1, None),  # replaced later
        ({1: (90, 90)}, 99, True, 0, "extra"),  # the source lacks no offset there
        ({1: (2, 90)}, 99, True, 1, "extra"),  # the source still holds an older one of the key
        ({}, 12, False, 1, None),  # a deletion that the source is done with
        ({}, 12, False, 0, "extra"),
        ({1: (90, 90)}, 12, False, 1, "extra"),  # the source still has the key
    ],
)
def test_only_what_was_replaced_or_deleted_may_be_compacted_away(
    here: dict[int, tuple[int, int]], last_there: int, value: bool, holes: int, fault: str | None
) -> None:
    one = Single(4, 12, 101)
    found = judged([], [one], compacted(here), compacted({1: (12, last_there)}, one, value=value), holes=holes)
    assert [fault["kind"] for fault in found.faults] == ([fault] if fault else [])
    assert found.excused.records == ({} if fault else {"compacted_on_source": 1})
    assert found.excused.at_most == ({} if fault else {"compacted_on_source": holes})


def test_what_the_source_replaced_is_missing_when_the_target_is_not_compacted() -> None:
    one = Single(4, 12, 101)
    found = judged([one], [], compacted({1: (12, 99)}, one), Side())
    assert kinds(found) == [("missing", 12, None)]


def test_a_changed_record_that_is_still_there_is_not_compacted_away() -> None:
    one, other = Single(4, 500, 100), Single(4, 500, 101)
    last = {1: (500, 900)}
    found = judged([one], [other], compacted(last, one), compacted(last, other))
    assert kinds(found) == [("changed", 500, 500)]
