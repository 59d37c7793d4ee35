"""Output of a run on the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HOSTS = "a,b,"
PLAY = """
- hosts: all
  gather_facts: false
  tasks:
    - {name: Is as it should be, ansible.builtin.assert: &nothing {that: true, quiet: true}}
    - {name: Is skipped, ansible.builtin.assert: *nothing, when: false}
    - {name: Changes, ansible.builtin.assert: *nothing, changed_when: true}
    - {name: Changes items, ansible.builtin.assert: *nothing, changed_when: true, loop: [x, y]}
    - {name: Skips with a warning, warns: , when: inventory_hostname == 'a'}
    - {name: Takes long, ansible.builtin.pause: {seconds: 6}, run_once: true}
    - {name: Writes, ansible.builtin.copy: &same {dest: "{{ playbook_dir }}/new", content: "line\n"}, check_mode: true}
    - {name: Writes again, ansible.builtin.copy: *same, check_mode: true}
    - {name: Says something, ansible.builtin.debug: {msg: a message}, run_once: true}
    - {name: Gathers, ansible.builtin.setup: {gather_subset: ["!all", "!min"]}, changed_when: true}
    - {name: Fails, ansible.builtin.fail: {msg: a reason}, when: inventory_hostname == 'b', ignore_errors: true}
"""
#: A module that does nothing, and has a warning.
WARNS = """#!/usr/bin/python
print('{"skipped": true, "changed": false, "warnings": ["a warning"]}')
"""


def run(directory: Path, *options: str) -> list[str]:
    (directory / "play.yml").write_text(PLAY)
    (directory / "library").mkdir()
    (directory / "library/warns.py").write_text(WARNS)
    (directory / "ansible.cfg").write_text(
        f"[defaults]\ncallback_plugins = {ROOT}/plugins/callback\nlibrary = library\nstdout_callback = kraft_console\n"
        f"callback_result_format = yaml\nany_errors_fatal = false\ninterpreter_python = {sys.executable}\n"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    command = ["ansible-playbook", "-i", HOSTS, "-c", "local", "play.yml", *options]
    done = subprocess.run(
        command, cwd=directory, env={**kept, "NO_COLOR": "1"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def ended(lines: list[str], name: str) -> list[str]:
    """The lines below the name of a task; none if it is not shown."""
    at = next((number for number, line in enumerate(lines) if line.startswith(f"TASK [{name}]")), None)
    return [] if at is None else lines[at + 1 : lines.index("", at)]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return run(tmp_path_factory.mktemp("console"), "--diff")


def hosts_of(lines: list[str]) -> list[str]:
    return sorted(lines[0].partition("[")[2].partition("]")[0].split(", "))


def test_what_did_not_happen_is_not_shown(shown: list[str]) -> None:
    states = [line for line in shown if line.startswith(("ok:", "skipping:", "included:")) and "=>" not in line]
    assert states == ended(shown, "Skips with a warning")[:1]
    assert not any(
        f"TASK [{name}]" in line for line in shown for name in ("Is as it should be", "Is skipped", "Takes long")
    )


def test_hosts_with_the_same_result_share_a_line(shown: list[str]) -> None:
    assert hosts_of(ended(shown, "Changes")) == ["a", "b"]
    items = ended(shown, "Changes items")
    assert [line.rpartition("=> ")[2] for line in items[:2]] == ["(item=x)", "(item=y)"]


def test_a_difference_is_shown_once_for_all_hosts_and_tasks(shown: list[str]) -> None:
    assert sum(line.startswith("+line") for line in shown) == 1
    (line,) = (line for line in ended(shown, "Writes again") if line.startswith("changed"))
    assert hosts_of([line]) == ["a", "b"]


def test_a_task_that_takes_long_shows_its_name(shown: list[str]) -> None:
    assert "... Takes long" in shown


def test_messages_and_failures_are_shown(shown: list[str]) -> None:
    assert any("a message" in line for line in ended(shown, "Says something"))
    assert any("a reason" in line for line in ended(shown, "Fails"))
    assert any(line.startswith("a ") and "ok=" in line and "changed=5" in line for line in shown)


def test_with_v_all_is_shown_as_ansible_shows_it(tmp_path: Path) -> None:
    lines = run(tmp_path, "-v")
    assert sum(line.startswith("skipping:") for line in lines) == len("ab") + len("ab") + len("a")
    assert any(line.startswith("TASK [Is as it should be]") for line in lines)
    assert sorted(line[:10] for line in ended(lines, "Gathers")) == ["changed: [", "changed: ["]
    assert not any("Callback dispatch" in line for line in lines)


def test_the_warning_of_a_skipped_task_is_shown(shown: list[str]) -> None:
    assert ended(shown, "Skips with a warning")[:1] == ["skipping: [a]"]
