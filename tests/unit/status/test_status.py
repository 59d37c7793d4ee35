"""One screen about a cluster: healthy, sick, silent; drift in words, and never a secret."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.leadership import Claim
from ansible.module_utils.kraft.cluster.snapshot import Feature, Reassignment
from ansible.module_utils.kraft.difference import Difference
from ansible.module_utils.kraft.node.identity import Disk, Identity
from ansible.module_utils.kraft.status.asked_node import asked_through
from ansible.module_utils.kraft.status.drift import node_drift, uncompared
from ansible.module_utils.kraft.status.json_report import report
from ansible.module_utils.kraft.status.model import Status
from ansible.module_utils.kraft.status.screen import lines, not_granted
from ansible.module_utils.kraft.status.view import status

from tests.unit.cluster.snapshots import broker, cluster, partition, quorum, topic, voter
from tests.unit.differences import plain, setting
from tests.unit.problems import values
from tests.wording_files import Wording

RUNS = {"running": True, "actions": [], "differences": [], "stale": False, "current": "4.4.0", "release": "4.4.0"}
SERVICE = {"installed": True, "active": True, "state": "active", "pid": 7, "result": "success", "exit_status": 0}
DEAD = {**SERVICE, "active": False, "state": "failed", "pid": 0, "result": "exit-code", "exit_status": 1}


def view(leader_id: int = 1, epoch: int = 1, without: tuple[int, ...] = ()) -> dict[str, Any]:
    """Return a host's answers from the controllers and from its own broker."""
    claims = [Claim(one, error="x") if one in without else Claim(one, leader_id, epoch) for one in (1, 2, 3)]
    return {"controllers": [dataclasses.asdict(one) for one in claims], "broker": {"address": "a:1", "error": ""}}


LOOKED: dict[str, Any] = {
    "process": RUNS,
    "kernel": {"changed_settings": []},
    "view": view(),
    "service": SERVICE,
}
DESIRED: dict[str, Any] = {
    "cluster": {"name": "demo", "cluster_id": "x", "broker_ids": [1, 2, 3], "controller_ids": [1, 2, 3]},
    "nodes": {
        f"kafka{one}": {
            "node_id": one,
            "roles": ["broker", "controller"],
            "log_dirs": ["/data"],
            "metadata_log_dir": "/data",
        }
        for one in (1, 2, 3)
    },
}
#: A log dir as ``kafka_host_info`` gives it.
PLACE: dict[str, Any] = {
    "fstype": "xfs",
    "mount": "/data",
    "device": "/dev/sdb",
    "options": [],
    "real_path": "/data",
    "total_mb": 1440,
    "free_mb": 900,
    "free_inodes": 90000,
    "owner": "kafka",
    "closed_by": "",
    "lived": [],
    "foreign_files": [],
    "blockers": [],
}


SETTLED = {"settled": {"kafka1": ["num.io.threads"]}}


def seen(snapshot: Any = None, live: Any = SETTLED, **hosts: Any) -> Status:
    """A cluster with one topic, all hosts as they should be but for `hosts`."""
    shown = snapshot or cluster(topic("orders", partition(0, [1, 2, 3])))
    results = {name: {**LOOKED, **hosts.get(name, {})} for name in DESIRED["nodes"]}
    answer = {"snapshot": dataclasses.replace(shown, reassignments=()).to_dict()}
    return status(DESIRED, results, answer, live)


def rows(found: Status, label: str) -> list[set[str]]:
    """Return the values in the lines of the screen with `label`."""
    return [values(line.strip().removeprefix(label)) for line in lines(found) if line.strip().startswith(label)]


def test_a_healthy_cluster_fits_on_one_screen(wording: Wording) -> None:
    found = seen()
    assert found.good
    assert rows(found, "Leader") == [{"", "kafka1", "node", "1", "epoch", "as", "controllers", "2", "3", "say"}]
    assert [one for label in ("Behind", "Without leader", "On the move") for one in rows(found, label)] == [
        {"", "0", "partitions"}
    ] * 3
    assert [(node.node_id, node.host, node.state, node.may_go) for node in found.nodes] == [
        (1, "kafka1", "serves, leads", True),
        (2, "kafka2", "serves, follows", True),
        (3, "kafka3", "serves, follows", True),
    ]
    wording(lines(found, "page.html"))


