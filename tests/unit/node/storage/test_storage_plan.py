"""Nothing, format, complete or refuse: the decision over a node's log dirs and its peers, case by case."""

from __future__ import annotations

import dataclasses
import itertools

import pytest
from ansible.module_utils.kraft.node.storage import log_dir
from ansible.module_utils.kraft.node.storage.log_dir import LogDir
from ansible.module_utils.kraft.node.storage.plan import COMPLETE, FORMAT, NOTHING, StoragePlan, plan_storage
from ansible.module_utils.kraft.node.storage.types import NodeStorage, Peer
from ansible.module_utils.kraft.problem import Problem

from tests.unit.problems import Told, told, worded
from tests.wording_files import Wording

CLUSTER = "nq3DoF4lQiqcqPnYvYPP7g"
OTHER = "q1Sh-9_ISia_zwGINzRvyQ"
VOTER = "rXm2TCBFTkSSLm9uM1CErA"
VOTERS = f"1@k1:9093:{VOTER},2@k2:9093:07R5amHmR32VDA6jHkGbTA,3@k3:9093:MvDxzVmcRsaTz33bUuRU6A"
META, DATA = "/data/meta", "/data/a"

COMBINED = NodeStorage("k1", 1, CLUSTER, ("broker", "controller"), (META, DATA), META, "dynamic", VOTER, VOTERS)
STATIC = dataclasses.replace(COMBINED, quorum="static", directory_id="", initial_controllers="")
BROKER = dataclasses.replace(COMBINED, roles=("broker",), directory_id="", initial_controllers=VOTERS)

NEW_PEERS = (Peer("k1", 1, True), Peer("k2", 2, True), Peer("k3", 3, True))
LIVING_PEERS = (Peer("k2", 2, True, ("__cluster_metadata-0/quorum-state",)), Peer("k3", 3, True))


def empty(path: str) -> LogDir:
    return LogDir(path, log_dir.EMPTY)


def done(path: str, directory_id: str = "", **kwargs: object) -> LogDir:
    made = LogDir(
        path, log_dir.FORMATTED, CLUSTER, 1, directory_id or f"id-of-{path}", has_meta=True, bootstrap_ok=True
    )
    return dataclasses.replace(made, **kwargs)  # type: ignore[arg-type]


def cut(path: str, has_meta: bool = False) -> LogDir:
    return LogDir(path, log_dir.INTERRUPTED, has_meta=has_meta)


META_DONE = done(META, VOTER)
FOR_THESE = done(META, VOTER, voters=tuple(VOTERS.split(",")))
FOR_ONE, FOR_NONE = done(META, VOTER, voters=(f"1@k1:9093:{VOTER}",)), done(META, VOTER, voters=())
META_LIVING = done(META, VOTER, lived=("__cluster_metadata-0/quorum-state",))
ALL_VOTERS = f"--initial-controllers={VOTERS}"
KEEP = "--ignore-formatted"
NO_VOTERS = "--no-initial-controllers"


