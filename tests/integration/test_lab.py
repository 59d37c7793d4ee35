"""A lab of two hosts: reached by an ordinary user, completed and started again with its disk, gone without a trace."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.providers.lab import apply as lab_io
from ansible.module_utils.kraft.providers.lab import plan as lab_plan

from tests.integration.patience import until

pytestmark = pytest.mark.later  # each scenario of molecule makes its hosts with this role
ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {
    **os.environ,
    "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
    "ANSIBLE_LOCALHOST_WARNING": "false",
    "CONTAINERS_CONF": str(ROOT / "roles/kafka_lab/files/containers.conf"),
}
BOOTED = "systemctl show --property=UserspaceTimestamp --value"
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
            "kafka_lab_disks": {"two": {"/data": "64M"}},
        }
        nothing = self.home / "nothing.yml"
        nothing.write_text("all: {}\n")
        ansible = [str(ROOT / ".venv/bin/ansible-playbook"), "-i", str(nothing), "-e", json.dumps(variables)]
        done = run(*ansible, *options, str(playbook), check=check)
        return done.stdout + done.stderr

    def ssh(self, host: str, command: str, check: bool = True) -> str:
        known: dict[str, Any] = yaml.safe_load(self.inventory.read_text())["all"]["hosts"][host]
        key, address = known["ansible_ssh_private_key_file"], known["ansible_host"]
        options = ["-i", key, "-o", f"UserKnownHostsFile={self.home}/state/known_hosts", "-o", "BatchMode=yes"]
        options += ["-o", "StrictHostKeyChecking=yes"]
        return run("ssh", *options, f"ops@{address}", command, check=check).stdout.strip()

    def left(self) -> str:
        label = f"label=kraftwright.lab={self.name}"
        hosts = run("podman", "ps", "--all", "--quiet", "--filter", label).stdout
        hosts += run("podman", "volume", "ls", "--quiet", "--filter", label).stdout
        return hosts + run("podman", "network", "ls", "--quiet", "--filter", f"name=^{self.name}$").stdout


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    lab = Lab(tmp_path_factory.mktemp("lab"))
    try:
        predicted = lab.play("main", "--check", "--diff")
        assert lab.left() == ""
        assert "+create host one" in predicted
        before = os.umask(0o077)  # as many an operator has it
        try:
            lab.play("main")
        finally:
            os.umask(before)
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
    lab.ssh("two", "sudo sh -c 'echo kept | tee /opt/disk >/data/disk'; sync")
    before = yaml.safe_load(lab.inventory.read_text())["all"]["hosts"]["two"]
    run("podman", "stop", "--time", "0", f"{lab.name}-two")
    told = lab.play("main", "--diff", hosts=("new", "one", "two"))
    assert "+start host two" in told
    assert "+create host new" in told
    assert lab.ssh("two", "sudo cat /opt/disk /data/disk").split() == ["kept", "kept"]
    assert yaml.safe_load(lab.inventory.read_text())["all"]["hosts"]["two"] == before
    assert lab.ssh("new", "getent hosts one two | wc -l") == "2"


def test_a_play_runs_as_another_user_and_ends_where_a_host_fails(lab: Lab) -> None:
    playbook = lab.home / "steps.yml"
    playbook.write_text(STEPS)
    lab.ssh("one", "sudo rm -f /opt/by_root")
    ansible = [str(ROOT / ".venv/bin/ansible-playbook"), "-v", "-i", str(lab.inventory), str(playbook)]
    done = run(*ansible, check=False)
    told = done.stdout
    assert done.returncode == 2
    assert told.count("kept two") == 2
    assert "never reached" not in told
    assert "ok=4    changed=1    unreachable=0    failed=1" in told
    assert lab.ssh("one", "sudo stat -c '%U %a' /opt/by_root") == "root 600"


def test_a_disk_is_a_small_filesystem_of_its_own_and_outlives_a_reboot(lab: Lab) -> None:
    kind, megabytes = lab.ssh("two", "df --output=fstype,size --block-size=M /data | tail -n 1").split()
    assert (kind, int(megabytes.rstrip("M")) <= 64) == ("ext4", True)
    lab.ssh("two", "sudo sh -c 'echo more >/data/more'; sync")
    began = lab.ssh("two", BOOTED)
    run("podman", "exec", f"{lab.name}-two", "systemctl", "reboot", check=False)
    address = yaml.safe_load(lab.inventory.read_text())["all"]["hosts"]["two"]["ansible_host"]

    def booted() -> str:
        """Its sshd answers before it lets anybody in, and a session ends with the system."""
        return lab.ssh("two", BOOTED, check=False) if lab_io.greets(address) else ""

    assert until(booted, lambda found: found not in ("", began), 240) not in ("", began), "the host does not come back"
    assert lab.ssh("two", "sudo cat /data/more") == "more"


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


def test_a_host_is_made_although_podman_holds_its_address_for_one_that_vanished(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTAINERS_CONF", ENVIRONMENT["CONTAINERS_CONF"])
    hosts = yaml.safe_load(lab.inventory.read_text())["all"]["hosts"]
    known = {host: str(hosts[host]["ansible_host"]) for host in ("one", "two")}
    prefix = known["one"].rpartition(".")[0]
    image = run("podman", "inspect", "--format", "{{.Image}}", f"{lab.name}-one").stdout.strip()
    vanish(lab.home, lab.name, f"{prefix}.20", image)
    wanted = lab_plan.Desired(lab.name, ("late",), image, str(lab.home / "state"))
    asked = lab_plan.Plan(f"{prefix}.0/24", False, ("late",), (), {**known, "late": f"{prefix}.20"})
    made = lab_io.make_hosts(wanted, asked).addresses
    shown = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}"
    assert made["late"] == run("podman", "inspect", "--format", shown, f"{lab.name}-late").stdout.strip()
    assert made["late"] not in {f"{prefix}.20", *known.values()}


def vanish(home: Path, network: str, address: str, image: str) -> None:
    """Run a container and end it behind podman's back, so that its address stays leased.

    It is one of another podman's store: the machine's own would fail in every listing until it is removed.
    """
    store = ["--root", str(home / "root"), "--runroot", str(home / "run"), "--tmpdir", str(home / "tmp")]
    podman = ["podman", *store, "--storage-opt", "additionalimagestore=/var/lib/containers/storage"]
    limits = ["--ulimit", "nofile=20000:20000", "--ulimit", "nproc=4096:4096"]
    where = ["--network", network, "--ip", address]
    run(*podman, "run", "--detach", "--name", "gone", *where, *limits, image, "sleep", "600")
    shown = "{{.State.ConmonPid}} {{.State.Pid}} {{.NetworkSettings.SandboxKey}}"
    *pids, namespace = run(*podman, "inspect", "--format", shown, "gone").stdout.split()
    run("kill", "-KILL", *pids)
    run("umount", namespace)
    Path(namespace).unlink()
    run(*podman, "rm", "--force", "gone", check=False)  # the first attempt only notes that it is dead
    run(*podman, "rm", "--force", "--ignore", "gone")


def test_two_labs_that_choose_a_subnet_at_the_same_moment_get_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTAINERS_CONF", ENVIRONMENT["CONTAINERS_CONF"])
    names = [f"kw-test-{os.getpid()}-{one}" for one in ("a", "b")]
    wanted = [lab_plan.Desired(name, ("one",), "none", "/nowhere") for name in names]
    found = lab_io.observe(names[0], "/nowhere")
    try:
        with ThreadPoolExecutor() as pool:
            plans = list(pool.map(lambda one: lab_io.make_network(one, found, lab_plan.plan(one, found)), wanted))
    finally:
        for name in names:
            run("podman", "network", "rm", "--force", name)
    assert plans[0].subnet != plans[1].subnet
