"""Plan of a copy, and each reason against it, from values alone."""

from __future__ import annotations

import dataclasses
import json
from collections import namedtuple
from typing import Any, cast

import pytest
from ansible.module_utils.kraft.operations.mirror import kept, mirror_properties, plan, progress
from ansible.module_utils.kraft.operations.mirror.model import Source, Target, Topic
from ansible.module_utils.kraft.operations.mirror.observe import Seen, rest
from ansible.module_utils.kraft.operations.mirror.side import Side
from ansible.module_utils.kraft.spec.desired.mirror import Wanted, split, wanted

SIZE = mirror_properties.Size(2, 512)

WANTED = Wanted("old", ("old1:9092",), topics=("orders", r"pay\..*"))
ORDERS = Topic({0: (0, 10), 1: (5, 5)}, {"retention.ms": "1"}, 1000)
EMPTY = Topic({0: (0, 0), 1: (0, 0)})
SOURCE = Source("one", {"orders": ORDERS})
TARGET = Target("two", {}, free={1: 10_000, 2: 10_000, 3: 10_000})


def problems(source: Source = SOURCE, target: Target = TARGET, asked: Wanted = WANTED) -> list[str]:
    return plan.mirror_refusals(asked, source, target, 3)


def test_a_copy_without_a_fault_has_no_problem() -> None:
    assert problems() == []
    assert problems(target=Target("two", {"orders": EMPTY})) == []


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        (SOURCE, Target("one", {}), "this cluster itself"),
        (Source("one", {}, old=True), TARGET, "older than Kafka 2.1"),
        (Source("one", {"orders": ORDERS}, missing=("READ of topic orders",)), TARGET, "READ of topic orders"),
        (Source("one", {"pay.a": EMPTY}), TARGET, "topic orders is not on the source"),
        (SOURCE, Target("two", {"orders": Topic({0: (0, 0)})}), "1 partitions here and 2"),
        (SOURCE, Target("two", {"orders": Topic({0: (0, 1), 1: (0, 0)})}), "holds records here that no mirror copied"),
        (SOURCE, Target("two", {}, free={1: 1100, 2: 9000, 3: 9000}), "one has 0.0 MB free"),
    ],
)
def test_each_reason_against_it_is_one_sentence(source: Source, target: Target, said: str) -> None:
    [problem] = problems(source, target)
    assert said in problem


def test_everything_is_named_at_once() -> None:
    missing = ("READ of topic orders", "DESCRIBE_CONFIGS of topic orders")
    found = problems(Source("one", {"orders": ORDERS}, missing=missing), Target("two", {"orders": Topic({0: (0, 0)})}))
    assert len(found) == 3


def test_what_the_mirror_itself_copied_is_in_no_ones_way() -> None:
    copied = Target("two", {"orders": Topic({0: (0, 9)}, size=400)}, frozenset({"orders"}), free={1: 2500})
    assert problems(target=copied) == []  # the source has grown by a partition, and what is here needs no room


def test_what_has_no_equivalent_is_said_and_not_synced() -> None:
    old = {"message.format.version": "2.0", "message.timestamp.type": "LogAppendTime"}
    source = Source("one", {"orders": Topic({0: (0, 1)}, old, effective=old)}, ("billing",))
    target = dataclasses.replace(TARGET, defaults={"message.timestamp.type": "CreateTime"})
    found = plan.answer(WANTED, source, target, 3)
    assert found["unknown_settings"] == ["message.format.version"]
    assert "No equivalent: message.format.version of orders" in found["screen"]
    assert any(line.startswith("New timestamps") and "orders" in line for line in found["screen"])
    assert "  group billing" in found["screen"]
    given = mirror_properties.properties(WANTED, SIZE, 3, found["unknown_settings"])
    assert r"message\.format\.version" in given["config.properties.exclude"].split(",")


def test_topics_of_kafkas_own_are_never_taken() -> None:
    everything = Wanted("old", ("a:1",))
    names = ("__consumer_offsets", "mm2-offsets.old.internal", "old.checkpoints.internal", "heartbeats", ".hidden")
    others = [
        "orders",
        "internal",
        "orders.internal",
        "orders-internal",
        "orders.replica",
        "mm2.orders",
        "a.checkpoints",
    ]
    assert [name for name in (*names, "device-heartbeats", *others) if everything.takes_topic(name)] == others
    assert everything.left_topics([*names, "device-heartbeats", "__foo", *others]).keys() == {
        "heartbeats",
        ".hidden",
        "device-heartbeats",
        "__foo",
    }
    assert not Wanted("old", ("a:1",), exclude_topics=("__foo",)).left_topics(["__foo"])
    assert not Wanted("old", ("a:1",), exclude_topics=("ord.*",)).takes_topic("orders")
    assert WANTED.takes_topic("pay.in")
    assert not WANTED.takes_topic("pay-in")
    assert not everything.takes_group("__share")


