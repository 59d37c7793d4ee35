"""The family of a machine's operating system, and its package manager. Reads files, starts nothing."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.kraft.node.machine.machine import ROOT, assignments, read

FAMILIES = {
    "debian": "Debian",
    "ubuntu": "Debian",
    "amzn": "Amazon",
    "rhel": "RedHat",
    "centos": "RedHat",
    "fedora": "RedHat",
    "suse": "Suse",
    "alpine": "Alpine",
    "arch": "Arch",
}
PACKAGE_MANAGERS = ("apt-get", "dnf", "yum", "zypper", "apk", "pacman")


def distribution(root: Path = ROOT) -> dict[str, str]:
    """Return ``{family, distribution, version, package_manager}``; ``family`` in Ansible's words, empty if unknown."""
    release = assignments(read(root / "etc/os-release") or read(root / "usr/lib/os-release"))
    names = [release.get("ID", ""), *release.get("ID_LIKE", "").split()]
    manager = next((name for name in PACKAGE_MANAGERS if (root / "usr/bin" / name).exists()), "")
    return {
        "family": next((FAMILIES[name] for name in names if name in FAMILIES), ""),
        "distribution": release.get("ID", ""),
        "version": release.get("VERSION_ID", ""),
        "package_manager": {"apt-get": "apt"}.get(manager, manager),
    }