def test_with_a_host_away_the_cause_comes_first_and_the_others_may_not_go(wording: Wording) -> None:
    sick = cluster(
        topic("orders", partition(0, [1, 2, 3], [1, 2])),
        brokers=[broker(1), broker(2), broker(3, fenced=True)],
        leader=quorum(1, voter(1), voter(2), voter(3, behind_ms=None)),
    )
    lost = {"view": view(without=(3,))}
    gone = {"process": {"skipped": True}, "view": None, "kernel": {"unreachable": True, "msg": "Connection timed out"}}
    found = seen(sick, kafka1=lost, kafka2=lost, kafka3={**dict.fromkeys(LOOKED), **gone})
    assert not found.healthy
    assert [node.may_go for node in found.nodes] == [False, False, None]
    assert [node.state for node in found.nodes] == ["serves, leads", "serves, follows", "host away"]
    text = "\n".join(lines(found))
    assert [(one.rule, one.node_ids) for one in found.causes] == [("host_down", (3,))]
    assert text.index("kafka3") < text.index("Cause") < text.index("Do next") < text.index("Leader")
    (consequence,) = rows(found, "Because of it")
    assert {"1", "partition"} <= consequence
    (uncompared_host,) = rows(found, "Not compared")
    assert {"kafka3", "3", "Connection", "timed", "out"} <= uncompared_host
    wording([text])


@pytest.mark.parametrize(
    "live", [{"error": "kafka2:9092 did not answer"}, {**SETTLED, "unanswered": ["kafka2:9092 did not answer"]}]
)
def test_settings_that_no_broker_reported_are_not_as_the_inventory_says(live: dict[str, Any], wording: Wording) -> None:
    found = seen(live=live)
    assert found.healthy
    assert not found.good
    (row,) = rows(found, "Not compared")
    assert "kafka2:9092" in row
    wording([found.headline, *found.uncompared])


@pytest.mark.parametrize(
    ("disk", "named"),
    [(Disk("/data", True, "y", 1), {"y", "1"}), (Disk("/data", True, "x", 2), {"2"})],
    ids=["another cluster", "another node"],
)
def test_a_foreign_host_is_named_and_says_nothing_of_our_nodes(disk: Disk, named: set[str], wording: Wording) -> None:
    """It was deployed as a node 1, whose controller leads; its broker answers, too."""
    own = cluster(topic("orders", partition(0, [1, 2])), brokers=[broker(1), broker(2)])
    theirs = {
        "identity": Identity(True, (disk,)).as_facts(),
        "view": view(leader_id=3, epoch=9),
        "process": {**RUNS, "differences": plain(setting("node.id 1 -> 3"))},
        "removed": True,
    }
    found = seen(own, kafka3=theirs)
    assert (found.causes[0].rule, found.causes[0].hosts) == ("foreign_host", ("kafka3",))
    assert named <= values(found.causes[0].detail)
    assert {one.node_ids for one in found.causes} == {(3,)}
    assert found.leadership.leader_id == 1
    assert [node.drift for node in found.nodes] == [(), (), ()]
    assert asked_through({"kafka3": {**LOOKED, **theirs}, "kafka1": LOOKED}, DESIRED)["host"] == "kafka1"
    wording([found.headline, found.causes[0].sentence, found.causes[0].detail])


def test_a_node_that_does_not_run_is_a_cause_and_no_drift(wording: Wording) -> None:
    found = seen(kafka3={"process": {**RUNS, "actions": ["start"]}, "service": DEAD})
    (cause,) = found.causes
    assert (cause.rule, cause.node_ids) == ("not_running", (3,))
    assert {"exit-code", "1"} <= values(cause.detail)
    wording([cause.detail])
    assert (found.healthy, found.drifted, found.nodes[2].state) == (False, False, "does not run")


def test_a_cluster_that_does_not_answer_is_not_healthy_and_no_one_may_go_by_it(wording: Wording) -> None:
    nobody = {"service": DEAD, "view": {**view(without=(1, 2, 3)), "broker": {"address": "a:1", "error": "x"}}}
    results = {name: {**LOOKED, **nobody} for name in DESIRED["nodes"]}
    found = status(DESIRED, results, {"skipped": True}, None)
    assert found.problems == ("no broker answers",)
    assert [one.rule for one in found.causes] == ["not_running"]
    assert [(node.state, node.may_go) for node in found.nodes] == [("does not run", None)] * 3
    (leader,) = rows(found, "Leader")
    assert {"none", "0", "3", "2"} <= leader
    wording(lines(found))


