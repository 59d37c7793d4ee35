"""The control side's halves: what they read of the play, what they give back, how they refuse."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.errors import AnsibleAction, AnsibleConnectionFailure
from ansible.module_utils.kraft.problem import WARNING, Problem

from tests.unit.spec.host_rules.loaded_actions import action, plugin
from tests.unit.spec.host_rules.scene import CLUSTER_ID, NAMES, Scene

PREFLIGHT = plugin("kafka_preflight")


def play(scene: Scene, **hostvars: dict[str, Any]) -> dict[str, Any]:
    """The task's variables in a play over the hosts of `scene`."""
    facts = {"kafka_desired": {"cluster": scene.cluster, "nodes": scene.nodes}}
    found = {
        name: {
            "ansible_facts": {"kafka_host": scene.facts[name]} if scene.facts[name] else {},
            **hostvars.get(name, {}),
        }
        for name in NAMES
    }
    in_run = [name for name in NAMES if name not in scene.left_out]
    return {"ansible_facts": facts, "hostvars": found, "ansible_play_hosts_all": in_run}


def refusal(scene: Scene) -> str:
    """Return the operator's message: printed once, with the table of all problems."""
    with pytest.raises(AnsibleAction, match=r"^Host check failed") as failure:
        action(PREFLIGHT, hosts=list(NAMES)).run(task_vars=play(scene))
    assert failure.value.result["failed"]
    return str(failure.value.result["msg"])


def test_fit_hosts_pass_and_their_peers_are_facts() -> None:
    result = action(PREFLIGHT, hosts=list(NAMES)).run(task_vars=play(Scene()))
    assert "failed" not in result
    assert result["problems"] == []
    assert [peer["node_id"] for peer in result["ansible_facts"]["kafka_peers"]] == [1, 2, 3]
    assert result["ansible_facts"]["kafka_disks_pending"] is False


def test_refusal_is_a_table_of_all_hosts() -> None:
    scene = Scene()
    scene.facts["k3"] = None
    scene.facts_of("k1")["systemd"] = False
    told = refusal(scene)
    assert told.startswith("Host check failed: 3 errors. No host was changed.")
    for words in ("could not be inspected", "The host does not run systemd", "k3"):
        assert words in told


def test_problems_can_be_asked_for_without_failing() -> None:
    scene = Scene()
    scene.facts_of("k1")["systemd"] = False
    result = action(PREFLIGHT, hosts=list(NAMES), refuse=False).run(task_vars=play(scene))
    assert [problem["rule"] for problem in result["problems"]] == ["no_systemd"]


def test_variable_of_a_host_goes_before_the_roles_default() -> None:
    scene = Scene()
    for name in NAMES:
        scene.facts_of(name)["limits"]["nofile_hard"] = 20000
    variables = play(scene, k2={"kafka_nofile_limit": 10000}, k3={"kafka_user": "broker"})
    subject = PREFLIGHT.read({"hosts": list(NAMES), "nofile_limit": 30000, "java_home": None}, variables)
    assert [host.wanted.nofile_limit for host in subject.hosts] == [30000, 10000, 30000]
    assert [host.wanted.user for host in subject.hosts] == ["kafka", "kafka", "broker"]


def test_host_that_limit_leaves_out_is_told_from_a_dead_one() -> None:
    scene = Scene()
    scene.format()
    scene.facts["k2"] = None
    scene.left_out = {"k2"}
    assert "excluded from this run" in refusal(scene)


@pytest.mark.parametrize("step", ["__kafka_locked", "__kafka_looked"])
@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ({"unreachable": True, "msg": "Task failed: Connection timed out."}, "Connection timed out"),
        (
            {"unreachable": True, "msg": "EOF on stream:\nssh: connect: No route to host"},
            "ssh: connect: No route to host",
        ),
        ({"failed": True, "msg": "k2 is being changed by another run"}, "k2 is being changed by another run"),
        ({"unreachable": True}, "no answer"),
    ],
)
def test_host_that_was_not_locked_or_not_looked_at_is_refused_with_the_reason(
    step: str, result: dict[str, Any], reason: str
) -> None:
    scene = Scene()
    scene.format()
    with pytest.raises(AnsibleAction) as failure:
        action(PREFLIGHT, hosts=list(NAMES)).run(task_vars=play(scene, k2={step: result}))
    assert f"could not be inspected: {reason}" in " ".join(str(failure.value.result["msg"]).split())


