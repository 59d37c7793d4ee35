"""Users, ACLs and quotas as data, on a broker that requires a login."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from confluent_kafka import KafkaException, Producer

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.patience import until
from tests.integration.secured_cluster import AWKWARD, PASSWORD, start_secured
from tests.integration.spark_topic import create

RunModule = Callable[..., dict[str, Any]]
ANOTHER = "another-for-this-test"
LOGIN_LASTS = 4  #: seconds, in place of 15 minutes
BUSY = 20  #: seconds that a busy machine may be late with any of it


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    cluster = start_secured(tmp_path_factory.mktemp("resources"), connections_max_reauth_ms=str(1000 * LOGIN_LASTS))
    yield cluster
    cluster.stop()


def reached(broker: KafkaCluster) -> dict[str, Any]:
    return {"bootstrap_servers": [broker.bootstrap_servers]}


def login(broker: KafkaCluster) -> dict[str, Any]:
    """Return the module's client for trying passwords."""
    return {
        "bootstrap_servers": [f"127.0.0.1:{broker.properties['LOGIN']}"],
        "security_protocol": "SASL_SSL",
        "ca_file": str(broker.directory / "ca.pem"),
    }


def logins(broker: KafkaCluster) -> dict[str, dict[str, Any]]:
    """Return the listeners for users' logins; no listener takes SCRAM-SHA-256."""
    return {"SCRAM-SHA-512": login(broker)}


def logged_in(broker: KafkaCluster, user: str, password: str, told: list[str]) -> Producer:
    """A producer of that name; `told` gets the names of its errors."""
    return Producer(
        {
            "bootstrap.servers": login(broker)["bootstrap_servers"][0],
            "security.protocol": "SASL_SSL",
            "ssl.ca.location": login(broker)["ca_file"],
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": user,
            "sasl.password": password,
            "error_cb": lambda error: told.append(error.name()),
            "message.timeout.ms": 30_000,
        }
    )


#: Ends of a record, and what ends every attempt to send one; a lost connection does not.
DECIDES = {"stored", "_AUTHENTICATION", "TOPIC_AUTHORIZATION_FAILED", "_MSG_TIMED_OUT"}


def written(broker: KafkaCluster, user: str, password: str, topic: str) -> str:
    """Return the error of a producer with that name; empty if its record is acknowledged."""
    told: list[str] = []
    producer = logged_in(broker, user, password, told)
    producer.produce(topic, b"1", on_delivery=lambda error, _: told.append(error.name() if error else "stored"))
    deadline = time.monotonic() + 40
    try:
        while not DECIDES.intersection(told) and time.monotonic() < deadline:
            producer.poll(0.1)
    except KafkaException as error:  # raised if the login fails permanently
        told.append(str(error))
    producer.purge()
    return "" if "stored" in told else next((one for one in told if one in DECIDES), told[0])


def test_a_user_logs_in_with_the_declared_password_and_a_second_run_changes_nothing(
    broker: KafkaCluster, run_module: RunModule
) -> None:
    users = [{"name": "writer", "password": AWKWARD}, {"name": "reader", "password": PASSWORD}]
    asked: dict[str, Any] = {"client": reached(broker), "logins": logins(broker), "users": users}
    predicted = run_module("kafka_user", check_mode=True, **asked)
    made = run_module("kafka_user", **asked)
    assert made["changed"]
    assert made["steps"] == predicted["steps"]
    assert not run_module("kafka_user", **asked)["changed"]
    users[0]["password"] = ANOTHER
    predicted = run_module("kafka_user", check_mode=True, **asked)
    assert predicted["steps"] == ["set user writer (SCRAM-SHA-512)"]
    assert run_module("kafka_user", **asked)["changed"]
    assert not run_module("kafka_user", **asked)["changed"]
    to_be_generated = {**asked, "users": [{"name": "later"}, {"name": "writer"}]}
    assert sorted(run_module("kafka_user", check_mode=True, **to_be_generated)["steps"]) == [
        "add user later (SCRAM-SHA-512)",
        "set user writer (SCRAM-SHA-512)",
    ]
    users[1]["mechanism"] = "SCRAM-SHA-256"
    assert run_module("kafka_user", **asked)["drift"] == ["user reader (SCRAM-SHA-512)"]
    gone = run_module("kafka_user", **{**asked, "users": [users[0], {"name": "reader", "state": "absent"}]})
    assert sorted(gone["steps"]) == ["remove user reader (SCRAM-SHA-256)", "remove user reader (SCRAM-SHA-512)"]