def test_a_broker_that_was_not_asked_is_not_said_to_be_silent() -> None:
    nobody = {"service": DEAD, "view": {**view(without=(1, 2, 3)), "broker": {"address": "a:1", "error": "x"}}}
    first, *others = DESIRED["nodes"]
    results = {first: {**LOOKED, **nobody, "view": {"skipped": True}}, **{one: {**LOOKED, **nobody} for one in others}}
    assert status(DESIRED, results, {"skipped": True}, None).problems == (f"no broker answers; not asked: {first}",)


def test_the_leader_is_known_by_the_controllers_although_the_asked_broker_is_cut_off() -> None:
    """The active controller was cut off, and the broker beside it was asked: the others have elected another."""
    lost = dataclasses.replace(cluster(), quorum=None, unanswered={"quorum": "no answer"})
    others = {"view": view(2, 5, without=(1,))}
    alone = {"view": {**view(-1, 4, without=(2, 3))}}
    found = seen(lost, kafka1=alone, kafka2=others, kafka3=others)
    told = report(found, "now")["leader"]
    assert (told["node_id"], told["epoch"], told["according_to"]) == (2, 5, [2, 3])
    assert told["out_of_date"] == [{"node_id": 1, "leader_id": -1, "epoch": 4}]
    assert [(one.rule, one.node_ids) for one in found.causes] == [("cut_off", (1,))]
    assert rows(found, "Leader") == [{"", "kafka2", "node", "2", "epoch", "5", "as", "controllers", "3", "say"}]


def test_the_quorum_of_the_leaders_own_host_fills_in_for_a_broker_that_has_none() -> None:
    lost = dataclasses.replace(cluster(), quorum=None, unanswered={"quorum": "no answer"})
    own = {"view": {**view(), "quorum": dataclasses.asdict(quorum(1))}}
    assert seen(lost, kafka1=own).good


def test_without_the_controllers_word_that_of_the_broker_counts() -> None:
    found = seen(**{name: {"view": {"failed": False, "error": "no library"}} for name in DESIRED["nodes"]})
    assert found.healthy
    assert rows(found, "Leader") == [{"", "kafka1", "node", "1", "epoch"}]
    (uncompared_host,) = rows(found, "Not compared")
    assert {"kafka1", "1", "no", "library"} <= uncompared_host


#: A new machine has no unit, and its log dir is not there yet.
NOTHING: dict[str, Any] = {
    "service": {**DEAD, "installed": False},
    "log_dirs": {"/data": {**PLACE, "state": "absent"}},
}


def test_a_member_whose_host_has_nothing_does_not_end_the_status() -> None:
    """Its modules fail: the client that they import is not there yet."""
    never = {"failed": False, "changed": False, "error": "kafka-python cannot be imported from /opt/kafka/client"}
    found = seen(kafka3={"view": never, "process": never, **NOTHING})
    assert [(node.state == "without data", node.uncompared) for node in found.nodes] == [(False, ())] * 2 + [(True, ())]
    assert found.leader == "kafka1 (node 1)"


@pytest.mark.parametrize(("inventory", "named"), [("", {"-i", "make"}), ("-i inventories/mine", {"kafka1"})])
def test_hosts_that_all_keep_silent_are_no_lost_machines(inventory: str, named: set[str]) -> None:
    away = {name: {"kernel": {"unreachable": True, "msg": f"cannot resolve {name}"}} for name in DESIRED["nodes"]}
    (cause,) = status(DESIRED, away, None, None, inventory).causes
    assert (cause.rule, cause.hosts) == ("no_host", tuple(DESIRED["nodes"]))
    assert named <= set(cause.detail.replace("`", " ").replace(",", " ").split())
    assert not any("replace_node" in step.command for step in cause.steps)
    assert all(inventory in step.command for step in cause.steps)


TWO = cluster(brokers=[broker(1), broker(2)], leader=quorum(1, voter(1), voter(2)))


@pytest.mark.parametrize(
    ("gone", "shown", "rule"),
    [
        (NOTHING, None, "emptied"),
        ({"service": {**DEAD, "installed": False}}, TWO, "joining"),
        ({"service": DEAD, "removed": True}, TWO, "taken_out"),
    ],
)
def test_a_host_without_kafka_has_no_drift_and_nothing_to_compare(
    monkeypatch: pytest.MonkeyPatch, gone: dict[str, Any], shown: Any, rule: str
) -> None:
    """As modules answer there: no client, no file of a next start, no kernel setting of ours."""
    monkeypatch.setitem(DESIRED["cluster"], "quorum", "dynamic")
    never = {"failed": False, "changed": False, "error": "kafka-python cannot be imported from /opt/kafka/client"}
    files = {"running": False, "actions": ["start"], "changed_paths": ["/opt/kafka/next/jvm.options"]}
    kernel = {"changed": True, "changed_settings": ["vm.swappiness"]}
    found = seen(shown, kafka3={"view": never, "process": files, "kernel": kernel, **gone})
    assert (found.differences, found.corrections, rows(found, "Not compared")) == ([], (), [])
    assert [one.rule for one in found.causes] == [rule]


