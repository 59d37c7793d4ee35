"""Return of a node: every refusal by its ids, and no refusal because of other nodes."""

from __future__ import annotations

import dataclasses

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Broker, Feature, Quorum, Replica, Snapshot, Topic
from ansible.module_utils.kraft.node.storage.log_dir import EMPTY, FORMATTED, LogDir
from ansible.module_utils.kraft.operations.quorum.replacement import (
    Replaced,
    distance,
    listed_directory_id,
    replacement_refusals,
    waits,
)

from tests.unit.cluster import snapshots
from tests.unit.cluster.snapshots import broker, partition, topic
from tests.unit.problems import Told, named, told
from tests.wording_files import Wording

AWAY, LOGS = 60_000, "/data/logs"
OLD, NEW, THIRD = "inPTLlc5L8Y7esZH1-igFw", "YxZuUvU6gGM08SDU6euOkw", "07R5amHmR32VDA6jHkGbTA"
LOST = Replaced(3, ("broker", "controller"), NEW, (LogDir(LOGS, EMPTY),), LOGS)
BROKER = dataclasses.replace(LOST, roles=("broker",), directory_id="")
CONTROLLER = dataclasses.replace(LOST, roles=("controller",))


def voter(node_id: int, directory: str = "", behind_ms: int = 0, lag: int | None = None) -> Replica:
    return snapshots.voter(node_id, behind_ms, lag, directory or f"dir{node_id}")


WHOLE = (voter(1), voter(2), voter(3, OLD, AWAY))


def seen(*voters: Replica, level: int = 1, topics: tuple[Topic, ...] = (), third: Broker | None = None) -> Snapshot:
    features = (Feature("kraft.version", level, 0, 1),)
    brokers = (broker(1), broker(2), third or broker(3, fenced=True))
    return Snapshot("x", brokers, topics, Quorum(1, 1, 100, voters or WHOLE), features=features)


def lived(directory_id: str) -> LogDir:
    return LogDir(LOGS, FORMATTED, "x", 3, directory_id, lived=("quorum-state",))


def with_disk(node: Replaced, *dirs: LogDir, **more: object) -> Replaced:
    return dataclasses.replace(node, log_dirs=dirs or node.log_dirs, **more)  # type: ignore[arg-type]


#: Roles, the node's desired directory id, the one that the quorum lists, whether its log is there → the refusal.
DIRECTORY_IDS: list[tuple[Replaced, str, str, bool, list[Told]]] = [
    (LOST, OLD, OLD, False, [("listed_directory_id", "kafka_directory_id", "", OLD)]),
    (LOST, NEW, OLD, False, []),
    (LOST, NEW, "", False, []),
    (LOST, "", "", False, []),
    (BROKER, OLD, OLD, False, []),
    (BROKER, "", OLD, False, []),
    (LOST, OLD, OLD, True, [("data_is_there", "kafka_replace_node", "", None)]),
    (LOST, NEW, NEW, True, [("data_is_there", "kafka_replace_node", "", None)]),
    (BROKER, OLD, OLD, True, [("data_is_there", "kafka_replace_node", "", None)]),
]


@pytest.mark.parametrize(("node", "own", "listed", "there", "expected"), DIRECTORY_IDS)
def test_the_listed_directory_id_comes_back_with_its_log_or_not_at_all(
    node: Replaced, own: str, listed: str, there: bool, expected: list[Told]
) -> None:
    """All of it must be true: a controller, which the quorum lists, under that very id, and its log is gone."""
    disk = lived(own) if there else LogDir(LOGS, EMPTY)
    entries = (voter(1), voter(2), *([voter(3, listed, AWAY)] if listed else []))
    assert told(replacement_refusals(with_disk(node, disk, directory_id=own), seen(*entries))) == expected


def test_a_log_that_an_earlier_run_began_under_another_id_is_gone_on_with() -> None:
    assert replacement_refusals(with_disk(LOST, lived(NEW)), seen()) == []
    assert replacement_refusals(with_disk(LOST, lived(THIRD)), seen()) == []


