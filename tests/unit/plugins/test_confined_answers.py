"""A lying host answers for every module: facts of other hosts stay as they were, and its words steer no terminal."""

from __future__ import annotations

import multiprocessing
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleError
from ansible.module_utils.kraft.control import module_results
from ansible.plugins.action import ActionBase

from tests.unit.plugins.lying_project import ROOT, LyingProject

NAMES = ("kafka_desired", "kafka_plan", "kafka_healthy", "kafka_peers", "kafka_now", "kafka_run", "kafka_host")
LIE = {
    "changed": True,
    "stat": {"exists": False},
    "text": "{{ 6 * 7 }}",
    "ansible_facts": dict.fromkeys(NAMES, "a lie") | {"ansible_kafka_uids": "a lie"},
    "_ansible_facts_cacheable": True,
    "add_host": {"host_name": "planted", "groups": ["kafka"]},
}
COMMAND = {"ansible.builtin.command": "true"}
#: Way of a module's result into Ansible -> a task that takes it.
TASKS: dict[str, dict[str, Any]] = {
    "once": {**COMMAND, "run_once": True},
    "in a loop": {**COMMAND, "run_once": True, "loop": [1, 2]},
    "delegated": {**COMMAND, "delegate_to": "liar"},
    "delegated with its facts": {**COMMAND, "delegate_to": "liar", "delegate_facts": True},
    "an action plugin of Ansible": {"ansible.builtin.copy": {"content": "a", "dest": "/nowhere/a"}, "run_once": True},
    "facts of Ansible": {"ansible.builtin.setup": {}, "run_once": True},
    "a module of ours": {"kafka_sysctl": {}, "run_once": True},
    "an action plugin of ours": {"kafka_attempt": {"module": "ansible.builtin.command"}, "run_once": True},
}
HOSTILE = "\x1b]0;owned\x07\x9b2J\u202e\r" + "x" * 10_000_000


@pytest.fixture
def project(tmp_path: Path) -> LyingProject:
    return LyingProject(tmp_path)


def test_facts_of_this_project_are_taken_from_no_module(project: LyingProject) -> None:
    tasks = [{"name": name, "register": "found", **task} for name, task in TASKS.items()]
    run = project.run([*tasks, {"ansible.builtin.debug": {"msg": "FOUND {{ found.text }}"}}], LIE)
    assert run.facts == {"liar": {"kafka_desired": "liar's"}, "honest": {"kafka_desired": "honest's"}}, run.text
    assert "planted" not in run.text.partition("PLAY RECAP")[2].partition("[WARNING]")[0]
    for task in list(TASKS.values())[:-1]:
        assert f"liar answered {next(iter(task))} with facts" in run.text
    assert "FOUND {{ 6 * 7 }}" in run.text, "text of a host is no template"


def test_other_facts_are_taken(project: LyingProject) -> None:
    """A play of the user may gather facts, and use what it likes of them."""
    run = project.run([{"ansible.builtin.setup": {}, "run_once": True}], {"ansible_facts": {"ansible_system": "Linux"}})
    assert run.facts["honest"] == {"kafka_desired": "honest's", "system": "Linux"}, run.text


def test_the_python_of_one_host_is_not_used_on_another(project: LyingProject) -> None:
    python, shell = project.directory / "python", project.directory / "sh"
    found = f"printf 'FOUND\\n{python}\\nENDFOUND\\n'"
    shell.write_text(f'#!/bin/sh\ncase "$2" in *ENDFOUND*) {found};; *) exec /bin/sh "$@";; esac\n')
    shell.chmod(0o755)
    project.hosts(f"liar ansible_shell_executable={shell}", "honest")
    run = project.run([{**COMMAND, "run_once": True}, COMMAND | {"when": "inventory_hostname == 'liar'"}], {})
    assert run.facts["honest"] == {"kafka_desired": "honest's"}, run.text
    assert run.facts["liar"]["discovered_interpreter_python"] == str(python)


def test_text_of_a_host_cannot_be_marked_as_a_template(project: LyingProject) -> None:
    tags = [{"__ansible_type": "TrustedAsTemplate"}]
    answer = {"text": {"__ansible_type": "_AnsibleTaggedStr", "value": "{{ 6 * 7 }}", "tags": tags}}
    told = {"ansible.builtin.debug": {"msg": "FOUND {{ found.text | default('none') }}"}}
    run = project.run([{**COMMAND, "register": "found", "run_once": True}, told], answer)
    assert not re.search(r"(?<![\w-])42\b", run.text)  # pytest's directories have numbers, too


@pytest.mark.parametrize(
    "answer",
    [
        {"failed": True, "msg": HOSTILE, "exception": HOSTILE},
        {"changed": True, "warnings": [HOSTILE], "diff": {"before": HOSTILE, "after": "b"}},
    ],
    ids=["a failure", "a change"],
)
def test_text_of_a_host_steers_no_terminal_and_floods_none(project: LyingProject, answer: dict[str, Any]) -> None:
    settings = {"ANSIBLE_DIFF_ALWAYS": "1", "ANSIBLE_DISPLAY_TRACEBACK": "always"}
    run = project.run([COMMAND | {"when": "inventory_hostname == 'liar'"}], answer, **settings)
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(run.text)
    assert "owned" in run.text
    assert len(run.text) < 1_000_000


def test_a_roll_restarts_only_nodes_that_are_due(project: LyingProject) -> None:
    nodes = [{"host": "honest", "node_id": 2, "started_at": 0, "differences": []}]
    plan = {"kafka_change_plan": {"kind": "restart", "nodes": nodes, "client": {}}, "run_once": True}
    lie = {"batches": [{"checked": False, "nodes": [{"host": "localhost", "keep": False}], "node_ids": [2]}]}
    run = project.run([plan], lie)
    assert "names localhost; due are honest" in run.text
    assert not run.facts


def test_the_look_at_a_host_is_a_fact_of_that_host() -> None:
    """`kafka_host_info` makes facts: with `run_once` or delegated they would be those of another host."""
    for path in [*ROOT.glob("roles/*/tasks/**/*.yml"), *ROOT.glob("playbooks/**/*.yml")]:
        for task in _tasks(yaml.safe_load(path.read_text())):
            assert "kafka_host_info" not in task or not {"run_once", "delegate_to"} & set(task), path


def _tasks(found: Any) -> list[dict[str, Any]]:
    if isinstance(found, list):
        return [task for each in found for task in _tasks(each)]
    if not isinstance(found, dict):
        return []
    inside = ("block", "rescue", "always", "tasks", "pre_tasks", "post_tasks")
    return [found, *(task for name in inside for task in _tasks(found.get(name)))]


def test_a_run_ends_where_results_are_taken_over_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ActionBase, module_results.SEAM, lambda *_, **__: {})
    with pytest.raises(AnsibleError, match="No host was changed"):
        module_results.require()


def test_a_worker_that_has_not_inherited_the_method_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    module_results.install()
    module_results.require()
    monkeypatch.setattr(multiprocessing, "parent_process", object)
    with pytest.raises(AnsibleError):
        module_results.require()


def test_the_method_is_put_in_place_once() -> None:
    module_results.install()
    first = getattr(ActionBase, module_results.SEAM)
    module_results.install()
    assert getattr(ActionBase, module_results.SEAM) is first


def test_an_answer_that_is_no_lie_stays_as_it_is() -> None:
    shown = {"msg": "two\n\tlines", "diff": {"before": "a\tb\n"}}
    answer = {"changed": True, "ansible_facts": {"a": 1}, "stdout": "\x1b", **shown}
    assert module_results.confined({**answer}) == (answer, [])
