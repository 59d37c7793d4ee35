"""Moves between log dirs of a broker: how even, how few, and what is left where it is."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Broker, Snapshot
from ansible.module_utils.kraft.operations.disks import disk_format, throttle
from ansible.module_utils.kraft.operations.disks.model import BrokerDisks, Disk, DiskMove, Name, broker_disks
from ansible.module_utils.kraft.operations.disks.plan import broker_plan, drain_refusals, plan
from ansible.module_utils.kraft.operations.disks.run import Desired, Run
from ansible.module_utils.kraft.operations.reassignment.throttle import Alteration

from tests.unit.problems import told

GB = 1_000_000_000
SIZES = Mapping[str, Iterable[float]]


def disk(path: str, sizes: Iterable[float] = (), free: float = 1000, **more: object) -> Disk:
    """A log dir with replicas of this number of GB each, named after it."""
    held = {(path.strip("/"), number): int(size * GB) for number, size in enumerate(sizes)}
    return Disk(path, int(free * GB), 0, held=held, **more)  # type: ignore[arg-type]


def broker(*disks: Disk) -> BrokerDisks:
    return BrokerDisks(1, disks)


def used(made: BrokerDisks, moves: Iterable[DiskMove]) -> dict[str, float]:
    """GB of each log dir when the moves have ended."""
    found = {one.path: sum(one.held.values()) for one in made.disks}
    for one in moves:
        found[one.source] -= one.copied
        found[one.target] += one.copied
    return {path: size / GB for path, size in found.items()}


def after(*disks: Disk, drained: Collection[str] = ()) -> tuple[int, dict[str, float]]:
    """Return the number of moves, and the use of each log dir after them."""
    made = broker(*disks)
    moves = broker_plan(made, drained)
    return len(moves), used(made, moves)


def test_a_new_disk_gets_its_share_with_the_fewest_moves() -> None:
    assert after(disk("/a", [10, 10, 10, 10]), disk("/b")) == (2, {"/a": 20, "/b": 20})
    assert after(disk("/a", [30, 20, 5, 5]), disk("/b")) == (1, {"/a": 30, "/b": 30})
    assert after(disk("/a", [9] * 4), disk("/b", [9] * 4), disk("/c")) == (2, {"/a": 27, "/b": 27, "/c": 18})


def test_a_disk_of_twice_the_size_gets_twice_the_bytes() -> None:
    assert after(disk("/a", [10] * 6, free=40), disk("/b", free=200)) == (4, {"/a": 20, "/b": 40})


def test_what_a_failed_disk_was_to_give_is_waited_for_no_more() -> None:
    name = ("t", 0)
    moving = broker(Disk("/a", 10, 20, held={name: 5}), Disk("/b", 10, 20, coming={name: 2}))
    assert moving.coming == {name: ("/b", 2)}
    failed = broker(Disk("/a", error="offline"), Disk("/b", 10, 20, coming={name: 2}))
    assert failed.coming == {}
    calls = Calls(failed)
    run = Run(calls, Desired(cancel=True))  # type: ignore[arg-type]
    work = run.work()
    assert not work.changes
    assert run.apply(work)
    assert calls.waited == 1  # between the two looks that end a run


class Calls:
    """Double of ``DisksAdmin``: a cluster of one broker where nothing moves."""

    def __init__(self, made: BrokerDisks) -> None:
        self._made, self.waited = made, 0

    def observe(self) -> Snapshot:
        return Snapshot("a3JhZnR3cmlnaHQtZGVtbw", (Broker(1, "k1", 9092),))

    def disks(self, _: object) -> tuple[BrokerDisks, ...]:
        return (self._made,)

    def rates(self, _: object) -> dict[int, str]:
        return {}

    def throttle(self, *_: object) -> None:
        pass

    def sleep(self, _: float) -> None:
        self.waited += 1
        if self.waited > 3:
            raise TimeoutError


def test_one_huge_replica_stays_where_it_is() -> None:
    assert after(disk("/a", [100]), disk("/b")) == (0, {"/a": 100, "/b": 0})
    assert after(disk("/a", [100, 20, 20]), disk("/b")) == (2, {"/a": 100, "/b": 40})


def test_a_disk_without_room_gets_nothing() -> None:
    assert after(disk("/a", [10] * 4), disk("/b", free=5)) == (0, {"/a": 40, "/b": 0})
    full = Disk("/b", usable=30 * GB, total=1000 * GB)  # a twentieth of it stays free
    assert broker_plan(broker(disk("/a", [10] * 4), full), ()) == []


def test_what_lies_on_a_full_disk_goes_where_there_is_room() -> None:
    assert after(disk("/a", [10] * 4, free=0), disk("/b", free=80)) == (3, {"/a": 10, "/b": 30})


def test_an_offline_disk_gives_nothing_and_gets_nothing() -> None:
    offline = Disk("/c", error="KAFKA_STORAGE_ERROR")
    assert after(disk("/a", [10] * 4), disk("/b"), offline) == (2, {"/a": 20, "/b": 20, "/c": 0})
    assert after(disk("/a", [10] * 4), offline) == (0, {"/a": 40, "/c": 0})


@pytest.mark.parametrize(
    "disks",
    [
        (disk("/a", [10, 10]), disk("/b", [10, 10])),
        (disk("/a", [20.5]), disk("/b", [20])),
        (disk("/a", [0.005]), disk("/b")),  # less than the floor
        (disk("/a", [10])),
        (disk("/a"), disk("/b")),
        (disk("/a", [100, *[0.1] * 50]), disk("/b", [90])),  # dust is not worth its moves
    ],
)
def test_where_little_would_be_gained_nothing_is_moved(disks: tuple[Disk, ...] | Disk) -> None:
    made = disks if isinstance(disks, tuple) else (disks,)
    assert after(*made)[0] == 0


def test_sizes_of_volumes_that_are_not_known_count_as_equal() -> None:
    made = broker(Disk("/a", held={("t", 0): GB, ("t", 1): GB}), Disk("/b"))
    assert len(broker_plan(made, ())) == 1


def test_what_is_on_the_move_counts_as_arrived() -> None:
    coming = disk("/b", coming={("a", 0): 3 * GB})
    assert broker_plan(broker(disk("/a", [10, 10]), coming), ()) == []
    moves = broker_plan(broker(disk("/a", [10, 10, 10, 10]), coming), ())
    assert [one.name for one in moves] != [("a", 0)]
    assert len(moves) == 1


def test_a_drained_disk_is_emptied_onto_the_others_and_nothing_comes_back() -> None:
    moved, held = after(disk("/a", [10]), disk("/b", [9, 8, 7]), disk("/c", [10]), drained=["/b"])
    assert held in ({"/a": 19, "/b": 0, "/c": 25}, {"/a": 25, "/b": 0, "/c": 19})
    assert moved == 3
    assert after(disk("/a", [10]), disk("/b"), disk("/c", [10]), drained=["/b"])[0] == 0


def test_a_replica_on_its_way_to_a_disk_that_is_drained_by_now_stays() -> None:
    made = broker(disk("/a", [10]), disk("/b", coming={("a", 0): GB}))
    assert broker_plan(made, ["/b"]) == [DiskMove(1, ("a", 0), "/a", "/a", 10 * GB)]
    assert used(made, broker_plan(made, ["/b"]))["/a"] == 10


def test_a_replica_that_leaves_a_drained_disk_already_is_not_moved_again() -> None:
    made = broker(disk("/a", [10]), disk("/b", coming={("a", 0): GB}))
    assert broker_plan(made, ["/a"]) == []


def refused(made: BrokerDisks, drained: Mapping[int, Collection[str]]) -> list[tuple[str, str, object]]:
    return [(rule, host, value) for rule, _, host, value in told(drain_refusals([made], drained))]


@pytest.mark.parametrize(
    ("drained", "expected"),
    [
        ({1: ["/a"]}, []),
        ({}, []),
        ({1: ["/b"]}, [("disk_too_full", "broker 1", 20 * GB)]),
        ({1: ["/x"]}, [("log_dir_unknown", "broker 1", "/x")]),
        ({1: ["/c"]}, [("log_dir_offline", "broker 1", "/c")]),
        ({9: ["/a"]}, [("broker_away", "broker 9", None)]),
        ({1: ["/a", "/b"]}, [("disk_too_full", "broker 1", 41 * GB)]),
    ],
)
def test_a_drain_that_cannot_end_is_refused(drained: dict[int, list[str]], expected: list[object]) -> None:
    offline = Disk("/c", error="KAFKA_STORAGE_ERROR")
    assert refused(broker(disk("/a", [1], free=25), disk("/b", [20, 20], free=50), offline), drained) == expected


def test_room_that_moves_under_way_will_take_is_not_given_twice() -> None:
    coming = disk("/b", coming={("a", 0): 4 * GB}, free=20)  # of 10: 6 more come, and 14 are left
    made = broker(disk("/a", [10, 10, 10]), coming)
    assert refused(made, {1: ["/a"]}) == [("disk_too_full", "broker 1", 10 * GB)]


@pytest.mark.parametrize("seed", range(40))
def test_plans_of_any_layout_never_overfill_and_never_move_a_replica_twice(seed: int) -> None:
    drawn = random.Random(seed)  # noqa: S311 - layouts, no secrets
    layouts = [[drawn.expovariate(0.2) for _ in range(drawn.randint(0, 40))] for _ in range(drawn.randint(1, 5))]
    made = broker(*(disk(f"/{at}", sizes, drawn.randint(0, 200)) for at, sizes in enumerate(layouts)))
    moves = broker_plan(made, ())
    assert len({one.name for one in moves}) == len(moves)
    for one in made.disks:
        assert sum(move.copied for move in moves if move.target == one.path) <= one.usable
    assert fullest(made, moves) <= fullest(made, []) + 1e-9


def fullest(made: BrokerDisks, moves: Iterable[DiskMove]) -> float:
    """Return the use of the fullest log dir after the moves, as a fraction."""
    rooms = {one.path: (sum(one.held.values()) + one.usable) / GB for one in made.disks}
    return max(held / (rooms[path] or 1) for path, held in used(made, moves).items())


def test_each_broker_is_planned_apart() -> None:
    one, other = broker(disk("/a", [10, 10]), disk("/b")), BrokerDisks(2, (disk("/a", [10]), disk("/b", [10])))
    assert [move.node_id for move in plan([one, other], {})] == [1]


def test_where_a_disk_is_emptied_nothing_else_is_moved() -> None:
    one, other = broker(disk("/a", [10, 10]), disk("/b")), BrokerDisks(2, (disk("/a", [10]), disk("/b", [1])))
    moves = plan([one, other], {2: ["/b"]})
    assert [(move.node_id, move.name, move.target) for move in moves] == [(2, ("b", 0), "/a")]
    assert after(disk("/a", [10, 10]), disk("/b", [1]), disk("/c"), drained=["/b"]) == (1, {"/a": 20, "/b": 0, "/c": 1})


def test_the_answer_of_a_broker_is_read() -> None:
    name: Name = ("t", 3)
    parts = [
        {"partition_index": 3, "partition_size": 5, "is_future_key": False},
        {"partition_index": 4, "partition_size": 2, "is_future_key": True},
    ]
    good = {"log_dir": "/a", "error_code": 0, "usable_bytes": 7, "total_bytes": 9}
    bad = {"log_dir": "/b", "error_code": 56, "usable_bytes": -1, "total_bytes": -1, "topics": []}
    found = broker_disks(
        2, {"results": [bad, {**good, "topics": [{"name": "t", "partitions": parts}]}]}, {56: "offline"}
    )
    assert found.disks == (Disk("/a", 7, 9, held={name: 5}, coming={("t", 4): 2}), Disk("/b", error="offline"))


def test_a_throttle_is_ours_by_its_last_digits() -> None:
    aim = throttle.wanted([2, 1], 50_000_000)
    assert aim == {1: "50000417", 2: "50000417"}
    assert throttle.wanted([1], 0) == {}
    assert throttle.wanted([1], 1) == {1: "1417"}
    assert list(throttle.foreign_rate_refusals({1: "50000000"}, {})) == []
    assert [one.rule for one in throttle.foreign_rate_refusals({1: "50000000"}, aim)] == ["foreign_throttle"]
    assert list(throttle.foreign_rate_refusals({1: "70000417"}, aim)) == []
    left = throttle.alterations({1: "50000417", 2: "50000000", 3: "1417"}, {})
    assert left == tuple(Alteration(broker=one, values={throttle.RATE: None}) for one in (1, 3))
    again = throttle.alterations({1: "50000417", 3: "1417"}, aim)
    assert [(one.broker, *one.values.values()) for one in again] == [(2, "50000417"), (3, None)]


def test_a_plan_shows_bytes_by_broker_disk_and_topic() -> None:
    made = broker(disk("/a", [10, 10], free=50), disk("/b", free=70), Disk("/c", error="offline"))
    moves = broker_plan(made, ())
    assert list(disk_format.disks([made], moves)) == [
        "broker 1 /a: 20.0 GB -> 10.0 GB, 50.0 GB free (a 20.0 GB)",
        "broker 1 /b: 0 bytes -> 10.0 GB, 70.0 GB free",
        "broker 1 /c: offline (offline)",
    ]
    assert disk_format.moves(moves) == ["broker 1 a-1: /a -> /b (10.0 GB)"]
    assert disk_format.steps(moves, 0, False, {}, throttle.wanted([1], 50_000_000)) == [
        "move 1 replica between log dirs of brokers 1, 10.0 GB",
        "limit these copies to 50.0 MB/s on brokers 1",
    ]
    assert disk_format.steps([], 2, False, {1: "1417", 2: "1418"}, {}) == [
        "wait for 2 replicas under way",
        "remove the throttle of an earlier run (brokers 1)",
    ]
    assert disk_format.steps([DiskMove(1, ("a", 0), "/a", "/a")], 1, True, {}, {}) == [
        "take back 1 move between log dirs"
    ]
    assert disk_format.steps([], 0, False, {}, {}) == []
    assert disk_format.topics_of([made])[0]["topics"] == {"a": 20 * GB}
