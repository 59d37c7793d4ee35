"""Refusals of cluster ids, node ids and directory ids."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.identity import WELL_KNOWN_CLUSTER_IDS, directory_id

from tests.unit.spec.inventory import CLUSTER_ID, ROOT, Finding, found, hosts, problems_of, sentences
from tests.wording_files import Wording


def test_a_sound_inventory_has_no_problem() -> None:
    assert [str(problem) for problem in problems_of(hosts())] == []


CASES: list[tuple[str, dict[str, Any], Finding]] = [
    (
        "cluster_id",
        {"kafka_cluster_id": "not-a-uuid"},
        ("error", "", "kafka_cluster_id", "not-a-uuid"),
    ),
    (
        "cluster_id",
        {"kafka_cluster_id": "AAAAAAAAAAAAAAAAAAAAAA"},
        ("error", "", "kafka_cluster_id", "AAAAAAAAAAAAAAAAAAAAAA"),
    ),
    (
        "cluster_id_copied",
        {"kafka_cluster_id": "MkU3OEVBNTcwNTJENDM2Qk"},
        ("warning", "", "kafka_cluster_id", "MkU3OEVBNTcwNTJENDM2Qk"),
    ),
    (
        "cluster_id_dash",
        {"kafka_cluster_id": "-" + CLUSTER_ID[1:]},
        ("warning", "", "kafka_cluster_id", "-3JhZnR3cmlnaHQtZGVtbw"),
    ),
    (
        "cluster_name",
        {"kafka_cluster_name": "a/b"},
        ("error", "", "kafka_cluster_name", "a/b"),
    ),
    (
        "directory_id",
        {"per_host": {"k1": {"kafka_directory_id": "short"}}},
        ("error", "k1", "kafka_directory_id", "short"),
    ),
    (
        "directory_id_unused",
        {"kafka_quorum": "static", "per_host": {"k1": {"kafka_directory_id": CLUSTER_ID}}},
        ("warning", "k1", "kafka_directory_id", CLUSTER_ID),
    ),
    (
        "directory_id_unused",
        {"count": 4, "per_host": {"k4": {"kafka_directory_id": CLUSTER_ID, "kafka_process_roles": ["broker"]}}},
        ("warning", "k4", "kafka_directory_id", CLUSTER_ID),
    ),
    (
        "directory_id_shared",
        {"per_host": {"k1": {"kafka_directory_id": CLUSTER_ID}, "k3": {"kafka_directory_id": CLUSTER_ID}}},
        ("error", "k1, k3", "kafka_directory_id", CLUSTER_ID),
    ),
    (
        "node_id",
        {"per_host": {"k2": {"kafka_node_id": -3}}},
        ("error", "k2", "kafka_node_id", -3),
    ),
    (
        "node_id",
        {"per_host": {"k2": {"kafka_node_id": 2**31}}},
        ("error", "k2", "kafka_node_id", 2**31),
    ),
    (
        "node_id_shared",
        {"per_host": {"k2": {"kafka_node_id": 1}}},
        ("error", "k1, k2", "kafka_node_id", 1),
    ),
    (
        "missing",
        {"per_host": {"k2": {"kafka_node_id": None}}},
        ("error", "k2", "kafka_node_id", None),
    ),
    (
        "type",
        {"per_host": {"k2": {"kafka_node_id": "two"}}},
        ("error", "k2", "kafka_node_id", "two"),
    ),
    (
        "type",
        {"per_host": {"k2": {"kafka_node_id": True}}},
        ("error", "k2", "kafka_node_id", True),
    ),
]


@pytest.mark.parametrize(("rule", "given", "finding"), CASES)
def test_identity_is_refused_with_a_reason_and_a_remedy(rule: str, given: dict[str, Any], finding: Finding) -> None:
    assert found(rule, **given) == [finding]


def test_wording(wording: Wording) -> None:
    wording(each for rule, given, _ in CASES for each in sentences(rule, **given))


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
