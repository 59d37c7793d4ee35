"""Voters come and go, brokers are forgotten, features are raised: on one real quorum of three that each test leaves
whole. The cluster begins with the features of 4.2, so that there is something to raise."""

from __future__ import annotations

import functools
import getpass
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster import messages
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.identity import directory_id_after
from ansible.module_utils.kraft.operations.features.departures import Departures
from ansible.module_utils.kraft.operations.reassignment.admin import ReassignmentAdmin
from ansible.module_utils.kraft.operations.reassignment.throttle import Throttles
from ansible.module_utils.kraft.spec.inventory.releases import release_features
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from tests.integration.client_calls import quorum_of
from tests.integration.departed_nodes import Of42, controllers_of, kafkas_schema, register_departed, register_ghost
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_home import class_path
from tests.integration.kafka_node import KafkaNode, free_ports, random_id
from tests.integration.killed_modules import kills
from tests.integration.patience import until
from tests.unit.problems import named, values

Module = Callable[..., dict[str, Any]]


class Static(KafkaCluster):
    """Voters by configuration, until `dynamic`."""

    dynamic = False

    def server_properties(self, node: KafkaNode) -> dict[str, str]:
        found = super().server_properties(node)
        if not self.dynamic:
            del found["controller.quorum.bootstrap.servers"]
            voters = (f"{one.node_id}@127.0.0.1:{one.controller_port}" for one in self.controllers)
            found["controller.quorum.voters"] = ",".join(voters)
        return found

    def format_command(self, node: KafkaNode, *_: str) -> list[str]:
        return super().format_command(node, "--ignore-formatted")


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    directory = tmp_path_factory.mktemp("members")
    cluster = Of42.start(directory)
    yield cluster
    cluster.stop()


@pytest.fixture
def client(members: KafkaCluster) -> dict[str, Any]:
    return {"bootstrap_servers": [members.bootstrap_servers]}


@pytest.fixture
def voter(members: KafkaCluster, client: dict[str, Any], run_module: Module) -> Module:
    def run(node_id: int, **params: Any) -> dict[str, Any]:
        port = members.nodes[node_id].controller_port
        listeners = [{"name": "CONTROLLER", "host": "127.0.0.1", "port": port}]
        asked = {"listeners": listeners, "timeout": 30, **params}
        return run_module("kafka_quorum_voter", client=client, node_id=node_id, **asked)

    return run


@pytest.fixture
def voters(client: dict[str, Any], run_module: Module) -> Callable[[], dict[int, str]]:
    def list_registered() -> dict[int, str]:
        found = quorum_of(run_module, client)["voters"]
        return {one["node_id"]: one["directory_id"] for one in found}

    return list_registered


def data(members: KafkaCluster, node_id: int) -> Path:
    return members.nodes[node_id].directory / "data"


def formatted(
    members: KafkaCluster,
    node_id: int,
    run_module: Module,
    listed: dict[int, str],
    directory_id: str,
) -> dict[str, Any]:
    """kafka_storage on an empty disk of a node of a running cluster."""
    release = members.directory / "kafka/releases/4.4.0"
    release.mkdir(parents=True, exist_ok=True)
    (release / "classpath.options").write_text("\n".join(class_path()) + "\n")
    data(members, node_id).mkdir(exist_ok=True)
    return run_module(
        "kafka_storage",
        install_dir=str(members.directory / "kafka"),
        version="4.4.0",
        config=str(members.nodes[node_id].config),
        java=shutil.which("java"),
        user=getpass.getuser(),
        cluster_id=members.cluster_id,
        node_id=node_id,
        directory_id=directory_id,
        roles=members.nodes[node_id].roles,
        log_dirs=[str(data(members, node_id))],
        initial_controllers=members.initial_controllers,
        peers=[{"host": f"k{one}", "node_id": one, "known": True, "lived": ["data"]} for one in members.nodes],
        rejoins=True,
        listed_directory_id=listed.get(node_id, ""),
    )


