"""The files that a run leaves for clients."""

from __future__ import annotations

import configparser
import json

import pytest
import yaml
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


CA = "-----BEGIN CERTIFICATE-----\nY2E=\n-----END CERTIFICATE-----\n"
CHAIN = "-----BEGIN CERTIFICATE-----\nb3du\n-----END CERTIFICATE-----\n"
OWN_KEY = "-----BEGIN PRIVATE KEY-----\na2V5\n-----END PRIVATE KEY-----\n"


def nothing(_: str) -> str:
    """No file of this machine can be read."""
    return ""


def texts(path: str) -> str:
    """Return files of the authority; beside the root there is a private key."""
    return {"/srv/tls/nodes.pem": CA + OWN_KEY, "/ca.pem": CA + OWN_KEY}.get(path, OWN_KEY + CHAIN)


def test_each_listener_has_a_file_of_each_kind_and_none_holds_a_secret() -> None:
    files = client_files("Demo", {"CLIENT": INSIDE, "PUBLIC": OUTSIDE}, OPTIONS, nothing)
    names = ("CLIENT", "PUBLIC")
    wanted = {f"{name}.{kind}" for name in names for kind in (*KINDS, "airflow.json", "kaskade.ini", "kafbat.yaml")}
    assert files.keys() == wanted | {"nodes.pem"}
    assert not [name for name, text in files.items() if "s3cret" in (text or "") or "n4me" in (text or "")]
    assert "ssl.truststore.location=/ca.pem\n" in (files["CLIENT.properties"] or "")
    assert files["PUBLIC.kcat.conf"] == "bootstrap.servers=k1.example.com:9094\nsecurity.protocol=SSL\n"


def test_producers_wait_for_all_replicas_and_double_nothing() -> None:
    files = client_files("demo", {"CLIENT": OUTSIDE}, {}, nothing)
    assert {"acks=all", "enable.idempotence=true"} < set((files["CLIENT.producer.properties"] or "").splitlines())
    python = json.loads(files["CLIENT.kafka_python.json"] or "")["producer"]
    assert (python["acks"], python["retries"], python["enable_idempotence"]) == ("all", 5, True)
    spark = json.loads(files["CLIENT.spark.json"] or "")["write"]
    assert (spark["kafka.acks"], spark["kafka.enable.idempotence"]) == ("all", "true")


def test_airflow_gets_a_connection_to_produce_and_one_to_consume() -> None:
    found = json.loads(client_files("demo", {"CLIENT": OUTSIDE}, {}, nothing)["CLIENT.airflow.json"] or "")
    assert {name: one["conn_type"] for name, one in found.items()} == {
        "kafka_demo_client_producer": "kafka",
        "kafka_demo_client_consumer": "kafka",
    }
    assert json.loads(found["kafka_demo_client_producer"]["extra"])["enable.idempotence"] == "true"
    assert json.loads(found["kafka_demo_client_consumer"]["extra"])["group.id"] == "kafka_demo_client"


def test_kaskade_gets_a_section_and_kafbat_a_cluster() -> None:
    files = client_files("demo", {"CLIENT": OUTSIDE}, {}, nothing)
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parser.read_string(files["CLIENT.kaskade.ini"] or "")
    assert dict(parser["kafka"]) == OUTSIDE
    [cluster] = yaml.safe_load(files["CLIENT.kafbat.yaml"] or "")["kafka"]["clusters"]
    assert (cluster["name"], cluster["bootstrapServers"]) == ("demo CLIENT", "k1.example.com:9094")
    assert cluster["properties"] == {"security.protocol": "SSL"}