def test_a_password_that_the_node_has_stored_needs_no_login(broker: KafkaCluster, run_module: RunModule) -> None:
    users = [
        {"name": "known", "password": AWKWARD},
        {"name": "short", "password": PASSWORD, "mechanism": "SCRAM-SHA-256"},
    ]
    assert run_module("kafka_user", client=reached(broker), logins=logins(broker), users=users)["changed"]
    node = str(broker.nodes[1].config)
    nowhere = {f"SCRAM-SHA-{bits}": {"bootstrap_servers": ["127.0.0.1:1"]} for bits in (256, 512)}
    asked: dict[str, Any] = {"client": {**reached(broker), "node": node}, "logins": nowhere, "timeout": 1}

    def needs_no_login(wanted: list[dict[str, Any]]) -> bool:
        """A node that is behind for a second would be asked by a login, which fails here and changes nothing."""
        done = until(lambda: run_module("kafka_user", **asked, users=wanted), lambda found: not found.get("failed"))
        return done.get("changed") is False

    assert needs_no_login(users)
    another = [{"name": "known", "password": ANOTHER}]
    assert "127.0.0.1:1" in run_module("kafka_user", **asked, users=another)["msg"]
    changed = run_module("kafka_user", **{**asked, "logins": logins(broker), "timeout": 30}, users=another)
    assert changed["steps"] == ["set user known (SCRAM-SHA-512)"]
    assert needs_no_login(another)


def test_a_user_who_is_removed_is_out_on_an_open_connection_when_its_login_ends(
    broker: KafkaCluster, run_module: RunModule
) -> None:
    create(broker.bootstrap_servers, "left", 1, replicas=1)
    asked: dict[str, Any] = {"client": reached(broker), "logins": logins(broker)}
    run_module("kafka_user", **asked, users=[{"name": "leaver", "password": PASSWORD}])
    told: list[str] = []
    stored: list[float] = []
    producer = logged_in(broker, "leaver", PASSWORD, told)

    def write() -> None:
        producer.produce("left", b"1", on_delivery=lambda error, _: None if error else stored.append(time.monotonic()))
        producer.poll(0.1)

    for _ in range(4):  # a client that is paused when its login ends comes too late, and connects again
        told.clear()
        began = time.monotonic()
        while time.monotonic() < began + 2 * LOGIN_LASTS:  # who stays a user logs in again, and feels nothing
            write()
        if told == [] and stored[-1:] > [began + 2 * LOGIN_LASTS - 2]:
            break
    assert stored[-1] > began + 2 * LOGIN_LASTS - 2
    assert told == []
    run_module("kafka_user", **asked, users=[{"name": "leaver", "state": "absent"}])
    removed = time.monotonic()
    while time.monotonic() < removed + LOGIN_LASTS + BUSY and "_AUTHENTICATION" not in told:
        write()
    assert "_AUTHENTICATION" in told
    ended = max(time.monotonic(), removed + LOGIN_LASTS + 3)  # on each connection
    while time.monotonic() < ended:
        write()
    before = len(stored)
    while time.monotonic() < ended + 2:
        write()
    assert len(stored) == before


def test_a_user_may_do_what_is_declared_and_nothing_else(broker: KafkaCluster, run_module: RunModule) -> None:
    for topic in ("orders", "payroll"):
        create(broker.bootstrap_servers, topic, 1, replicas=1)
    password = PASSWORD
    users = [{"name": "orders-writer", "password": password}]
    run_module("kafka_user", client=reached(broker), logins=logins(broker), users=users)
    write = {"principal": "User:orders-writer", "topic": "orders", "operations": ["write"]}
    nobody = {"principal": "User:nobody", "topic": "payroll", "operations": ["all"]}
    allowed = run_module("kafka_acl", client=reached(broker), acls=[write, nobody])
    assert allowed["steps"] == [
        "add User:orders-writer may write: topic orders",
        "add User:nobody may all: topic payroll",
    ]
    assert written(broker, "orders-writer", password, "orders") == ""
    assert written(broker, "orders-writer", password, "payroll") == "TOPIC_AUTHORIZATION_FAILED"
    assert written(broker, "orders-writer", "guessed", "orders") == "_AUTHENTICATION"
    assert not run_module("kafka_acl", client=reached(broker), acls=[write, nobody])["changed"]
    prefixed = {**write, "topic": "order", "pattern": "prefixed"}
    replaced = run_module("kafka_acl", client=reached(broker), acls=[prefixed, nobody, {**write, "state": "absent"}])
    assert [step.split()[0] for step in replaced["steps"]] == ["add", "remove"]
    assert written(broker, "orders-writer", password, "orders") == ""
    drifted = run_module("kafka_acl", client=reached(broker), acls=[prefixed])
    assert (drifted["changed"], drifted["drift"]) == (False, ["User:nobody may all: topic payroll"])
    gone = run_module(
        "kafka_acl", client=reached(broker), acls=[{"principal": "User:orders-writer", "state": "absent"}]
    )
    assert gone["steps"] == ["remove User:orders-writer may write: topics that begin with order"]


