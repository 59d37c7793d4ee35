"""A cluster whose hosts have IPv6 addresses alone: deployed, proven, rolled, and secured under its clients."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.long.lab_hosts import ROOT, LabHosts, temporary

#: Secured listeners; the open one for clients stays beside them.
SECURED: dict[str, Any] = {
    "kafka_security": "tls_scram",
    "kafka_tls": {"passphrase": "only-for-this-test"},
    "kafka_listeners": [
        {"name": "LOGIN", "port": 9094, "purpose": "client"},
        {"name": "CLIENT", "port": 9092, "protocol": "PLAINTEXT", "purpose": "client"},
        {"name": "INTERNAL_TLS", "port": 19094, "purpose": "inter_broker"},
        {"name": "CONTROLLER_TLS", "port": 9095, "purpose": "controller"},
    ],
    "kafka_client_user": "verifier",
    "kafka_users": [{"name": "verifier", "password": "only-for-this-test-1"}],
    "kafka_acls": [
        {"principal": "User:ANONYMOUS", "topic": "*", "operations": ["all"]},
        {"principal": "User:ANONYMOUS", "group": "*", "operations": ["all"]},
        {"principal": "User:ANONYMOUS", "cluster": True, "operations": ["all"]},
    ],
}

ASKED = ("-e", json.dumps(SECURED))


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabHosts]:
    yield from temporary("six", ("six1", "six2", "six3"), tmp_path_factory, subnet="fd6b:7266:7431::/120")


def play(lab: LabHosts, inventory: Path, *words: str) -> str:
    """Return the output of a run that must succeed."""
    done = lab.run("-i", str(inventory), *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def inventory(lab: LabHosts) -> Path:
    """The cluster, deployed and proven."""
    own = lab.inventory(lab.name, lab.hosts, kafka_cluster_id="aXB2Ni1hZGRyZXNzZXMtMQ")
    play(lab, own, "site.yml", "-e", "kafka_smoke_records=5000")
    return own


def accounts(lab: LabHosts) -> list[str]:
    """Return the outcome of each probe's records."""
    found = (ROOT / ".kraftwright" / lab.name / "probe").glob("*/audit.json")
    return [json.loads(path.read_text())["outcome"] for path in found]


def test_it_is_proven_and_a_second_run_finds_nothing_to_do(lab: LabHosts, inventory: Path) -> None:
    report = json.loads((ROOT / ".kraftwright" / lab.name / "report.json").read_text())
    assert report["verdict"]["outcome"] == "proven"
    again = play(lab, inventory, "playbooks/deploy_cluster.yml")
    assert [line for line in again.splitlines() if line.startswith("six") and "changed=0" not in line] == []


def test_it_is_rolled_under_a_client_that_loses_nothing(lab: LabHosts, inventory: Path) -> None:
    play(lab, inventory, "playbooks/restart_cluster.yml", "-e", "kafka_probe=true")
    assert accounts(lab) == ["proven"]


def test_it_is_secured_under_a_client_that_loses_nothing(lab: LabHosts, inventory: Path) -> None:
    before = len(accounts(lab))
    play(lab, inventory, "playbooks/migrate_security.yml", *ASKED, "-e", "kafka_probe=true")
    assert set(accounts(lab)) == {"proven"}
    assert len(accounts(lab)) > before


def test_the_old_listeners_are_closed_and_the_state_is_the_wanted_one(lab: LabHosts, inventory: Path) -> None:
    closing = ("-e", "kafka_migration_close=true", "-e", "kafka_probe=true")
    play(lab, inventory, "playbooks/migrate_security.yml", *ASKED, *closing)
    assert set(accounts(lab)) == {"proven"}
    assert "3 of 3 serve" in play(lab, inventory, "playbooks/cluster_status.yml", *ASKED)