def follower(client: dict[str, Any], run_module: Module) -> int:
    """A voter that does not lead."""
    quorum = quorum_of(run_module, client)
    return max(int(one["node_id"]) for one in quorum["voters"] if one["node_id"] != quorum["leader_id"])


def test_a_voter_goes_and_comes_back_and_a_second_run_changes_nothing(
    client: dict[str, Any], run_module: Module, voter: Module, voters: Callable[[], dict[int, str]]
) -> None:
    node_id, whole = follower(client, run_module), voters()
    asked = voter(node_id, state="absent", check_mode=True)
    assert asked["changed"]
    assert asked["steps"] == [f"remove controller {node_id}, directory id {whole[node_id]}"]
    assert voters() == whole
    gone = voter(node_id, state="absent")
    assert gone["diff"] == asked["diff"]
    assert set(voters()) == set(whole) - {node_id}
    assert not voter(node_id, state="absent")["changed"]
    assert voter(node_id)["changed"]
    assert voters() == whole
    assert not voter(node_id)["changed"]


def test_the_leader_itself_can_be_taken_out(
    client: dict[str, Any], run_module: Module, voter: Module, voters: Callable[[], dict[int, str]]
) -> None:
    leader, whole = quorum_of(run_module, client)["leader_id"], voters()
    assert voter(leader, state="absent")["changed"]
    assert set(voters()) == set(whole) - {leader}
    assert voter(leader)["changed"]
    assert voters() == whole


def replacement_gate(
    members: KafkaCluster, node_id: int, run_module: Module, client: dict[str, Any], directory_id: str, **params: Any
) -> dict[str, Any]:
    """Check whether the node may come back with an empty disk, on a machine where it does not run."""
    path = str(data(members, node_id))
    return run_module(
        "kafka_safety_check",
        kind="replacement",
        client=client,
        node_ids=[node_id],
        roles=["broker", "controller"],
        directory_id=directory_id,
        log_dirs=[{"path": path, "state": "empty"}],
        metadata_log_dir=path,
        **params,
    )


def test_a_wiped_voter_is_replaced_only_when_asked_and_its_old_entry_goes_first(
    members: KafkaCluster,
    client: dict[str, Any],
    run_module: Module,
    voter: Module,
    voters: Callable[[], dict[int, str]],
) -> None:
    node_id, before = follower(client, run_module), voters()
    directory = directory_id_after(before[node_id])
    ask = functools.partial(replacement_gate, members, node_id, run_module, client)
    alive = ask(directory, timeout=1)["msg"]
    assert {"controller", "broker", str(node_id), before[node_id]} <= values(alive)
    members.kill_node(node_id)
    shutil.rmtree(members.nodes[node_id].directory / "data")
    assert ask(directory)["listed_directory_id"] == before[node_id]
    assert {"kafka_directory_id", before[node_id], directory} <= values(ask(before[node_id])["msg"])
    as_before = formatted(members, node_id, run_module, before, before[node_id])
    assert {"kafka_directory_id", directory} <= values(as_before["msg"])
    assert formatted(members, node_id, run_module, before, directory)["actions"] == {
        str(data(members, node_id)): "format"
    }
    assert members.nodes[node_id].formatted_directory_id() == directory
    assert not formatted(members, node_id, run_module, before, directory)["changed"]
    register_departed(members, client, node_id, 29)  # as if the lost controller had been of an older release
    held = run_module("kafka_feature", client=client, features={"metadata.version": 30}, check_mode=True)
    assert f"Controller {node_id} only supports" in held["msg"]
    members.start_node(node_id)
    refused = voter(node_id, directory_id=directory)
    assert refused["failed"]
    assert {before[node_id], directory} <= values(refused["msg"])
    assert voters() == before
    asked = voter(node_id, replace=True, check_mode=True)
    assert asked["steps"][0] == f"remove controller {node_id}, directory id {before[node_id]}"
    assert asked["steps"][1].startswith(f"add controller {node_id}, directory id {directory}")
    assert kills(lambda: voter(node_id, replace=True), members.directory / "log") == 1  # between the two steps
    assert voters() == {**before, node_id: directory}
    assert not voter(node_id, replace=True)["changed"]
    # Its registration is the new process's: nothing is left of the lost one that could hold a feature back.
    assert not run_module("kafka_feature", client=client, features={"metadata.version": 30}, check_mode=True).get("msg")
    with Client(client) as asking:
        addresses = {one["node_id"]: one["address"] for one in controllers_of(members)}
        departures = Departures(asking, addresses)
        known = {one.node_id: f"{one.host}:{one.port}" for one in departures.registered(observe(asking))}
        assert (known, departures.find_departed(observe(asking))) == (addresses, ())


