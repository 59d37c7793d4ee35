"""The family of an operating system, from the files that distributions have."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.module_utils.kraft.node.machine.os_family import distribution


@pytest.mark.parametrize(
    ("release", "tool", "family", "manager"),
    [
        ('ID=debian\nVERSION_ID="12"\n', "apt-get", "Debian", "apt"),
        ('ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n', "apt-get", "Debian", "apt"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.4"\n', "dnf", "RedHat", "dnf"),
        ('ID="amzn"\nID_LIKE="fedora"\nVERSION_ID="2023"\n', "dnf", "Amazon", "dnf"),
        ("ID=opensuse-leap\nID_LIKE='suse opensuse'\n", "zypper", "Suse", "zypper"),
        ("ID=nixos\n", "nix", "", ""),
        ("", "none", "", ""),
    ],
)
def test_family_and_package_manager_follow_the_distribution(
    tmp_path: Path, release: str, tool: str, family: str, manager: str
) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/os-release").write_text(release)
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin" / tool).touch()
    found = distribution(tmp_path)
    assert (found["family"], found["package_manager"]) == (family, manager)
