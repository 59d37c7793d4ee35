"""Throttles: what is set, and that a kill between any two steps leaves what the next run recognises."""

from __future__ import annotations

from collections.abc import Iterable

from ansible.module_utils.kraft.operations.reassignment import throttle
from ansible.module_utils.kraft.operations.reassignment.model import Move
from ansible.module_utils.kraft.operations.reassignment.move_format import amount, throttles
from ansible.module_utils.kraft.operations.reassignment.throttle import LISTS, MARK, RATES, Alteration, Throttles

MOVES = [Move("a", 3, (1, 2), (4, 2)), Move("b", 0, (1,), (2,)), Move("c", 0, (1, 2), (2, 1))]


def applied(found: Throttles, changes: Iterable[Alteration]) -> Throttles:
    """Return the settings after the changes."""
    rates, lists = (
        {key: dict(one) for key, one in found.rates.items()},
        {key: dict(one) for key, one in found.lists.items()},
    )
    for change in changes:
        values = lists.setdefault(change.topic, {}) if change.topic else rates.setdefault(change.broker, {})
        for key, value in change.values.items():
            if value is None:
                values.pop(key, None)
            else:
                values[key] = value
    kept = {broker: one for broker, one in rates.items() if one}
    return Throttles(kept, {topic: one for topic, one in lists.items() if one})


def test_leaders_are_those_that_hold_it_followers_those_that_get_it() -> None:
    aim = throttle.wanted(MOVES, {1, 2, 4}, 1000)
    assert aim.lists["a"] == {LISTS[0]: f"{MARK},3:1,3:2", LISTS[1]: f"{MARK},3:4"}
    assert set(aim.lists) == {"a", "b"}
    assert aim.rates == {one: dict.fromkeys(RATES, "1417") for one in (1, 2, 4)}
    assert throttle.wanted(MOVES[2:], {1, 2}, 1000) == throttle.wanted(MOVES, {1, 2}, 0) == Throttles()


def test_what_has_arrived_is_on_no_list_and_a_marked_list_stays() -> None:
    aim = throttle.wanted([*MOVES, Move("a", 13, (1, 2), (4, 2))], {1, 2, 4}, 1000)
    left = throttle.still(aim, {("a", 3), ("c", 0)})
    assert left.rates == aim.rates
    assert left.lists == {"a": {LISTS[0]: f"{MARK},3:1,3:2", LISTS[1]: f"{MARK},3:4"}}
    after = applied(aim, throttle.alterations(aim, left))
    assert after == left
    assert applied(after, throttle.alterations(after, Throttles())) == Throttles()
    nobody = throttle.still(aim, set())
    assert nobody == throttle.still(aim, {("c", 0)}) == throttle.still(nobody, {("a", 3)})
    assert nobody.lists == {topic: dict.fromkeys(LISTS, MARK) for topic in ("a", "b")}
    assert applied(nobody, throttle.alterations(nobody, Throttles())) == Throttles()


def test_no_one_knows_what_is_missing_while_only_new_brokers_say_what_they_hold() -> None:
    held = {("a", 0): {1: 900, 4: 300}, ("b", 0): {4: 0}, ("c", 0): {1: 900}, ("d", 0): {1: 5}, ("f", 0): {1: 9, 4: 9}}
    adding = {("a", 0): (4,), ("b", 0): (4,), ("c", 0): (4, 5), ("e", 0): (4,), ("f", 0): (4,)}
    assert throttle.missing(held, adding) == {("a", 0): 600, ("c", 0): 1800, ("f", 0): 0}


def test_the_fewest_bytes_come_without_a_throttle_and_together_they_are_few() -> None:
    missing = {("a", 0): 700, ("b", 0): 300, ("b", 1): 0, ("c", 0): 300, ("d", 0): 301}
    assert throttle.near(missing, 900) == {("b", 0), ("b", 1), ("c", 0)}
    assert throttle.near(missing, 0) == {("b", 1)}
    assert throttle.near({}, 900) == frozenset()


def test_a_kill_between_any_two_steps_leaves_what_the_next_run_takes_away() -> None:
    aim = throttle.wanted(MOVES, {1, 2, 4}, 1000)
    steps = throttle.alterations(Throttles(), aim)
    for number in range(1, len(steps) + 1):
        left = applied(Throttles(), steps[:number])
        assert left.marked
        cleaning = throttle.alterations(left, Throttles())
        assert applied(left, cleaning) == Throttles()
        for cleaned in range(len(cleaning)):
            assert applied(left, cleaning[:cleaned]).marked


def test_rates_are_found_although_their_topic_is_deleted_or_their_broker_was_fenced() -> None:
    aim = throttle.wanted(MOVES, {1, 2, 4}, 1000)
    left = Throttles(rates={**aim.rates, 3: {RATES[0]: "5"}})
    assert (left.marked, left.throttled, left.ours) == (frozenset[str](), frozenset({1, 2, 4}), True)
    assert applied(left, throttle.alterations(left, Throttles())) == Throttles({3: {RATES[0]: "5"}})
    assert [one.message.endswith("brokers 3") for one in throttle.foreign_throttle_refusals(left, aim)] == [True]
    assert list(throttle.foreign_throttle_refusals(Throttles(aim.rates), throttle.wanted(MOVES, {1, 2}, 2000))) == []
    assert throttles(Throttles(aim.rates), Throttles()) == ["remove throttles of an earlier run (brokers 1, 2, 4)"]


def test_rates_without_a_mark_are_ours_beside_a_marked_list() -> None:
    aim = throttle.wanted(MOVES, {1, 2}, 1000)
    old = Throttles({1: dict.fromkeys(RATES, "1000")}, aim.lists)
    assert applied(old, throttle.alterations(old, Throttles())) == Throttles()
    assert not Throttles(old.rates).ours


def test_another_rate_changes_rates_alone_and_the_same_one_nothing() -> None:
    aim = throttle.wanted(MOVES, {1, 2}, 1000)
    assert throttle.alterations(aim, aim) == ()
    changes = throttle.alterations(aim, throttle.wanted(MOVES, {1, 2}, 2000))
    assert [(one.broker, set(one.values.values())) for one in changes] == [(1, {"2417"}), (2, {"2417"})]


def test_what_another_user_has_set_is_left_and_stands_in_the_way() -> None:
    theirs = Throttles({1: {RATES[0]: "5"}}, {"a": {LISTS[0]: "*"}})
    aim = throttle.wanted(MOVES, {1, 2}, 1000)
    assert throttle.alterations(theirs, Throttles()) == ()
    assert [one.rule for one in throttle.foreign_throttle_refusals(theirs, aim)] == ["foreign_throttle"] * 2
    assert list(throttle.foreign_throttle_refusals(theirs, Throttles())) == []


def test_bytes_are_told_as_people_tell_them() -> None:
    assert [amount(one) for one in (950, 1200, 3_400_000_000, None)] == [
        "950 bytes",
        "1.2 kB",
        "3.4 GB",
        "an unknown number of bytes",
    ]
