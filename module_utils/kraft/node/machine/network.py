"""Network facts of a host: owners of ports, resolved names, reachability of other hosts."""

from __future__ import annotations

import os
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

LISTENING, ESTABLISHED = "0A", "01"
PROC = Path("/proc")
#: Seconds until a silent host counts as unreachable, and until all questions end.
CONNECT_TIMEOUT = 2.0
DEADLINE = 5.0


def address(text: str) -> str:
    """Parse an address of ``/proc/net/tcp`` (hexadecimal words in the machine's order).

    An IPv4 address in its usual form: Java's sockets are IPv6, and have it as ``::ffff:10.0.0.1``.
    """
    words = [int(text[at : at + 8], 16) for at in range(0, len(text), 8)]
    family = socket.AF_INET6 if len(words) > 1 else socket.AF_INET
    return socket.inet_ntop(family, struct.pack(f"={len(words)}I", *words)).removeprefix("::ffff:")


def listening(ports: Iterable[int], proc: Path = PROC) -> list[dict[str, Any]]:
    """Return sockets that listen on one of `ports`: ``{port, address, inode}``."""
    found = []
    for port, fields in sockets_of(LISTENING, ports, proc):
        found.append({"port": port, "address": address(fields[1].split(":")[0]), "inode": fields[9]})
    return found


def sockets_of(state: str, ports: Iterable[int], proc: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield local port and fields of each matching line of the kernel's tables of sockets."""
    wanted = set(ports)
    for name in ("net/tcp", "net/tcp6"):
        try:
            lines = (proc / name).read_text().splitlines()[1:]
        except OSError:
            continue
        for fields in (line.split() for line in lines):
            port = int(fields[1].split(":")[1], 16)
            if fields[3] == state and port in wanted:
                yield port, fields


def connected(ports: Iterable[int], proc: Path = PROC) -> dict[str, list[str]]:
    """Return local port -> the addresses that are connected to it now."""
    found: dict[str, set[str]] = {}
    for port, fields in sockets_of(ESTABLISHED, ports, proc):
        found.setdefault(str(port), set()).add(address(fields[2].split(":")[0]))
    return {port: sorted(who) for port, who in found.items()}


def owners(inodes: set[str], proc: Path = PROC, first: int = 0) -> dict[str, int]:
    """Return inode of a socket -> pid that holds it; search process `first` first, and stop when all are found."""
    found: dict[str, int] = {}
    pids = sorted((int(name) for name in os.listdir(proc) if name.isdigit()), key=lambda pid: pid != first)
    for pid in pids:
        if len(found) == len(inodes):
            break
        for inode in sockets(proc / str(pid) / "fd"):
            if inode in inodes:
                found.setdefault(inode, pid)
    return found


def sockets(descriptors: Path) -> Iterable[str]:
    """Yield inodes of a process's sockets; none if it is gone or not ours to see."""
    try:
        with os.scandir(descriptors) as entries:
            names = [entry.path for entry in entries]
    except OSError:
        return
    for name in names:
        try:
            match = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(name))
        except OSError:
            continue
        if match:
            yield match.group(1)


def process_name(pid: int, proc: Path = PROC) -> str:
    """Return the name of a process: its command, and for a JVM its main class."""
    try:
        words = (proc / str(pid) / "cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
        name = (proc / str(pid) / "comm").read_text().strip()
    except OSError:
        return ""
    main = next((word for word in words[1:] if re.fullmatch(r"[a-z][\w$]*(\.[\w$]+)+", word)), "")
    return f"{name} {main}" if name == "java" and main else name


def ports_in_use(ports: Iterable[int], first: int = 0, proc: Path = PROC) -> list[dict[str, Any]]:
    """Return ``{port, address, pid, process}`` of each listener on one of `ports`; pid 0 if it cannot be seen."""
    found = listening(ports, proc)
    pids = owners({each["inode"] for each in found}, proc, first) if found else {}
    return [
        {
            "port": each["port"],
            "address": each["address"],
            "pid": pids.get(each["inode"], 0),
            "process": process_name(pids.get(each["inode"], 0), proc),
        }
        for each in found
    ]


def resolve(name: str) -> dict[str, Any]:
    """Resolve a name: ``{addresses, error}``."""
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
        return {"addresses": sorted({str(each[4][0]) for each in found}), "error": ""}
    except OSError as error:
        return {"addresses": [], "error": error.strerror or str(error)}


def bindable(name: str) -> str:
    """Return why no socket can be bound to an address of this name on this host; empty if one can."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(name, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.bind(where)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def reach(target: str) -> str:
    """Return ``open``, ``refused`` (the host answers, nothing listens) or the error for ``host:port``."""
    host, port = target.rsplit(":", 1)
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_TIMEOUT).close()
    except ConnectionRefusedError:
        return "refused"
    except socket.timeout:
        return f"no answer within {CONNECT_TIMEOUT:.0f} s"
    except OSError as error:
        return error.strerror or str(error)
    return "open"


LATE = "no answer in time"
#: Kind of question -> the function that answers it, and the answer after the deadline.
ANSWERERS: dict[str, tuple[Callable[[str], Any], Any]] = {
    "names": (resolve, {"addresses": [], "error": LATE}),
    "binds": (bindable, LATE),
    "reach": (reach, LATE),
}


def ask_all(questions: Mapping[str, Iterable[str]], deadline: float = DEADLINE) -> dict[str, dict[str, Any]]:
    """Return answers by kind and question; all are asked at once, for at most `deadline` seconds."""
    answers: dict[str, dict[str, Any]] = {
        kind: dict.fromkeys(questions[kind], ANSWERERS[kind][1]) for kind in questions
    }

    def put(kind: str, asked: str) -> None:
        answers[kind][asked] = ANSWERERS[kind][0](asked)

    pairs = [(kind, asked) for kind in questions for asked in questions[kind]]
    threads = [threading.Thread(target=put, args=pair, daemon=True) for pair in pairs]
    for thread in threads:
        thread.start()
    end = time.monotonic() + deadline
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return {kind: dict(given) for kind, given in answers.items()}
