"""The control side of kafka_appcds_archive in real runs: fetched from one host, brought to another, damage removed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node.release import appcds_archive

from tests.unit.modules.archives import checksum
from tests.unit.modules.module_runner import RunModule
from tests.unit.modules.test_kafka_appcds_archive import VERSION, Host

ROOT = Path(__file__).resolve().parents[2]
Results = list[dict[str, Any]]


class Control:
    """A control machine with a cache, and hosts of one kind: the release has the same path on each of them."""

    def __init__(self, root: Path, run_module: RunModule) -> None:
        self.root, self.shared, self.cache = root, root / "shared", root / "cache"
        self.run_module = run_module

    def host(self, name: str) -> Host:
        made = Host(self.root / name, self.run_module)
        self.shared.unlink(missing_ok=True)
        self.shared.symlink_to(made.install_dir)
        made.install_dir = self.shared
        made.unpack()
        return made

    def play(self, host: Host, *tasks: dict[str, Any]) -> Results:
        """What each task returned; a task is what it adds to the plain one."""
        common = {"version": VERSION, "checksum": checksum(host.archive), "install_dir": str(self.shared)}
        files = {"java": str(host.java), "cache_dir": str(self.cache), "class_list": str(host.root / "list.gz")}
        module = {"kafka_appcds_archive": {**common, **files, "state": "made"}}
        play = [{"hosts": "localhost", "gather_facts": False, "tasks": [{**module, **task} for task in tasks]}]
        (self.root / "play.json").write_text(json.dumps(play))
        return self.run_playbook(str(host.systemd))

    def run_playbook(self, systemd: str) -> Results:
        command = [str(Path(sys.executable).with_name("ansible-playbook")), "-i", "localhost,", "play.json"]
        words = ["-c", "local", "-e", f"ansible_python_interpreter={sys.executable}"]
        settings = {"ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json", "ANSIBLE_CALLBACKS_ENABLED": "ansible.posix.json"}
        settings["PATH"] = f"{systemd}:{os.environ['PATH']}"
        environment = {**os.environ, **settings, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")}
        done = subprocess.run(
            [*command, *words], cwd=self.root, capture_output=True, text=True, check=False, env=environment
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return [task["hosts"]["localhost"] for task in json.loads(done.stdout)["plays"][0]["tasks"]]


@pytest.fixture
def control(tmp_path: Path, run_module: RunModule) -> Control:
    return Control(tmp_path, run_module)


def test_what_one_host_made_is_fetched_by_the_next_task_and_brought_to_another(control: Control) -> None:
    predicted, made, again = control.play(control.host("one"), {"check_mode": True}, {}, {})
    assert (predicted["operation"], predicted["in_use"]) == ("make", False)
    assert (made["operation"], made["in_use"], again["changed"]) == ("make", True, False)
    assert [kept.name for kept in control.cache.iterdir()] == [f"{made['key']}.jsa.gz"]
    other = control.host("two")
    (brought,) = control.play(other, {})
    assert (brought["operation"], brought["in_use"]) == ("install", True)
    assert "-Xshare:dump" not in (other.home / "bin/calls").read_text()


def test_a_damaged_copy_is_forgotten(control: Control) -> None:
    host = control.host("one")
    identity = appcds_archive.jvm_identity(str(host.home))
    key = appcds_archive.key_of(identity, str(control.shared), VERSION, checksum(host.archive))
    control.cache.mkdir()
    (control.cache / f"{key}.jsa.gz").write_text("damaged")
    (result,) = control.play(host, {})
    assert (result["changed"], result["missing"]) == (False, True)
    assert list(control.cache.iterdir()) == []
