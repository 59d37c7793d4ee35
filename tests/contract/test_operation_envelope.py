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
#: Roles whose tasks run on the nodes, with the entry points that only look.
LOOKING = {
    "kafka": {"health", "move", "observe", "preflight", "reachable", "status", "support", "upgradable", "voters"},
    "kafka_host": {"status"},
}
#: Entry points for a play that takes over an operation which its own tasks have cut short.
TAKING_OVER = {"maintain_ended"}


LOCKING = ("acquire_lock", "lock_controllers", "release_lock", "unlock_controllers")
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
    """Those by which the task uses a role on the nodes, without those that only look."""
    roles = [task.get(f"ansible.builtin.{how}_role") for how in ("import", "include")]
    used = [role for role in roles if role and role["name"] in LOOKING]
    return [point for role in used if (point := role.get("tasks_from", "main")) not in LOOKING[role["name"]]]


def changes_nodes(task: dict[str, Any]) -> bool:
    """Whether the task does more with the nodes than look."""
    return bool(entry_points(task))


def operations() -> list[Any]:
    """Every play that changes nodes, under its playbook's name."""
    found = [(path.stem, play) for path in PLAYBOOKS for play in plays(path) if play["hosts"] != "localhost"]
    return [pytest.param(play, id=name) for name, play in found if any(map(changes_nodes, tasks_of(play["tasks"])))]


def test_the_operations_are_found() -> None:
    assert {"deploy_cluster", "restart_cluster", "remove_nodes", "rebalance"} <= {str(one.id) for one in operations()}


#: Entry points of role kafka that unpack a release where a host lacks it.
INSTALLING = {"main", "add", "replace"}


def needed(play: dict[str, Any]) -> set[str]:
    """What an operation's first task needs of this machine."""
    [envelope] = [task for task in play["tasks"] if "always" in task]
    return set(envelope["block"][0].get("vars", {}).get("__kafka_needs", ["release", "client"]))


@pytest.mark.parametrize("play", [one for one in operations() if one.id not in ("maintain_hosts",)])
def test_an_operation_needs_kafkas_archive_only_if_it_or_its_next_play_installs_a_release(play: dict[str, Any]) -> None:
    points = {point for task in tasks_of(play["tasks"]) for point in entry_points(task)}
    goes_on = {"migrate", "authority", "join"} & points  # a deployment follows
    assert ("release" in needed(play)) == bool(INSTALLING & points or goes_on)


@pytest.mark.parametrize("play", operations())
def test_an_operation_begins_and_ends_like_all_others(play: dict[str, Any]) -> None:
    [envelope] = [task for task in play["tasks"] if "always" in task]
    if not TAKING_OVER.intersection(point for task in tasks_of(play["tasks"]) for point in entry_points(task)):
        assert envelope["block"][0]["ansible.builtin.import_tasks"] == BEGIN
        assert "KRAFTWRIGHT_RUN" in play["environment"]
    assert [task["ansible.builtin.import_tasks"] for task in envelope["always"]] == [END]
    assert not any(changes_nodes(task) for task in play["tasks"])
    assert play["any_errors_fatal"] is True


def test_nothing_else_takes_or_gives_back_the_lock() -> None:
    holders = [path for path in ROOT.glob("[pr]*/**/*.yml") if "kafka_lock:" in path.read_text()]
    rebooted = "roles/kafka/tasks/reboot.yml"  # the lock is gone there, and is taken again
    envelope = [f"playbooks/tasks/{name}.yml" for name in LOCKING]
    assert sorted(str(path.relative_to(ROOT)) for path in holders) == sorted([*envelope, rebooted])


def test_an_operation_judges_the_inventory_before_it_opens_a_connection() -> None:
    first, second = yaml.safe_load((ROOT / "playbooks" / BEGIN).read_text())[:2]
    assert "kafka_desired" in first
    assert second["ansible.builtin.import_tasks"] == "acquire_lock.yml"


def test_each_module_stops_where_its_run_has_lost_the_lock() -> None:
    without = {path.stem for path in ROOT.glob("library/*.py") if "without_lock=True" in path.read_text()}
    assert without == WITHOUT_LOCK


@pytest.mark.parametrize(
    ("playbook", "taken", "given_back"),
    [
        ("apply_resources", "acquire_lock", "release_lock"),
        ("verify_cluster", "lock_controllers", "unlock_controllers"),
    ],
)
def test_resources_and_proofs_hold_the_lock_of_the_cluster(playbook: str, taken: str, given_back: str) -> None:
    [envelope] = [
        task for play in plays(ROOT / f"playbooks/{playbook}.yml") for task in play["tasks"] if "always" in task
    ]
    assert envelope["block"][0]["ansible.builtin.import_tasks"] == f"tasks/{taken}.yml"
    assert envelope["always"][-1]["ansible.builtin.import_tasks"] == f"tasks/{given_back}.yml"
    assert playbook != "verify_cluster" or envelope["block"][0]["vars"]["lock_shared"] is True
