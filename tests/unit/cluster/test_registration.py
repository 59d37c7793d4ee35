from __future__ import annotations

from ansible.module_utils.kraft.cluster.registration import registered, unregister_refusals, waits
from ansible.module_utils.kraft.cluster.snapshot import Reassignment

from tests.unit.cluster.snapshots import broker, cluster, partition, topic
from tests.unit.problems import named, worded
from tests.wording_files import Wording

FOUR = (broker(1), broker(2), broker(3), broker(4, fenced=True))


def test_a_fenced_broker_that_holds_nothing_may_be_forgotten() -> None:
    seen = cluster(topic("a", partition(0, [1, 2, 3])), brokers=FOUR)
    assert registered(4, seen)
    assert unregister_refusals(4, seen) == []
    assert waits(4, seen) == ()


def test_a_broker_that_serves_is_waited_for(wording: Wording) -> None:
    found = waits(3, cluster(brokers=FOUR))
    assert named(found) == [["3"]]
    wording(found)


def test_replicas_are_counted_and_named(wording: Wording) -> None:
    held = [partition(number, [1, 4]) for number in range(7)]
    found = unregister_refusals(4, cluster(topic("a", *held), brokers=FOUR))
    assert found[0].variable == "broker 4"
    assert named([found[0].message]) == [["7", "a-0", "a-1", "a-2", "a-3", "a-4", "2"]]
    wording(worded(found))


def test_a_replica_on_its_way_counts_once() -> None:
    moving = cluster(topic("a", partition(0, [1, 4])), brokers=FOUR, moves=[Reassignment("a", 0, (4,), ())])
    assert "has replicas of 1 partitions: a-0 ->" in str(unregister_refusals(4, moving)[0])


def test_a_broker_that_is_not_registered_is_done_whatever_holds_its_id() -> None:
    gone = cluster(topic("a", partition(0, [9])))
    assert not registered(9, gone)
    assert unregister_refusals(9, gone) == []