@pytest.mark.parametrize(
    ("node", "dirs", "actions", "flags", "aside"),
    [
        (COMBINED, (empty(META), empty(DATA)), (FORMAT, FORMAT), (ALL_VOTERS,), ()),
        (COMBINED, (LogDir(META, log_dir.ABSENT), empty(DATA)), (FORMAT, FORMAT), (ALL_VOTERS,), ()),
        (COMBINED, (META_DONE, done(DATA)), (NOTHING, NOTHING), (), ()),
        (COMBINED, (META_DONE, empty(DATA)), (NOTHING, FORMAT), (KEEP, NO_VOTERS), ()),
        (COMBINED, (META_LIVING, empty(DATA)), (NOTHING, FORMAT), (KEEP, NO_VOTERS), ()),
        (COMBINED, (META_LIVING, cut(DATA)), (NOTHING, COMPLETE), (KEEP, NO_VOTERS), ()),
        (COMBINED, (META_LIVING, cut(DATA, has_meta=True)), (NOTHING, COMPLETE), (KEEP, NO_VOTERS), (DATA,)),
        (COMBINED, (cut(META), done(DATA)), (COMPLETE, NOTHING), (KEEP, ALL_VOTERS), ()),
        (COMBINED, (cut(META, has_meta=True), empty(DATA)), (COMPLETE, FORMAT), (ALL_VOTERS,), (META,)),
        (
            COMBINED,
            (done(META, VOTER, bootstrap_ok=False), done(DATA)),
            (COMPLETE, NOTHING),
            (KEEP, ALL_VOTERS),
            (META,),
        ),
        (COMBINED, (META_DONE, done(DATA, bootstrap_ok=False)), (NOTHING, NOTHING), (), ()),
        (COMBINED, (FOR_THESE, done(DATA)), (NOTHING, NOTHING), (), ()),
        (COMBINED, (FOR_ONE, done(DATA)), (COMPLETE, NOTHING), (KEEP, ALL_VOTERS), (META,)),
        (COMBINED, (FOR_NONE, empty(DATA)), (COMPLETE, FORMAT), (ALL_VOTERS,), (META,)),
        (STATIC, (FOR_ONE, done(DATA)), (NOTHING, NOTHING), (), ()),
        (BROKER, (FOR_ONE, done(DATA)), (NOTHING, NOTHING), (), ()),
        (STATIC, (empty(META), empty(DATA)), (FORMAT, FORMAT), (), ()),
        (STATIC, (META_DONE, empty(DATA)), (NOTHING, FORMAT), (KEEP,), ()),
        (BROKER, (empty(META), empty(DATA)), (FORMAT, FORMAT), (), ()),
        (BROKER, (empty(META), done(DATA, lived=("orders-0",))), (FORMAT, NOTHING), (KEEP,), ()),
    ],
)
def test_plan_formats_only_what_is_not_formatted(
    node: NodeStorage,
    dirs: tuple[LogDir, ...],
    actions: tuple[str, ...],
    flags: tuple[str, ...],
    aside: tuple[str, ...],
) -> None:
    peers = () if node == BROKER else NEW_PEERS
    expected = StoragePlan(dict(zip((META, DATA), actions)), (), flags, aside)
    assert plan_storage(node, dirs, peers) == expected
    assert expected.changed is (set(actions) != {NOTHING})


@pytest.mark.parametrize("peers", [LIVING_PEERS, (Peer("k2", 2, True, ("process 7",)),)])
def test_a_voter_that_waits_for_a_quorum_that_lives_learns_the_voters_from_it(peers: tuple[Peer, ...]) -> None:
    assert not plan_storage(COMBINED, [FOR_ONE, done(DATA)], peers).changed


def test_voters_are_compared_in_any_spelling_of_an_ipv6_address() -> None:
    node = dataclasses.replace(COMBINED, initial_controllers=f"1@[fd00::1]:9093:{VOTER}")
    written = done(META, VOTER, voters=(f"1@fd00:0:0:0:0:0:0:1:9093:{VOTER}",))
    assert not plan_storage(node, [written, done(DATA)], ()).changed


def test_other_voters_are_refused_while_a_peer_is_unknown() -> None:
    plan = plan_storage(COMBINED, [FOR_ONE, done(DATA)], [Peer("k2", 2, False), Peer("k3", 3, True)])
    assert [problem.rule for problem in plan.problems] == ["voter_needs_all_peers"]


def test_broker_is_formatted_whatever_the_peers_are() -> None:
    plan = plan_storage(BROKER, (empty(META), empty(DATA)), (Peer("k2", 2, False), *LIVING_PEERS))
    assert not plan.problems
    assert plan.changed


def refusals(node: NodeStorage, dirs: tuple[LogDir, ...], peers: tuple[Peer, ...] = NEW_PEERS) -> list[Problem]:
    plan = plan_storage(node, dirs, peers)
    assert not plan.flags
    assert not plan.set_aside
    return list(plan.problems)


