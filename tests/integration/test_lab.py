"""A lab of two hosts: reached by an ordinary user, completed and started again with its disk, gone without a trace."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {
    **os.environ,
    "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
    "ANSIBLE_LOCALHOST_WARNING": "false",
    "CONTAINERS_CONF": str(ROOT / "roles/kafka_lab/files/containers.conf"),
}
PLAY = """
- hosts: localhost
  gather_facts: false
  tasks: [{{ansible.builtin.include_role: {{name: kafka_lab, tasks_from: {entry}}}}}]
"""
STEPS = """
- hosts: one,two
  gather_facts: false
  any_errors_fatal: true
  tasks:
    - become: true
      kafka_files: {files: [{path: /opt/by_root, content: "kept", owner: root, group: root, mode: "0600"}]}
    - ansible.builtin.command: cat /opt/by_root
      become: true
      changed_when: false
      register: seen
    - ansible.builtin.command: hostname
      delegate_to: two
      run_once: true
      changed_when: false
      register: elsewhere
    - ansible.builtin.debug: {msg: "{{ seen.stdout }} {{ elsewhere.stdout }}"}
    - ansible.builtin.command: /bin/false
      when: inventory_hostname == 'one'
    - ansible.builtin.debug: {msg: never reached}
"""


def run(*command: str, check: bool = True, **more: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, env={**ENVIRONMENT, **more}, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 or not check, done.stdout + done.stderr
    return done


class Lab:
    """The role, played with a lab of this test alone."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.name = f"kw-test-{os.getpid()}"
        self.inventory = home / "inventory.yml"

    def play(self, entry: str, *options: str, hosts: tuple[str, ...] = ("one", "two"), check: bool = True) -> str:
        playbook = self.home / f"{entry}.yml"
        playbook.write_text(PLAY.format(entry=entry))
        variables = {
            "kafka_lab_name": self.name,
            "kafka_lab_hosts": hosts,
            "kafka_lab_state_dir": str(self.home / "state"),
            "kafka_lab_inventory": str(self.inventory),
            "kafka_lab_memory": "256m",
            "kafka_lab_options": {"one": ["--volume=/etc/hostname:/given:ro"]},
        }
        ansible = [str(ROOT / ".venv/bin/ansible-playbook"), "-i", "/dev/null", "-e", json.dumps(variables)]
        done = run(*ansible, *options, str(playbook), check=check)
        return done.stdout + done.stderr

    def ssh(self, host: str, command: str) -> str:
        known: dict[str, Any] = yaml.safe_load(self.inventory.read_text())["all"]["hosts"][host]
        key, address = known["ansible_ssh_private_key_file"], known["ansible_host"]
        options = ["-i", key, "-o", f"UserKnownHostsFile={self.home}/state/known_hosts", "-o", "BatchMode=yes"]
        return run("ssh", *options, "-o", "StrictHostKeyChecking=yes", f"ops@{address}", command).stdout.strip()

    def left(self) -> str:
        label = f"label=kraftwright.lab={self.name}"
        hosts = run("podman", "ps", "--all", "--quiet", "--filter", label).stdout
        return hosts + run("podman", "network", "ls", "--quiet", "--filter", f"name=^{self.name}$").stdout


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    lab = Lab(tmp_path_factory.mktemp("lab"))
    try:
        foretold = lab.play("main", "--check", "--diff")
        assert lab.left() == ""
        assert "+create host one" in foretold
        lab.play("main")
        yield lab
    finally:
        lab.play("destroy")
    assert lab.left() == ""
    assert not lab.inventory.exists()
    assert not (lab.home / "state").exists()


def test_hosts_are_reached_as_an_ordinary_user_with_sudo(lab: Lab) -> None:
    assert lab.ssh("one", "id -un; sudo id -un; hostname; cat /given").splitlines()[:3] == ["ops", "root", "one"]
    assert lab.ssh("two", "sudo systemctl is-system-running --wait") == "running"


def test_hosts_resolve_each_other(lab: Lab) -> None:
    addresses = yaml.safe_load(lab.inventory.read_text())["all"]["hosts"]
    assert lab.ssh("one", "getent hosts two").split()[0] == addresses["two"]["ansible_host"]
    assert lab.ssh("two", "getent hosts one").split()[0] == addresses["one"]["ansible_host"]


def test_a_second_run_changes_nothing(lab: Lab) -> None:
    assert "changed=0 " in lab.play("main")


def test_a_stopped_host_comes_back_with_its_disk_and_a_new_one_joins(lab: Lab) -> None:
    lab.ssh("two", "sudo sh -c 'echo kept > /opt/disk'; sync")
    before = yaml.safe_load(lab.inventory.read_text())["all"]["hosts"]["two"]
    run("podman", "stop", "--time", "0", f"{lab.name}-two")
    told = lab.play("main", "--diff", hosts=("new", "one", "two"))
    assert "+start host two" in told
    assert "+create host new" in told
    assert lab.ssh("two", "cat /opt/disk") == "kept"
    assert yaml.safe_load(lab.inventory.read_text())["all"]["hosts"]["two"] == before
    assert lab.ssh("new", "getent hosts one two | wc -l") == "2"


@pytest.mark.parametrize("mitogen", ["1", "0"])
def test_a_play_runs_the_same_by_mitogen_and_by_plain_ssh(lab: Lab, mitogen: str) -> None:
    playbook = lab.home / "steps.yml"
    playbook.write_text(STEPS)
    lab.ssh("one", "sudo rm -f /opt/by_root")
    ansible = [str(ROOT / ".venv/bin/ansible-playbook"), "-v", "-i", str(lab.inventory), str(playbook)]
    done = run(*ansible, check=False, KRAFTWRIGHT_MITOGEN=mitogen, ANSIBLE_STRATEGY="kraft_linear")
    told = done.stdout
    assert done.returncode == 2
    assert ("Tasks go over plain ssh" in told) == (mitogen == "0")
    assert told.count("kept two") == 2
    assert "never reached" not in told
    assert "ok=4    changed=1    unreachable=0    failed=1" in told
    assert lab.ssh("one", "sudo stat -c '%U %a' /opt/by_root") == "root 600"


def test_memory_is_limited(lab: Lab) -> None:
    told = run("podman", "inspect", "--format", "{{.HostConfig.Memory}}", f"{lab.name}-one").stdout
    assert int(told) == 256 * 1024 * 1024


def test_lost_keys_are_refused_and_nothing_is_changed(lab: Lab) -> None:
    key = lab.home / "state/id_ed25519"
    kept = key.rename(lab.home / "kept")
    try:
        told = lab.play("main", check=False)
    finally:
        kept.rename(key)
    assert "are gone, and the hosts know no others; destroy the lab, then create it" in " ".join(told.split())
    assert lab.ssh("one", "true") == ""
