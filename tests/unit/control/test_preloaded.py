"""Ansible's main process loads filters once for all of its workers, and they collect no garbage."""

from __future__ import annotations

import gc
import multiprocessing
import os
import subprocess
from multiprocessing.queues import SimpleQueue
from pathlib import Path

import pytest
from ansible.module_utils.kraft.control import preloaded

ROOT = Path(__file__).resolve().parents[3]
CONFIG = """
[defaults]
action_plugins = {root}/plugins/action
filter_plugins = filters
"""
FILTER = """
import os
from pathlib import Path
with Path({log!r}).open("a") as file:
    file.write(str(os.getpid()) + chr(10))
class FilterModule:
    def filters(self):
        return {{"doubled": lambda text: text * 2}}
"""
PLAY = """
- hosts: localhost
  gather_facts: false
  tasks:
    - block:
        - {first}
      rescue:
        - {{debug: {{msg: "{{{{ 'a' | doubled }}}}"}}}}
        - {{debug: {{msg: "{{{{ 'b' | doubled }}}}"}}}}
"""


@pytest.mark.parametrize(("first", "once"), [("kafka_desired: {hosts: none}", True), ("fail: {}", False)])
def test_a_run_that_begins_with_the_desired_state_loads_filters_once(tmp_path: Path, first: str, once: bool) -> None:
    log = tmp_path / "loaded"
    (tmp_path / "filters").mkdir()
    (tmp_path / "filters/counted.py").write_text(FILTER.format(log=str(log)))
    (tmp_path / "ansible.cfg").write_text(CONFIG.format(root=ROOT))
    (tmp_path / "play.yml").write_text(PLAY.format(first=first))
    done = subprocess.run(
        [ROOT / ".venv/bin/ansible-playbook", "-i", "localhost,", "-c", "local", "play.yml"],
        cwd=tmp_path,
        env={**{name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "aa" in done.stdout, done.stdout + done.stderr
    assert "bb" in done.stdout
    assert (len(log.read_text().split()) == 1) == once


def test_a_worker_collects_no_garbage_and_the_main_process_does() -> None:
    assert callable(preloaded.load_filters)
    fork = multiprocessing.get_context("fork")
    answers: SimpleQueue[bool] = fork.SimpleQueue()
    worker = fork.Process(target=lambda: answers.put(gc.isenabled()))
    worker.start()
    worker.join()
    assert not answers.get()
    assert gc.isenabled()