def test_quotas_are_set_changed_shown_and_removed(broker: KafkaCluster, run_module: RunModule) -> None:
    quotas: list[dict[str, Any]] = [
        {"user": "orders-writer", "producer_byte_rate": 10485760, "request_percentage": 50},
        {"user": "*", "client_id": "*", "consumer_byte_rate": 52428800},
        {"ip": "*", "connection_creation_rate": 50},
    ]
    asked: dict[str, Any] = {"client": reached(broker), "quotas": quotas}
    assert len(run_module("kafka_quota", check_mode=True, **asked)["steps"]) == 4
    assert run_module("kafka_quota", **asked)["changed"]
    assert not run_module("kafka_quota", **asked)["changed"]
    quotas[0]["producer_byte_rate"] = 1048576
    changed = run_module("kafka_quota", **asked)
    assert changed["steps"] == ["set user orders-writer: producer_byte_rate (bytes/s): 10485760 -> 1048576"]
    assert changed["diff"]["before"] == "user orders-writer: producer_byte_rate (bytes/s) = 10485760\n"
    drifted = run_module("kafka_quota", **{**asked, "quotas": quotas[:2]})
    assert drifted["drift"] == ["ip (default): connection_creation_rate (connections/s)"]
    gone = run_module("kafka_quota", **{**asked, "quotas": quotas[1:], "prune": True, "prune_most": 2})
    assert len(gone["steps"]) == 2
    refused = run_module("kafka_quota", **{**asked, "quotas": [], "prune": True})
    assert refused["failed"]
    assert "kafka_prune" in refused["problems"][0]
    absent = [{"user": "*", "client_id": "*", "state": "absent"}, {"ip": "*", "state": "absent"}]
    assert len(run_module("kafka_quota", **{**asked, "quotas": absent})["steps"]) == 2


def test_topics_users_acls_and_quotas_are_one_run(broker: KafkaCluster, run_module: RunModule) -> None:
    allowed = {"principal": "User:together", "topic": "together", "operations": ["write"]}
    asked: dict[str, Any] = {
        "client": reached(broker),
        "logins": logins(broker),
        "topics": [{"name": "together", "partitions": 2}],
        "users": [{"name": "together", "password": AWKWARD}],
        "acls": [allowed],
        "quotas": [{"user": "together", "producer_byte_rate": 1048576}],
    }
    steps = [
        "add user together (SCRAM-SHA-512)",
        "add User:together may write: topic together",
        "add user together: producer_byte_rate (bytes/s) = 1048576",
    ]
    predicted = run_module("kafka_resources", check_mode=True, **asked)
    made = run_module("kafka_resources", **asked)
    for result in (predicted, made):
        assert result["changed"]
        assert result["topics"][0]["steps"] == ["create: partitions 2, replicas 1"]
        assert result["steps"] == steps
        assert [diff["after_header"] for diff in result["diff"]] == ["topic together", "users", "ACLs", "quotas"]
    assert written(broker, "together", AWKWARD, "together") == ""
    again = run_module("kafka_resources", **asked)
    assert (again["changed"], again["steps"], again["diff"]) == (False, [], [])
    assert [result["invocation"] for result in (predicted, made, again)] == [{}, {}, {}]


def test_a_kind_that_is_refused_keeps_all_others_as_they_are(broker: KafkaCluster, run_module: RunModule) -> None:
    undeclared = [{"user": f"kept-{number}", "producer_byte_rate": 1048576} for number in range(5)]
    run_module("kafka_quota", client=reached(broker), quotas=undeclared)
    asked: dict[str, Any] = {"client": reached(broker), "users": [{"name": "never", "password": PASSWORD}]}
    topics = [{"name": "never", "partitions": 1, "replication_factor": 3}]
    refused = run_module("kafka_resources", **asked, topics=topics, quotas=[], prune=["quotas"])
    assert refused["failed"]
    assert [problem.split(":")[0] for problem in refused["problems"]] == ["topic never", "kafka_prune"]
    left_out = run_module("kafka_resources", check_mode=True, **asked)
    assert left_out["steps"] == ["add user never (SCRAM-SHA-512)"]
    assert not [each for each in left_out["drift"] if "kept" in each]
    absent = [{"user": each["user"], "state": "absent"} for each in undeclared]
    assert len(run_module("kafka_quota", client=reached(broker), quotas=absent)["steps"]) == len(undeclared)
