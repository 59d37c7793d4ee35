"""Refusals of cluster ids, node ids and directory ids: each with its whole message."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.identity import WELL_KNOWN_CLUSTER_IDS, directory_id

from tests.unit.spec.inventory import CLUSTER_ID, ROOT, found, hosts, problems_of

DRAW = "draw one (`make cluster-id`) and keep it with the inventory"


def test_a_sound_inventory_has_no_problem() -> None:
    assert [str(problem) for problem in problems_of(hosts())] == []


@pytest.mark.parametrize(
    ("rule", "given", "said"),
    [
        (
            "cluster_id",
            {"kafka_cluster_id": "not-a-uuid"},
            f"error kafka_cluster_id: has 10 characters, not the 22 that 16 bytes make in base64url -> {DRAW}",
        ),
        (
            "cluster_id",
            {"kafka_cluster_id": "AAAAAAAAAAAAAAAAAAAAAA"},
            f"error kafka_cluster_id: is an id that Kafka reserves for itself -> {DRAW}",
        ),
        (
            "cluster_id_copied",
            {"kafka_cluster_id": "MkU3OEVBNTcwNTJENDM2Qk"},
            "warning kafka_cluster_id: is the id of an example that many copy: two such clusters can take each other's"
            f" nodes -> {DRAW}",
        ),
        (
            "cluster_id_dash",
            {"kafka_cluster_id": "-" + CLUSTER_ID[1:]},
            "warning kafka_cluster_id: begins with '-', which Kafka's tools take for an option"
            " -> draw another, or write --cluster-id=ID on command lines",
        ),
        (
            "cluster_name",
            {"kafka_cluster_name": "a/b"},
            "error kafka_cluster_name: holds something else than letters, digits, '.', '_' and '-'"
            " -> use only those, a letter or digit first",
        ),
        (
            "directory_id",
            {"per_host": {"k1": {"kafka_directory_id": "short"}}},
            "error k1: kafka_directory_id: has 5 characters, not the 22 that 16 bytes make in base64url"
            " -> give what meta.properties on the disk says, or leave the variable out",
        ),
        (
            "directory_id_unused",
            {"kafka_quorum": "static", "per_host": {"k1": {"kafka_directory_id": CLUSTER_ID}}},
            "warning k1: kafka_directory_id: has no effect on a static quorum -> remove it",
        ),
        (
            "directory_id_unused",
            {"count": 4, "per_host": {"k4": {"kafka_directory_id": CLUSTER_ID, "kafka_process_roles": ["broker"]}}},
            "warning k4: kafka_directory_id: has no effect on a node that is no controller -> remove it",
        ),
        (
            "directory_id_shared",
            {"per_host": {"k1": {"kafka_directory_id": CLUSTER_ID}, "k3": {"kafka_directory_id": CLUSTER_ID}}},
            "error k1, k3: kafka_directory_id: is the directory id of k1, k3"
            " -> give each controller its own, or none at all",
        ),
        (
            "node_id",
            {"per_host": {"k2": {"kafka_node_id": -3}}},
            "error k2: kafka_node_id: is negative -> give a whole number from 0 on, unique in the cluster",
        ),
        (
            "node_id",
            {"per_host": {"k2": {"kafka_node_id": 2**31}}},
            "error k2: kafka_node_id: is above 2147483647 -> give a whole number from 0 on, unique in the cluster",
        ),
        (
            "node_id_shared",
            {"per_host": {"k2": {"kafka_node_id": 1}}},
            "error k1, k2: kafka_node_id: is the id of k1, k2"
            " -> give each host an id of its own, in host_vars or beside the host",
        ),
        (
            "missing",
            {"per_host": {"k2": {"kafka_node_id": None}}},
            "error k2: kafka_node_id: is not set -> set it: id of the node, an integer >= 0, unique in the cluster",
        ),
        (
            "type",
            {"per_host": {"k2": {"kafka_node_id": "two"}}},
            "error k2: kafka_node_id: is text, not a whole number -> give a whole number",
        ),
        (
            "type",
            {"per_host": {"k2": {"kafka_node_id": True}}},
            "error k2: kafka_node_id: is a boolean, not a whole number -> give a whole number",
        ),
    ],
)
def test_identity_is_refused_with_a_reason_and_a_remedy(rule: str, given: dict[str, Any], said: str) -> None:
    assert found(rule, **given) == [said]


def test_node_id_zero_is_a_node_id() -> None:
    assert problems_of(hosts(per_host={"k1": {"kafka_node_id": 0}})) == []


def test_a_node_id_that_cannot_be_read_is_reported_once() -> None:
    made = problems_of(hosts(per_host={"k1": {"kafka_node_id": None}, "k2": {"kafka_node_id": "x"}}))
    assert [(problem.rule, problem.host) for problem in made] == [("missing", "k1"), ("type", "k2")]


def test_a_derived_directory_id_may_not_be_given_to_another_node() -> None:
    given = directory_id(CLUSTER_ID, 2)
    assert len(found("directory_id_shared", per_host={"k1": {"kafka_directory_id": given}})) == 1


@pytest.mark.parametrize("copied", ["MkU3OEVBNTcwNTJENDM2Qk", "ZXhhbXBsZS1jaGFuZ2UtbQ", "ZXhhbXBsZS1lYzItY2hhbg"])
def test_an_examples_cluster_id_is_an_error_in_production(copied: str) -> None:
    made = problems_of(hosts(kafka_cluster_id=copied, kafka_profile="production"))
    assert ("error", "cluster_id_copied") in {(each.severity, each.rule) for each in made}


def test_no_inventory_of_ours_has_an_id_that_passes_by_mistake() -> None:
    for name in ("example", "ec2"):
        given = yaml.safe_load((ROOT / f"inventories/{name}/group_vars/kafka/cluster.yml").read_text())
        assert given["kafka_cluster_id"] in WELL_KNOWN_CLUSTER_IDS


@pytest.mark.parametrize("address", ["192.0.2.11", "198.51.100.7", "203.0.113.10", "2001:db8::1"])
def test_an_address_of_examples_is_no_hosts(address: str) -> None:
    made = problems_of(hosts(per_host={"k2": {"kafka_address": address}}))
    assert [(each.severity, each.variable, each.host) for each in made if each.rule == "address_placeholder"] == [
        ("error", "kafka_address", "k2")
    ]