@pytest.mark.parametrize("name", ["__foo", "__consumer_offsets", "heartbeats", "mm2-offsets.old.internal"])
def test_a_topic_that_is_named_and_cannot_be_copied_is_refused(name: str) -> None:
    asked = Wanted("old", ("a:1",), topics=("orders", name))
    source = dataclasses.replace(SOURCE, left_topics=asked.left_topics(["orders", name]))
    (problem,) = problems(source, asked=asked)
    assert f"topic {name} cannot be copied" in problem
    assert "Remove it from kafka_mirror.topics" in problem


def test_what_a_pattern_takes_in_and_is_not_copied_is_listed_with_its_reason() -> None:
    asked = Wanted("old", ("a:1",))
    committed = {
        "g.left": [("__foo", 0)],
        "g.both": [("__foo", 0), ("orders", 0)],
        "__g": [("orders", 0)],
        "g.none": [],
    }
    topics, groups = asked.left_topics(["__foo", "orders"]), asked.left_groups(committed)
    source = dataclasses.replace(SOURCE, left_topics=topics, left_groups=groups)
    assert problems(source, asked=asked) == []
    said = [
        "Not copied: topic __foo, MirrorMaker treats it as internal to Kafka, since it begins with __",
        "Not copied: group __g, its name begins with __, as internal topics of Kafka do",
        "Not copied: group g.left, its offsets are in topics that are not copied",
    ]
    assert [line for line in plan.screen(asked, source, TARGET, {}) if line.startswith("Not copied")] == said
    assert [line for line in progress.screen(Seen(source, TARGET, {}, {})) if line.startswith("Not copied")] == said


def test_a_group_that_is_named_and_cannot_be_copied_is_refused() -> None:
    asked = Wanted("old", ("a:1",), topics=("orders",), groups=("billing", "g.left"))
    source = dataclasses.replace(SOURCE, left_groups=asked.left_groups({"g.left": [("other", 0)]}))
    (problem,) = problems(source, asked=asked)
    assert "group g.left cannot be copied: its offsets are in topics that are not copied" in problem


def test_what_is_named_and_excluded_is_refused() -> None:
    asked = Wanted("old", ("a:1",), topics=("orders",), exclude_topics=("ord.*",), groups=("g",), exclude_groups=("g",))
    found = problems(asked=asked)
    assert [line.split()[0] for line in found if "named and excluded" in line] == ["orders", "g"]


def test_no_list_of_mirrormaker_names_anything_twice() -> None:
    """Kafka refuses such a list when the connector is made: only a journal had the reason, and nothing was copied."""
    asked = Wanted("old", ("a:1", "a:1"), topics=("x", "x"), exclude_groups=("__.*", "__.*"), groups=("g", "g"))
    given = mirror_properties.properties(asked, SIZE, 3, ["message.timestamp.difference.max.ms", "x.y"])
    back = mirror_properties.back(asked, SIZE, 3, ["x", "x"])
    for settings in (given, back):
        lists = {name: value.split(",") for name, value in settings.items() if "," in value}
        assert {name for name, entries in lists.items() if len(set(entries)) < len(entries)} == set()
    assert given["config.properties.exclude"].count("difference") == 1


@pytest.mark.parametrize(
    ("given", "tasks", "heap"),
    [((1, 3, 4, 8000), 1, 320), ((100, 3, 4, 8000), 6, 384), ((100, 1, 1, 1000), 1, 256), ((0, 1, 8, 8000), 1, 320)],
)
def test_size_follows_from_cores_and_partitions(given: tuple[int, int, int, int], tasks: int, heap: int) -> None:
    assert mirror_properties.size(*given) == mirror_properties.Size(tasks, heap)


def test_secrets_are_told_from_what_everyone_may_read() -> None:
    public, secrets = split(
        {"security.protocol": "SSL", "sasl.jaas.config": 'x password="y";', "ssl.key.password": "z"}
    )
    assert list(public) == ["security.protocol"]
    assert sorted(secrets) == ["sasl.jaas.config", "ssl.key.password"]


def test_the_source_is_read_and_never_written() -> None:
    given = mirror_properties.properties(WANTED, SIZE, 3)
    assert given["offset-syncs.topic.location"] == "target"
    assert given["target->old.enabled"] == given["emit.heartbeats.enabled"] == "false"
    assert given["old.consumer.isolation.level"] == "read_committed"
    assert given["target.exactly.once.source.support"] == "enabled"


