"""An operation that changes a cluster is begun and ended in one way, whichever playbook it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PLAYBOOKS = sorted(ROOT.glob("playbooks/*.yml"))
BEGIN, END = "tasks/begin_operation.yml", "tasks/end_operation.yml"
#: The one order in which a node is installed and started, for deployments and for nodes that join.
NODE_UP = "tasks/node_up.yml"
#: Roles whose tasks run on the nodes, with the entry points that only look.
LOOKING = {
    "kafka": {
        "health",
        "move",
        "observe",
        "preflight",
        "reachable",
        "rehearse",
        "status",
        "support",
        "upgradable",
        "voters",
    },
    "kafka_host": {"status"},
}
#: Entry points for a play that takes over an operation which its own tasks have cut short.
TAKING_OVER = {"maintain_ended"}


LOCKING = ("acquire_lock", "lock_controllers", "release_lock", "unlock_controllers")
#: Files by which a play claims the lock of the cluster → the claim.
CLAIMING = {BEGIN: "changes", "tasks/acquire_lock.yml": "changes", "tasks/share_lock.yml": "proves"}
#: Claims of each playbook, in its own plays and in those that it imports; other playbooks claim nothing.
CLAIMS = {
    "add_nodes": {"changes"},
    "advance_authority": {"changes"},
    "apply_resources": {"changes"},
    "balance_disks": {"changes"},
    "deploy_cluster": {"changes"},
    "destroy_cluster": {"changes"},
    "drill": {"changes"},
    "lessons": {"changes"},
    "finalize_upgrade": {"changes"},
    "maintain_hosts": {"changes"},
    "migrate_quorum": {"changes"},
    "migrate_security": {"changes"},
    "mirror_cluster": {"changes"},
    "mirror_cutover": {"changes", "proves"},
    "move_cluster": {"changes"},
    "rebalance": {"changes"},
    "remove_nodes": {"changes"},
    "replace_authority": {"changes"},
    "replace_node": {"changes"},
    "restart_cluster": {"changes"},
    "rotate_certificates": {"changes"},
    "site": {"changes", "proves"},
    "upgrade_cluster": {"changes"},
    "verify_cluster": {"proves"},
}
#: They read alone, or act on machines, which have no lock before there is a cluster.
WITHOUT_CLAIM = {
    "audit_exposure",
    "cluster_status",
    "create_lab",
    "destroy_ec2",
    "destroy_lab",
    "mirror_status",
    "provision_ec2",
    "rehearse_upgrade",
    "render_monitoring",
    "support_bundle",
    "validate_inventory",
}
#: Takes the lock, and makes a cache that a run does not wait for.
WITHOUT_LOCK = {"kafka_lock", "kafka_appcds_archive"}


def plays(path: Path) -> list[dict[str, Any]]:
    return [play for play in yaml.safe_load(path.read_text()) if "hosts" in play]


def tasks_of(entries: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Every task, those of blocks too."""
    for entry in entries:
        yield entry
        for part in ("block", "rescue", "always"):
            yield from tasks_of(entry.get(part, []))


def entry_points(task: dict[str, Any]) -> list[str]:
    """Those by which the task uses a role on the nodes, without those that only look; steps by their own names."""
    roles = [task.get(f"ansible.builtin.{how}_role") for how in ("import", "include")]
    used = [role for role in roles if role and role["name"] in LOOKING]
    up = NODE_UP in (task.get(f"ansible.builtin.{how}_tasks") for how in ("import", "include"))
    points = [Path(role.get("tasks_from", "main")).name for role in used if not looks(role)]
    return points + ["node_up"] * up


def looks(role: dict[str, Any]) -> bool:
    """Check whether the use of a role reads the nodes alone."""
    return Path(role.get("tasks_from", "main")).name in LOOKING[role["name"]]


def changes_nodes(task: dict[str, Any]) -> bool:
    """Check whether the task changes the nodes."""
    return bool(entry_points(task))


