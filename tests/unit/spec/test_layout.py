"""Directories and links of a node, and the ways by which others use it."""

from __future__ import annotations

from ansible.module_utils.kraft.spec.desired.describe import describe_node

from tests.unit.spec.inventory import cluster


def test_kafka_owns_only_what_it_writes_to() -> None:
    made = cluster(
        1, kafka_user="svc", kafka_group="data", kafka_log_dirs=["/srv/a", "/srv/b"], kafka_metadata_log_dir="/srv/b"
    )
    node = describe_node(made, made.nodes[0])
    assert [tuple(one.values()) for one in node["directories"]] == [
        ("/opt/kafka", "root", "root", "0755"),
        ("/opt/kafka/releases", "root", "root", "0755"),
        ("/opt/kafka/.incoming", "root", "root", "0700"),
        ("/opt/kafka/client", "root", "root", "0755"),
        ("/opt/kafka/agents", "root", "root", "0755"),
        ("/opt/kafka/next", "root", "data", "0750"),
        ("/var/log/kafka", "svc", "data", "0750"),
        ("/srv/b", "svc", "data", "0750"),
        ("/srv/a", "svc", "data", "0750"),
    ]
    assert node["links"] == [
        {"path": f"/opt/kafka/{name}", "target": f"current/{name}"} for name in ("bin", "libs", "config")
    ]


def test_a_node_says_how_the_quorum_and_other_brokers_use_it() -> None:
    made = cluster(1, kafka_rack="r1")
    node = describe_node(made, made.nodes[0])
    assert node["voter_listeners"] == [{"name": "CONTROLLER", "host": "10.0.0.1", "port": 9093}]
    assert node["as_broker"] == {"node_id": 1, "rack": "r1"}
