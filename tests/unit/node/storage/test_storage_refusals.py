"""Refusals to touch a disk, each by its id, variable, host and value."""

from __future__ import annotations

import dataclasses

import pytest
from ansible.module_utils.kraft.identity import directory_id_after
from ansible.module_utils.kraft.node.storage import log_dir
from ansible.module_utils.kraft.node.storage.log_dir import LogDir
from ansible.module_utils.kraft.node.storage.rules import (
    content_problems,
    identity_problems,
    rejoin_problems,
    voter_problems,
)
from ansible.module_utils.kraft.node.storage.types import NodeStorage, Peer

from tests.unit.problems import Told, told

CLUSTER, OTHER = "nq3DoF4lQiqcqPnYvYPP7g", "q1Sh-9_ISia_zwGINzRvyQ"
VOTER, ANOTHER = "rXm2TCBFTkSSLm9uM1CErA", "07R5amHmR32VDA6jHkGbTA"
VOTERS = f"1@k1:9093:{VOTER},2@k2:9093:{ANOTHER}"
META, DATA = "/data/meta", "/data/a"
NODE = NodeStorage("k1", 1, CLUSTER, ("broker", "controller"), (DATA, META), META, "dynamic", VOTER, VOTERS)
FIRST_IS_META = dataclasses.replace(NODE, log_dirs=(META, DATA))
STATIC = dataclasses.replace(NODE, quorum="static", directory_id="", initial_controllers="")
PEER, LIVING, UNKNOWN = Peer("k2", 2, True), Peer("k2", 2, True, ("quorum-state",)), Peer("k2", 2, False)


def formatted(path: str, directory_id: str = VOTER, **more: object) -> LogDir:
    return dataclasses.replace(LogDir(path, log_dir.FORMATTED, CLUSTER, 1, directory_id), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "state",
    [
        log_dir.NO_IDENTITY,
        log_dir.LEFTOVERS,
        log_dir.FOREIGN,
        log_dir.ZOOKEEPER,
        log_dir.NOT_A_DIRECTORY,
        log_dir.UNREADABLE,
    ],
)
@pytest.mark.parametrize(
    ("node", "path", "variable"),
    [(NODE, DATA, "kafka_log_dirs"), (NODE, META, "kafka_metadata_log_dir"), (FIRST_IS_META, META, "kafka_log_dirs")],
)
def test_content_that_must_stay_names_its_directory(node: NodeStorage, path: str, variable: str, state: str) -> None:
    found = LogDir(path, state, lived=("orders-0",), detail="is empty")
    assert told(content_problems(node, [found])) == [(f"log_dir_{state}", variable, "k1", path)]


@pytest.mark.parametrize("state", [log_dir.ABSENT, log_dir.EMPTY, log_dir.FORMATTED, log_dir.INTERRUPTED])
def test_content_that_is_no_obstacle_is_not_named(state: str) -> None:
    assert told(content_problems(NODE, [LogDir(DATA, state)])) == []


@pytest.mark.parametrize(
    ("dirs", "expected"),
    [
        ([formatted(DATA, "id", cluster_id=OTHER)], ("foreign_cluster_id", "kafka_cluster_id", "k1", OTHER)),
        ([formatted(DATA, "id", node_id=7)], ("foreign_node_id", "kafka_node_id", "k1", 7)),
        ([formatted(META, ANOTHER)], ("foreign_directory_id", "kafka_directory_id", "k1", ANOTHER)),
        ([formatted(DATA), formatted(META)], ("duplicate_directory_id", "kafka_metadata_log_dir", "k1", VOTER)),
        ([formatted(META), formatted(DATA)], ("duplicate_directory_id", "kafka_log_dirs", "k1", VOTER)),
    ],
)
def test_a_disk_of_another_owner_is_named_with_what_it_says(dirs: list[LogDir], expected: Told) -> None:
    assert told(identity_problems(NODE, dirs)) == [expected]


@pytest.mark.parametrize(("static", "remedy"), [(True, "its quorum is static"), (False, "if the quorum lists")])
def test_only_a_static_quorum_takes_the_directory_id_that_is_there(static: bool, remedy: str) -> None:
    node = dataclasses.replace(NODE, was_static=static)
    (problem,) = identity_problems(node, [formatted(META, ANOTHER)])
    assert remedy in problem.remedy


@pytest.mark.parametrize(
    ("node", "dirs", "peers", "expected"),
    [
        (NODE, [], [PEER], []),
        (NODE, [], [LIVING], [("voter_lost_its_log", "kafka_metadata_log_dir", "k1", META)]),
        (
            NODE,
            [formatted(DATA, lived=("a-0",))],
            [PEER],
            [("voter_lost_its_log", "kafka_metadata_log_dir", "k1", META)],
        ),
        (NODE, [], [UNKNOWN], [("voter_needs_all_peers", "kafka_metadata_log_dir", "k1", META)]),
        (NODE, [], [], [("voter_needs_all_peers", "kafka_metadata_log_dir", "k1", META)]),
        (
            dataclasses.replace(NODE, directory_id=ANOTHER),
            [],
            [PEER],
            [("not_an_initial_voter", "kafka_directory_id", "k1", VOTERS)],
        ),
        (
            dataclasses.replace(NODE, initial_controllers=""),
            [],
            [PEER],
            [("not_an_initial_voter", "kafka_directory_id", "k1", "")],
        ),
        (STATIC, [], [PEER], []),
    ],
)
def test_a_voter_begins_a_quorum_only_where_none_has_lived(
    node: NodeStorage, dirs: list[LogDir], peers: list[Peer], expected: list[Told]
) -> None:
    assert told(voter_problems(node, dirs, peers)) == expected


BACK = dataclasses.replace(NODE, rejoins=True, listed_directory_id=ANOTHER)


@pytest.mark.parametrize(
    ("node", "peers", "expected"),
    [
        (BACK, [LIVING], []),
        (dataclasses.replace(STATIC, rejoins=True), [LIVING], [("static_quorum", "kafka_replace_node", "k1", None)]),
        (BACK, [PEER], [("no_quorum", "kafka_replace_node", "k1", None)]),
        (BACK, [Peer("k1", 1, True, ("quorum-state",))], [("no_quorum", "kafka_replace_node", "k1", None)]),
        (
            dataclasses.replace(BACK, listed_directory_id=VOTER),
            [LIVING],
            [("listed_directory_id", "kafka_directory_id", "k1", VOTER)],
        ),
    ],
)
def test_a_voter_comes_back_only_to_a_quorum_that_lives_and_as_another_one(
    node: NodeStorage, peers: list[Peer], expected: list[Told]
) -> None:
    assert told(rejoin_problems(node, peers)) == expected


def test_the_directory_id_that_is_proposed_follows_from_the_lost_one() -> None:
    (found,) = rejoin_problems(dataclasses.replace(BACK, listed_directory_id=VOTER), [LIVING])
    assert directory_id_after(VOTER) in found.remedy