def test_no_voter_goes_while_the_rest_is_no_majority(
    members: KafkaCluster,
    client: dict[str, Any],
    run_module: Module,
    voter: Module,
    voters: Callable[[], dict[int, str]],
) -> None:
    away = follower(client, run_module)
    other = next(one for one in voters() if one != away)
    members.stop_node(away)
    time.sleep(2.5)  # longer than a voter may be behind and count as caught up
    refused = until(  # on a busy machine the third one may be late, too
        lambda: voter(other, state="absent", timeout=2), lambda found: named([found["msg"]])[0][-2:] == ["1", "2"]
    )
    assert refused["failed"]
    assert f"controller {away} is " in refused["msg"]
    assert named([refused["msg"]])[0][-2:] == ["1", "2"]
    assert len(voters()) == 3
    members.start_node(away)


def test_a_broker_is_forgotten_only_when_it_is_stopped_and_empty(
    members: KafkaCluster, client: dict[str, Any], run_module: Module
) -> None:
    node_id = follower(client, run_module)
    ids = sorted(members.nodes)

    def forget(**params: Any) -> dict[str, Any]:
        return run_module("kafka_registration", client=client, node_id=node_id, **params)

    run_module("kafka_topic", client=client, name="kept", partitions=7, replication_factor=3)
    assert {str(node_id), "serves"} <= values(forget(timeout=1)["msg"])
    members.stop_node(node_id)
    refused = forget()
    assert refused["failed"]
    assert {"7", *(f"kept-{one}" for one in range(5)), "2"} <= values(refused["msg"])
    run_module("kafka_topic", client=client, name="kept", state="absent", delete_topics=["kept"])
    asked = forget(check_mode=True)
    assert asked["diff"]["before"] == "1\n2\n3\n"
    done = forget()
    assert done["changed"]
    assert done["registered"] == [one for one in ids if one != node_id]
    assert not forget()["changed"]
    members.start_node(node_id)  # it registers itself again


def join(members: KafkaCluster, node_id: int, run_module: Module) -> None:
    """One more broker, formatted and started."""
    place, ports = members.directory / f"node{node_id}", free_ports(3)
    node = KafkaNode(node_id, place, ports[0], ports[1], ports[2], random_id(), ("broker",))
    node.write_files(members.server_properties(node))
    members.nodes[node_id] = node
    made = formatted(members, node_id, run_module, {}, "")
    assert made.get("changed"), made["msg"]
    members.start_node(node_id)


def fill(members: KafkaCluster, topic: str, partitions: int, kilobytes: int) -> None:
    producer = Producer({"bootstrap.servers": members.bootstrap_servers, "acks": "all"})
    for partition in range(partitions):
        for _ in range(kilobytes):
            producer.produce(topic, value=os.urandom(1000), partition=partition)
    assert producer.flush(60) == 0


def ends(members: KafkaCluster, topic: str, partition: int) -> int:
    """The number of records that the partition has, being written once without transactions."""
    consumer = Consumer({"bootstrap.servers": members.bootstrap_servers, "group.id": "ends"})
    first, end = consumer.get_watermark_offsets(TopicPartition(topic, partition), 60)
    consumer.close()
    return int(end) - int(first)


