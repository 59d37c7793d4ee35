"""The filter of the lessons: how their program reaches the nodes, and where it refuses."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

from spark_jobs.lessons.run import ssh

SOURCE = Path(__file__).resolve().parents[3] / "plugins/filter/kraft_lessons.py"
SPEC = importlib.util.spec_from_file_location("kraft_lessons_filters", SOURCE)
assert SPEC is not None
assert SPEC.loader is not None
FILTERS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(FILTERS)
HOSTS = ("k1", "k2", "k3")
CONNECTION = {
    "ansible_host": "10.0.0.1",
    "ansible_user": "ops",
    "ansible_ssh_private_key_file": "/keys/one",
    "ansible_ssh_common_args": '-o UserKnownHostsFile="/a folder/known"',
}


def listener(purpose: str, port: int, protocol: str = "PLAINTEXT") -> dict[str, Any]:
    return {"purpose": purpose, "protocol": protocol, "advertised": {"host": "10.0.0.1", "port": port}}


def nodes(hosts: tuple[str, ...] = HOSTS, protocol: str = "PLAINTEXT") -> dict[str, Any]:
    both = [listener("client", 9092, protocol), listener("client", 29092), listener("controller", 9093)]
    return {host: {"node_id": number, "listeners": both} for number, host in enumerate(hosts, 1)}


def test_a_node_has_its_first_client_listener_its_controller_and_its_connection() -> None:
    found = FILTERS.kraft_lesson_nodes(nodes(), [CONNECTION] * len(HOSTS))
    assert [one["node_id"] for one in found] == [1, 2, 3]
    assert (found[0]["client"], found[0]["controller"]) == ("10.0.0.1:9092", "10.0.0.1:9093")
    line = ssh(**found[0]["ssh"])
    assert line[-1] == "ops@10.0.0.1"
    assert line[line.index("-i") + 1] == "/keys/one"
    assert "UserKnownHostsFile=/a folder/known" in line


@pytest.mark.parametrize(
    ("given", "message"),
    [(nodes(("k1", "k2")), "three nodes"), (nodes(protocol="SSL"), "without TLS"), ({}, "three nodes")],
    ids=["two nodes", "TLS", "no node"],
)
def test_another_cluster_than_the_plain_demo_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(AnsibleFilterError, match=message):
        FILTERS.kraft_lesson_nodes(given, [CONNECTION] * len(HOSTS))


def test_a_node_without_a_controller_is_refused() -> None:
    only = {host: {"node_id": 1, "listeners": [listener("client", 9092)]} for host in HOSTS}
    with pytest.raises(AnsibleFilterError, match="three nodes"):
        FILTERS.kraft_lesson_nodes(only, [{}] * len(HOSTS))
