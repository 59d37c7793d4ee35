"""Set, removed and only shown resources: the same for users, ACLs and quotas."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.resources.plan import Plan, Prune, plan, result

MANY = {f"k{number}": 1 for number in range(30)}


def nothing(_: str) -> bool:
    return False


def test_only_what_differs_is_set_and_what_no_one_declared_is_shown() -> None:
    found = plan({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 1, "d": 4, "e": 5}, lambda key: key == "e")
    assert (found.put, found.remove, found.drift) == ({"b": 2, "c": 3}, ("e",), ("d",))


def test_nothing_to_do_is_no_change() -> None:
    found = plan({"a": 1}, {"a": 1, "d": 4}, nothing)
    assert result(found, {"a": 1}, "things") == {"changed": False, "steps": [], "drift": ["d"]}


def test_what_is_declared_stays_although_it_is_to_go() -> None:
    assert plan({"a": 1}, {"a": 1}, lambda _: True).remove == ()


@pytest.mark.parametrize(("declared", "most", "removed"), [(27, None, 3), (26, 4, 4), (30, None, 0)])
def test_a_tenth_may_be_pruned_and_more_where_someone_has_counted(
    declared: int, most: int | None, removed: int
) -> None:
    desired = dict(list(MANY.items())[:declared])
    assert len(plan(desired, MANY, nothing, Prune(True, most)).remove) == removed


@pytest.mark.parametrize(("declared", "most"), [(26, None), (25, 4), (0, 0)])
def test_more_is_refused_and_named(declared: int, most: int | None) -> None:
    with pytest.raises(RefusedError) as error:
        plan(dict(list(MANY.items())[:declared]), MANY, nothing, Prune(True, most))
    (problem,) = error.value.problems
    assert getattr(problem, "rule", "") == "prune_share"
    assert "k29" in str(problem) or "..." in str(problem)


def test_the_last_one_of_a_few_may_be_pruned() -> None:
    assert plan({}, {"a": 1}, nothing, Prune(True)).remove == ("a",)


def test_what_must_go_by_name_is_not_counted_as_pruned() -> None:
    assert len(plan({}, MANY, lambda _: True, Prune(True)).remove) == len(MANY)


def test_a_change_is_shown_with_its_numbers_and_never_with_more() -> None:
    found: Plan[str] = Plan({"b": 2.0, "c": True, "d": True, "a": 0.5}, ("e", "f"), ())
    shown = result(found, {"b": 1.5, "d": False, "e": 5.0, "f": True}, "things")
    assert shown["steps"] == ["set b: 1.5 -> 2", "add c", "set d", "add a = 0.5", "remove e = 5", "remove f"]
    assert (shown["diff"]["before"], shown["diff"]["after"]) == ("b = 1.5\nd\ne = 5\nf\n", "a = 0.5\nb = 2\nc\nd\n")


def test_large_numbers_are_told_apart() -> None:
    found: Plan[str] = Plan({"b": 10485761.0}, (), ())
    assert result(found, {"b": 10485760.0}, "things")["steps"] == ["set b: 10485760 -> 10485761"]