def soon(read: Callable[[], Any], wanted: Any) -> bool:
    """Wait some seconds for this state: brokers hear of the last step one after the other."""
    return bool(until(read, lambda found: found == wanted) == wanted)


def test_a_broker_gets_its_share_although_runs_end_half_way_and_is_emptied_again(
    members: KafkaCluster, client: dict[str, Any], run_module: Module
) -> None:
    def reassign(**params: Any) -> dict[str, Any]:
        found = run_module("kafka_reassignment", client=client, timeout=60, **params)
        assert not found.get("failed"), found["msg"]
        return found

    def seen() -> tuple[dict[int, int], Throttles]:
        """Return the number of replicas on each broker, and the throttles."""
        with Client(client) as asking:
            snapshot = observe(asking, ("topics",))
            held = Counter(node for one in snapshot.topics or () for part in one.partitions for node in part.replicas)
            return dict(held), ReassignmentAdmin(asking).throttles(snapshot)

    run_module("kafka_topic", client=client, name="moved", partitions=8, replication_factor=3)
    fill(members, "moved", 8, 2000)
    reassign()
    join(members, 4, run_module)
    asked = reassign(state="spread", broker_ids=[4], throttle=200_000, check_mode=True)
    assert (asked["replicas"], asked["partitions"], asked["finished"]) == (6, 6, False)
    assert asked["steps"][0].startswith("move 6 replicas of 6 partitions, 12.")
    assert soon(seen, ({1: 8, 2: 8, 3: 8}, Throttles()))

    begun = reassign(state="spread", broker_ids=[4], throttle=200_000, together=2, pause=1)
    assert not begun["finished"]
    assert 0 < begun["left"]["bytes"] < 13_000_000
    left = seen()[1]
    assert {broker: set(values.values()) for broker, values in left.rates.items()} == {
        one: {"200417"} for one in (1, 2, 3, 4)
    }
    assert left.marked == {"moved"}

    done = reassign(state="spread", broker_ids=[4])
    assert done["finished"]
    assert done["under_way"] > 0
    assert "wait for" in done["steps"][0]
    assert soon(seen, ({1: 6, 2: 6, 3: 6, 4: 6}, Throttles()))
    assert not reassign(state="spread", broker_ids=[4])["changed"]
    balanced = reassign()
    assert balanced["replicas"] == 0
    assert not reassign()["changed"]

    refused = run_module("kafka_reassignment", client=client, state="drained", broker_ids=[3, 4])
    (numbers,) = named([refused["msg"]])
    assert any(numbers[at:][:6] == ["3", "3", "4", "2", "1", "2"] for at in range(len(numbers)))
    assert "moved" in values(refused["msg"])
    begun = reassign(state="drained", broker_ids=[4], throttle=1000, pause=1)
    assert not begun["finished"]
    assert reassign(state="cancelled")["steps"][0] == "cancel the moves of 6 partitions"
    assert soon(seen, ({1: 6, 2: 6, 3: 6, 4: 6}, Throttles()))
    assert reassign(state="drained", broker_ids=[4])["replicas"] == 6
    assert soon(seen, ({1: 8, 2: 8, 3: 8}, Throttles()))
    assert not reassign(state="drained", broker_ids=[4])["changed"]

    members.stop_node(4)
    assert run_module("kafka_registration", client=client, node_id=4)["changed"]
    del members.nodes[4]
    run_module("kafka_topic", client=client, name="moved", state="absent", delete_topics=["moved"])