def test_what_hosts_do_not_grant_is_shown_once_for_all_and_harms_nothing() -> None:
    unmet = [{"name": "vm.swappiness", "wanted": "1", "value": "60", "reason": "read-only"}]
    found = seen(**{name: {"kernel": {"unmet": unmet}} for name in DESIRED["nodes"]})
    assert found.good
    (ungranted,) = rows(found, "Not granted")
    assert {"1", "setting", "all", "hosts"} <= ungranted
    assert "vm.swappiness" not in ungranted
    assert not_granted(found) == ["all hosts: vm.swappiness is 60, not 1: read-only"]
    assert [one["host"] for one in report(found, "now")["ungranted"]] == ["kafka1", "kafka2", "kafka3"]


def test_what_hosts_do_not_grant_is_named_where_the_cluster_is_not_well() -> None:
    unmet = [{"name": "vm.swappiness", "wanted": "1", "value": "60", "reason": "read-only"}]
    kernel = {name: {"kernel": {"unmet": unmet}} for name in DESIRED["nodes"]}
    found = seen(**{**kernel, "kafka2": {**kernel["kafka2"], "service": DEAD}})
    assert not found.good
    (ungranted,) = rows(found, "Not granted")
    assert {"all", "hosts", "vm.swappiness", "60", "1", "read-only"} <= ungranted


DRIFT: list[tuple[dict[str, Any], list[set[str]]]] = [
    ({}, []),
    ({"process": {**RUNS, "running": True, "actions": ["start"]}}, []),
    (
        {
            "process": {
                **RUNS,
                "differences": plain(setting("num.partitions 1 -> 3"), Difference("release", "", "4.2.1", "4.3.1")),
            }
        },
        [{"server.properties", "num.partitions", "1", "3"}, {"release", "4.2.1", "4.3.1"}],
    ),
    ({"process": {**RUNS, "differences": plain(setting("num.io.threads 4 -> 8"))}}, []),
    (
        {"process": {**RUNS, "actions": ["place"], "diff": [{"after": "x\nput back as wanted: jvm.options\n"}]}},
        [{"edited", "jvm.options"}],
    ),
    ({"process": {**RUNS, "actions": ["flip"], "current": "4.2.1"}}, [{"`current`", "4.2.1"}]),
    ({"process": {**RUNS, "actions": ["enable"]}}, [{"unit", "enabled"}]),
    (
        {"process": {**RUNS, "changed_paths": ["/opt/kafka/next/jvm.options"]}},
        [{"next", "start", "/opt/kafka/next/jvm.options"}],
    ),
    ({"kernel": {"changed_settings": ["vm.swappiness"]}}, [{"kernel", "vm.swappiness"}]),
    ({"kernel": {"changed": True, "changed_settings": []}}, [{"kernel", "boot"}]),
    ({"process": None}, []),
]
UNCOMPARED: list[tuple[dict[str, Any], list[set[str]]]] = [
    ({}, []),
    ({"kernel": {"failed": False, "error": "no\nsysctl"}}, [{"kernel", "no", "sysctl"}]),
    ({"process": {"failed": False, "error": "y" * 200}}, [{"process", "y" * 160}]),
    ({"process": None}, [{"process", "nothing"}]),
    ({"process": None, "kernel": {"unreachable": True, "msg": "away"}}, [{"nothing", "away"}]),
]


def drift(results: dict[str, Any]) -> list[str]:
    return node_drift({**LOOKED, **results}, ["num.io.threads"])


@pytest.mark.parametrize(("results", "named"), DRIFT)
def test_drift_names_what_differs(results: dict[str, Any], named: list[set[str]]) -> None:
    found = drift(results)
    assert len(found) == len(named)
    assert all(one <= values(line) for one, line in zip(named, found))


@pytest.mark.parametrize(("results", "named"), UNCOMPARED)
def test_what_was_not_compared_is_named(results: dict[str, Any], named: list[set[str]]) -> None:
    found = uncompared({**LOOKED, **results})
    assert len(found) == len(named)
    assert all(one <= values(line) for one, line in zip(named, found))


