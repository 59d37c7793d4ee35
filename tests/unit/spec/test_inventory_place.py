"""Certificates and keys beside hosts.yml are not read as inventories."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(("../pki/nodes.pem", "../pki/nodes/node1.key"), id="the documented place"),
        pytest.param(("pki/nodes.pem", "pki/nodes/node1.key", "pki/users/u.pem"), id="below the inventory"),
        pytest.param(("logs_authority.pem", "old.JKS.jks", "node1.crt"), id="beside hosts.yml"),
    ],
)
def test_nothing_of_them_is_parsed(tmp_path: Path, files: tuple[str, ...]) -> None:
    inventory = tmp_path / "inventories/mine"
    inventory.mkdir(parents=True)
    (inventory / "hosts.yml").write_text("kafka: {hosts: {node1: }}\n")
    for name in files:
        (inventory / name).resolve().parent.mkdir(parents=True, exist_ok=True)
        (inventory / name).write_text("-----BEGIN CERTIFICATE-----\nYQ==\n")
    done = subprocess.run(
        ["ansible-inventory", "-i", str(inventory), "--graph"],
        env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "node1" in done.stdout


def test_pages_name_no_place_below_the_inventory() -> None:
    pages = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("inventories/example/**/*.yml")]
    wrong = [
        page.name
        for page in pages
        for name in ("pki", "logs_authority")
        if f"inventory_dir }}}}/{name}" in page.read_text()
    ]
    assert wrong == []
