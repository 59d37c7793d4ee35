"""The checkout as an Ansible collection: built, installed without a network, documented; every playbook parses."""

from __future__ import annotations

import configparser
import hashlib
import os
import re
import subprocess
from pathlib import Path

import pytest
import tomllib

from dist.collection import build
from tests.unit.plugins.lying_project import LyingProject

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/collection.md"
LAB = str(ROOT / "inventories/local")
PLAYBOOKS = sorted(path.stem for path in ROOT.glob("playbooks/*.yml"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's own folder, made by the commands of the page. Packages are those of this Python: pip is left out."""
    home = tmp_path_factory.mktemp("own")
    tarball = build.build(ROOT, home / "cache")
    commands = blocks(PAGE)[0].replace("/path/to/kraftwright-kafka-0.1.0.tar.gz", str(tarball))
    run(home, "bash", "-euc", f"pip() {{ printf '%s\\n' \"$*\" > pip; }}\n{commands}", HOME=str(home))
    return home / "my-kafka"


def blocks(page: Path) -> list[str]:
    """Return the commands of a page, block by block."""
    return re.findall(r"```sh\n(.*?)```", page.read_text(), re.DOTALL)


def run(folder: Path, *command: str, **environment: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={**kept, "NO_COLOR": "1", **environment}, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_folder_has_what_a_run_needs(folder: Path) -> None:
    assert (folder / "pip").read_text() == "install -r requirements.txt\n"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (folder / "requirements.txt").read_text().splitlines() == project["dependencies"]
    theirs, ours = configparser.ConfigParser(interpolation=None), configparser.ConfigParser(interpolation=None)
    theirs.read(folder / "ansible.cfg")
    ours.read(ROOT / "ansible.cfg")
    lacking = {f"{section}.{key}" for section in ours for key in ours[section]} - {
        f"{section}.{key}" for section in theirs for key in theirs[section]
    }
    assert all(each.endswith(("_plugins", "_path", ".library", ".module_utils")) for each in lacking)
    assert {path.name for path in (folder / "inventory").rglob("*.yml")} == {
        path.name for path in (ROOT / "inventories/example").rglob("*.yml")
    }


def test_the_commands_of_the_page_name_what_is_left_to_do_and_nothing_else(folder: Path) -> None:
    """Each command of the page runs unchanged. The example's placeholders are refused in one table, one line each."""
    validate, *_, document = blocks(PAGE)[1].splitlines()
    assert "kraftwright.kafka.kafka_topic" in run(folder, *document.split())
    with pytest.raises(AssertionError) as refused:
        run(folder, *validate.split())
    text = str(refused.value)
    rows = {line.split()[1] for line in text.splitlines() if line.strip().startswith("error ")}
    unpacked = {"kafka_client_archive", "control"}  # this tarball was built without what a run brings
    disks = {f"kafka_host_data_disks[{number}].device" for number in (0, 1)}
    assert rows - unpacked == {"kafka_cluster_id", "kafka_archive_checksum", "ansible_host", *disks}
    assert "[WARNING]" not in text
    assert "playbooks/" not in text.replace("kafka/playbooks/validate_inventory.yml", "")


def test_every_playbook_parses_by_its_full_name(folder: Path) -> None:
    asked = [f"kraftwright.kafka.{name}" for name in PLAYBOOKS]
    shown = run(folder, "ansible-playbook", "-i", str(ROOT / "inventories/example"), "--syntax-check", *asked)
    assert all(f"kafka/playbooks/{name}.yml" in shown for name in PLAYBOOKS)


def test_a_playbook_of_the_users_own_imports_one_of_ours(folder: Path) -> None:
    (folder / "mine.yml").write_text("- ansible.builtin.import_playbook: kraftwright.kafka.site\n")
    shown = run(folder, "ansible-playbook", "-i", str(ROOT / "inventories/example"), "--list-tasks", "mine.yml")
    assert "Create the topic" in shown


def test_facts_of_a_lying_host_are_dropped(folder: Path, tmp_path: Path) -> None:
    """No callback of ours is there: the filter in a play's hosts puts the check in place."""
    project = LyingProject(tmp_path)
    project.pattern = "{{ 'kafka' | kraftwright.kafka.kraft_guard(groups=groups) }}"
    lie = {"ansible_facts": {"kafka_desired": "a lie"}}
    settings = {"ANSIBLE_CONFIG": str(folder / "ansible.cfg"), "ANSIBLE_COLLECTIONS_PATH": str(folder / "collections")}
    run = project.run([{"ansible.builtin.command": "true", "run_once": True}], lie, **settings)
    assert run.facts == {"liar": {"kafka_desired": "liar's"}, "honest": {"kafka_desired": "honest's"}}, run.text


def test_filters_are_loaded_once_in_a_run(folder: Path) -> None:
    filters = folder / "collections/ansible_collections/kraftwright/kafka/plugins/filter"
    with (filters / "kraft_resources.py").open("a") as plugin:
        plugin.write(f'\nwith open({str(folder / "loaded")!r}, "a") as log:\n    log.write("x")\n')
    told = "{debug: {msg: \"{{ [] | kraftwright.kafka.kraft_declared([], [], '', [], prune='users') }}\"}}"
    (folder / "loads.yml").write_text(
        "- hosts: localhost\n  gather_facts: false\n  tasks:\n"
        f"    - {{block: [{{kraftwright.kafka.kafka_desired: {{hosts: none}}}}], rescue: [{told}, {told}]}}\n"
    )
    shown = run(folder, "ansible-playbook", "-i", "localhost,", "-c", "local", "loads.yml")
    assert shown.count("users") >= 2
    assert (folder / "loaded").read_text() == "x"


def test_modules_are_documented_with_their_fragment(folder: Path) -> None:
    shown = run(folder, "ansible-doc", "kraftwright.kafka.kafka_topic")
    assert "bootstrap_servers" in shown
    assert "kraftwright.kafka.kafka_topic:" in shown


def test_the_inventory_is_validated_by_the_installed_collection(folder: Path) -> None:
    archive = folder / "kafka_2.13-4.4.0.tgz"
    archive.touch()
    digest = f"sha256:{hashlib.sha256(b'').hexdigest()}"
    given = [
        "-e",
        f"kafka_archive={archive}",
        "-e",
        f"kafka_archive_checksum={digest}",
        "-e",
        "kafka_report=json",
        "-e",
        '{"__kafka_needs": []}',
    ]
    shown = run(
        folder,
        "ansible-playbook",
        "-i",
        LAB,
        "kraftwright.kafka.validate_inventory",
        *given,
    )
    assert '"errors": 0' in shown or "nothing wrong" in shown


@pytest.mark.parametrize(
    ("environment", "options", "named"),
    [
        ({"ANSIBLE_INJECT_FACT_VARS": "true"}, (), "inject_facts_as_vars = false"),
        ({"ANSIBLE_STRATEGY": "free"}, (), "strategy = linear"),
        ({}, ("--start-at-task", "Prepare the hosts"), "--start-at-task"),
        ({}, ("--limit", "kraft1"), "--limit kraft1"),
    ],
)
def test_a_run_that_cannot_be_right_is_refused_before_any_task(
    folder: Path, environment: dict[str, str], options: tuple[str, ...], named: str
) -> None:
    with pytest.raises(AssertionError) as refused:
        run(
            folder,
            "ansible-playbook",
            "-i",
            LAB,
            "kraftwright.kafka.site",
            *options,
            **environment,
        )
    text = " ".join(str(refused.value).split())
    assert named in text
    assert "Nothing was changed" in text
    assert "TASK [" not in text
