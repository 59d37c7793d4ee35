"""Looks at a lab and changes it: podman, ssh-keygen, the lab's files."""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.errors import ToolError, UnreachableError
from ansible.module_utils.kraft.providers.lab import plan as lab

AT_ONCE = 4
STEP_SECONDS = 0.05
SUBNET_TRIES = 8


def run(*command: str) -> str:
    """Return a command's output; raises ToolError with its last lines."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except FileNotFoundError:
        raise ToolError(f"{command[0]} is not installed; scripts/bootstrap lab installs it") from None
    if done.returncode:
        raise ToolError(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def podman(*arguments: str) -> str:
    return run("podman", *arguments)


def containers(name: str) -> list[dict[str, Any]]:
    """Return podman's containers with the lab's label, running or not."""
    listed = json.loads(podman("ps", "--all", "--filter", f"label={lab.LAB}={name}", "--format", "json") or "[]")
    return [c for c in listed or [] if (c.get("Labels") or {}).get(lab.LAB) == name]


def volumes(name: str) -> list[str]:
    """Return the disks of the lab's hosts, by podman's names."""
    return podman("volume", "ls", "--quiet", "--filter", f"label={lab.LAB}={name}").split()


def networks() -> list[dict[str, Any]]:
    return json.loads(podman("network", "ls", "--format", "json") or "[]") or []


def observe(name: str, state_dir: str) -> lab.Current:
    """Return the lab as it is, and the resources of others."""
    known = networks()
    mine = next((n for n in known if n["name"] == name), None)
    hosts = {_label(c, lab.HOST) or c["Names"][0]: _host(c) for c in containers(name)}
    others = [s["subnet"] for n in known if n is not mine for s in n.get("subnets") or [] if ":" not in s["subnet"]]
    return lab.Current(
        subnet=mine["subnets"][0]["subnet"] if mine else "",
        hosts=hosts,
        taken=(*others, *lab.routes(Path("/proc/net/route").read_text())),
        foreign_network=mine is not None and not hosts and not _labelled(mine, name),
        keys=all(os.path.exists(f"{state_dir}/{key}") for key in (*lab.KEYS, *lab.MOUNTS)),
    )


def _labelled(network: dict[str, Any], name: str) -> bool:
    return (network.get("labels") or {}).get(lab.LAB) == name


def _label(listed: dict[str, Any], key: str) -> str:
    return str(listed["Labels"].get(key, ""))


def _host(listed: dict[str, Any]) -> lab.Host:
    return lab.Host(_label(listed, lab.ADDRESS), listed["State"] == "running", listed["Image"])


def make_network(wanted: lab.Desired, found: lab.Current, plan: lab.Plan) -> lab.Plan:
    """Create the network, elsewhere when another lab took the subnet meanwhile. Gives the plan that came true."""
    taken = found.taken
    for _ in range(SUBNET_TRIES):
        try:
            podman(*lab.network_command(wanted, plan.subnet))
        except ToolError as error:
            if wanted.subnet or "subnet" not in str(error):
                raise
            taken = (*taken, plan.subnet)
            plan = lab.plan(wanted, lab.Current(hosts=found.hosts, taken=taken))
        else:
            return plan
    raise ToolError(f"no free subnet for the lab's network; tried {', '.join(taken[-SUBNET_TRIES:])}")


def make_hosts(wanted: lab.Desired, plan: lab.Plan) -> lab.Plan:
    """Create the new hosts, some at the same time, and start those that were stopped. Gives the plan that came true.

    podman keeps an address for a container that vanished, also when container and network are removed. A host that is
    refused its address for that reason gets another one.
    """
    with ThreadPoolExecutor(AT_ONCE) as pool:
        refused = {address for address in pool.map(partial(make_host, wanted, plan), plan.create) if address}
    if plan.start:
        podman("start", *(lab.container(wanted.name, host) for host in plan.start))
    for host in [host for host in plan.create if plan.addresses[host] in refused]:
        plan = make_elsewhere(wanted, plan, host, refused)
    return plan


def make_host(wanted: lab.Desired, plan: lab.Plan, host: str) -> str:
    """Create one host; gives its address if podman holds that for another container, otherwise ''."""
    for disk in lab.disks(wanted, host):
        make_disk(wanted.name, disk)
    try:
        podman(*lab.run_command(wanted, host, plan.addresses[host]))
    except ToolError as error:
        refused = lab.leased(str(error))
        if not refused:
            raise
        podman("rm", "--force", lab.container(wanted.name, host))  # it was made and never ran
        return refused
    return ""


def make_disk(name: str, disk: lab.Disk) -> None:
    """Make an empty filesystem in a sparse file; replaces that of an earlier host with the name."""
    if disk.volume in volumes(name):
        podman("volume", "rm", disk.volume)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(disk.file)
    run("truncate", f"--size={disk.size}", disk.file)
    run("mkfs.ext4", "-q", disk.file)
    podman(*lab.volume_command(name, disk))


def make_elsewhere(wanted: lab.Desired, plan: lab.Plan, host: str, refused: set[str]) -> lab.Plan:
    """Create a host at the first address that podman grants; adds those that it does not to `refused`."""
    while (plan := lab.moved(plan, host, refused)).addresses[host]:
        if not (address := make_host(wanted, plan, host)):
            return plan
        refused.add(address)
    raise ToolError(f"podman grants no address of {plan.subnet} to {host}; choose another kafka_lab_subnet")


def remove(name: str) -> None:
    """Remove hosts with their disks, then the network; only what carries the lab's name."""
    network = own_network(name)
    ids = [c["Id"] for c in containers(name)]
    if ids:
        remove_containers(ids)
    if disks := volumes(name):
        podman("volume", "rm", *disks)
    if network:
        podman("network", "rm", name)