def test_a_lost_worker_is_replaced_soon() -> None:
    assert int(mirror_properties.properties(WANTED, SIZE, 3)["target.scheduled.rebalance.max.delay.ms"]) <= 30_000


def test_the_variable_becomes_a_value() -> None:
    client = {"security.protocol": "SSL", "allow.auto.create.topics": False}
    made = wanted({"source": {"name": "old", "bootstrap_servers": ["a:1"], "client": client}, "topics": ["x"]})
    assert (made.topics, made.groups, made.acls) == (("x",), (".*",), True)
    assert made.client["allow.auto.create.topics"] == "false"


@pytest.mark.parametrize(
    ("permitted", "lacking"),
    [([3, 8, 10], []), ([8], ["READ of topic a", "DESCRIBE_CONFIGS of topic a"]), (None, [])],
)
def test_rights_that_a_login_lacks_follow_from_what_the_broker_permits(
    permitted: list[int] | None, lacking: list[str]
) -> None:
    """Missing information of a broker does not count against the login."""
    side = object.__new__(Side)
    side.topics = {"a": {"authorized_operations": permitted}}
    assert list(side.lacking(["a"])) == lacking


def kept_offset(topic: str, partition: int, offset: int | None) -> tuple[bytes, bytes]:
    key = ["MirrorSourceConnector", {"cluster": "old", "partition": partition, "topic": topic}]
    return json.dumps(key).encode(), b"" if offset is None else json.dumps({"offset": offset}).encode()


def test_the_last_offset_that_is_kept_counts() -> None:
    other = json.dumps(["MirrorCheckpointConnector", {}]).encode()
    records = [kept_offset("a", 0, 4), kept_offset("a", 0, 9), kept_offset("a", 1, None), (other, b'{"offset": 1}')]
    assert kept.copied(records) == {("a", 0): 10}


def test_a_task_that_failed_is_named_with_its_cause() -> None:
    trace = "Outer: x\n\tat a\nCaused by: TopicAuthorizationException: denied\n\tat b"
    down = json.dumps({"state": "FAILED", "trace": trace, "worker_id": "10.0.0.2:8083"}).encode()
    records = [
        (b"status-task-MirrorSourceConnector-0", down),
        (b"status-task-MirrorSourceConnector-1", down),
        (b"status-task-MirrorSourceConnector-1", b'{"state": "RUNNING"}'),
        (b"status-topic-x", b""),
    ]
    assert kept.failed(records) == {"MirrorSourceConnector-0": "TopicAuthorizationException: denied (on 10.0.0.2:8083)"}


def test_a_connector_that_was_never_made_is_said_with_where_to_look() -> None:
    assert progress.NOT_MADE in progress.screen(Seen(SOURCE, TARGET, {}, {}, made=False))
    assert progress.NOT_MADE not in progress.screen(Seen(SOURCE, TARGET, {}, {}))


def test_all_topics_of_a_plan_and_a_status_can_be_shown() -> None:
    source = Source("one", {f"t{number:02}": ORDERS for number in range(27)})
    for shown in (plan.screen(WANTED, source, TARGET, {}), progress.screen(Seen(source, TARGET, {}, {}))):
        assert sum("topic t" in line for line in shown) == plan.SHOWN
        assert "  and 7 more topics (kafka_mirror_shown: 0 shows all)" in shown
    for shown in (plan.screen(WANTED, source, TARGET, {}, 0), progress.screen(Seen(source, TARGET, {}, {}), 0)):
        assert sum("topic t" in line for line in shown) == 27


def test_a_position_that_was_taken_away_is_none() -> None:
    records = [kept_offset("a", 0, 4), kept_offset("a", 0, None), kept_offset("a", 1, 2)]
    assert kept.copied(records) == {("a", 1): 3}


Batch = namedtuple("Batch", "base_offset is_transactional is_control_batch producer_id markers")


Marker = namedtuple("Marker", "abort")


class Marked(Batch):
    @property
    def next_offset(self) -> int:
        return int(self.base_offset) + 1

    def __iter__(self) -> Any:
        return iter(self.markers)


def test_records_of_aborted_transactions_are_left_out() -> None:
    abort = Marker(abort=True)
    aborted = kept.Aborted([{"producer_id": 7, "first_offset": 2}])
    batches = [
        Marked(0, True, False, 7, ()),
        Marked(2, True, False, 7, ()),
        Marked(3, True, False, 8, ()),
        Marked(4, True, True, 7, (abort,)),
        Marked(5, True, False, 7, ()),
        Marked(6, False, False, -1, ()),
    ]
    assert [one.base_offset for one in batches if aborted.has(one)] == [2]


