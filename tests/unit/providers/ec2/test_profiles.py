"""The documented sets of listeners for EC2: the rules, addresses and client settings that follow from each file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.problem import WARNING
from ansible.module_utils.kraft.providers.ec2.rules import Sources, derive, security_group_refusals
from ansible.module_utils.kraft.spec.desired.describe import desired_state

from tests.unit.spec.inventories import ROOT, read_inventory, written

NODES = range(1, 4)
HOSTS = {
    f"kafka{n}": {
        "kafka_node_id": n,
        "kafka_ec2_zone": f"eu-central-1{'abc'[n - 1]}",
        "ec2_private_ip_address": f"10.40.0.1{n}",
        "ec2_public_ip_address": f"203.0.113.1{n}",
        "kafka_ec2_public_key": "ssh-ed25519 A",
    }
    for n in NODES
}


def at(network: str, port: int) -> str:
    return ",".join(f"{network}.1{n}:{port}" for n in NODES)


SECURED = """
kafka_security: tls
kafka_tls: {passphrase: only-for-this-test}
kafka_ec2_accept_plaintext_outside: []
"""


def deployed(tmp_path: Path, profile: str, more: str = "") -> tuple[dict[str, Any], dict[str, Any]]:
    """Describe the example's inventory with a profile's file as its listeners and `more`; return that file, too."""
    variables = {path.name: path.read_text() for path in (ROOT / "inventories/ec2/group_vars/kafka").glob("*.yml")}
    text = (ROOT / f"docs/ec2/{profile}.yml").read_text()
    files = {f"group_vars/kafka/{name}": each for name, each in {**variables, "listeners.yml": text}.items()}
    own_id = "kafka_cluster_id: a3JhZnR3cmlnaHQtZGVtbw\n"  # the example's is refused
    files["group_vars/kafka/zz.yml"] = own_id + more
    cluster, found = read_inventory(written(tmp_path, {"hosts.yml": {"kafka": {"hosts": HOSTS}}, **files}))
    assert all(problem.severity == WARNING for problem in found), [str(problem) for problem in found]
    return desired_state(cluster), yaml.safe_load(text)


@pytest.mark.parametrize(
    ("profile", "opened", "clients"),
    [
        (
            "private_and_public",
            ["tcp 9092 from 10.40.0.0/16", "tcp 9094 from 198.51.100.0/24"],
            {"CLIENT": at("10.40.0", 9092), "PUBLIC": at("203.0.113", 9094)},
        ),
        ("public_clients", ["tcp 9092 from 198.51.100.0/24"], {"CLIENT": at("203.0.113", 9092)}),
    ],
)
def test_a_profile_opens_its_clients_ports_and_tells_them_where_to_connect(
    tmp_path: Path, profile: str, opened: list[str], clients: dict[str, str]
) -> None:
    described, given = deployed(tmp_path, profile)
    nodes = list(described["nodes"].values())
    sources = Sources(
        clients=given["kafka_ec2_client_sources"],
        admin=("203.0.113.10/32",),
        inside=("10.40.0.0/16",),
        plaintext_listeners=tuple(given["kafka_ec2_accept_plaintext_outside"]),
    )
    inner = ["tcp 19092 from own group", "tcp 19093 from own group"]
    assert [str(rule) for rule in derive(nodes, sources)] == ["tcp 22 from 203.0.113.10/32", *opened, *inner]
    assert [(each.rule, each.severity) for each in security_group_refusals(nodes, sources)] == [
        ("ec2_plaintext_outside", WARNING)
    ]
    told = {name: settings["bootstrap.servers"] for name, settings in described["cluster"]["clients"].items()}
    assert told == clients


@pytest.mark.parametrize("profile", ["private_and_public", "public_clients"])
def test_nodes_listen_on_private_addresses_alone_and_know_each_other_by_them(tmp_path: Path, profile: str) -> None:
    described, _ = deployed(tmp_path, profile)
    properties = described["nodes"]["kafka2"]["properties"]
    assert all("//10.40.0.12:" in each for each in properties["listeners"].split(","))
    assert "INTERNAL://10.40.0.12:19092" in properties["advertised.listeners"]
    assert "CONTROLLER://10.40.0.12:19093" in properties["advertised.listeners"]
    assert described["cluster"]["controller_bootstrap"] == at("10.40.0", 19093)
    assert properties["broker.rack"] == "eu-central-1b"


@pytest.mark.parametrize("profile", ["private_and_public", "public_clients"])
def test_with_tls_every_listener_of_a_profile_is_encrypted_and_no_consent_is_needed(
    tmp_path: Path, profile: str
) -> None:
    described, given = deployed(tmp_path, profile, SECURED)
    nodes = list(described["nodes"].values())
    assert {each["protocol"] for node in nodes for each in node["listeners"]} == {"SSL"}
    sources = Sources(clients=given["kafka_ec2_client_sources"], admin=("203.0.113.10/32",), inside=("10.40.0.0/16",))
    assert list(security_group_refusals(nodes, sources)) == []
