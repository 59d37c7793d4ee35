"""Prometheus and Alertmanager of the distribution, as commands that listen on loopback, and queries to the first."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path

import ansible.module_utils

ROOT = Path(__file__).resolve().parents[1]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))

from ansible.module_utils.kraft.control.prometheus import SilentError, asking  # noqa: E402 - by the path above

__all__ = ["SilentError", "alertmanager", "asking", "free_address", "prometheus", "tool"]


def tool(name: str) -> str:
    """Return a program of the distribution, or the one that ``scripts/bootstrap`` has unpacked."""
    return shutil.which(name) or str(ROOT / ".cache/tools" / name)


def free_address(wanted: int = 0) -> str:
    """Return an address of loopback with a free port: the `wanted` one, if it is free."""
    with socket.socket() as found:
        try:
            found.bind(("127.0.0.1", wanted))
        except OSError:
            return free_address()
        return f"127.0.0.1:{found.getsockname()[1]}"


def prometheus(files: Path, data: Path, address: str) -> list[str]:
    """Return the command of a Prometheus with ``prometheus.yml`` of the directory `files`."""
    places = [f"--config.file={files / 'prometheus.yml'}", f"--storage.tsdb.path={data}"]
    return [tool("prometheus"), *places, f"--web.listen-address={address}"]


def alertmanager(files: Path, data: Path, address: str) -> list[str]:
    """Return the command of an Alertmanager with ``alertmanager.yml`` of the directory `files`, without a cluster."""
    places = [f"--config.file={files / 'alertmanager.yml'}", f"--storage.path={data}"]
    return [tool("prometheus-alertmanager"), *places, f"--web.listen-address={address}", "--cluster.listen-address="]
