"""What became of a record without an equal at its place."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from spark_jobs.proof.judgement import Alone, Details, Judgement, Side, judge
from spark_jobs.proof.pairing import Single


def details(*wholes: Single, key: int = 1) -> dict[int, Details]:
    return {one.offset: Details(key, one.whole, 0, 0) for one in wholes}


def kinds(found: Judgement) -> list[tuple[str, int | None, int | None]]:
    return [(fault["kind"], fault["source_offset"], fault["target_offset"]) for fault in found.faults]


def judged(
    source: Sequence[Single],
    target: Sequence[Single],
    here: Side | None = None,
    there: Side | None = None,
    originals: dict[int, int] | None = None,
) -> Judgement:
    alone = Alone.of(source, target)
    here, there = here or Side(details=details(*source)), there or Side(details=details(*target))
    return judge(3, alone, here, there, originals or {})


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
    assert kinds(judged([], [Single(4, 12, 101)], originals={101: 8})) == [("duplicated", 8, 12)]


def test_a_record_at_another_place_is_reordered() -> None:
    assert kinds(judged([Single(4, 10, 100)], [Single(9, 30, 100)])) == [("reordered", 10, 30)]


@pytest.mark.parametrize("late", [True, False])
def test_what_the_source_has_deleted_is_extra_only_where_it_has_not(late: bool) -> None:
    target = [Single(0, 0, 100), Single(0, 1, 101), Single(7, 9, 102)]
    found = judged([], target, here=Side(begins_late=late))
    assert kinds(found)[-1] == ("extra", None, 9)
    assert len(found.faults) == (1 if late else 3)
    assert found.not_held == ({"deleted_on_source": 2} if late else {})


def test_a_change_of_the_first_common_record_is_not_taken_for_one_of_a_deleted_record() -> None:
    target = [Single(0, 0, 100), Single(0, 1, 101)]
    source = [Single(0, 50, 102)]
    found = judged(source, target, here=Side(begins_late=True, details=details(*source)))
    assert kinds(found) == [("changed", 50, 1)]
    assert found.not_held == {"deleted_on_source": 1}


def compacted(last: dict[int, int], *singles: Single, value: bool = True) -> Side:
    found = details(*singles)
    held = found if value else {offset: one._replace(value=None) for offset, one in found.items()}
    return Side(compacted=True, details=held, last_of_key=last)


@pytest.mark.parametrize(
    ("last_here", "last_there", "value", "fault"),
    [
        ({1: 90}, {1: 12}, True, "extra"),  # the latest of its key on the target: the source has another one
        ({1: 90}, {1: 99}, True, None),  # replaced later
        ({}, {1: 12}, False, None),  # a deletion that the source is done with
        ({1: 90}, {1: 12}, False, "extra"),  # the source still has the key
    ],
)
def test_only_what_was_replaced_or_deleted_may_be_compacted_away(
    last_here: dict[int, int], last_there: dict[int, int], value: bool, fault: str | None
) -> None:
    one = Single(4, 12, 101)
    found = judged([], [one], compacted(last_here), compacted(last_there, one, value=value))
    assert [fault["kind"] for fault in found.faults] == ([fault] if fault else [])
    assert found.not_held == ({} if fault else {"compacted_on_source": 1})


def test_what_the_source_replaced_is_missing_when_the_target_is_not_compacted() -> None:
    one = Single(4, 12, 101)
    found = judged([one], [], compacted({1: 99}, one), Side())
    assert kinds(found) == [("missing", 12, None)]