def remove_containers(ids: Sequence[str]) -> None:
    """Remove containers with their disks. podman needs a second attempt for one whose processes vanished."""
    command = ("rm", "--force", "--ignore", "--volumes", "--time", "0", *ids)
    try:
        podman(*command)
    except ToolError:
        podman(*command)


def own_network(name: str) -> bool:
    """Check whether the lab's network exists: it has the lab's name, and the label, or hosts of the lab."""
    return any(n["name"] == name and (_labelled(n, name) or containers(name)) for n in networks())


def make_keys(state_dir: str, name: str) -> None:
    """Make those keys that are missing."""
    for key in lab.KEYS:
        if not os.path.exists(f"{state_dir}/{key}"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", f"{state_dir}/{key}")


def make_directory(path: str, owner: int, mode: int = 0o755) -> None:
    """Make a directory and what is missing above it; all belong to `owner`."""
    if os.path.isdir(path):
        return
    make_directory(os.path.dirname(path), owner)
    os.mkdir(path, mode)
    give(path, owner)


def give(path: str, owner: int) -> None:
    """Hand a path over to the calling user, if root made it."""
    if os.geteuid() == 0:
        os.chown(path, owner, pwd.getpwuid(owner).pw_gid, follow_symlinks=False)


def differing(files: dict[str, str]) -> dict[str, str]:
    """Return those of `files` (path -> content) that are missing or have another content; with the old one."""
    old = {path: Path(path).read_text() if os.path.exists(path) else "" for path in files}
    return {path: old[path] for path in files if old[path] != files[path] or not os.path.exists(path)}


def write(path: str, content: str, owner: int) -> None:
    """Replace a file in one step. Whatever the umask, all may read it: sshd of a host does, as the user there."""
    make_directory(os.path.dirname(path), owner)
    new = f"{path}.new"
    Path(new).write_text(content)
    os.chmod(new, 0o644)
    give(new, owner)
    os.replace(new, path)


def wait_for_ssh(addresses: Sequence[str], timeout: float, clock: Callable[[], float] = time.monotonic) -> None:
    """Wait until sshd answers at every address. Raises UnreachableError that names the silent ones."""
    deadline = clock() + timeout
    silent = list(addresses)
    while silent and clock() < deadline:
        silent = [address for address in silent if not greets(address)]
        if silent:
            time.sleep(STEP_SECONDS)
    if silent:
        raise UnreachableError(
            f"sshd of {', '.join(silent)} did not answer within {timeout:g} s; see `podman logs` of the host"
        )


def greets(address: str) -> bool:
    """Check whether sshd answers at the address."""
    try:
        with socket.create_connection((address, 22), timeout=1) as connection:
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False
