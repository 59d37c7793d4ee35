"""Live changes, changes left to a restart, and their messages."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

import pytest
from ansible.module_utils.kraft.node.service.client_moves import Move
from ansible.module_utils.kraft.operations.config import dynamic_config_request, managed_overrides, planner
from ansible.module_utils.kraft.operations.config.live import Node, decide, undeclared
from ansible.module_utils.kraft.operations.config.plan_format import (
    block,
    drift_lines,
    restart_lines,
    throttle_lines,
    throttled,
)
from ansible.module_utils.kraft.operations.config.settings import ALL_BROKERS, Layer, Setting, broker

from tests.unit.differences import OF_THE_UNIT, plain
from tests.unit.differences import setting as differing
from tests.unit.operations.config.described import setting
from tests.unit.problems import named
from tests.wording_files import Wording

IO, ISR, UNCLEAN = "num.io.threads", "min.insync.replicas", "unclean.leader.election.enable"
RETENTION, FETCHERS = "log.retention.ms", "num.replica.fetchers"


def node(number: int = 1, *reasons: str, serves: bool = True, **wanted: str | None) -> Node:
    settings = {key.replace("_", "."): value for key, value in wanted.items()}
    return Node(f"kafka{number}", number, serves, settings, tuple(map(differing, reasons)))


def overrides(nodes: list[Node], described: Mapping[Any, Any]) -> list[tuple[str, str, str | None]]:
    return [(one.entity.name, one.key, one.after) for one in decide(nodes, described).changes]


@pytest.mark.parametrize(
    ("found", "wanted", "override"),
    [
        pytest.param(setting(IO, file="8"), "12", ["12"], id="a new value is an override"),
        pytest.param(setting(IO, own="12", file="8"), "12", [], id="that counts"),
        pytest.param(setting(IO, own="12", file="8"), "16", ["16"], id="and changes"),
        pytest.param(setting(IO, own="12", file="8"), "8", [None], id="the file's own value needs none"),
        pytest.param(setting(IO, own="12", file="12"), "12", [None], id="nor does a file that has caught up"),
        pytest.param(setting(IO, own="12", default="8"), None, [None], id="nobody names it any more"),
        pytest.param(setting(IO, file="12", default="8"), None, ["8"], id="back to the default past the file"),
        pytest.param(setting(IO, own="8", file="12", default="8"), None, [], id="which then counts"),
        pytest.param(setting(IO, all="5", file="8"), "8", ["8"], id="a default that hides what is declared"),
        pytest.param(setting(IO, all="5", default="8"), None, [], id="a default that hides nothing declared"),
        pytest.param(setting(IO, own="8.0", file="4"), "8", [], id="written another way"),
    ],
)
def test_an_override_bridges_the_time_until_the_file_counts(
    found: Setting, wanted: str | None, override: list[str | None]
) -> None:
    asked_for = node(1, f"{IO} 8 -> 12", num_io_threads=wanted)
    decision = decide([asked_for], {broker(1): {IO: found}})
    assert [one.after for one in decision.changes] == override
    assert decision.restarts(asked_for) == ()


def test_the_value_of_a_synonym_is_not_taken_for_the_settings_own() -> None:
    found = Setting(
        "7",
        "DYNAMIC_BROKER",
        layers=(Layer("DYNAMIC_BROKER", RETENTION, "7"), Layer("STATIC_BROKER", "log.retention.hours", "3")),
    )
    assert overrides([node(log_retention_ms="3")], {broker(1): {RETENTION: found}}) == [("1", RETENTION, "3")]
    assert overrides([node(log_retention_ms=None)], {broker(1): {RETENTION: found}}) == [("1", RETENTION, None)]


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (setting(RETENTION, file="5"), None),
        (setting(RETENTION, read_only=True, file="5"), "6"),
        (setting(RETENTION, secret=True, file=""), "6"),
    ],
)
def test_what_cannot_be_changed_live_is_left_to_a_restart(found: Setting, wanted: str | None) -> None:
    stale = node(1, f"{RETENTION} 5 -> 6", log_retention_ms=wanted)
    decision = decide([stale], {broker(1): {RETENTION: found}})
    assert decision.changes == ()
    assert decision.restarts(stale) == stale.differences


def test_a_reviewer_sees_the_value_that_counts_and_the_override_that_goes() -> None:
    nodes = [node(1, num_io_threads="12"), node(2, num_io_threads="8"), node(3, min_insync_replicas="2")]
    found = {
        broker(1): {IO: setting(IO, file="8")},
        broker(2): {IO: setting(IO, own="12", file="8")},
        broker(3): {ISR: setting(ISR, all="1", file="1", default="1")},
    }
    assert planner.overrides(decide(nodes, found).changes) == [
        {"type": "broker", "name": "", "config": {ISR: {"effective": "1", "old": "1", "new": "2"}}},
        {"type": "broker", "name": "1", "config": {IO: {"effective": "8", "old": None, "new": "12"}}},
        {"type": "broker", "name": "2", "config": {IO: {"effective": "12", "old": "12", "new": None}}},
    ]


def test_a_node_that_does_not_answer_and_a_dedicated_controller_are_restarted() -> None:
    silent = node(1, f"{IO} 8 -> 12", num_io_threads="12")
    controller = node(4, f"{IO} 8 -> 12", serves=False, num_io_threads="12")
    decision = decide([silent, controller], {})
    assert decision.restarts(silent) == silent.differences
    assert decision.restarts(controller) == controller.differences


def test_a_node_that_restarts_anyway_gets_no_new_override_and_keeps_no_wrong_one() -> None:
    both = node(
        1, f"{IO} 8 -> 12", f"{FETCHERS} 1 -> 4", "num.partitions 1 -> 3", num_io_threads="12", num_replica_fetchers="4"
    )
    found = {IO: setting(IO, file="8"), FETCHERS: setting(FETCHERS, own="2", file="1")}
    decision = decide([both], {broker(1): found})
    assert [(one.key, one.after) for one in decision.changes] == [(FETCHERS, "4")]
    assert decision.restarts(both) == (differing(f"{IO} 8 -> 12"), differing("num.partitions 1 -> 3"))


def test_min_insync_replicas_is_the_clusters_and_settles_the_controllers_too() -> None:
    nodes = [
        node(1, f"{ISR} 1 -> 2", min_insync_replicas="2"),
        node(4, f"{ISR} 1 -> 2", serves=False, min_insync_replicas="2"),
    ]
    found = {broker(1): {ISR: setting(ISR, all="1", file="1", default="1")}}
    decision = decide(nodes, found)
    assert [(one.entity, one.after) for one in decision.changes] == [(ALL_BROKERS, "2")]
    assert [decision.restarts(one) for one in nodes] == [(), ()]


@pytest.mark.parametrize(("now", "changes"), [("1", [("", ISR, "2")]), ("2", [])])
def test_the_clusters_min_insync_replicas_is_never_removed_though_the_file_says_the_same(
    now: str, changes: list[Any]
) -> None:
    found = {broker(1): {ISR: setting(ISR, all=now, file="2")}}
    assert overrides([node(min_insync_replicas="2")], found) == changes


def test_unclean_elections_that_no_one_names_any_more_go_back_to_the_default() -> None:
    found = {broker(1): {UNCLEAN: setting(UNCLEAN, all="true", default="false")}}
    assert overrides([node(unclean_leader_election_enable=None)], found) == [("", UNCLEAN, None)]


def test_overrides_that_no_one_asked_for_are_shown_and_left() -> None:
    found = {broker(1): {IO: setting(IO, own="5", file="8"), FETCHERS: setting(FETCHERS, own="3", default="1")}}
    nodes = [node(num_io_threads="8")]
    assert [(str(entity), key) for entity, key, _ in undeclared(nodes, found)] == [("broker 1", FETCHERS)]
    assert overrides(nodes, found) == [("1", IO, None)]


def test_the_plan_says_what_happens_to_whom_and_why(wording: Wording) -> None:
    nodes = [
        node(1, f"{IO} 8 -> 12", num_io_threads="12"),
        node(2, f"{IO} 8 -> 12", num_io_threads="12"),
        node(3, "num.partitions 1 -> 3"),
        node(4, "num.partitions 1 -> 3", serves=False),
        node(5),
        node(6),
    ]
    found = {broker(one): {IO: setting(IO, file="8")} for one in (1, 2)}
    other = [(broker(5), FETCHERS, setting(FETCHERS, own="3"))]
    lines = block(nodes, decide(nodes, found), [6], other, {"all brokers: x": "no"})
    assert [line.split()[0] for line in lines] == ["Plan", "live", "start", "restart", "not", "drift", "nothing"]
    assert named(lines[1:4]) == [
        [IO, "8", "12", "1", "2"],
        ["6"],
        ["3", "4", "server.properties", "num.partitions", "1", "3"],
    ]
    assert named(lines[5:]) == [[FETCHERS, "3", "5", "DYNAMIC_BROKER"], ["5"]]
    wording(lines)


def test_the_plan_says_where_an_override_goes_because_the_file_has_it(wording: Wording) -> None:
    nodes = [node(1, num_io_threads="12"), node(2, num_io_threads="8")]
    found = {broker(1): {IO: setting(IO, own="12", file="12")}, broker(2): {IO: setting(IO, own="12", file="8")}}
    lines = block(nodes, decide(nodes, found))[1:]
    assert named(lines) == [[IO, "12", "1"], [IO, "12", "8", "2"]]
    wording(lines)


def test_what_was_set_here_and_is_no_longer_named_is_taken_back() -> None:
    (change,) = decide([node(num_io_threads="12")], {broker(1): {IO: setting(IO, file="8")}}).changes
    noted = managed_overrides.read(managed_overrides.text_of(managed_overrides.with_set({}, [change])))
    assert noted == {"1": frozenset({IO})}
    assert managed_overrides.forgotten(noted, 1, {}) == {IO: None}
    assert managed_overrides.forgotten(noted, 1, {IO: "16"}) == {IO: "16"}
    assert managed_overrides.forgotten(noted, 2, {}) == {}
    gone = decide([node(num_io_threads=None)], {broker(1): {IO: setting(IO, own="12", default="8")}}).changes
    assert managed_overrides.text_of(managed_overrides.without_removed(noted, gone)) == "{}\n"


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '{"1": 3}'])
def test_an_override_state_that_cannot_be_read_is_empty(text: str) -> None:
    assert managed_overrides.read(text) == {}


def test_what_is_asked_live_is_what_kafka_itself_says_can_change() -> None:
    keys = dynamic_config_request.live_keys("4.3.1")
    assert {IO, ISR, RETENTION, "message.max.bytes", "log.cleaner.threads", "cordoned.log.dirs"} <= keys
    assert not {"advertised.listeners", "listeners", "log.retention.hours", "metric.reporters", "num.partitions"} & keys


def test_each_node_is_asked_for_what_it_declares_and_for_what_it_no_longer_names() -> None:
    properties = {"node.id": "1", IO: "12", "log.segment.bytes": "(hidden)"}
    node = {"node_id": 1, "roles": ["broker"], "properties": properties, "secrets": ["log.segment.bytes"]}
    desired = {"cluster": {"version": "4.3.1"}, "nodes": {"kafka1": node}}
    settings = map(differing, (f"{RETENTION} 5 -> (unset)", "num.partitions 1 -> (unset)"))
    differences = plain(OF_THE_UNIT, *settings)
    found = {"kafka1": {"stale": True, "differences": differences, "actions": []}}
    assert dynamic_config_request.change_nodes(["kafka1"], found, desired) == [
        {
            "host": "kafka1",
            "node_id": 1,
            "serves": True,
            "wanted": {RETENTION: None, IO: "12"},
            "differences": differences,
            "client_moves": [],
            "started": False,
        }
    ]


def test_whom_a_restart_sends_elsewhere_is_asked_along() -> None:
    move = {"listener": "CLIENT", "before": "k1:9092 PLAINTEXT", "after": "k1:9192 PLAINTEXT"}
    desired = {
        "cluster": {"version": "4.3.1"},
        "nodes": {"kafka1": {"node_id": 1, "roles": ["broker"], "properties": {}}},
    }
    found = {"stale": True, "differences": plain(OF_THE_UNIT), "client_moves": [move]}
    for stale, moves in ((True, [move]), (False, [])):
        (entry,) = dynamic_config_request.change_nodes(["kafka1"], {"kafka1": {**found, "stale": stale}}, desired)
        assert entry["client_moves"] == moves


@pytest.mark.parametrize(
    ("reasons", "shown"),
    [
        pytest.param(
            {1: ["a x -> y", "b 1 -> 2", "advertised 1 -> 2"], 2: ["a x -> y", "b 1 -> 2", "advertised 3 -> 4"]},
            [
                *("nodes 1, 2, because of", "a x -> y", "b 1 -> 2"),
                *("node 1, because of", "advertised 1 -> 2"),
                *("node 2, because of", "advertised 3 -> 4"),
            ],
            id="what nodes share is said once",
        ),
        pytest.param({1: ["a x -> y"], 3: ["a x -> y"]}, ["nodes 1, 3, because of", "a x -> y"], id="one reason"),
        pytest.param({2: ["a x -> y", "a x -> y"]}, ["node 2, because of", "a x -> y"], id="a reason that repeats"),
        pytest.param({1: []}, [], id="no reason"),
    ],
)
def test_each_reason_of_a_restart_is_one_line(reasons: dict[int, list[str]], shown: list[str]) -> None:
    lines = restart_lines({node_id: list(map(differing, texts)) for node_id, texts in reasons.items()})
    words = [part.strip() for line in lines for part in re.split("(?<=because of) ", line)]
    assert [word.removeprefix("server.properties: ") for word in words if word] == shown


def test_the_plan_tells_whose_clients_must_move(wording: Wording) -> None:
    move = Move("CLIENT", "k1:9092 PLAINTEXT", "k1:9192 PLAINTEXT")
    what = "advertised.listeners CLIENT://k1:9092 -> CLIENT://k1:9192 (2 stay)"
    nodes = [dataclasses.replace(node(1, what), moves=(move,)), node(2)]
    lines = block(nodes, decide(nodes, {}))
    assert [line.split()[0] for line in lines] == ["Plan", "restart", "clients", "nothing"]
    assert lines[1].endswith(f"server.properties: {what}")
    assert named(lines[2:]) == [["CLIENT", "1", "k1:9092", "PLAINTEXT", "k1:9192", "PLAINTEXT"], ["2"]]
    wording(lines)


@pytest.mark.parametrize(
    ("key", "playbook"),
    [
        ("leader.replication.throttled.rate", "rebalance.yml"),
        ("replica.alter.log.dirs.io.max.bytes.per.second", "balance_disks.yml"),
    ],
)
def test_a_limit_that_a_killed_run_left_is_no_drift_and_names_the_playbook_that_removes_it(
    key: str, playbook: str, wording: Wording
) -> None:
    ours, theirs = (Setting(value, "DYNAMIC_BROKER_CONFIG") for value in ("1000417", "1000000"))
    found = [(broker(1), key, ours), (broker(2), key, theirs)]
    [drift], [line] = drift_lines(found), throttle_lines(found)
    assert "on broker 2 " in drift
    assert throttled(found, key) == {1: 1000417}
    assert f"playbooks/{playbook}" in line
    wording([drift, line])
