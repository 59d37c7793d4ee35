"""Topics of the source that changed since their copy began, from values alone."""

from __future__ import annotations

import dataclasses

import pytest
from ansible.module_utils.kraft.operations.mirror import identity, plan, progress
from ansible.module_utils.kraft.operations.mirror.model import Source, Target, Topic
from ansible.module_utils.kraft.operations.mirror.observe import Seen
from ansible.module_utils.kraft.operations.mirror.side import Side
from ansible.module_utils.kraft.spec.desired.mirror import Wanted

SOURCE = Source("one", {"orders": Topic({0: (0, 10), 1: (5, 5)})}, ids={"orders": "a"})


@pytest.mark.parametrize(
    ("positions", "noted", "said"),
    [
        ({}, {}, ""),
        ({}, {"orders": "b"}, ""),  # its copy has not begun
        ({0: 10, 1: 5}, {"orders": "a"}, ""),
        ({0: 3}, {}, ""),  # noted by no run so far
        ({0: 3}, {"orders": "b"}, "deleted and made again"),
        ({0: 11}, {"orders": "a"}, "partition 0 ends at 10, its copy is at 11"),
    ],
)
def test_a_topic_is_known_by_its_id_and_by_where_it_ends(
    positions: dict[int, int], noted: dict[str, str], said: str
) -> None:
    found = identity.changed(SOURCE, {("orders", number): at for number, at in positions.items()}, noted)
    assert said in found.get("orders", "")
    assert bool(found) == bool(said)


def test_a_source_without_ids_is_known_by_its_ends_alone() -> None:
    old = dataclasses.replace(SOURCE, ids={})
    assert identity.changed(old, {("orders", 0): 3}, {"orders": "b"}) == {}
    assert identity.changed(old, {("orders", 0): 11}, {}).keys() == {"orders"}


def test_ids_are_those_that_brokers_say() -> None:
    side = object.__new__(Side)
    one = "af03d65f-4d81-43cd-8521-6d130915effe"
    side.topics = {"a": {"topic_id": one}, "old": {}, "none": {"topic_id": "00000000-0000-0000-0000-000000000000"}}
    assert side.ids(side.topics) == {"a": one}


def test_the_id_of_a_copy_that_has_begun_is_kept() -> None:
    begun, fresh = Target("two", {}, frozenset({"orders", "gone"})), Target("two", {})
    assert identity.to_note(SOURCE, begun, {"orders": "b", "gone": "c"}) == {"orders": "b", "gone": "c"}
    assert identity.to_note(SOURCE, fresh, {"orders": "b", "gone": "c"}) == {"orders": "a"}


def test_what_changed_is_in_plan_and_status_with_a_remedy() -> None:
    source = dataclasses.replace(SOURCE, changed={"orders": "was deleted and made again"}, gone=("mail",))
    target = Target("two", {"orders": Topic({0: (0, 9)})}, frozenset({"orders"}))
    (problem,) = plan.mirror_refusals(Wanted("old", ("a:1",)), source, target, 1)
    assert "topic orders was deleted and made again" in problem
    assert identity.REMEDY in problem
    shown = progress.screen(Seen(source, target, {}, {}))
    assert f"Topic orders was deleted and made again. {identity.REMEDY}" in shown
    assert any("Gone from the source: mail" in line for line in shown)
    assert any("Topic orders has grown to 2" in line for line in shown)
    assert progress.answer(Seen(source, target, {}, {}))["changed"] == ["orders"]


def test_a_copy_that_cannot_go_on_is_not_caught_up() -> None:
    """Its position is behind the end, so nothing seems to be left."""
    source = dataclasses.replace(SOURCE, changed={"orders": "was truncated"})
    changed = progress.changed(Seen(source, Target("two", {}), {}, {}))
    assert progress.caught_up(0, changed) == "Not caught up: the copy of orders cannot go on"
    assert progress.caught_up(0) == "Caught up"
    assert progress.changed(Seen(source, Target("two", {}), {}, {}, back=True)) == []