CASES: list[tuple[tuple[LogDir, ...], list[Told]]] = [
    (
        (done(META, VOTER, cluster_id=OTHER), done(DATA)),
        [("foreign_cluster_id", "kafka_cluster_id", "k1", OTHER)],
    ),
    (
        (META_DONE, done(DATA, node_id=5)),
        [("foreign_node_id", "kafka_node_id", "k1", 5)],
    ),
    (
        (done(META, "07R5amHmR32VDA6jHkGbTA"), done(DATA)),
        [("foreign_directory_id", "kafka_directory_id", "k1", "07R5amHmR32VDA6jHkGbTA")],
    ),
    (
        (META_DONE, done(DATA, VOTER)),
        [("duplicate_directory_id", "kafka_log_dirs", "k1", VOTER)],
    ),
    (
        (
            META_DONE,
            LogDir(DATA, log_dir.NO_IDENTITY, lived=("orders-0",), has_meta=True, detail="is empty (0 bytes)"),
        ),
        [("log_dir_data_without_identity", "kafka_log_dirs", "k1", DATA)],
    ),
    (
        (META_DONE, LogDir(DATA, log_dir.NO_IDENTITY, lived=("orders-0", "orders-1"))),
        [("log_dir_data_without_identity", "kafka_log_dirs", "k1", DATA)],
    ),
    (
        (META_DONE, LogDir(DATA, log_dir.LEFTOVERS, lived=(".kafka_cleanshutdown",))),
        [("log_dir_leftovers", "kafka_log_dirs", "k1", DATA)],
    ),
    (
        (META_DONE, LogDir(DATA, log_dir.FOREIGN, unknown=("photos", "notes.txt"))),
        [("log_dir_foreign", "kafka_log_dirs", "k1", DATA)],
    ),
    (
        (META_DONE, LogDir(DATA, log_dir.ZOOKEEPER, lived=("orders-0",))),
        [("log_dir_zookeeper_era", "kafka_log_dirs", "k1", DATA)],
    ),
    (
        (META_DONE, LogDir(DATA, log_dir.NOT_A_DIRECTORY)),
        [("log_dir_not_a_directory", "kafka_log_dirs", "k1", DATA)],
    ),
    (
        (META_DONE, LogDir(DATA, log_dir.UNREADABLE, detail="Input/output error")),
        [("log_dir_unreadable", "kafka_log_dirs", "k1", DATA)],
    ),
]


@pytest.mark.parametrize(("dirs", "refused"), CASES)
def test_refusal_names_the_value_of_the_disk(dirs: tuple[LogDir, ...], refused: list[Told]) -> None:
    assert told(refusals(COMBINED, dirs)) == refused


def test_all_problems_are_told_at_once() -> None:
    dirs = (done(META, cluster_id=OTHER, node_id=5), LogDir(DATA, log_dir.FOREIGN))
    assert [problem.rule for problem in plan_storage(COMBINED, dirs, NEW_PEERS).problems] == [
        "log_dir_foreign",
        "foreign_cluster_id",
        "foreign_node_id",
    ]


@pytest.mark.parametrize("other", [{"cluster_id": OTHER}, {"node_id": 5}])
def test_directory_id_of_another_cluster_or_node_is_no_problem_of_its_own(other: dict[str, object]) -> None:
    dirs = (done(META, "07R5amHmR32VDA6jHkGbTA", **other), done(DATA))
    assert len(plan_storage(COMBINED, dirs, NEW_PEERS).problems) == 1


def test_half_written_identity_of_another_node_is_refused_and_not_completed() -> None:
    dirs = (dataclasses.replace(cut(META, has_meta=True), node_id=7), empty(DATA))
    assert [problem.rule for problem in plan_storage(COMBINED, dirs, NEW_PEERS).problems] == ["foreign_node_id"]


WIPED = ("voter_lost_its_log", "kafka_log_dirs", "k1", META)
UNSEEN = ("voter_needs_all_peers", "kafka_log_dirs", "k1", META)
BROKER_DATA = (Peer("k2", 2, True), Peer("b4", 4, True, ("orders-0",)))