def operations() -> list[Any]:
    """Every play that changes nodes, under its playbook's name."""
    found = [(path.stem, play) for path in PLAYBOOKS for play in plays(path) if play["hosts"] != "localhost"]
    return [pytest.param(play, id=name) for name, play in found if any(map(changes_nodes, tasks_of(play["tasks"])))]


def test_the_operations_are_found() -> None:
    assert {"deploy_cluster", "restart_cluster", "remove_nodes", "rebalance"} <= {str(one.id) for one in operations()}


#: Task files that unpack a release if a host lacks it.
INSTALLING = {"node_up"}


def needed(play: dict[str, Any]) -> set[str]:
    """Return the requirements of an operation's first task of this machine."""
    [envelope] = [task for task in play["tasks"] if "always" in task]
    return set(envelope["block"][0].get("vars", {}).get("__kafka_needs", ["release", "client"]))


@pytest.mark.parametrize("play", [one for one in operations() if one.id not in ("maintain_hosts",)])
def test_an_operation_needs_kafkas_archive_only_if_it_or_its_next_play_installs_a_release(play: dict[str, Any]) -> None:
    points = {point for task in tasks_of(play["tasks"]) for point in entry_points(task)}
    goes_on = {"migrate", "authority", "join"} & points  # a deployment follows
    assert ("release" in needed(play)) == bool(INSTALLING & points or goes_on)


def validated() -> list[Any]:
    """Every operation that validates the inventory first: the requirements of that, and its own play."""
    found = []
    for path in PLAYBOOKS:
        entries = yaml.safe_load(path.read_text())
        [needs] = [
            entry.get("vars", {}).get("__kafka_needs", [])
            for entry in entries
            if entry.get("ansible.builtin.import_playbook") == "validate_inventory.yml"
        ] or [[]]
        found += [pytest.param(needs, play, id=path.stem) for play in plays(path) if needs and begins(play)]
    return found


def begins(play: dict[str, Any]) -> bool:
    return any(task.get("ansible.builtin.import_tasks") == BEGIN for task in tasks_of(play.get("tasks", [])))


@pytest.mark.parametrize(("needs", "play"), validated())
def test_an_operation_has_its_requirements_although_a_limit_leaves_out_this_machine(
    needs: list[str], play: dict[str, Any]
) -> None:
    """Spark is asked for by the start of the probe, before anything changes."""
    assert {*needs} - {"spark"} <= needed(play)


@pytest.mark.parametrize("play", operations())
def test_an_operation_begins_and_ends_like_all_others(play: dict[str, Any]) -> None:
    [envelope] = [task for task in play["tasks"] if "always" in task]
    if not TAKING_OVER.intersection(point for task in tasks_of(play["tasks"]) for point in entry_points(task)):
        assert envelope["block"][0]["ansible.builtin.import_tasks"] == BEGIN
    assert "KRAFTWRIGHT_RUN" in play["environment"]
    assert [task["ansible.builtin.import_tasks"] for task in envelope["always"]] == [END]
    assert not any(changes_nodes(task) for task in play["tasks"])
    assert play["any_errors_fatal"] is True


def test_no_task_that_stands_in_an_envelope_itself_runs_once_and_can_fail() -> None:
    """Ansible would mark the other hosts as failed twice, and leave out their `always`: their lock would stay."""
    found = [
        (path.stem, task["name"])
        for path in PLAYBOOKS
        for play in plays(path)
        for envelope in play.get("tasks", [])
        for task in (envelope["block"] if "always" in envelope and play["hosts"] != "localhost" else [])
        if task.get("run_once") and "ansible.builtin.debug" not in task
    ]
    assert found == []


def test_nothing_else_takes_or_gives_back_the_lock() -> None:
    holders = [path for path in ROOT.glob("[pr]*/**/*.yml") if "kafka_lock:" in path.read_text()]
    rebooted = "roles/kafka/tasks/steps/reboot.yml"  # the lock is gone there, and is taken again
    envelope = [f"playbooks/tasks/{name}.yml" for name in LOCKING]
    assert sorted(str(path.relative_to(ROOT)) for path in holders) == sorted([*envelope, rebooted])