@pytest.mark.parametrize(
    ("password", "kind"), [("ends ", "kaskade.ini"), ("a\nb", "kaskade.ini"), ("a${b}", "kafbat.yaml")]
)
def test_a_tool_has_no_file_where_it_would_read_another_password(password: str, kind: str) -> None:
    files = user_files(MUTUAL, [{**LOGS_IN, "password": password}], texts)
    assert files[f"logs-in/LOGIN.{kind}"] is None
    assert json.loads(files["logs-in/LOGIN.librdkafka.json"] or "")["consumer"]["sasl.password"] == password


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
    files = user_files(desired, users, nothing)
    kept = {name.split(".")[0] for name, text in files.items() if text}
    assert kept == {"logs-in/LOGIN", "shows/MUTUAL"}
    pairs = {f"{user['name']}/{name}" for user in users for name in ("nodes", "own")}
    assert {name.split(".")[0] for name in files} - kept == pairs | {
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
    text = user_files(desired, [{"name": "shows", "authentication": "tls"}], nothing)["shows/MUTUAL.properties"] or ""
    assert "ssl.truststore.location=/srv/tls/nodes.pem\n" in text
    assert "ssl.keystore.location=/srv/tls/users/shows.pem\n" in text
    assert certified(desired) == ["k1", "k2"]


MUTUAL = {
    "cluster": {
        "name": "demo",
        "clients": {"MUTUAL": OUTSIDE, "LOGIN": INSIDE},
        "login_mechanisms": {"LOGIN": ["SCRAM-SHA-512"]},
        "mutual_listeners": ["MUTUAL"],
    },
    "nodes": {"k1": {"certificate": {"authority": "/srv/tls"}}},
}
SHOWS = {"name": "shows", "authentication": "tls"}
LOGS_IN = {"name": "logs-in", "password": "s3cret"}


def test_files_of_a_user_name_no_path_of_this_machine() -> None:
    files = {name: text for name, text in user_files(MUTUAL, [SHOWS, LOGS_IN], texts).items() if text}
    assert not [name for name, text in files.items() if "/srv" in text]
    assert files["shows/nodes.pem"] == files["logs-in/nodes.pem"] == CA
    assert files["shows/own.pem"] == OWN_KEY + CHAIN
    assert "logs-in/own.pem" not in files
    java = files["shows/MUTUAL.properties"]
    assert f"ssl.truststore.certificates={CA}".replace("\n", "\\n") in java
    assert f"ssl.keystore.key={OWN_KEY}".replace("\n", "\\n") in java
    native = json.loads(files["shows/MUTUAL.librdkafka.json"])["consumer"]
    assert (native["ssl.ca.pem"], native["ssl.certificate.pem"], native["ssl.key.pem"]) == (CA, CHAIN, OWN_KEY)
    python = json.loads(files["shows/MUTUAL.kafka_python.json"])["consumer"]
    assert (python["ssl_cafile"], python["ssl_certfile"]) == ("nodes.pem", "own.pem")
    assert "ssl.ca.location=nodes.pem\n" in files["logs-in/LOGIN.kcat.conf"]
    assert "kafka.ssl.truststore.certificates" in files["logs-in/LOGIN.spark.json"]


def test_files_for_everyone_carry_the_root_and_no_key_beside_it() -> None:
    files = {name: text for name, text in client_files("d", {"CLIENT": INSIDE}, OPTIONS, texts).items() if text}
    assert files["nodes.pem"] == CA
    assert not [name for name, text in files.items() if "a2V5" in text or "/ca.pem" in text]


def test_certificates_of_a_user_who_goes_are_removed() -> None:
    files = user_files(MUTUAL, [{**SHOWS, "state": "absent"}], texts)
    assert {"shows/nodes.pem", "shows/own.pem"} <= files.keys()
    assert not any(files.values())


@pytest.mark.parametrize("password", ["ends ", " begins", "a\\=b", "a\\:b", "x" * 600])
def test_kcat_has_no_file_where_it_would_read_another_password(password: str) -> None:
    files = user_files(MUTUAL, [{**LOGS_IN, "password": password}], texts)
    assert files["logs-in/LOGIN.kcat.conf"] is None
    assert json.loads(files["logs-in/LOGIN.librdkafka.json"] or "")["consumer"]["sasl.password"] == password


@pytest.mark.parametrize("password", ["in side", "a=b", "a:b\\", "#a", "x" * 400])
def test_kcat_has_a_file_for_every_other_password(password: str) -> None:
    files = user_files(MUTUAL, [{**LOGS_IN, "password": password}], texts)
    assert f"sasl.password={password}\n" in (files["logs-in/LOGIN.kcat.conf"] or "")


def test_kcat_has_as_many_bootstrap_servers_as_a_line_takes() -> None:
    servers = [f"kafka-{number:02}.internal.example.com:9092" for number in range(1, 31)]
    listener = {"bootstrap.servers": ",".join(servers), "security.protocol": "PLAINTEXT"}
    files = client_files("demo", {"CLIENT": listener}, {}, nothing)
    line = (files["CLIENT.kcat.conf"] or "").splitlines()[0]
    taken = line.partition("=")[2].split(",")
    assert len(line) < 511
    assert taken == servers[: len(taken)]
    assert len(taken) > 10
    assert servers[-1] in (files["CLIENT.properties"] or "")
