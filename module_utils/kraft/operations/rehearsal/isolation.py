"""A process with its own network, mounts and process ids. Its network has only `lo`: nothing leads out of it.

Root is not needed: another user gets these in a user namespace. If the process ends, or its parent is killed, the
kernel kills every process inside.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import time
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import split_host_port
from ansible.module_utils.kraft.errors import KraftError, RefusedError, ToolError, UnreachableError

NEW_MOUNTS, NEW_USER, NEW_PIDS, NEW_NETWORK = 0x20000, 0x10000000, 0x20000000, 0x40000000
BIND, RECURSIVE, PRIVATE = 0x1000, 0x4000, 0x40000
DEATH_SIGNAL = 1  #: of prctl(2)
CONNECT_SECONDS = 1.0
HOSTS = "/etc/hosts"
REMEDY = "run it as root, or allow unprivileged user namespaces on this machine (sysctl user.max_user_namespaces)"
PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
LIBC = ctypes.CDLL(None, use_errno=True)
Answer = Callable[[str, int], bool]


def isolated(work: Callable[[], Mapping[str, Any]], seconds: float) -> dict[str, Any]:
    """Return the result of `work`, run inside. Raises its KraftError, or UnreachableError after `seconds`."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _end_with_parent()
        _report(writing, lambda: _enter(work, writing))
    os.close(writing)
    try:
        return _result(reading, time.monotonic() + seconds, seconds)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _end_with_parent() -> None:
    LIBC.prctl(DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def _enter(work: Callable[[], Mapping[str, Any]], writing: int) -> Mapping[str, Any] | None:
    """Leave the namespaces of the machine, and run `work` in a process that is the first inside."""
    unshare()
    first = os.fork()
    if first == 0:
        _end_with_parent()
        _report(writing, work)
    os.waitpid(first, 0)
    return None  # the first process has written


def unshare() -> None:
    """Enter new namespaces. Raises ToolError if the machine does not permit it."""
    user, group = os.geteuid(), os.getegid()
    flags = NEW_MOUNTS | NEW_PIDS | NEW_NETWORK | (NEW_USER if user else 0)
    if LIBC.unshare(flags):
        raise ToolError(f"this machine permits no own network: {os.strerror(ctypes.get_errno())} -> {REMEDY}")
    if user:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    _mount("none", "/", RECURSIVE | PRIVATE)


def _mount(source: str, target: str, flags: int) -> None:
    if LIBC.mount(source.encode(), target.encode(), None, flags, None):
        raise ToolError(f"mount of {target}: {os.strerror(ctypes.get_errno())}")


def _report(writing: int, work: Callable[[], Mapping[str, Any] | None]) -> None:
    """Write the result or the error of `work`, and end this process."""
    answer: dict[str, Any] | None
    try:
        found = work()
        answer = None if found is None else {"result": found}
    except RefusedError as error:
        answer = {"refused": [str(one) for one in error.problems]}
    except KraftError as error:
        answer = {"failed": str(error)}
    except BaseException:
        answer = {"failed": traceback.format_exc()}
    try:
        if answer is not None:
            with os.fdopen(os.dup(writing), "w", encoding="utf-8") as out:
                json.dump(answer, out)
    finally:
        os._exit(0)


def _result(reading: int, deadline: float, seconds: float) -> dict[str, Any]:
    found = b""
    waiting = select.poll()  # select.select takes no descriptor above 1023
    waiting.register(reading)
    while True:
        if not waiting.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise UnreachableError(f"the rehearsal did not end within {seconds:g} s")
        part = os.read(reading, 1 << 20)
        if not part:
            break
        found += part
    answer = json.loads(found or b'{"failed": "the rehearsal was killed"}')
    if "refused" in answer:
        raise RefusedError(answer["refused"])
    if "failed" in answer:
        raise ToolError(answer["failed"])
    result: dict[str, Any] = answer["result"]
    return result


def interfaces() -> list[str]:
    """Return the names of all network interfaces of this process."""
    return [name for _, name in socket.if_nameindex()]


def answers(host: str, port: int) -> bool:
    """Check that something accepts connections at the address."""
    try:
        socket.create_connection((host, port), CONNECT_SECONDS).close()
    except OSError:
        return False
    return True


def refuse_if_reachable(
    addresses: Iterable[str], names: Collection[str] | None = None, accepts: Answer = answers
) -> None:
    """Raise RefusedError if a production address answers here, or if there is a way out: an interface beside `lo`.

    `names`: of the interfaces.
    """
    ways = sorted(set(interfaces() if names is None else names) - {"lo"})
    problems = [f"this network has the interface {one}" for one in ways]
    reached = [one for one in addresses if accepts(*split_host_port(one))]
    problems += [
        f"{one}, an address of the running cluster, answers in the network of the rehearsal" for one in reached
    ]
    if problems:
        raise RefusedError(
            [f"{one} -> nothing was started; run it on a machine with network namespaces" for one in problems]
        )


def loopback() -> None:
    """Set `lo` up."""
    _ip("link", "set", "lo", "up")


def take_addresses(addresses: Iterable[str], hosts_file: str) -> None:
    """Add `addresses` to `lo`, and let names resolve by `hosts_file` alone."""
    for one in sorted(set(addresses)):
        if not one.startswith("127."):
            _ip("addr", "add", f"{one}/{128 if ':' in one else 32}", "dev", "lo", *(["nodad"] if ":" in one else []))
    _mount(hosts_file, HOSTS, BIND)


def _ip(*words: str) -> None:
    tool = shutil.which("ip", path=PATH)
    if tool is None:
        raise ToolError("ip is missing on this machine -> install iproute2")
    done = subprocess.run(  # noqa: S603 - a list, no shell
        [tool, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=20, check=False
    )
    if done.returncode:
        raise ToolError(f"ip {' '.join(words)}: {done.stdout.decode(errors='replace').strip()}")
