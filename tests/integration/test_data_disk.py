"""Data disks by role kafka_host, on an image file in place of a disk: made once, grown while in use.

A mounted filesystem cannot be grown in every sandbox. The role gets the facts of a mount. ext4 can be grown without it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
MOUNT = "/srv/kafka/data1"
MIB = 1024 * 1024
Role = Callable[..., None]


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    image = tmp_path / "disk.img"
    image.touch()
    os.truncate(image, 16 * MIB)
    return image


@pytest.fixture
def prepare(disk: Path, tmp_path: Path) -> Role:
    """Runs the role's own first task for the disk; `mounted`: whether the host has it mounted."""
    task = yaml.safe_load((ROOT / "roles/kafka_host/tasks/disk.yml").read_text())[0]

    def run(mounted: bool) -> None:
        found = {"/srv/kafka/data1/kafka": {"mount": MOUNT if mounted else "/"}}
        given = {
            "ansible_facts": {"kafka_host": {"log_dirs": found}},
            "__kafka_disk": {"device": str(disk), "fstype": "ext4", "mount": MOUNT},
        }
        hosts = {"hosts": "localhost", "connection": "local", "gather_facts": False}
        play = [
            {
                **hosts,
                "vars": {"ansible_python_interpreter": sys.executable},
                "tasks": [{**task, "vars": {**task["vars"], **given}}],
            }
        ]
        (tmp_path / "play.yml").write_text(json.dumps(play))
        environment = {
            **os.environ,
            "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
            "PATH": f"{os.environ['PATH']}:/usr/sbin",
        }
        command = [str(ROOT / ".venv/bin/ansible-playbook"), "-i", "localhost,", str(tmp_path / "play.yml")]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    return run


def told(disk: Path, key: str) -> str:
    """Return a value of ext4's superblock."""
    found = subprocess.run(["/usr/sbin/dumpe2fs", "-h", disk], capture_output=True, text=True, check=True).stdout
    return next(line.partition(":")[2].strip() for line in found.splitlines() if line.startswith(f"{key}:"))


def size(disk: Path) -> int:
    return int(told(disk, "Block count")) * int(told(disk, "Block size")) // MIB


def test_a_disk_is_formatted_once_and_its_filesystem_grows_with_it_where_it_is_in_use(
    disk: Path, prepare: Role
) -> None:
    prepare(mounted=False)
    identity, made = told(disk, "Filesystem UUID"), size(disk)
    os.truncate(disk, 32 * MIB)
    prepare(mounted=False)
    assert size(disk) == made == 16
    prepare(mounted=True)
    assert size(disk) == 32
    assert told(disk, "Filesystem UUID") == identity
