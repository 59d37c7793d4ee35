"""Requests of the roles to a RHEL-like host: the real tasks run, with a double for dnf that notes its arguments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node.machine.os_family import distribution

ROOT = Path(__file__).resolve().parents[2]
RELEASES = {
    "rocky": 'ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.4"\n',
    "rhel": 'ID="rhel"\nID_LIKE="fedora"\nVERSION_ID="9.4"\n',
    "rocky10": 'ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="10.0"\n',
    "amazon": 'ID="amzn"\nID_LIKE="fedora"\nVERSION_ID="2023"\n',
}
PACKAGES = {
    "rocky": "java-17-openjdk-headless",
    "rhel": "java-17-openjdk-headless",
    "rocky10": "java-21-openjdk-headless",
    "amazon": "java-17-amazon-corretto-headless",
}
HERE = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
#: Ansible's own action plugin of dnf picks this up in place of the module that it would send to the host.
STAND_IN = """
import json
from pathlib import Path
from ansible.module_utils.basic import AnsibleModule
spec = {"name": {"type": "list", "elements": "str"}}
module = AnsibleModule(spec, supports_check_mode=True)
module.exit_json(changed=True, asked=module.params["name"])
"""
#: First task of role kafka_host, and Ansible's own facts of such a host.
PLAY = """
- hosts: all
  gather_facts: false
  tasks:
    - ansible.builtin.set_fact:
        kafka_host: "{{ {'os': seen, 'java': none} }}"
        pkg_mgr: dnf
        cacheable: true
    - ansible.builtin.include_role:
        name: kafka_host
        tasks_from: packages
      vars: {kafka_host_packages: ["{{ __kafka_host_java_package }}"]}
"""


def facts(directory: Path, release: str) -> dict[str, str]:
    """Return the facts of the project's own inspection of a host of this release."""
    (directory / "etc").mkdir(parents=True)
    (directory / "etc/os-release").write_text(release)
    (directory / "usr/bin").mkdir(parents=True)
    (directory / "usr/bin/dnf").touch()
    return distribution(directory)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """Host → what each of its tasks that ran returned."""
    directory = tmp_path_factory.mktemp("rhel")
    (directory / "library").mkdir()
    (directory / "library/dnf.py").write_text(STAND_IN)
    (directory / "play.yml").write_text(PLAY)
    hosts = {host: {**HERE, "seen": facts(directory / host, text)} for host, text in RELEASES.items()}
    (directory / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts}}))
    settings = (
        f"library={directory}/library:{ROOT}/library\nroles_path={ROOT}/roles\nstdout_callback=ansible.posix.json"
    )
    (directory / "ansible.cfg").write_text(f"[defaults]\n{settings}\n")
    own = {**os.environ, "ANSIBLE_CONFIG": str(directory / "ansible.cfg")}
    words = ["ansible-playbook", "-i", str(directory / "hosts.json"), str(directory / "play.yml")]
    done = subprocess.run(words, cwd=ROOT, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    tasks = json.loads(done.stdout)["plays"][0]["tasks"]
    return {
        host: [found for task in tasks if not (found := task["hosts"].get(host, {})).get("skipped")]
        for host in RELEASES
    }


@pytest.mark.parametrize("host", RELEASES)
def test_java_is_asked_of_dnf_under_the_name_that_the_family_gives_it(
    results: dict[str, list[dict[str, Any]]], host: str
) -> None:
    assert [one["asked"] for one in results[host] if "asked" in one] == [[PACKAGES[host]]]


@pytest.mark.parametrize("host", RELEASES)
def test_nothing_of_debians_is_run_there(results: dict[str, list[dict[str, Any]]], host: str) -> None:
    actions = [one.get("action", "") for one in results[host]]
    assert "ansible.builtin.dnf" in actions
    assert not {"ansible.builtin.command", "ansible.builtin.apt"} & set(actions)
