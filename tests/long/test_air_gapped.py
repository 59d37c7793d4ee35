"""A machine that reaches no registry: the bundle is unpacked there, installed, and builds and proves a cluster."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IMAGE = ROOT / "roles/kafka_lab/files/build_image.sh"
BUSY_SECONDS = 3000  #: a busy machine needs several times as long as a quiet one
#: In a separate network: loopback alone, and later the lab's bridge. The lab goes away with it, so all is one run.
STEPS = """
set -e
ip link set lo up
[ -z "$(ip route)" ] || { echo "there is a way out"; exit 9; }
make setup
trap 'make demo-down' EXIT
make demo
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of this checkout, unpacked where nothing else is; the image of a lab host was built before."""
    digest = hashlib.sha256(IMAGE.read_bytes().rstrip()).hexdigest()[:12]
    subprocess.run([str(IMAGE), f"localhost/kraftwright-lab:{digest}-bookworm", "bookworm"], check=True)
    made = subprocess.run(
        [sys.executable, "-m", "dist", "bundle"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    place = tmp_path_factory.mktemp("cut-off")
    subprocess.run(["tar", "-xf", made.stdout.strip(), "-C", str(place)], check=True)
    (folder,) = place.iterdir()
    return folder


@pytest.mark.timeout(BUSY_SECONDS)
def test_a_machine_without_registries_installs_builds_and_proves_a_cluster(unpacked: Path) -> None:
    environment = {
        # Neither a cache of this user nor the packages of this environment are there.
        **{name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "ANSIBLE_"))},
        "HOME": str(unpacked.parent),
        "PATH": os.environ["PATH"].replace(f"{ROOT}/.venv/bin:", ""),
    }
    line = ["unshare", "--net", "--mount", "bash", "-c", STEPS]
    log = unpacked.parent / "cut-off.log"  # shows the progress, also of a run that hangs
    with log.open("w") as out:
        done = subprocess.run(
            line, cwd=unpacked, env=environment, stdout=out, stderr=out, timeout=BUSY_SECONDS - 60, check=False
        )
    said = log.read_text()
    assert done.returncode == 0, said[-9000:]
    assert "installing Python packages into .venv" in said
    assert "Cluster demo: proven." in said
    assert "bootstrap: installing by apt" not in said