def test_operation_that_changes_no_files_refuses_silent_hosts_of_the_run_alone() -> None:
    scene = Scene()
    scene.facts = dict.fromkeys(NAMES)
    scene.left_out = {"k1"}
    gone = {name: {"__kafka_locked": {"unreachable": True, "msg": "No route to host"}} for name in ("k2", "k3")}
    asked: dict[str, Any] = {"hosts": list(NAMES), "scope": "identity"}
    assert action(PREFLIGHT, **asked).run(task_vars=play(scene))["problems"] == []
    assert action(PREFLIGHT, **asked, silence=False).run(task_vars=play(scene, **gone))["problems"] == []
    with pytest.raises(AnsibleAction) as failure:
        action(PREFLIGHT, **asked).run(task_vars=play(scene, **gone))
    told = str(failure.value.result["msg"])
    assert re.search(r"k2, k3 +The host could not be inspected: No route to host", told)
    assert "k1" not in told


def test_operation_that_changes_no_files_refuses_hosts_that_are_other_nodes_and_names_that_are_none() -> None:
    scene = Scene()
    scene.deploy("k1", "k2")
    scene.facts["k1"], scene.facts["k2"] = scene.facts["k2"], scene.facts["k1"]
    with pytest.raises(AnsibleAction) as failure:
        action(PREFLIGHT, hosts=list(NAMES), scope="identity", remove=["k3"]).run(task_vars=play(scene))
    told = " ".join(str(failure.value.result["msg"]).split())
    for words in ("is that of node 2", "is that of node 1", "is not a member of the cluster"):
        assert words in told


def test_desired_state_must_be_known_first() -> None:
    result = action(PREFLIGHT, hosts=list(NAMES)).run(task_vars={"ansible_facts": {}})
    assert result["failed"]
    assert "run kafka_desired first" in result["msg"]


def test_user_that_is_gone_gets_the_uid_of_its_data_again() -> None:
    scene = Scene()
    scene.format("k1", "k2", foreign_files=["meta.properties (987)"], orphan_uid=987)
    scene.facts_of("k1")["user"].update(exists=False)
    facts = action(PREFLIGHT, hosts=list(NAMES), refuse=False).run(task_vars=play(scene))["ansible_facts"]
    assert facts["kafka_uids"] == {"k1": 987, "k2": None, "k3": None}


def test_plan_names_the_steps_of_each_host() -> None:
    scene = Scene()
    nothing = {name: {"changed": False} for name in ("kernel", "directories", "release", "client", "storage")}
    scene.facts_of("k1")["steps"] = nothing
    scene.facts_of("k2")["steps"] = {**nothing, "client": {"changed": True}}
    plan = action(PREFLIGHT, hosts=list(NAMES)).run(task_vars=play(scene))["ansible_facts"]["kafka_plan"]
    assert plan == {"k1": [], "k2": ["install"], "k3": ["host", "kernel", "install", "format"]}


def deriving(scene: Scene, problems: list[Any], calls: list[Any]) -> Any:
    """The action with a `kafka_desired` that finds `problems`."""
    desired = {"cluster": scene.cluster, "nodes": scene.nodes, "warnings": ["new"]}
    answer = {"problems": problems, "ansible_facts": {"kafka_desired": desired}}

    def get(name: str, task: Any, **_: Any) -> Any:
        calls.append((name, task.args))
        return SimpleNamespace(run=lambda **_: answer)

    preflight = action(PREFLIGHT, hosts=list(NAMES), derive=True)
    preflight._task.copy = lambda: SimpleNamespace(**vars(preflight._task))
    preflight._shared_loader_obj = SimpleNamespace(action_loader=SimpleNamespace(get=get))
    return preflight


def test_desired_state_is_derived_again() -> None:
    scene, calls = Scene(), list[Any]()
    facts = deriving(scene, [], calls).run(task_vars=play(scene))["ansible_facts"]
    assert facts["kafka_desired"]["warnings"] == ["new"]
    assert calls == [("kafka_desired", {"hosts": list(NAMES), "refuse": False, "phase": "keep", "needs": []})]