def test_the_sentences_of_drift(wording: Wording) -> None:
    wording(line for results, _ in DRIFT for line in drift(results))


def test_the_sentences_of_what_was_not_compared(wording: Wording) -> None:
    wording(line for results, _ in UNCOMPARED for line in uncompared({**LOOKED, **results}))


STALE = {
    "process": {
        **RUNS,
        "differences": plain(setting("num.partitions 1 -> 3")),
        "changed_paths": ["/opt/kafka/next/server.properties"],
    }
}
UNIT = {
    "process": {
        **RUNS,
        "differences": plain(Difference("unit", "", "a", "b")),
        "changed_paths": ["/opt/kafka/next/kafka.service"],
    }
}


@pytest.mark.parametrize("results", [STALE, UNIT])
def test_a_file_that_a_node_runs_without_is_one_difference(results: dict[str, Any]) -> None:
    assert len(drift(results)) == 1
    other = {
        **results["process"],
        "changed_paths": [*results["process"]["changed_paths"], "/opt/kafka/next/jvm.options"],
    }
    assert len(drift({"process": other})) == 2


@pytest.mark.parametrize(
    ("hosts", "said"),
    [
        (("kafka1", "kafka2", "kafka3"), {"all", "nodes"}),
        (("kafka1", "kafka3"), {"kafka1", "kafka3", "1", "3"}),
        (("kafka2",), {"kafka2", "2"}),
    ],
)
def test_equal_differences_are_one_line_and_count_once(hosts: tuple[str, ...], said: set[str]) -> None:
    found = seen(**dict.fromkeys(hosts, STALE))
    (line,) = rows(found, "Drift")
    assert said | {"num.partitions", "1", "3"} <= line
    assert {"1", "difference", "from"} <= values(found.headline)
    assert [len(one["drift"]) for one in report(found, "now")["nodes"]] == [
        int(name in hosts) for name in DESIRED["nodes"]
    ]


@pytest.mark.parametrize(
    ("results", "live", "command"),
    [
        (STALE, None, "ansible-playbook -i inventories/mine site.yml --check --diff"),
        (
            {"kernel": {"changed_settings": ["vm.swappiness"]}},
            None,
            "ansible-playbook -i inventories/mine site.yml --check --diff",
        ),
        (
            {},
            {"differs": ["a 1 -> 2 on node 1"]},
            "ansible-playbook -i inventories/mine site.yml --check --diff -e kafka_correct_drift=true",
        ),
        (
            STALE,
            {"differs": ["a 1 -> 2 on node 1"]},
            "ansible-playbook -i inventories/mine site.yml --check --diff -e kafka_correct_drift=true",
        ),
    ],
)
def test_drift_has_a_next_step(results: dict[str, Any], live: Any, command: str) -> None:
    looked = {name: {**LOOKED, **results} for name in DESIRED["nodes"]}
    answer = {"snapshot": cluster(topic("orders", partition(0, [1, 2, 3]))).to_dict()}
    found = status(DESIRED, looked, answer, live, "-i inventories/mine")
    assert [step.command for step in found.corrections] == [command]
    assert any("Do next" in line and command in line for line in lines(found))
    assert [one["command"] for one in report(found, "now")["corrections"]] == [command]


def test_what_a_deployment_does_not_correct_has_no_such_step() -> None:
    for found in (seen(), seen(kafka2={"service": DEAD})):
        assert found.corrections == ()


def test_a_node_that_was_not_compared_is_not_good(wording: Wording) -> None:
    found = seen(kafka1={"process": {"failed": False, "error": "y"}})
    assert (found.healthy, found.drifted, found.good) == (True, False, False)
    assert {"demo", "healthy", "1"} <= values(found.headline)
    wording([found.headline])


def test_overrides_that_no_one_declared_are_drift_of_the_cluster(wording: Wording) -> None:
    results = dict.fromkeys(DESIRED["nodes"], LOOKED)
    answer = {"snapshot": cluster(topic("orders", partition(0, [1, 2, 3]))).to_dict()}
    found = status(DESIRED, results, answer, {"differs": ["a 1 -> 2 on node 1"], "undeclared": ["b 3 on broker 2"]})
    assert found.healthy
    assert not found.good
    (line,) = rows(found, "Drift")
    assert {"live", "a", "1", "2", "node"} <= line
    wording(one for one in lines(found) if "Drift" in one or "broker 2" in one)


