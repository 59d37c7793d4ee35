"""An upgrade that is rehearsed on the metadata of a running cluster predicts what the cluster answers afterwards."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.rehearsal import isolation, metadata_files
from ansible.module_utils.kraft.operations.rehearsal.page import known_settings
from ansible.module_utils.kraft.spec.inventory.releases import release_features
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
)

from tests.integration.client_calls import quorum_of
from tests.integration.departed_nodes import controllers_of, register_departed, register_ghost
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_home import CACHE, ROOT, kafka_home
from tests.integration.patience import until

Module = Callable[..., dict[str, Any]]
BEFORE, AFTER = "4.2.2", "4.3.1"  #: 4.3.1 has neither max.decompressed.message.bytes nor group.share.enable
TOPICS, AT_ONCE = 2000, 250
PROMISED_SECONDS = 180
GHOST_BROKER, GHOST_CONTROLLER = 9, 8
BROKER, TOPIC, SET = 4, 2, 0
STRANGER = "dropped"  #: a topic with a setting that the release dropped


class Before(KafkaCluster):
    version = BEFORE


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[KafkaCluster]:
    made = Before.start(tmp_path / "production")
    yield made
    made.stop()


@pytest.fixture
def client(cluster: KafkaCluster) -> dict[str, Any]:
    return {"bootstrap_servers": [cluster.bootstrap_servers]}


def plant(cluster: KafkaCluster, client: dict[str, Any], leader: int) -> None:
    """Create the topics, two nodes that left, and settings that the next release does not have."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    for first in range(0, TOPICS, AT_ONCE):
        names = [f"topic-{one}" for one in range(first, first + AT_ONCE)]
        for done in admin.create_topics([NewTopic(name, 1, 1) for name in names], request_timeout=60).values():
            done.result(60)
    setting = {"max.decompressed.message.bytes": "1000000"}
    admin.create_topics([NewTopic(STRANGER, 1, 1, config=setting)])[STRANGER].result(60)
    with Client(client) as asking:
        steps = [("group.share.enable", SET, "true")]
        request = asking.request("IncrementalAlterConfigsRequest", resources=[(BROKER, "", steps)], validate_only=False)
        answer = asking.send(f"127.0.0.1:{cluster.nodes[leader].controller_port}", request)
        assert [one["error_code"] for one in answer["responses"]] == [0]
    register_ghost(cluster, client, leader)
    register_departed(cluster, client, GHOST_CONTROLLER, 29)


def rehearse(cluster: KafkaCluster, directory: Path, run_module: Module) -> dict[str, Any]:
    """Copy the log of the first controller, and rehearse the upgrade."""
    directory.mkdir(mode=0o700)
    for name, content in metadata_files.read(str(cluster.nodes[1].directory / "data")).items():
        (directory / name).write_bytes(content)
    kafka_home(AFTER)
    archive = CACHE / f"kafka_2.13-{AFTER}.tgz"
    return run_module(
        "kafka_rehearsal",
        directory=str(directory),
        archive=str(archive),
        checksum=f"sha256:{Path(f'{archive}.sha256').read_text().split()[0]}",
        cluster={
            "cluster_id": cluster.cluster_id,
            "listener": "CONTROLLER",
            "controllers": [
                {**one, "directory_id": cluster.nodes[one["node_id"]].directory_id} for one in controllers_of(cluster)
            ],
            "broker_ids": sorted(cluster.nodes),
            "addresses": [*cluster.bootstrap_servers.split(","), *cluster.controller_bootstrap.split(",")],
        },
        features=release_features("4.3"),
        known_settings=known_settings(AFTER),
    )


def upgrade(cluster: KafkaCluster) -> None:
    """Start all nodes again with the new release; a last controller would wait for the others before it stops."""
    cluster.stop()
    for node in cluster.nodes.values():
        node.version = AFTER
    for node_id in cluster.nodes:
        cluster.launch_node(node_id)
    cluster.wait_ready()


def refusal_of_a_change(cluster: KafkaCluster, topic: str) -> str:
    """Return Kafka's refusal of a change of a topic's setting."""
    entry = ConfigEntry("retention.ms", "86400000", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic, incremental_configs=[entry])
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    try:
        admin.incremental_alter_configs([resource])[resource].result(30)
    except Exception as error:
        return str(error)
    return ""