def test_what_the_inventory_lacks_is_told_with_what_the_hosts_lack() -> None:
    scene = Scene()
    scene.facts_of("k1")["systemd"] = False
    missing = Problem("archive_missing", "does not exist", "run `make archive`", "kafka_archive").as_dict()
    said = Problem("plaintext", "is not encrypted", "use SSL", "kafka_listeners", severity=WARNING).as_dict()
    with pytest.raises(AnsibleAction) as failure:
        deriving(scene, [missing, said], []).run(task_vars=play(scene))
    told = failure.value.result["msg"]
    assert "2 errors." in told
    assert "does not exist" in told
    assert "The host does not run systemd" in told
    assert "is not encrypted" not in told


BROKER = {"node_id": 4, "host": "k4", "port": 19092, "rack": None, "fenced": False}
SNAPSHOT = {"cluster_id": CLUSTER_ID, "brokers": [BROKER], "quorum": None, "unanswered": {"quorum": "no leader"}}


@pytest.mark.parametrize(
    ("running", "answer", "rules"),
    [
        (False, {"snapshot": SNAPSHOT}, []),
        (True, {"snapshot": SNAPSHOT}, ["dropped_broker", "members_unknown"]),
        (True, {"failed": True, "msg": "nothing listens"}, ["members_unknown"]),
        (True, {"unreachable": True, "msg": "timed out"}, ["members_unknown"]),
        (True, {"snapshot": {**SNAPSHOT, "cluster_id": "another"}}, []),
        (True, AnsibleConnectionFailure("timed out"), ["members_unknown"]),
    ],
)
def test_running_cluster_is_asked_for_its_members(running: bool, answer: Any, rules: list[str]) -> None:
    asked = []

    def execute(name: str, module_args: dict[str, Any], **_: Any) -> Any:
        asked.append((name, module_args))
        if isinstance(answer, Exception):
            raise answer
        return answer

    preflight = action(PREFLIGHT, hosts=list(NAMES), ask={"timeout": 5}, running=running, refuse=False)
    preflight._execute_module = execute
    result = preflight.run(task_vars=play(Scene()))
    assert asked == ([("kafka_cluster_info", {"timeout": 5})] if running else [])
    assert sorted(problem["rule"] for problem in result["problems"]) == rules
    assert result["ansible_facts"]["kafka_answers"] is ("dropped_broker" in rules)


@pytest.mark.parametrize(("unanswered", "asked"), [({}, []), ({"quorum": "no leader"}, ["kafka_cluster_info"])])
def test_cluster_that_answered_in_the_look_is_not_asked_again(unanswered: dict[str, str], asked: list[str]) -> None:
    scene, found = Scene(), list[str]()
    answer = {"snapshot": {**SNAPSHOT, "unanswered": unanswered}}
    scene.facts_of("k2")["health"] = {"all_healthy": True, **answer}

    def execute(name: str, **_: Any) -> Any:
        found.append(name)
        return answer

    preflight = action(PREFLIGHT, hosts=list(NAMES), ask={}, running=True, refuse=False)
    preflight._execute_module = execute
    problems = preflight.run(task_vars=play(scene))["problems"]
    assert found == asked
    assert "dropped_broker" in [problem["rule"] for problem in problems]


@pytest.mark.parametrize(
    ("healths", "healthy"),
    [([True, True, True], True), ([True, True, False], False), ([True, True, None], False)],
)
def test_cluster_is_healthy_where_every_node_is(healths: list[bool | None], healthy: bool) -> None:
    scene = Scene()
    for name, health in zip(NAMES, healths):
        scene.facts_of(name)["health"] = None if health is None else {"all_healthy": health, "snapshot": None}
    facts = action(PREFLIGHT, hosts=list(NAMES)).run(task_vars=play(scene))["ansible_facts"]
    assert facts["kafka_healthy"] is healthy


def test_listeners_that_are_deployed_are_facts() -> None:
    scene = Scene()
    listener = {"name": "I", "address": "k1:19092", "protocol": "PLAINTEXT", "purpose": "inter_broker"}
    scene.facts_of("k1")["deployed"].update(node_id="1", roles=["broker"], listeners=[listener])
    result = action(PREFLIGHT, hosts=list(NAMES)).run(task_vars=play(scene))
    now = result["ansible_facts"]["kafka_now"]
    assert (now["client"], now["nodes"], now["looked"]) == ([], [listener], list(NAMES))
    assert now["controllers"] == Scene().cluster["controllers"]