@pytest.mark.parametrize(("phase", "differs"), [("open", True), ("switch", True), ("close", False)])
def test_an_unfinished_migration_is_one_difference(phase: str, differs: bool, wording: Wording) -> None:
    about = {**DESIRED, "cluster": {**DESIRED["cluster"], "migration": phase}}
    answer = {"snapshot": cluster(topic("orders", partition(0, [1, 2, 3]))).to_dict()}
    found = status(about, dict.fromkeys(DESIRED["nodes"], LOOKED), answer, None)
    assert [(one.rule, phase in one.text) for one in found.unfinished] == [("migrating", True)] * differs
    assert (found.healthy, found.good) == (True, not differs)
    wording(one.text for one in found.unfinished)


def test_a_killed_migration_says_how_far_it_is(wording: Wording) -> None:
    found = seen(kafka1={"deployed": {"migration": "open"}})
    (one,) = found.unfinished
    assert (one.rule, {"1", "3", "open"} <= values(one.text)) == ("migrating", True)
    assert (found.healthy, found.good) == (True, False)
    assert [step.command for step in one.steps] == ["ansible-playbook playbooks/migrate_security.yml"]
    wording(lines(found)[:4])


STATIC = {"deployed": {"voters": [{"source": "its running process", "voters": [{"node_id": 1, "address": "a:9093"}]}]}}
ELECTED = {"deployed": {"voters": [{"source": "its quorum-state file", "voters": [{"node_id": 1, "address": ""}]}]}}


@pytest.mark.parametrize(
    ("form", "deployed", "named"),
    [
        ("dynamic", {"kafka1": STATIC, "kafka3": STATIC}, [{"2", "3"}]),
        ("dynamic", {"kafka1": STATIC, "kafka2": STATIC, "kafka3": STATIC}, [{"3"}]),
        ("dynamic", {"kafka1": ELECTED}, []),
        ("static", {"kafka1": STATIC, "kafka2": STATIC, "kafka3": STATIC}, []),
    ],
)
def test_a_quorum_that_is_not_dynamic_everywhere_says_how_far_its_migration_is(
    form: str, deployed: dict[str, Any], named: list[set[str]], wording: Wording
) -> None:
    about = {**DESIRED, "cluster": {**DESIRED["cluster"], "quorum": form}}
    results = {name: {**LOOKED, **deployed.get(name, {})} for name in DESIRED["nodes"]}
    answer = {"snapshot": cluster(topic("orders", partition(0, [1, 2, 3]))).to_dict()}
    found = status(about, results, answer, None)
    assert [one.rule for one in found.unfinished] == ["migrating_quorum"] * len(named)
    assert [numbers <= values(one.text) for one, numbers in zip(found.unfinished, named)] == [True] * len(named)
    commands = [step.command for one in found.unfinished for step in one.steps]
    risk = '{"kafka_accepted_risks": ["quorum_form"]}'
    assert commands == [f"ansible-playbook playbooks/migrate_quorum.yml -e '{risk}'"] * len(named)
    assert (found.healthy, found.good) == (True, not named)
    wording(one.text for one in found.unfinished)


@pytest.mark.parametrize(("moves", "left"), [((), True), ((Reassignment("orders", 0, (3,), ()),), False)])
def test_a_limit_is_left_over_only_while_nothing_is_on_the_move(
    moves: tuple[Reassignment, ...], left: bool, wording: Wording
) -> None:
    shown = dataclasses.replace(cluster(topic("orders", partition(0, [1, 2, 3]))), reassignments=moves)
    results = dict.fromkeys(DESIRED["nodes"], LOOKED)
    found = status(DESIRED, results, {"snapshot": shown.to_dict()}, {"throttled": {"1": 2000417, "2": 2000417}})
    assert [(one.rule, one.node_ids) for one in found.unfinished] == [("throttle_left", (1, 2))] * left
    commands = [one.command for each in found.unfinished for one in each.steps]
    assert commands == ["ansible-playbook playbooks/rebalance.yml"] * left
    assert (found.healthy, found.good) == (True, not left)
    wording(one.text for one in found.unfinished)


def test_a_limit_of_copies_between_log_dirs_is_unfinished_and_names_its_playbook(wording: Wording) -> None:
    answer = {"snapshot": cluster(topic("orders", partition(0, [1, 2, 3]))).to_dict()}
    results = dict.fromkeys(DESIRED["nodes"], LOOKED)
    found = status(DESIRED, results, answer, {"throttled_disks": {"2": 1000417}})
    [one] = found.unfinished
    assert (one.rule, one.node_ids, one.hosts) == ("disk_throttle_left", (2,), ("kafka2",))
    assert [step.command for step in one.steps] == ["ansible-playbook playbooks/balance_disks.yml"]
    assert (found.healthy, found.good) == (True, False)
    wording([one.text, *(step.purpose for step in one.steps)])


