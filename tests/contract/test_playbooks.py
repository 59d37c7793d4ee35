"""One callback refuses every playbook that would run only in part; no playbook can be forgotten."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PLAYBOOKS = sorted([ROOT / "site.yml", *ROOT.glob("playbooks/*.yml")])
TASK_FILES = [*PLAYBOOKS, *sorted(ROOT.glob("roles/*/tasks/**/*.yml"))]
#: They start no module here as the user: one only reads, two work as root.
RUN_NOTHING_AS_USER = {"validate_inventory.yml", "create_lab.yml", "destroy_lab.yml"}
#: Folders in which Ansible looks beside a playbook, whatever ansible.cfg is read.
BESIDE = {
    "action_plugins": "plugins/action",
    "callback_plugins": "plugins/callback",
    "filter_plugins": "plugins/filter",
    "library": "library",
    "module_utils": "module_utils",
    "roles": "roles",
}


@pytest.fixture(scope="module")
def callback() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kraft_start", ROOT / "plugins/callback/kraft_start.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Play:
    def __init__(self, path: Path, hosts: Any = "kafka") -> None:
        self._path, self.hosts, self.tags = path, hosts, ()

    def get_path(self) -> str:
        return f"{self._path}:3"


class Playbook:
    def __init__(self, *paths: Path) -> None:
        self._plays = [Play(path) for path in paths]

    def get_plays(self) -> list[Any]:
        return self._plays


def test_a_playbook_beside_the_others_is_ours_and_one_elsewhere_is_not(callback: ModuleType) -> None:
    assert callback.ours(Playbook(ROOT / "playbooks/a_new_one.yml"))
    assert callback.ours(Playbook(Path("/home/ann/own.yml"), ROOT / "playbooks/deploy_cluster.yml"))
    assert not callback.ours(Playbook(Path("/home/ann/own.yml")))


@pytest.mark.parametrize(
    ("hosts", "place", "code"),
    [
        (["kafka"], "playbooks", 2),
        ([], "playbooks", None),
        (["localhost"], "playbooks", 2),
        (["kafka"], "elsewhere", None),
    ],
)
def test_a_play_of_ours_that_finds_no_host_ends_the_run(
    callback: ModuleType, monkeypatch: pytest.MonkeyPatch, hosts: list[str], place: str, code: int | None
) -> None:
    watching = callback.CallbackModule()
    book = Playbook(ROOT / place / "a.yml")
    (play,) = book.get_plays()
    play.hosts = hosts
    monkeypatch.setattr(callback, "objection", lambda _: "")
    monkeypatch.setattr(callback, "asked", lambda _: None)
    watching.v2_playbook_on_start(book)
    watching.v2_playbook_on_play_start(play)
    if code is None:
        watching.v2_playbook_on_no_hosts_matched()
        return
    with pytest.raises(SystemExit) as ended:
        watching.v2_playbook_on_no_hosts_matched()
    assert ended.value.code == code


@pytest.mark.parametrize("path", sorted(ROOT.glob("playbooks/*.yml")), ids=lambda path: path.name)
def test_only_the_making_of_machines_may_find_no_host(path: Path) -> None:
    """A template that gives an empty list if a group is missing reports success for nothing."""
    hosts = [str(play.get("hosts", "")) for play in yaml.safe_load(path.read_text())]
    silent = {each for each in hosts if "default([])" in each}
    expected = {"provision_ec2.yml": "ec2", "mirror_cutover.yml": "way_back"}
    assert all(f"groups['{expected.get(path.name)}']" in each for each in silent)


@pytest.mark.parametrize("path", TASK_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_runs_on_this_machine_does_not_become_root_because_all_hosts_do(path: Path) -> None:
    """``ansible_become`` in group_vars/all reaches this machine, too, and wins over the keyword."""
    local = [
        entry
        for entry in tasks(yaml.safe_load(path.read_text()))
        if entry.get("connection") == "local"
        or "localhost" in str(entry.get("hosts"))
        or entry.get("delegate_to") == "localhost"
    ]
    for entry in local if path.name not in RUN_NOTHING_AS_USER else ():
        assert entry["vars"]["ansible_become"] is False


@pytest.mark.parametrize("path", sorted(ROOT.glob("roles/kafka_smoke/tasks/*.yml")), ids=lambda path: path.name)
def test_what_a_play_says_of_this_machine_does_not_reach_the_broker(path: Path) -> None:
    for task in tasks(yaml.safe_load(path.read_text())):
        if "delegate_to" in task:
            assert task["become"] is True
            assert task["vars"]["ansible_become"] == "{{ __kafka_smoke_become }}"


@pytest.mark.parametrize("playbook", PLAYBOOKS, ids=lambda path: path.name)
def test_every_play_is_found_where_the_callback_looks(playbook: Path, callback: ModuleType) -> None:
    plays = loaded(playbook)
    assert plays
    assert callback.ours(Playbook(*plays))
    assert {path.parent for path in plays} == {ROOT / "playbooks"}, "a play elsewhere would run in parts"


def loaded(playbook: Path) -> list[Path]:
    """The files that hold a playbook's plays, imports followed."""
    found = []
    for entry in yaml.safe_load(playbook.read_text()):
        imported = entry.get("ansible.builtin.import_playbook")
        found += loaded((playbook.parent / imported).resolve()) if imported else [playbook]
    return found


def tasks(content: Any) -> Iterator[dict[str, Any]]:
    """Plays and tasks of a file, with those in blocks."""
    for entry in content if isinstance(content, list) else []:
        yield entry
        for part in ("tasks", "block", "rescue", "always"):
            yield from tasks(entry.get(part))


@pytest.mark.parametrize("path", TASK_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_task_carries_a_tag_by_which_it_could_be_left_out(path: Path) -> None:
    carried = {tag for task in tasks(yaml.safe_load(path.read_text())) for tag in task.get("tags", [])}
    assert carried <= {"always"}


@pytest.mark.parametrize("folder", sorted(BESIDE))
def test_ansible_finds_everything_beside_the_playbooks(folder: str) -> None:
    assert (ROOT / "playbooks" / folder).resolve() == ROOT / BESIDE[folder]


def test_the_callback_needs_no_setting_to_be_loaded(callback: ModuleType) -> None:
    assert not getattr(callback.CallbackModule, "CALLBACK_NEEDS_ENABLED", False)
    assert callback.CallbackModule.CALLBACK_TYPE != "stdout"