def test_a_static_quorum_is_no_business_of_a_broker() -> None:
    assert replacement_refusals(BROKER, seen(level=0)) == []
    assert told(replacement_refusals(LOST, seen(level=0))) == [("static_quorum", "", "", None)]


def orders(number: int) -> Topic:
    return topic("orders", *(partition(one, [1, 3], isr=[3], leader=-1) for one in range(number)))


@pytest.mark.parametrize(("number", "ending"), [(1, "orders-0;"), (5, "orders-4;"), (7, "orders-4 and 2 more;")])
def test_what_only_this_node_holds_is_named_and_the_rest_counted(number: int, ending: str) -> None:
    found = replacement_refusals(LOST, seen(topics=(orders(number),)))
    assert told(found) == [("only_replica", "kafka_replace_node", "", None)]
    assert ending in found[0].message


def test_a_partition_that_is_led_or_that_another_holds_in_sync_keeps_no_one_back() -> None:
    led = topic("led", partition(0, [1, 3], isr=[3], leader=3))
    shared = topic("shared", partition(0, [1, 3], isr=[1, 3], leader=-1))
    foreign = topic("foreign", partition(0, [1, 2], isr=[], leader=-1))
    assert replacement_refusals(LOST, seen(topics=(led, shared, foreign))) == []
    nobody = topic("nobody", partition(0, [1, 3], isr=[], leader=-1))
    assert [one.rule for one in replacement_refusals(LOST, seen(topics=(nobody,)))] == ["only_replica"]


@pytest.mark.parametrize(
    ("eligible", "last_known", "refused"),
    [
        ((2,), (), False),
        ((2, 3), (), False),
        ((3,), (), True),
        ((), (3,), True),
        ((), (2,), False),
        ((), (), True),
        (None, (), True),
    ],
)
def test_a_partition_without_a_leader_keeps_a_node_back_unless_kafka_may_elect_another(
    eligible: tuple[int, ...] | None, last_known: tuple[int, ...], refused: bool
) -> None:
    without = dataclasses.replace(partition(0, [2, 3], isr=[], leader=-1), eligible=eligible, last_known=last_known)
    found = replacement_refusals(LOST, seen(topics=(topic("orders", without),)))
    assert [one.rule for one in found] == ["only_replica"] * refused


def test_who_answers_from_elsewhere_is_told_with_where_and_what_to_do(wording: Wording) -> None:
    found = waits(CONTROLLER, seen(voter(1), voter(2), voter(3, OLD), third=broker(3)))
    assert named(found) == [["3", OLD], ["3", "kafka3:9092"]]
    assert [one.split()[0] for one in found] == ["controller", "broker"]
    wording(found)
    (late,) = waits(CONTROLLER, seen(voter(1), voter(2), voter(3, OLD, 2500)))
    assert "and may still run elsewhere" in late
    (observer,) = waits(BROKER, seen(voter(1), voter(2), voter(3, OLD)))
    assert observer.startswith("broker 3 still runs")


def test_without_an_answer_about_the_quorum_brokers_alone_show_where_a_node_is() -> None:
    (found,) = waits(BROKER, dataclasses.replace(seen(third=broker(3)), quorum=None))
    assert found.startswith("broker 3 serves elsewhere")


def test_a_quorum_that_is_behind_holds_back_only_an_entry_that_must_go() -> None:
    late = (voter(1), voter(2, behind_ms=AWAY))
    assert len(waits(LOST, seen(*late, voter(3, OLD, AWAY)))) == 1
    assert waits(BROKER, seen(*late, voter(3, OLD, AWAY))) == ()
    assert waits(LOST, seen(*late, voter(3, NEW, AWAY))) == ()
    assert waits(with_disk(LOST, running=True), seen(*late, voter(3, OLD, AWAY))) == ()


def test_without_a_quorum_nothing_is_listed() -> None:
    assert listed_directory_id(3, dataclasses.replace(seen(), quorum=None)) == ""


def test_the_distance_adds_up_what_voters_are_known_to_be_behind() -> None:
    assert distance(None) is None
    assert distance(dataclasses.replace(seen(), quorum=None)) is None
    silent = dataclasses.replace(voter(3), lag=None)
    assert distance(seen(voter(1, lag=4), voter(2, lag=5), silent)) == 9