def test_restarts_by_systemd_are_a_note(wording: Wording) -> None:
    found = seen(kafka1={"service": {**SERVICE, "restarts": 2, "age": 30.2}})
    assert found.good
    (note,) = rows(found, "Note")
    assert {"kafka1", "1", "2", "30", "s"} <= note
    assert report(found, "now")["notes"] == list(found.notes)
    wording(found.notes)


def test_a_release_that_runs_and_has_an_advisory_is_a_note_with_its_hosts(wording: Wording) -> None:
    """The inventory may have another release by now."""
    older = {"process": {**RUNS, "release": "4.3.1"}}
    newer = {"process": {**RUNS, "release": "4.4.0"}}
    found = seen(kafka1=older, kafka2=newer, kafka3=older)
    assert found.good
    (note,) = (one for one in found.notes if "CVE-2026-111115" in one)
    assert {"4.3.1", "kafka1", "kafka3", "4.4.0", "4.3.2", "4.2.2"} <= values(note)
    assert "kafka2" not in note
    assert "CVE-2026-111115" in " ".join(lines(found))
    wording(found.notes)


@pytest.mark.parametrize("process", [None, {"unreachable": True, "msg": "timed out"}, {**RUNS, "release": "trunk"}])
def test_a_release_that_is_not_known_is_a_note_and_not_a_release_without_advisories(process: Any) -> None:
    found = seen(kafka2={"process": process})
    (note,) = (one for one in found.notes if "release" in one)
    assert "kafka2" in values(note)
    assert "kafka1" not in note


def test_a_node_that_does_not_run_has_no_release(wording: Wording) -> None:
    down = {"service": {**SERVICE, "pid": 0, "active": False, "state": "inactive"}, "process": None}
    found = seen(kafka1={"process": None}, kafka2=down)
    (note,) = (one for one in found.notes if "release" in one)
    assert ("kafka1" in note, "kafka2" in note) == (True, False)
    wording([note])


def finalized_at(level: int, **releases: str) -> Status:
    """Nodes with 4.4.0 for 9, 3 and 5 days, unless another one of `releases` runs, in a cluster with this level."""
    made = cluster(topic("orders", partition(0, [1, 2, 3])))
    snapshot = dataclasses.replace(made, features=(Feature("metadata.version", level, 7, 33),))
    days = {"kafka1": 9, "kafka2": 3, "kafka3": 5}
    hosts = {
        host: {
            "process": {**RUNS, "release": releases.get(host, "4.4.0"), "current": releases.get(host, "4.4.0")},
            "current_release_age": 86400 * age,
        }
        for host, age in days.items()
    }
    return seen(snapshot, **hosts)


def test_a_release_whose_features_are_not_finalized_is_a_note_with_its_time_and_command(wording: Wording) -> None:
    found = finalized_at(30)
    assert found.good
    (note,) = found.notes
    assert {"4.4", "3", "days", "metadata.version", "30", "33", "kafka_finalize=4.4"} <= values(note)
    assert "playbooks/finalize_upgrade.yml" in note
    wording(found.notes)


@pytest.mark.parametrize(("level", "releases"), [(33, {}), (30, {"kafka2": "4.3.1"}), (30, {"kafka1": "5.9.0"})])
def test_nothing_is_said_of_finalized_features_and_of_an_upgrade_that_goes_on(
    level: int, releases: dict[str, str]
) -> None:
    assert not [one for one in finalized_at(level, **releases).notes if "finalize" in one]


@pytest.mark.parametrize(("level", "good"), [(30, True), (33, False)])
def test_a_controller_that_left_is_named_with_its_next_step(level: int, good: bool, wording: Wording) -> None:
    """Once Kafka can take its registration away, that is unfinished work."""
    made = cluster(topic("orders", partition(0, [1, 2, 3])), leader=quorum(1, voter(1), voter(2), voter(3)))
    snapshot = dataclasses.replace(made, features=(Feature("metadata.version", level, 7, 33),))
    found = seen(snapshot, kafka1={"view": {**view(), "registered": [1, 2, 3, 8]}})
    assert found.good == good
    if good:
        (note,) = (one for one in found.notes if "finalize the upgrade" not in one)
        assert "8" in values(note)
        wording([note])
    else:
        (one,) = found.unfinished
        assert (one.rule, one.node_ids) == ("controller_left", (8,))
        assert [step.command for step in one.steps] == [
            "ansible-playbook playbooks/finalize_upgrade.yml -e kafka_finalize=4.4"
        ]
        wording([f"{one.text}: {one.detail}", *(step.purpose for step in one.steps)])