def test_an_operation_judges_the_inventory_before_it_opens_a_connection() -> None:
    first, second = yaml.safe_load((ROOT / "playbooks" / BEGIN).read_text())[:2]
    assert "kafka_desired" in first
    assert second["ansible.builtin.import_tasks"] == "acquire_lock.yml"


def test_each_module_stops_where_its_run_has_lost_the_lock() -> None:
    without = {path.stem for path in ROOT.glob("library/*.py") if "without_lock=True" in path.read_text()}
    assert without == WITHOUT_LOCK


def claims(play: dict[str, Any]) -> set[str]:
    """Return the claims of a play by its own tasks."""
    imported = [task.get("ansible.builtin.import_tasks", "") for task in tasks_of(play.get("tasks", []))]
    return {CLAIMING[one] for one in imported if one in CLAIMING}


def all_claims(path: Path) -> set[str]:
    """Return the claims of a playbook, with the playbooks that it imports."""
    entries = yaml.safe_load(path.read_text())
    imported = [path.with_name(name) for entry in entries if (name := entry.get("ansible.builtin.import_playbook"))]
    return {claim for play in plays(path) for claim in claims(play)}.union(*map(all_claims, imported))


def test_each_playbook_claims_the_lock_that_it_needs() -> None:
    found = {path.stem: all_claims(path) for path in PLAYBOOKS}
    assert found == CLAIMS | {name: set() for name in WITHOUT_CLAIM}


def claiming() -> list[Any]:
    """Every play that claims the lock, under its playbook's name."""
    return [pytest.param(play, id=path.stem) for path in PLAYBOOKS for play in plays(path) if claims(play)]


@pytest.mark.parametrize("play", claiming())
def test_a_play_with_a_claim_gives_its_run_to_modules_and_the_lock_back(play: dict[str, Any]) -> None:
    assert play["environment"] == {"KRAFTWRIGHT_RUN": "{{ ansible_facts['kafka_run'] | default('') }}"}
    [envelope] = [task for task in play["tasks"] if "always" in task]
    given_back = "unlock_controllers" if claims(play) == {"proves"} else "release_lock"
    first, last = (envelope[part][at]["ansible.builtin.import_tasks"] for part, at in (("block", 0), ("always", -1)))
    assert claims({"tasks": [{"ansible.builtin.import_tasks": first}]}) == claims(play)
    assert last in (END, f"tasks/{given_back}.yml")


def test_a_proof_has_a_record_on_each_host_where_a_module_of_it_works() -> None:
    [task] = yaml.safe_load((ROOT / "playbooks/tasks/share_lock.yml").read_text())
    assert task["ansible.builtin.import_tasks"] == "lock_controllers.yml"
    assert task["vars"]["lock_shared"] is True
    assert task["vars"]["lock_hosts"] == "{{ lock_controllers | union([asked]) }}"
    brokers = [
        one["vars"]["kafka_smoke_broker"].strip()
        for name in ("verify_cluster", "mirror_cutover")
        for play in plays(ROOT / f"playbooks/{name}.yml")
        for one in tasks_of(play["tasks"])
        if "kafka_smoke_broker" in one.get("vars", {})
    ]
    assert brokers == [task["vars"]["asked"]] * 2


@pytest.mark.parametrize("name", ["lock_controllers", "unlock_controllers"])
def test_a_dead_controller_outside_of_the_limit_does_not_end_the_run(name: str) -> None:
    """Ansible ends a play for an unreachable host of a task with `run_once`, whether it is ignored or not."""
    task = yaml.safe_load((ROOT / f"playbooks/tasks/{name}.yml").read_text())[0]
    assert task["ignore_unreachable"] is True
    assert task["any_errors_fatal"] is False
    assert "run_once" not in task