def test_records_that_only_a_dead_broker_has_are_given_up_by_name_and_their_partition_starts_empty(
    members: KafkaCluster, client: dict[str, Any], run_module: Module
) -> None:
    def drain(**params: Any) -> dict[str, Any]:
        return run_module("kafka_reassignment", client=client, state="drained", broker_ids=[5], timeout=60, **params)

    def holders(topic: str) -> list[tuple[int, tuple[int, ...]]]:
        """Leader and replicas of each partition."""
        with Client(client) as asking:
            found = observe(asking, ("topics",)).topics or ()
            return [(part.leader, part.replicas) for one in found if one.name == topic for part in one.partitions]

    join(members, 5, run_module)
    new = [
        NewTopic("alone", 2, replica_assignment=[[5], [5]]),
        NewTopic("late", 1, replica_assignment=[[5, 1]], config={"min.insync.replicas": "1"}),
    ]
    admin = AdminClient({"bootstrap.servers": members.bootstrap_servers})
    for made in admin.create_topics(new).values():
        made.result()
    for topic, partitions in (("alone", 2), ("late", 1)):
        fill(members, topic, partitions, 10)
    members.stop_node(1)
    fill(members, "late", 1, 5)
    members.stop_node(5)
    members.start_node(1)
    assert soon(lambda: [leader for leader, _ in (*holders("alone"), *holders("late"))], [-1, -1, -1])

    refused = drain()
    assert refused["failed"]
    assert {"replace_node.yml", "alone-0", "alone-1", "late-0", "5"} <= values(refused["msg"])
    assert "only_replica" in refused["msg"]

    done = drain(accepted_risks=["only_replica"])
    assert not done.get("failed"), done["msg"]
    assert done["finished"]
    assert all(leader in replicas and 5 not in replicas for leader, replicas in (*holders("alone"), *holders("late")))
    assert [ends(members, "alone", 0), ends(members, "alone", 1), ends(members, "late", 0)] == [0, 0, 10]
    fill(members, "alone", 2, 3)
    assert not drain()["changed"]

    assert run_module("kafka_registration", client=client, node_id=5, emptied=True)["changed"]
    del members.nodes[5]
    run_module("kafka_topic", client=client, name="alone", state="absent", delete_topics=["alone"])
    run_module("kafka_topic", client=client, name="late", state="absent", delete_topics=["late"])


def fields(schema: dict[str, Any], common: dict[str, Any] | None = None) -> list[Any]:
    """Return a message's layout on the wire: names, types and versions, in their order; `common`: structs by name."""
    named = common or {one["name"]: one for one in schema.get("commonStructs", [])}
    own = schema.get("fields", [])
    made_of = (one if "fields" in one else named.get(one["type"].removeprefix("[]"), {}) for one in own)
    return [
        (one["name"], one["type"], one["versions"], one.get("nullableVersions"), fields(parts, named))
        for one, parts in zip(own, made_of)
    ]


@pytest.mark.parametrize("name", sorted(messages.kinds()))
def test_our_messages_are_kafkas(name: str) -> None:
    ours, theirs = messages.kinds()[name].json, kafkas_schema(name)
    assert fields(ours) == fields(theirs)
    assert {key: ours[key] for key in ("apiKey", "type", "validVersions", "flexibleVersions")} == {
        key: theirs[key] for key in ("apiKey", "type", "validVersions", "flexibleVersions")
    }


def test_features_are_raised_once_no_registered_broker_holds_them_back(
    members: KafkaCluster, client: dict[str, Any], run_module: Module
) -> None:
    wanted = release_features("4.3")

    def feature(**params: Any) -> dict[str, Any]:
        return run_module("kafka_feature", client=client, **{"features": wanted, **params})

    asked = feature(check_mode=True)
    assert asked["steps"] == ["raise metadata.version 29 -> 30"]
    register_ghost(members, client, quorum_of(run_module, client)["leader_id"])
    for check_mode in (True, False):
        refused = feature(check_mode=check_mode)
        assert refused["failed"]
        assert "Broker 9 only supports versions 7-29" in refused["msg"]
        assert {"9", "fenced"} <= values(refused["msg"])
    assert run_module("kafka_registration", client=client, node_id=9)["changed"]
    done = feature()
    assert done["diff"] == asked["diff"]
    assert not feature()["changed"]
    assert {"metadata.version", "30", "29"} <= values(feature(features={"metadata.version": 29})["msg"])
    lossy = feature(features={"metadata.version": 29}, allow_downgrade=True)
    assert "Kafka refuses metadata.version 29" in lossy["msg"]