def test_a_controller_that_left_is_named_although_the_level_is_not_known(wording: Wording) -> None:
    snapshot = cluster(topic("orders", partition(0, [1, 2, 3])), leader=quorum(1, voter(1), voter(2), voter(3)))
    found = seen(snapshot, kafka1={"view": {**view(), "registered": [1, 2, 3, 8]}})
    (note,) = found.notes
    assert {"8", "metadata.version"} <= values(note)
    wording(found.notes)


def test_one_replica_that_holds_a_node_back_is_named_with_the_way_out(wording: Wording) -> None:
    found = seen(cluster(topic("orders", partition(0, [1, 2, 3])), topic("single", partition(0, [2]))))
    assert [node.may_go for node in found.nodes] == [True, False, True]
    assert {"single", "replication_factor", "kafka_topics"} <= values(found.nodes[1].reasons[0])
    wording(found.nodes[1].reasons)


def test_one_replica_is_not_named_where_something_else_holds_the_node_back() -> None:
    behind = topic("orders", partition(0, [1, 2, 3], [2, 3]))
    found = seen(cluster(behind, topic("single", partition(0, [2]))))
    assert found.nodes[1].reasons[0].startswith("partition orders-0")


def test_nothing_of_a_log_steers_the_terminal() -> None:
    found = seen(kafka3={"process": {**RUNS, "actions": ["start"]}, "view": {"failed": False, "error": "x\x1b[2Jy"}})
    assert all(line.isprintable() for line in lines(found))
    assert any("x?[2Jy" in line for line in lines(found))


@pytest.mark.parametrize(
    ("log_dirs", "rule"),
    [
        ({"/data": {**PLACE, "state": "absent"}}, "emptied"),
        ({"/data": {**PLACE, "state": "unreadable"}}, "not_running"),
        ({}, "not_running"),
    ],
    ids=["nothing there", "a disk that cannot be read", "not inspected"],
)
def test_only_disks_that_were_read_are_without_data(log_dirs: dict[str, Any], rule: str) -> None:
    """A member that is emptied is replaced: its disks must be known to hold nothing."""
    results: dict[str, Any] = dict.fromkeys(DESIRED["nodes"], LOOKED)
    results["kafka3"] = {**LOOKED, "service": DEAD, "log_dirs": log_dirs}
    (cause,) = status(DESIRED, results, {"snapshot": cluster().to_dict()}, None).causes
    assert (cause.rule, cause.hosts) == (rule, ("kafka3",))


def test_a_full_disk_explains_why_a_node_does_not_run() -> None:
    held = {**PLACE, "free_mb": 0, "state": "formatted", "lived": ["t-0"]}
    results: dict[str, Any] = dict.fromkeys(DESIRED["nodes"], LOOKED)
    results["kafka3"] = {**LOOKED, "service": DEAD, "log_dirs": {"/data": held}}
    (cause,) = status(DESIRED, results, {"snapshot": cluster().to_dict()}, None).causes
    assert (cause.rule, cause.hosts) == ("not_running", ("kafka3",))
    assert {"/data", "0", "1440"} <= values(cause.detail)
    assert "df --human-readable /data" in cause.steps[0].command


def test_who_is_in_no_inventory_is_named(wording: Wording) -> None:
    voters = quorum(1, voter(1), voter(2), voter(3), voter(8, behind_ms=None))
    found = seen(cluster(brokers=[*(broker(one) for one in (1, 2, 3)), broker(9, fenced=True)], leader=voters))
    assert not found.good
    assert [(one.split()[0], one.split()[1]) for one in found.drift] == [("broker", "9"), ("controller", "8")]
    shown = " ".join("\n".join(lines(found)).split())
    assert all(" ".join(one.split())[:60] in shown for one in found.drift)
    wording(found.drift)


def test_a_screen_stays_a_screen(wording: Wording) -> None:
    many = {"kernel": {"changed_settings": [f"vm.x{one}" for one in range(30)]}}
    shown = seen(kafka1=many)
    assert {"18", "more"} <= values(lines(shown)[-2])
    wording(lines(shown)[-3:])
