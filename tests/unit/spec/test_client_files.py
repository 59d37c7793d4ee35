"""The files that a run leaves for clients."""

from __future__ import annotations

import json

from ansible.module_utils.kraft.spec.desired.client_files import certified, client_files, user_files

KINDS = {"properties", "producer.properties", "kcat.conf", "librdkafka.json", "kafka_python.json", "spark.json"}
INSIDE = {"bootstrap.servers": "10.0.0.1:9092", "security.protocol": "SASL_SSL"}
OUTSIDE = {"bootstrap.servers": "k1.example.com:9094", "security.protocol": "SSL"}
OPTIONS = {
    "kafka.security.protocol": "SASL_SSL",
    "kafka.ssl.truststore.location": "/ca.pem",
    "kafka.sasl.mechanism": "PLAIN",
    "kafka.sasl.jaas.config": 'x required username="n4me" password="s3cret";',
}


def test_each_listener_has_a_file_of_each_kind_and_none_holds_a_secret() -> None:
    files = client_files("Demo", {"CLIENT": INSIDE, "PUBLIC": OUTSIDE}, OPTIONS)
    names = ("CLIENT", "PUBLIC")
    assert files.keys() == {f"{name}.{kind}" for name in names for kind in (*KINDS, "airflow.json")}
    assert not [name for name, text in files.items() if "s3cret" in text or "n4me" in text]
    assert "ssl.truststore.location=/ca.pem\n" in files["CLIENT.properties"]
    assert files["PUBLIC.kcat.conf"] == "bootstrap.servers=k1.example.com:9094\nsecurity.protocol=SSL\n"


def test_producers_wait_for_all_replicas_and_double_nothing() -> None:
    files = client_files("demo", {"CLIENT": OUTSIDE}, {})
    assert {"acks=all", "enable.idempotence=true"} < set(files["CLIENT.producer.properties"].splitlines())
    python = json.loads(files["CLIENT.kafka_python.json"])["producer"]
    assert (python["acks"], python["retries"], python["enable_idempotence"]) == ("all", 5, True)
    spark = json.loads(files["CLIENT.spark.json"])["write"]
    assert (spark["kafka.acks"], spark["kafka.enable.idempotence"]) == ("all", "true")


def test_airflow_gets_a_connection_to_produce_and_one_to_consume() -> None:
    found = json.loads(client_files("demo", {"CLIENT": OUTSIDE}, {})["CLIENT.airflow.json"])
    assert {name: one["conn_type"] for name, one in found.items()} == {
        "kafka_demo_client_producer": "kafka",
        "kafka_demo_client_consumer": "kafka",
    }
    assert json.loads(found["kafka_demo_client_producer"]["extra"])["enable.idempotence"] == "true"
    assert json.loads(found["kafka_demo_client_consumer"]["extra"])["group.id"] == "kafka_demo_client"


def test_a_user_gets_files_for_listeners_that_ask_in_its_way_and_loses_all_others() -> None:
    clients = {"LOGIN": INSIDE, "MUTUAL": OUTSIDE, "TLS": OUTSIDE}
    desired = {
        "cluster": {
            "name": "demo",
            "clients": clients,
            "login_mechanisms": {"LOGIN": ["SCRAM-SHA-512"]},
            "mutual_listeners": ["MUTUAL"],
        },
        "nodes": {"k1": {"certificate": {"authority": "/srv/tls"}}},
    }
    users = [
        {"name": "logs-in", "password": "s3cret"},
        {"name": "shows", "authentication": "tls"},
        {"name": "goes", "state": "absent"},
    ]
    files = user_files(desired, users)
    kept = {name.split(".")[0] for name, text in files.items() if text}
    assert kept == {"logs-in/LOGIN", "shows/MUTUAL"}
    assert {name.split(".")[0] for name in files} - kept == {
        *(f"{user}/{listener}" for user in ("logs-in", "shows", "goes") for listener in clients)
    } - kept
    keystore = "ssl.keystore.location=/srv/tls/users/shows.pem\n"
    assert keystore in (files["shows/MUTUAL.properties"] or "")


def test_users_trust_the_brokers_authority_where_controllers_need_no_certificate() -> None:
    broker = {"certificate": {"authority": "/srv/tls"}}
    desired = {
        "cluster": {
            "name": "demo",
            "clients": {"MUTUAL": OUTSIDE},
            "login_mechanisms": {},
            "mutual_listeners": ["MUTUAL"],
        },
        "nodes": {"c1": {"certificate": None}, "k1": broker, "k2": broker},
    }
    text = user_files(desired, [{"name": "shows", "authentication": "tls"}])["shows/MUTUAL.properties"] or ""
    assert "ssl.truststore.location=/srv/tls/nodes.pem\n" in text
    assert "ssl.keystore.location=/srv/tls/users/shows.pem\n" in text
    assert certified(desired) == ["k1", "k2"]