@pytest.mark.parametrize("node", [COMBINED, STATIC], ids=["dynamic", "static"])
@pytest.mark.parametrize("found", [empty(META), cut(META), LogDir(META, log_dir.ABSENT)], ids=lambda d: d.state)
def test_wiped_voter_of_a_living_cluster_is_refused(node: NodeStorage, found: LogDir) -> None:
    made = refusals(node, (found, empty(DATA)), LIVING_PEERS)
    assert told(made) == [WIPED]
    assert "k2 (__cluster_metadata-0/quorum-state)" in made[0].message


def test_wiped_voter_is_refused_when_only_a_broker_shows_that_the_cluster_has_lived() -> None:
    made = refusals(COMBINED, (empty(META), empty(DATA)), BROKER_DATA)
    assert told(made) == [WIPED, UNSEEN]
    assert "b4 (orders-0)" in made[0].message


def test_voter_that_lost_only_its_metadata_disk_is_refused_by_its_own_data() -> None:
    made = refusals(COMBINED, (empty(META), done(DATA, lived=("orders-0",))))
    assert told(made) == [WIPED]
    assert f"{DATA} (orders-0)" in made[0].message


def test_separate_metadata_dir_is_named_by_its_own_variable() -> None:
    node = dataclasses.replace(COMBINED, log_dirs=(DATA, META))
    made = told(refusals(node, (empty(DATA), empty(META)), LIVING_PEERS))
    assert [(rule, variable) for rule, variable, *_ in made] == [("voter_lost_its_log", "kafka_metadata_log_dir")]


def test_new_quorum_is_refused_while_a_peer_is_unknown() -> None:
    made = refusals(COMBINED, (empty(META), empty(DATA)), (Peer("k2", 2, True), Peer("k3", 3, False)))
    assert told(made) == [UNSEEN]
    assert "k3" in made[0].message


def test_new_quorum_is_refused_while_a_voter_is_not_even_named() -> None:
    made = refusals(COMBINED, (empty(META), empty(DATA)), (Peer("k2", 2, True),))
    assert told(made) == [UNSEEN]
    assert "node 3" in made[0].message


def test_formatted_node_does_not_need_its_peers() -> None:
    assert plan_storage(COMBINED, (META_LIVING, done(DATA)), (Peer("k2", 2, False),)).problems == ()


@pytest.mark.parametrize("voters", ["", VOTERS.replace(VOTER, OTHER), VOTERS.split(",", 1)[1]])
def test_voter_must_be_among_the_initial_controllers_with_its_directory_id(voters: str) -> None:
    made = refusals(dataclasses.replace(COMBINED, initial_controllers=voters), (empty(META), empty(DATA)))
    assert told(made) == [("not_an_initial_voter", "kafka_directory_id", "k1", voters)]
    assert (voters or "none") in made[0].message


def test_directory_id_does_not_matter_where_no_quorum_refers_to_it() -> None:
    dirs = (done(META, "07R5amHmR32VDA6jHkGbTA"), done(DATA))
    for node in (STATIC, BROKER):
        assert plan_storage(node, dirs, NEW_PEERS).problems == ()


STATES = (
    LogDir(META, log_dir.ABSENT),
    empty(META),
    cut(META),
    cut(META, has_meta=True),
    META_DONE,
    META_LIVING,
    done(META, VOTER, bootstrap_ok=False),
    done(META, VOTER, bootstrap_ok=False, lived=("orders-0",)),
    done(META, VOTER, cluster_id=OTHER),
    LogDir(META, log_dir.NO_IDENTITY, lived=("orders-0",)),
    LogDir(META, log_dir.LEFTOVERS, lived=(".lock",)),
    LogDir(META, log_dir.FOREIGN, unknown=("notes.txt",)),
    LogDir(META, log_dir.ZOOKEEPER),
    LogDir(META, log_dir.UNREADABLE),
)
PEERS = ((), NEW_PEERS, LIVING_PEERS, (Peer("k2", 2, False),))


