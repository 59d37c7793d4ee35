"""Figures of nodes and of the cluster: from one look, and what is not known is None with its reason."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.lags import GroupLag, Lags
from ansible.module_utils.kraft.cluster.snapshot import LogDir, Snapshot
from ansible.module_utils.kraft.status.certificates import Certificate
from ansible.module_utils.kraft.status.cluster_figures import LARGEST, NAMED, ClusterFigures, Spread, cluster_figures
from ansible.module_utils.kraft.status.figures import Disk, Figures, by_broker, figures
from ansible.module_utils.kraft.status.last_change import Step, last_change

from tests.unit.cluster.snapshots import broker, cluster, partition, quorum, topic, voter
from tests.unit.problems import named
from tests.unit.status.scenes import node

GB = 10**9
SERVICE = {"pid": 7, "restarts": 2, "age": 90.0, "heap_bytes": GB, "resident_bytes": 2 * GB}
RESULTS: dict[str, Any] = {"service": SERVICE, "process": {"release": "4.3.1"}}
DIRS = (LogDir(1, "/a", "", 100, 40, 50, 3), LogDir(1, "/b", "", 100, 10, 20, 1), LogDir(2, "/a", "", 100, 99, 1, 1))
SEEN = dataclasses.replace(
    cluster(topic("orders", partition(0, [1, 2]), partition(1, [1, 2], [1]), partition(2, [2, 1]))),
    log_dirs=DIRS,
    topic_bytes={"orders": 71},
)


def figures_of(node_id: int = 1, results: Any = None, snapshot: Snapshot | None = SEEN, **given: Any) -> Figures:
    own = RESULTS if results is None else results
    return figures(node(node_id, release="4.3.1", **given), own, by_broker(snapshot), ())


def test_a_node_has_what_its_host_and_the_cluster_say() -> None:
    found = figures_of()
    assert (found.release, found.uptime, found.restarts) == ("4.3.1", 90.0, 2)
    assert (found.heap_bytes, found.memory_bytes) == (GB, 2 * GB)
    assert (found.leaders, found.replicas, found.bytes) == (2, 3, 70)
    assert (found.lag, found.behind_ms) == (0, 0)
    assert found.disks[0] == Disk("/a", "", 50, 3, 100, 40)
    assert found.fullest == Disk("/b", "", 20, 1, 100, 10)
    assert found.unknown == ()


def test_a_controller_holds_no_replicas_and_nothing_of_it_is_unknown() -> None:
    found = figures_of(roles=("controller",))
    assert (found.leaders, found.bytes, found.disks, found.unknown) == (None, None, (), ())


def test_certificates_that_listeners_show_count_and_the_process_own_does_not() -> None:
    shown = (Certificate("a:1", 30, "", ()), Certificate("a:2", 20, "", ()), Certificate("", 1, "", (), own=True))
    assert figures(node(1), RESULTS, by_broker(SEEN), shown).certificate_days == 20


@pytest.mark.parametrize(
    ("results", "snapshot", "named"),
    [
        ({"service": None, "machine": {"unreachable": True, "msg": "timed out"}}, SEEN, ["uptime", "timed out"]),
        ({"service": {**SERVICE, "pid": 0}}, SEEN, ["uptime", "does not run"]),
        ({**RESULTS, "service": {**SERVICE, "heap_bytes": None}}, SEEN, ["heap", "-Xmx"]),
        ({**RESULTS, "service": {**SERVICE, "resident_bytes": None}}, SEEN, ["memory", "/proc"]),
        (
            {**RESULTS, "view": {"certificates": [{"address": "a:1", "certificate": "", "error": "late"}]}},
            SEEN,
            ["late"],
        ),
        (RESULTS, None, ["leaders", "log dirs", "no broker answers"]),
        (RESULTS, dataclasses.replace(SEEN, topics=None, unanswered={"topics": "too slow"}), ["leaders", "too slow"]),
        (RESULTS, dataclasses.replace(SEEN, log_dirs=(), unanswered={"log_dirs": "silent"}), ["bytes", "silent"]),
        (RESULTS, dataclasses.replace(SEEN, log_dirs=(LogDir(1, "/a", "offline"),)), ["/a", "offline"]),
        (RESULTS, dataclasses.replace(SEEN, log_dirs=(), brokers=(broker(1, fenced=True),)), ["fenced"]),
        (RESULTS, dataclasses.replace(SEEN, log_dirs=(), brokers=()), ["not registered"]),
        (
            RESULTS,
            dataclasses.replace(SEEN, quorum=None, unanswered={"quorum": "no leader"}),
            ["metadata", "no leader"],
        ),
        (RESULTS, dataclasses.replace(SEEN, quorum=quorum(2, voter(2))), ["metadata", "does not list"]),
        (RESULTS, dataclasses.replace(SEEN, quorum=quorum(2, voter(1, None))), ["metadata", "not heard"]),
    ],
)
def test_what_is_not_known_is_none_and_has_its_reason(results: Any, snapshot: Any, named: list[str]) -> None:
    (reason, *_) = figures_of(results=results, snapshot=snapshot).unknown
    assert all(word in reason for word in named), reason


def test_a_listener_without_a_certificate_has_the_address_by_which_others_know_it() -> None:
    silent = {"certificates": [{"address": "127.0.0.1:9092", "certificate": "", "error": "late"}]}
    listeners = [{"bind": "0.0.0.0:9092", "address": "kafka1:9092", "protocol": "SSL"}]
    (reason,) = figures_of(results={**RESULTS, "view": silent, "deployed": {"listeners": listeners}}).unknown
    assert named([reason]) == [["kafka1:9092"]]


def test_bytes_are_not_known_where_a_log_dir_is_offline() -> None:
    found = figures_of(snapshot=dataclasses.replace(SEEN, log_dirs=(DIRS[0], LogDir(1, "/b", "offline"))))
    assert (found.bytes, found.fullest) == (None, Disk("/a", "", 50, 3, 100, 40))
    room = figures_of(snapshot=dataclasses.replace(SEEN, log_dirs=(LogDir(1, "/a", "", -1, -1, 5, 1),)))
    assert (room.bytes, room.fullest) == (5, None)


def of_cluster(snapshot: Snapshot | None = SEEN, lag: Lags | None = None) -> ClusterFigures:
    return cluster_figures(snapshot, lag, "nothing answers")


def test_how_even_brokers_are_is_the_least_the_mean_and_the_most() -> None:
    found = of_cluster()
    assert found.leaders == Spread(0, 1.0, 2)
    assert found.bytes == Spread(1, 35.5, 70)
    assert found.leaders.over == 1.0


def test_topics_are_those_with_the_most_bytes() -> None:
    sizes = {f"t{one:02}": one for one in range(15)} | {"orders": 100}
    found = of_cluster(dataclasses.replace(SEEN, topic_bytes=sizes)).topics
    assert found is not None
    assert [one.name for one in found] == ["orders", *(f"t{one:02}" for one in range(14, 15 - LARGEST, -1))]
    assert (found[0].partitions, found[0].replication_factor, found[1].partitions) == (3, 2, None)


def test_partitions_that_take_no_records_are_named() -> None:
    dead = partition(0, [1, 2], [], leader=-1)
    many = [partition(number, [1, 2, 3], [1]) for number in range(NAMED + 5)]
    found = of_cluster(cluster(topic("dead", dead), topic("orders", *many)))
    assert found.offline is not None
    assert found.under_min_isr is not None
    assert (found.offline.count, found.offline.names) == (1, ("dead-0",))
    assert (found.under_min_isr.count, found.under_min_isr.names[0]) == (NAMED + 5, "orders-0")
    assert len(found.under_min_isr.names) == NAMED


def test_the_slowest_voter_counts_and_one_that_was_not_heard_of_makes_it_unknown() -> None:
    slow = dataclasses.replace(SEEN, quorum=quorum(1, voter(1), voter(2, 900, 7), voter(3, 20, 9)))
    assert (of_cluster(slow).quorum_behind_ms, of_cluster(slow).quorum_lag) == (900, 7)
    away = of_cluster(dataclasses.replace(SEEN, quorum=quorum(1, voter(1), voter(3, None))))
    assert away.quorum_lag is None
    assert any("voters 3" in reason for reason in away.unknown)


def test_after_the_leaders_clock_was_set_back_a_voter_that_lacks_records_is_the_slowest() -> None:
    back = of_cluster(dataclasses.replace(SEEN, quorum=quorum(1, voter(1), voter(2, -60_000, 403))))
    assert (back.quorum_behind_ms, back.quorum_lag) == (60_000, 403)


def test_groups_that_were_not_asked_and_brokers_that_are_silent_are_said() -> None:
    lag = Lags((GroupLag("g", "Stable", 5, 1),), 30, 20, ("group x: gone",))
    found = of_cluster(lag=lag)
    assert found.groups == lag.groups
    (bytes_of, asked, gone) = found.partial
    assert "3" in bytes_of
    assert {"20", "30"} <= {word.strip(",") for word in asked.split()}
    assert gone == "groups: group x: gone"
    whole = of_cluster(dataclasses.replace(SEEN, log_dirs=(*DIRS, LogDir(3, "/a"))), Lags((), 2, 2, ()))
    assert whole.partial == ()


def test_a_broker_with_an_offline_log_dir_is_said_to_be_missing_from_the_bytes() -> None:
    offline = (*DIRS[:2], LogDir(2, "/a", "offline"), LogDir(3, "/a"))
    found = of_cluster(dataclasses.replace(SEEN, log_dirs=offline))
    assert found.bytes == Spread(0, 35.0, 70)
    assert named(found.partial) == [["2"]]


def left_out(part: str) -> dict[str, Any]:
    return {part: None, "unanswered": {part: "too late"}}


@pytest.mark.parametrize(
    ("part", "named"),
    [("topics", "offline"), ("min_insync", "min.insync"), ("log_dirs", "bytes"), ("features", "feature")],
)
def test_a_part_that_was_not_answered_is_unknown_with_its_reason(part: str, named: str) -> None:
    found = of_cluster(dataclasses.replace(SEEN, **left_out(part)))
    (reason, *_) = [one for one in found.unknown if "too late" in one]
    assert named in reason


def test_a_silent_cluster_has_no_figures_and_says_why() -> None:
    assert of_cluster(None) == ClusterFigures(unknown=("the cluster's figures: nothing answers",))


LINE = '{"host": "%s", "phase": "roll", "task": "%s", "start": %s, "end": %s, "changed": %s, "ok": %s}'


def test_the_last_deployment_is_read_from_its_record() -> None:
    found = last_change(
        [
            LINE % ("kafka1", "Look", 1, 2, "false", "true"),
            LINE % ("kafka1", "Write", 2, 3, "true", "true"),
            LINE % ("kafka2", "Write\\u001b[2J", 2, 4, "true", "true"),
            LINE % ("kafka2", "Write", 2, 4, "true", "true"),
            LINE % ("kafka2", "Start", 4, 9, "false", "false"),
            "half a li",
            "[]",
        ]
    )
    assert found is not None
    assert (found.began, found.ended) == (1.0, 9.0)
    assert found.changed == (Step("Write", ("kafka1", "kafka2")), Step("Write?[2J", ("kafka2",)))
    assert found.failed == (Step("Start", ("kafka2",)),)
    assert last_change(["", "{}"]) is None