@pytest.mark.long
def test_a_rehearsal_predicts_each_refusal_of_the_real_run(
    cluster: KafkaCluster,
    client: dict[str, Any],
    run_module: Module,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    plant(cluster, client, quorum_of(run_module, client)["leader_id"])
    before = quorum_of(run_module, client)
    began = time.monotonic()
    found = rehearse(cluster, tmp_path / "copy", run_module)
    took = time.monotonic() - began
    assert not found.get("failed"), found["msg"]
    assert took < PROMISED_SECONDS
    record_property("rehearsal_seconds", {"all": round(took, 1), **found["seconds"]})
    assert found["topics"] == TOPICS + 1
    assert not (tmp_path / "copy/nodes").exists()
    seen = quorum_of(run_module, client)
    assert [seen[key] for key in ("leader_id", "leader_epoch")] == [
        before[key] for key in ("leader_id", "leader_epoch")
    ]
    assert [one["node_id"] for one in found["ghost_brokers"]] == [GHOST_BROKER]
    assert [one["node_id"] for one in found["ghost_controllers"]] == [GHOST_CONTROLLER]
    assert found["unknown_settings"] == [
        {"kind": "broker", "name": "", "settings": ["group.share.enable"]},
        {"kind": "topic", "name": STRANGER, "settings": ["max.decompressed.message.bytes"]},
    ]

    upgrade(cluster)

    def finalise() -> dict[str, Any]:
        controllers = controllers_of(cluster)
        return run_module("kafka_feature", client=client, features=release_features("4.3"), controllers=controllers)

    first, second = found["attempts"]
    refused = finalise()
    assert refused["failed"]
    assert first["refusals"]
    assert all(one in refused["msg"] for one in first["refusals"])
    assert second["without"] == GHOST_BROKER
    assert run_module("kafka_registration", client=client, node_id=GHOST_BROKER)["changed"]
    done = finalise()
    assert not done.get("failed"), done["msg"]
    assert done["steps"] == second["steps"]
    seen = run_module("kafka_cluster_info", client=client, gather=["features"])["snapshot"]["features"]
    assert {one["name"]: one["level"] for one in seen} == found["after"]
    predicted = found["refused_topics"].get(STRANGER, "").partition(": ")[2]
    answer = refusal_of_a_change(cluster, STRANGER)
    assert bool(predicted) == bool(answer), answer
    assert predicted in answer


def test_a_rehearsal_has_no_way_to_what_listens_outside() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"

        def inside() -> dict[str, Any]:
            isolation.loopback()
            isolation.refuse_if_reachable([address])
            return {"interfaces": isolation.interfaces(), "first": os.getpid()}

        assert isolation.isolated(inside, 30) == {"interfaces": ["lo"], "first": 1}
        with pytest.raises(RefusedError, match=address):
            isolation.refuse_if_reachable([address], ["lo"])
    with pytest.raises(RefusedError, match="interface"):
        isolation.refuse_if_reachable([])


def test_a_rehearsal_without_its_network_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine where the new network were that of the machine."""
    monkeypatch.setattr(isolation, "NEW_NETWORK", 0)

    def inside() -> dict[str, Any]:
        isolation.refuse_if_reachable([])
        return {}

    with pytest.raises(RefusedError, match="interface"):
        isolation.isolated(inside, 30)


def test_addresses_and_names_of_the_cluster_exist_inside_alone(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("198.18.0.1 k1.example\n")

    def inside() -> dict[str, Any]:
        isolation.loopback()
        isolation.take_addresses(["10.9.8.7", "198.18.0.1", "fd00::7"], str(hosts))
        with socket.create_server(("198.18.0.1", 9093)):
            return {"answers": isolation.answers("k1.example", 9093)}

    assert isolation.isolated(inside, 30) == {"answers": True}
    assert not isolation.answers("k1.example", 9093)
    assert "k1.example" not in Path("/etc/hosts").read_text()


def test_no_process_outlives_a_rehearsal_that_is_killed(tmp_path: Path) -> None:
    mark = f"{time.time()}"
    work = f"lambda: subprocess.run(['sh', '-c', 'echo $$ > {tmp_path}/begun; sleep 300 # {mark}'])"
    code = f"""
import subprocess, sys
import ansible.module_utils
ansible.module_utils.__path__.append({str(ROOT / "module_utils")!r})
from ansible.module_utils.kraft.operations.rehearsal.isolation import isolated
isolated({work}, 300)
"""
    running = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    assert until((tmp_path / "begun").exists, seconds=120)
    assert alive(mark)
    os.kill(running.pid, signal.SIGKILL)
    running.wait(10)
    assert until(lambda: not alive(mark), seconds=120)


def alive(mark: str) -> bool:
    """Check for a process with `mark` in its command, beside the one that was killed."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            lines.append(path.read_bytes())
    return any(mark.encode() in line and b"isolated" not in line for line in lines)