def test_a_controller_that_left_holds_no_feature_back_and_its_registration_goes(
    members: KafkaCluster, client: dict[str, Any], run_module: Module
) -> None:
    def feature(**params: Any) -> dict[str, Any]:
        return run_module("kafka_feature", client=client, features=release_features("4.4"), **params)

    def forget(node_id: int, **params: Any) -> dict[str, Any]:
        asked = {"controllers": controllers_of(members), "node_id": node_id, "timeout": 20, **params}
        return run_module("kafka_registration", client=client, role="controller", **asked)

    def left() -> list[int]:
        with Client(client) as asking:
            addresses = {one["node_id"]: one["address"] for one in controllers_of(members)}
            return [one.node_id for one in Departures(asking, addresses).find_departed(observe(asking))]

    register_departed(members, client, 8, 29)
    assert soon(left, [8])
    kept = forget(8)
    assert not kept["changed"]
    assert 8 in kept["registered"]
    refused = feature()
    assert refused["failed"]
    assert "Controller 8 only supports versions 7-29" in refused["msg"]
    asked = feature(controllers=controllers_of(members), check_mode=True)
    assert [asked["steps"][at].split("controller")[0] for at in (0, -1)] == [
        "renew the registration of ",
        "remove the registration of ",
    ]
    done = feature(controllers=controllers_of(members))
    assert done["steps"] == asked["steps"]
    assert soon(left, [])
    assert not feature(controllers=controllers_of(members))["changed"]
    register_departed(members, client, 9, 33)  # what a run that was killed now leaves
    assert feature(controllers=controllers_of(members), check_mode=True)["steps"] == [
        asked["steps"][-1].replace("8", "9")
    ]
    predicted = forget(9, check_mode=True)
    assert predicted["changed"]
    assert forget(9) == predicted
    assert 9 not in predicted["registered"]
    assert not forget(9)["changed"]
    node_id = follower(client, run_module)
    voting = forget(node_id, timeout=1)
    assert voting["failed"]
    assert f"controller {node_id} is a voter" in voting["msg"]


def test_a_static_quorum_becomes_dynamic_only_by_name_and_runs_on_without_its_list(
    tmp_path: Path, run_module: Module
) -> None:
    cluster = Static.start(tmp_path, nodes=1)
    assert isinstance(cluster, Static)
    try:
        client = {"bootstrap_servers": [cluster.bootstrap_servers]}
        assert not run_module("kafka_feature", client=client, features=release_features("4.4"))["changed"]
        assert (
            "The quorum is static" in run_module("kafka_quorum_voter", client=client, node_id=1, state="absent")["msg"]
        )
        done = run_module("kafka_feature", client=client, features={"kraft.version": 1})
        assert done["steps"] == ["raise kraft.version 0 -> 1"]
        node = cluster.nodes[1]
        known = {1: node.formatted_directory_id()}
        assert quorum_of(run_module, client)["voters"][0]["directory_id"] == known[1]
        cluster.dynamic = True
        node.write_files(cluster.server_properties(node))
        cluster.stop_node(1)
        cluster.start_node(1)
        assert not run_module("kafka_feature", client=client, features={"kraft.version": 1})["changed"]
        found = quorum_of(run_module, client)
        assert {one["node_id"]: one["directory_id"] for one in found["voters"]} == known
        assert "is the last voter" in run_module("kafka_quorum_voter", client=client, node_id=1, state="absent")["msg"]
    finally:
        cluster.stop()
