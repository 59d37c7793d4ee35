"""Certificates that the operator brings, on three real hosts: built, proven by Spark, renewed."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.given_pki import Pair, Pki
from tests.long.lab_hosts import LabHosts, temporary

HOSTS = ("brought1", "brought2", "brought3")
PID = ("systemctl", "show", "--value", "--property=MainPID", "kafka")
USER = "prover"
SETTINGS: dict[str, Any] = {
    "kafka_cluster_id": "YnJvdWdodC1sYWItMTIzNA",
    "kafka_security": "tls_scram",
    "kafka_client_user": USER,
    "kafka_smoke_records": 20000,
    "kafka_users": [
        {
            "name": USER,
            "allow": [{"topic": "*", "operations": ["all"]}, {"group": "*", "operations": ["all"]}],
        }
    ],
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabHosts]:
    yield from temporary("brought", HOSTS, tmp_path_factory)


@pytest.fixture(scope="module")
def addresses(lab: LabHosts) -> dict[str, str]:
    known = yaml.safe_load((lab.home / "hosts.yml").read_text())["all"]["hosts"]
    return {host: str(known[host]["ansible_host"]) for host in HOSTS}


@pytest.fixture(scope="module")
def pki(lab: LabHosts) -> Pki:
    return Pki(lab.home / "pki")


def issue(pki: Pki, addresses: dict[str, str]) -> dict[str, Pair]:
    return pki.nodes({host: [host, address] for host, address in addresses.items()})


@pytest.fixture(scope="module")
def inventory(lab: LabHosts, pki: Pki, addresses: dict[str, str]) -> Path:
    """A running cluster that Spark has proven, as the user and by the root that the operator brings."""
    issue(pki, addresses)
    tls = {"authority": "given", "directory": str(pki.directory)}
    passphrase = lab.home / "vault-password"
    passphrase.write_text("only-for-this-test")
    own = lab.inventory(lab.name, HOSTS, kafka_tls=tls, **SETTINGS)
    assert "proven" in play(lab, own, "site")
    return own


def play(lab: LabHosts, inventory: Path, name: str) -> str:
    secret = ("--vault-password-file", str(lab.home / "vault-password"))
    done = lab.run("-i", str(inventory), *secret, f"playbooks/{name}.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def served(pki: Pki, address: str) -> int:
    """Return the serial of the certificate that clients get, by a client that trusts the operator's root alone."""
    context = ssl.create_default_context(cafile=str(pki.directory / "nodes.pem"))
    plain = socket.create_connection((address, 9092), 10)
    with context.wrap_socket(plain, server_hostname=address) as secured:
        return int(str((secured.getpeercert() or {})["serialNumber"]), 16)


def test_a_second_run_changes_nothing(lab: LabHosts, inventory: Path) -> None:
    said = [line for line in play(lab, inventory, "deploy_cluster").splitlines() if line.startswith("brought")]
    assert len([line for line in said if "changed=0" in line]) == len(HOSTS)


def test_replaced_files_are_shown_to_clients_without_a_restart(
    lab: LabHosts, inventory: Path, pki: Pki, addresses: dict[str, str]
) -> None:
    before = [lab.podman(host, *PID) for host in HOSTS]
    made = issue(pki, addresses)
    play(lab, inventory, "rotate_certificates")
    assert {host: served(pki, address) for host, address in addresses.items()} == {
        host: pair.certificate.serial_number for host, pair in made.items()
    }
    assert [lab.podman(host, *PID) for host in HOSTS] == before
