"""A cluster of hosts with Debian 12 and 13: each gets the Java of its release; deployed, rolled, proven."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.long.lab_hosts import ROOT, LabHosts, name_of

RELEASES = {"mixed2": "trixie", "mixed3": "trixie"}
JAVA = "readlink /proc/$(systemctl show --value --property=MainPID kafka)/exe"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabHosts]:
    lab = LabHosts(tmp_path_factory.mktemp("mixed"), name_of("mixed"), ("mixed1", "mixed2", "mixed3"), RELEASES)
    try:
        lab.play("main")
        yield lab
    finally:
        lab.play("destroy")


@pytest.fixture(scope="module")
def inventory(lab: LabHosts) -> Iterator[Path]:
    """The cluster, deployed and proven. One host of Debian 13 had no Java."""
    assert "trixie" in lab.podman("mixed2", "cat", "/etc/os-release")
    lab.podman("mixed2", "apt-get", "--quiet", "purge", "--yes", "openjdk-21-jre-headless")
    own = lab.inventory(lab.name, lab.hosts, kafka_cluster_id="bWl4ZWQtcmVsZWFzZXMtMQ")
    try:
        done = lab.run("-i", str(own), "site.yml", "-e", "kafka_smoke_records=5000")
        assert done.returncode == 0, done.stdout + done.stderr
        yield own
    finally:
        shutil.rmtree(ROOT / ".kraftwright" / lab.name, ignore_errors=True)


def test_a_cluster_of_both_releases_is_proven_and_each_node_runs_the_java_of_its_release(
    lab: LabHosts, inventory: Path
) -> None:
    report = json.loads((ROOT / ".kraftwright" / lab.name / "report.json").read_text())
    assert report["verdict"]["outcome"] == "proven"
    found = {host: lab.podman(host, "sh", "-c", JAVA) for host in lab.hosts}
    seen = {host: next(java for java in ("java-17", "java-21") if java in text) for host, text in found.items()}
    assert seen == {"mixed1": "java-17", "mixed2": "java-21", "mixed3": "java-21"}
    again = lab.run("-i", str(inventory), "playbooks/deploy_cluster.yml")
    assert [line for line in again.stdout.splitlines() if line.startswith("mixed") and "changed=0" not in line] == []


def test_it_is_rolled_under_a_client_that_loses_nothing(lab: LabHosts, inventory: Path) -> None:
    done = lab.run("-i", str(inventory), "playbooks/restart_cluster.yml", "-e", "kafka_probe=true")
    assert done.returncode == 0, done.stdout + done.stderr
    (account,) = (ROOT / ".kraftwright" / lab.name / "probe").glob("*/audit.json")
    assert json.loads(account.read_text())["outcome"] == "proven"
