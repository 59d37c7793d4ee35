"""A scenario's hosts for its driver: over ssh, as root, independent of the tested code."""

from __future__ import annotations

import dataclasses
import os
import shlex
import subprocess
import time
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import yaml
from kafka import KafkaAdminClient
from kafka.errors import KafkaError

Some = TypeVar("Some", bound="Hosts")
#: ssh's own exit code, and the maximum time of a lab host's reboot.
NO_CONNECTION, REBOOT_SECONDS = 255, 90.0
#: A clean environment: with PYTHONDONTWRITEBYTECODE=1, a refused run would leave what a fault should settle.
CLEAN = ("env", "--ignore-environment", "PATH=/usr/sbin:/usr/bin:/sbin:/bin")


@dataclasses.dataclass(frozen=True)
class Hosts:
    """`known`: name -> variables of the inventory. `project`: the clone that is tested; `scenario`: molecule's.

    `port`: of the brokers' listener for clients.
    """

    project: Path
    scenario: str
    known: dict[str, dict[str, Any]]
    port: int = 9092

    @classmethod
    def from_inventory(
        cls: type[Some], project: Path, scenario: str, names: Collection[str] = (), port: int = 9092
    ) -> Some:
        """Return the hosts (or the named ones) that role kafka_lab made for `scenario`."""
        inventory = yaml.safe_load((project / f"molecule/{scenario}/inventory/lab.yml").read_text())
        every = dict(inventory["all"]["hosts"])
        return cls(project, scenario, {name: every[name] for name in names or every}, port)

    def without(self, *hosts: str) -> Hosts:
        """Return the other hosts."""
        return dataclasses.replace(self, known={name: it for name, it in self.known.items() if name not in hosts})

    def at(self, port: int) -> Hosts:
        """Return the same, with another listener for clients."""
        return dataclasses.replace(self, port=port)

    def address(self, host: str) -> str:
        return str(self.known[host]["ansible_host"])

    def command(self, host: str, script: str) -> list[str]:
        """Return the ssh command that runs `script` as root on `host`."""
        known = self.known[host]
        options = shlex.split(known["ansible_ssh_common_args"])
        target = f"{known['ansible_user']}@{known['ansible_host']}"
        key = known["ansible_ssh_private_key_file"]
        return ["ssh", "-i", key, *options, target, f"sudo sh -c {shlex.quote(script)}"]

    def run(
        self, host: str, script: str, check: bool = True, given: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run `script` on `host` to its end, with the input `given`. Waits for a host that reboots."""
        command, deadline = self.command(host, script), time.monotonic() + REBOOT_SECONDS
        done = subprocess.run(command, check=False, capture_output=True, text=True, input=given)  # noqa: S603
        while done.returncode == NO_CONNECTION and time.monotonic() < deadline:
            time.sleep(0.5)
            done = subprocess.run(command, check=False, capture_output=True, text=True, input=given)  # noqa: S603
        if check:
            done.check_returncode()
        return done

    def everywhere(self, script: str, check: bool = True, given: str | None = None) -> dict[str, str]:
        """Run `script` on all hosts at the same time; return the output, host by host."""
        with ThreadPoolExecutor(len(self.known)) as pool:
            said = pool.map(lambda host: self.run(host, script, check, given).stdout, self.known)
            return dict(zip(self.known, said))

    def power(self, host: str, on: bool) -> None:
        """Kill a host without a warning, or start it and wait for its sshd."""
        self._podman(*(["start"] if on else ["kill", "--signal=KILL"]), host=host)
        if on:
            self._await(host)

    def pause(self, host: str, on: bool) -> None:
        """Pause all processes of a host, or resume them: it keeps its sockets and does not answer."""
        self._podman("pause" if on else "unpause", host=host)

    def isolate(self, host: str, on: bool) -> None:
        """Cut the network between a host and the others, or restore it; ssh from this machine still works."""
        others = ", ".join(known["ansible_host"] for name, known in self.known.items() if name != host)
        drop = "add table inet cut\n" if on else "delete table inet cut\n"
        for hook, side in (("input", "saddr"), ("output", "daddr")) if on else ():
            drop += f"add chain inet cut {hook} {{ type filter hook {hook} priority 0 ; }}\n"
            drop += f"add rule inet cut {hook} ip {side} {{ {others} }} drop\n"
        command = [*self.inside(host, "--net"), "nft", "-f", "-"]
        subprocess.run(command, input=drop, check=True, capture_output=True, text=True)  # noqa: S603

    def inside(self, host: str, namespaces: str = "--all") -> list[str]:
        """Return words before a command that root runs inside `host`: it needs neither its network nor its sshd."""
        process = self._podman("inspect", "--format={{.State.Pid}}", host=host).strip()
        return [*self._sudo(), "nsenter", namespaces, f"--target={process}", "--", *CLEAN]

    def enter(self, host: str, script: str) -> None:
        """Run `script` there. Raises AssertionError with the output if it fails."""
        command = [*self.inside(host), "sh", "-euc", script]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, check=False, capture_output=True, text=True)  # noqa: S603
        if done.returncode:
            raise AssertionError(f"{host}: exit code {done.returncode}\n{script}\n{done.stdout}{done.stderr}")

    def renew(self, host: str) -> None:
        """Remove a host with its disk, and create an empty one under its name and address."""
        self._podman("rm", "--force", "--volumes", host=host)
        scenario = f"molecule/{self.scenario}/inventory"
        create = ["ansible-playbook", "-i", scenario, "molecule/shared/create.yml"]
        subprocess.run(create, cwd=self.project, check=True, capture_output=True, stdin=subprocess.DEVNULL)  # noqa: S603
        self._await(host)

    @staticmethod
    def _sudo() -> list[str]:
        return [] if os.geteuid() == 0 else ["sudo", "-n", "--preserve-env=CONTAINERS_CONF"]

    def _podman(self, *verb: str, host: str) -> str:
        key = Path(f"{self.known[host]['ansible_ssh_private_key_file']}.pub").read_text()
        lab = key.split()[-1]  # role kafka_lab's comment: the lab's name
        command = [*self._sudo(), "podman", *verb, f"{lab}-{host}"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603

    def _await(self, host: str) -> None:
        deadline = time.monotonic() + 240
        while self.run(host, "systemctl is-active ssh", check=False).returncode:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{host} did not come back within four minutes")
            time.sleep(0.2)

    def trouble(self, nodes: Collection[int] = (1, 2, 3), voters: Collection[int] = (), patience: float = 90.0) -> str:
        """Return why `nodes` are not a whole cluster within `patience` seconds, by an independent client; '' if they
        are.

        ``voters``: by default, all nodes. Patience is for that client, whose time limits are short on a busy machine.
        """
        deadline = time.monotonic() + patience
        while (seen := self._trouble(sorted(nodes), sorted(voters or nodes))) and time.monotonic() < deadline:
            time.sleep(0.5)
        return seen

    def _trouble(self, nodes: list[int], voters: list[int]) -> str:
        """Return the first fault that a broker reports, each queried once; '' without one."""
        for host in self.known:
            try:
                with KafkaAdminClient(bootstrap_servers=f"{self.address(host)}:{self.port}") as admin:
                    brokers = [b["broker_id"] for b in admin.describe_cluster()["brokers"] if not b["is_fenced"]]
                    quorum = admin.describe_metadata_quorum()["topics"][0]["partitions"][0]
            except (KafkaError, OSError) as error:
                return f"{host} does not answer: {error!r}"
            if sorted(brokers) != nodes:
                return f"{host} lists the brokers {brokers}"
            seen = sorted(voter["replica_id"] for voter in quorum["current_voters"])
            if seen != voters or quorum["leader_id"] not in voters:
                return f"{host} knows the voters {seen}, led by {quorum['leader_id']}"
        return ""