@pytest.mark.parametrize("node", [COMBINED, STATIC, BROKER], ids=["dynamic", "static", "broker"])
def test_no_combination_of_states_touches_data_or_makes_a_second_quorum(node: NodeStorage) -> None:
    for meta, data, peers in itertools.product(STATES, STATES, PEERS):
        dirs = (meta, dataclasses.replace(data, path=DATA, directory_id="of-its-own"))
        plan = plan_storage(node, dirs, peers)
        touched = [found for found in dirs if plan.actions[found.path] != NOTHING]
        if plan.problems:
            assert not plan.flags
            assert not plan.set_aside
            continue
        assert not [found for found in touched if found.lived or found.unknown]
        assert set(plan.set_aside) <= {found.path for found in touched if found.has_meta}
        if node.is_controller and plan.actions[META] != NOTHING:
            assert not any(found.lived for found in dirs)
            assert all(peer.known and not peer.lived for peer in peers)
        else:
            assert not any("--initial-controllers" in flag for flag in plan.flags)


BACK = dataclasses.replace(COMBINED, rejoins=True, listed_directory_id="07R5amHmR32VDA6jHkGbTA")


@pytest.mark.parametrize(
    ("dirs", "actions", "flags", "aside"),
    [
        ((empty(META), empty(DATA)), (FORMAT, FORMAT), (NO_VOTERS,), ()),
        ((empty(META), done(DATA)), (FORMAT, NOTHING), (KEEP, NO_VOTERS), ()),
        ((META_DONE, done(DATA)), (NOTHING, NOTHING), (), ()),
        ((META_LIVING, done(DATA)), (NOTHING, NOTHING), (), ()),
        ((done(META, "drawn-by-the-tool", voters=()), done(DATA)), (COMPLETE, NOTHING), (KEEP, NO_VOTERS), (META,)),
    ],
)
def test_a_voter_that_comes_back_without_its_log_is_formatted_as_an_observer(
    dirs: tuple[LogDir, ...], actions: tuple[str, ...], flags: tuple[str, ...], aside: tuple[str, ...]
) -> None:
    plan = plan_storage(BACK, dirs, LIVING_PEERS)
    assert plan == StoragePlan(dict(zip((META, DATA), actions)), flags=flags, set_aside=aside)


@pytest.mark.parametrize(
    ("node", "peers", "rule"),
    [
        (BACK, NEW_PEERS, "no_quorum"),
        (dataclasses.replace(BACK, listed_directory_id=VOTER), LIVING_PEERS, "listed_directory_id"),
        (dataclasses.replace(BACK, quorum="static"), LIVING_PEERS, "static_quorum"),
    ],
)
def test_a_voter_does_not_come_back_where_that_could_lose_records(
    node: NodeStorage, peers: tuple[Peer, ...], rule: str
) -> None:
    assert [problem.rule for problem in plan_storage(node, (empty(META), empty(DATA)), peers).problems] == [rule]


def test_a_disk_that_lives_under_another_directory_id_is_not_taken_for_one_to_rename() -> None:
    living = done(META, "another", lived=("__cluster_metadata-0/quorum-state",))
    assert [one.rule for one in plan_storage(BACK, (living, done(DATA)), LIVING_PEERS).problems] == [
        "foreign_directory_id"
    ]


def test_wording(wording: Wording) -> None:
    new = (empty(META), empty(DATA))
    found = [each for dirs, _ in CASES for each in refusals(COMBINED, dirs)]
    for peers in (LIVING_PEERS, BROKER_DATA, (Peer("k2", 2, True), Peer("k3", 3, False)), (Peer("k2", 2, True),)):
        found += refusals(COMBINED, new, peers)
    found += refusals(COMBINED, (empty(META), done(DATA, lived=("orders-0",))))
    for voters in ("", VOTERS.replace(VOTER, OTHER)):
        found += refusals(dataclasses.replace(COMBINED, initial_controllers=voters), new)
    found += refusals(BACK, new)
    found += refusals(dataclasses.replace(BACK, listed_directory_id=VOTER), new, LIVING_PEERS)
    found += refusals(dataclasses.replace(BACK, quorum="static"), new, LIVING_PEERS)
    wording(worded(found))
