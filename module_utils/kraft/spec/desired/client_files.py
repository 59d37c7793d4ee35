"""The files that tell clients how to connect: for each client listener one of each kind. Pure.

Those for everybody hold no secret; those of a user hold the password. Every producer waits for all replicas in sync,
and repeats a record without doubling it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import ClientConfig, from_java, java, kafka_python, librdkafka, spark
from ansible.module_utils.kraft.node.certificate import NODES
from ansible.module_utils.kraft.spec.desired import properties
from ansible.module_utils.kraft.spec.resources.users import ABSENT, has_certificate, mechanism, user_certificate

Options = Mapping[str, str]
#: What a producer is given, in Kafka's words and in kafka-python's.
PRODUCER = {"acks": "all", "enable.idempotence": "true"}
KAFKA_PYTHON_PRODUCER = {"acks": "all", "enable_idempotence": True, "retries": 5}


def client_files(cluster: str, clients: Mapping[str, Options], options: Options) -> dict[str, str]:
    """File name -> content. `clients`: listener -> its Java properties; `options`: how Spark connects to the first.

    Of `options` only what anybody may read is used: trusted certificates and the mechanism.
    """
    found: dict[str, str] = {}
    for number, (name, given) in enumerate(clients.items()):
        config = from_java(given, given["bootstrap.servers"])
        found.update(files_of(cluster, name, config if number else _trusting(config, from_java(options).public)))
    return found


def _trusting(config: ClientConfig, own: ClientConfig) -> ClientConfig:
    return dataclasses.replace(
        own,
        bootstrap_servers=config.bootstrap_servers,
        security_protocol=config.security_protocol,
        ca_file=own.ca_file or config.ca_file,
        sasl_mechanism=own.sasl_mechanism or config.sasl_mechanism,
    )


def user_files(desired: Mapping[str, Any], users: Iterable[Mapping[str, Any]]) -> dict[str, str | None]:
    """``<user>/<file>`` -> content, with the password; None where there is to be none.

    `desired`: ``kafka_desired``'s fact. Content for each listener that takes the user's way to log in. Clients trust
    the cluster's own authority, or those that their machine trusts. A certificate lies beside the authority; files name
    its path.
    """
    cluster = desired["cluster"]
    authority = next((desired["nodes"][host]["certificate"]["authority"] for host in certified(desired)), "")
    trusted = f"{authority}/{NODES}.pem" if authority else ""
    found: dict[str, str | None] = {}
    for user in users:
        for listener, given in cluster["clients"].items():
            with_certificate = listener in cluster["mutual_listeners"] and has_certificate(user)
            config = ClientConfig(
                bootstrap_servers=tuple(given["bootstrap.servers"].split(",")),
                security_protocol=given["security.protocol"],
                ca_file=trusted,
                keystore_file=user_certificate(authority, user["name"]) if with_certificate else "",
                sasl_mechanism=mechanism(user),
                username=str(user["name"]),
                password=str(user.get("password") or ""),
            )
            usable = with_certificate or config.sasl_mechanism in cluster["login_mechanisms"].get(listener, ())
            for name, content in files_of(cluster["name"], listener, config).items():
                found[f"{user['name']}/{name}"] = content if usable and user.get("state") != ABSENT else None
    return found


def certified(desired: Mapping[str, Any]) -> list[str]:
    """The hosts whose node has a certificate: a mere controller without TLS between nodes has none.

    `desired`: ``kafka_desired``'s fact.
    """
    return [host for host, node in desired["nodes"].items() if node["certificate"]]


def files_of(cluster: str, listener: str, config: ClientConfig) -> dict[str, str]:
    """All files of one listener."""
    python, native, prefixed = kafka_python(config), librdkafka(config), spark(config)
    spark_producer = {f"kafka.{name}": value for name, value in PRODUCER.items()}
    files = {
        "properties": properties.text_of(java(config)),
        "producer.properties": properties.text_of({**java(config), **PRODUCER}),
        "kcat.conf": "".join(f"{name}={value}\n" for name, value in native.items()),
        "librdkafka.json": _json({"producer": {**native, **PRODUCER}, "consumer": native}),
        "kafka_python.json": _json({"producer": {**python, **KAFKA_PYTHON_PRODUCER}, "consumer": python}),
        "spark.json": _json({"write": {**prefixed, **spark_producer}, "read": prefixed}),
        "airflow.json": _json(airflow(f"kafka_{cluster}_{listener}".lower(), native)),
    }
    return {f"{listener}.{kind}": content for kind, content in files.items()}


def airflow(name: str, native: Options) -> dict[str, dict[str, str]]:
    """Connections for ``airflow connections import``; ``extra`` holds librdkafka's options as a text.

    Source: https://airflow.apache.org/docs/apache-airflow-providers-apache-kafka/stable/connections/kafka.html.
    """
    consumer = {**native, "group.id": name, "auto.offset.reset": "earliest"}
    extras = {"producer": {**native, **PRODUCER}, "consumer": consumer}
    return {f"{name}_{role}": {"conn_type": "kafka", "extra": json.dumps(extra)} for role, extra in extras.items()}


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2) + "\n"
