"""The playbook rehearses an upgrade of a node of 4.3.1 to 4.4.0: it changes nothing on the host, and leaves no copy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.kafka_home import CACHE, kafka_home
from tests.long.lab_hosts import ROOT, LabHosts, temporary

HOST, BEFORE = "rehearsed1", "4.3.1"
#: Everything that a run could leave on the host, beside Kafka's own log and the AppCDS archive of the deployment.
STATE = (
    "find /opt/kafka /etc /tmp /root -xdev -newer /run/before -type f"
    " -not -path '*/kraft-logs/*' -not -name '*classes*.jsa*'"
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabHosts]:
    yield from temporary("rehearsed", (HOST,), tmp_path_factory)


@pytest.fixture(scope="module")
def inventory(lab: LabHosts) -> Path:
    """One node with the release before."""
    own = lab.inventory(lab.name, lab.hosts, kafka_cluster_id="cmVoZWFyc2FsLW9mLW9uZQ")
    kafka_home(BEFORE)
    archive = CACHE / f"kafka_2.13-{BEFORE}.tgz"
    checksum = Path(f"{archive}.sha256").read_text().split()[0]
    words = [f"kafka_version={BEFORE}", f"kafka_archive={archive}", f"kafka_archive_checksum=sha256:{checksum}"]
    done = lab.run("-i", str(own), "playbooks/deploy_cluster.yml", *(each for word in words for each in ("-e", word)))
    assert done.returncode == 0, done.stdout + done.stderr
    return own


def test_the_page_is_printed_and_nothing_is_left(lab: LabHosts, inventory: Path) -> None:
    lab.podman(HOST, "touch", "/run/before")
    copy = ROOT / ".kraftwright" / lab.name / "rehearsal"
    check = lab.run("-i", str(inventory), "playbooks/rehearse_upgrade.yml", "--check")
    assert check.returncode == 0, check.stdout + check.stderr
    assert "Nothing was copied or rehearsed" in check.stdout
    done = lab.run("-i", str(inventory), "playbooks/rehearse_upgrade.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "metadata.version: 30 -> 33" in done.stdout
    assert "Finalisation: succeeds" in done.stdout
    assert "changed=0" in done.stdout.partition("PLAY RECAP")[2]
    assert not copy.exists()
    assert lab.podman(HOST, "sh", "-c", STATE) == ""