def test_lag_counts_what_is_there_and_not_copied() -> None:
    seen = Seen(SOURCE, Target("two", {"orders": EMPTY}, frozenset({"orders"})), {("orders", 0): 4}, {})
    assert progress.lag(seen) == {"orders": 6}  # partition 1 has lost its first five records, and has no others
    assert progress.begun(seen)
    assert progress.lag(dataclasses.replace(seen, invisible=frozenset({("orders", 0)}))) == {"orders": 0}
    assert not progress.begun(Seen(SOURCE, TARGET, {}, {}))
    assert not progress.begun(Seen(SOURCE, Target("two", {"orders": EMPTY}), {}, {}))


def test_a_copy_is_at_work_when_it_comes_farther_or_nothing_is_left() -> None:
    here = Target("two", {"orders": EMPTY}, frozenset({"orders"}))
    stands, moved, done = (Seen(SOURCE, here, {("orders", 0): at}, {}) for at in (4, 5, 10))
    assert not progress.copies(stands, stands)
    assert progress.copies(stands, moved)
    assert progress.copies(done, done)
    assert not progress.copies(stands, Seen(SOURCE, TARGET, {}, {}))


def test_only_what_is_nearly_copied_is_looked_at_record_by_record() -> None:
    far = Topic({0: (0, 10_000), 1: (0, 50), 2: (0, 50), 3: (0, 50)})
    copied = {("orders", 0): 4, ("orders", 1): 49, ("orders", 2): 50}
    assert rest(Seen(Source("one", {"orders": far}), TARGET, copied, {})) == {("orders", 1): 49}


@pytest.mark.parametrize("visible", [False, True])
def test_a_visible_record_is_found_behind_more_aborted_ones_than_one_fetch_holds(
    visible: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = [*(Marked(at, True, False, 7, ()) for at in (3, 4, 5)), Marked(6, True, True, 7, (Marker(abort=True),))]
    log += [Marked(7, False, False, -1, ())] if visible else []

    def fetch(_: Any, address: str, where: tuple[str, int], offset: int) -> dict[str, Any]:
        assert (address, where) == ("a:1", ("orders", 0))
        aborted = [{"producer_id": 7, "first_offset": 3}] if offset <= 6 else []
        return {"aborted_transactions": aborted, "records": bytes([offset])}

    monkeypatch.setattr(kept, "fetch", fetch)
    split = lambda data: [one for one in log if data[0] <= one.base_offset < data[0] + 2]  # noqa: E731
    assert kept.follows(cast("Any", None), "a:1", ("orders", 0), 3, split) is visible


def test_markers_and_aborted_records_are_nothing_to_copy() -> None:
    abort = Marker(abort=True)
    ended = [Marked(2, True, False, 7, ()), Marked(3, True, True, 7, (abort,))]
    fetched = {"aborted_transactions": [{"producer_id": 7, "first_offset": 2}], "records": b""}
    assert not kept.holds_records(fetched, 2, lambda _: ended)
    assert kept.holds_records(fetched, 2, lambda _: [*ended, Marked(4, False, False, -1, ())])
    assert not kept.holds_records(fetched, 9, lambda _: [Marked(4, False, False, -1, ())])


@pytest.mark.parametrize(
    ("before", "after", "left", "said"),
    [
        (2, 6, 10.0, "Caught up in about 10 s"),
        (2, 10, 0.0, "Caught up"),
        (6, 6, None, "does not shrink"),
        (6, 5, None, "does not shrink"),
    ],
)
def test_the_time_to_catch_up_follows_from_two_looks(before: int, after: int, left: float | None, said: str) -> None:
    here = Target("two", {"orders": EMPTY}, frozenset({"orders"}))
    looks = [Seen(SOURCE, here, {("orders", 0): at}, {}) for at in (before, after)]
    found = progress.seconds_left(looks[0], looks[1], 10.0)
    assert found == left
    assert said in progress.caught_up(found)


class Metadata:
    """A client of a cluster whose brokers have these addresses."""

    def __init__(self, *hosts: str) -> None:
        self._brokers = [{"node_id": number, "host": host, "port": 9092} for number, host in enumerate(hosts, 1)]

    def reach(self) -> str:
        return "first:9092"

    def request(self, *_: Any, **__: Any) -> None:
        return None

    def send(self, *_: Any) -> dict[str, Any]:
        return {"cluster_id": "one", "brokers": self._brokers, "topics": []}


def test_brokers_with_ipv6_addresses_are_asked_at_their_ports() -> None:
    client: Any = Metadata("fd00::1", "old2")
    assert Side(client).brokers == {1: "[fd00::1]:9092", 2: "old2:9092"}
