"""Files with the connection settings of clients: for each client listener one of each kind. Pure.

Files for all users hold no secret; those of a user hold the password. Every producer waits for all replicas in sync,
and repeats a record without doubling it. The files of a directory work on any machine: certificates are in them, or are
beside them by a relative name if a client reads files alone (kcat, kafka-python).
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import ClientConfig, from_java, java, kafka_python, librdkafka, spark
from ansible.module_utils.kraft.node.certificate import NODES
from ansible.module_utils.kraft.spec.desired import java_properties
from ansible.module_utils.kraft.spec.resources.users import ABSENT, has_certificate, mechanism, user_certificate

Options = Mapping[str, str]
#: Path on the control machine -> its text; empty if it cannot be read.
Read = Callable[[str], str]
Files = dict[str, "str | None"]
#: Settings of a producer, in the terms of Kafka and of kafka-python.
PRODUCER = {"acks": "all", "enable.idempotence": "true"}
KAFKA_PYTHON_PRODUCER = {"acks": "all", "enable_idempotence": True, "retries": 5}
#: Names of the certificates beside a listener's files.
TRUSTED, OWN = f"{NODES}.pem", "own.pem"
BLOCK = re.compile(r"-----BEGIN ([A-Z ]+)-----.*?-----END \1-----\n?", re.DOTALL)
#: Bytes of a line that kcat reads (its buffer has 512).
KCAT_LINE = 510


def client_files(cluster: str, clients: Mapping[str, Options], options: Options, read: Read) -> Files:
    """File name -> content. `clients`: listener -> its Java properties; `options`: how Spark connects to the first.

    Only the public parts of `options` are used: trusted certificates and the mechanism.
    """
    found: Files = {TRUSTED: None}
    for number, (name, given) in enumerate(clients.items()):
        config = from_java(given, given["bootstrap.servers"])
        portable, beside = carried(config if number else _trusting(config, from_java(options).public), read)
        found.update({**beside, **files_of(cluster, name, portable)})
    return found


def _trusting(config: ClientConfig, own: ClientConfig) -> ClientConfig:
    return dataclasses.replace(
        own,
        bootstrap_servers=config.bootstrap_servers,
        security_protocol=config.security_protocol,
        ca_file=own.ca_file or config.ca_file,
        sasl_mechanism=own.sasl_mechanism or config.sasl_mechanism,
    )


def carried(config: ClientConfig, read: Read) -> tuple[ClientConfig, dict[str, str]]:
    """Return the same client with the texts of its certificates, and the files beside it: name -> content.

    A file that this machine cannot read stays a path.
    """
    trusted = blocks(read(config.ca_file), key=False) if config.uses_tls and config.ca_file else ""
    own = read(config.keystore_file) if config.uses_tls and config.keystore_file else ""
    beside = {name: text for name, text in ((TRUSTED, trusted), (OWN, own)) if text}
    if trusted:
        config = dataclasses.replace(config, ca_file=TRUSTED, ca_pem=trusted)
    if own:
        chain, key = blocks(own, key=False), blocks(own, key=True)
        config = dataclasses.replace(config, keystore_file=OWN, key_pem=key, certificate_pem=chain)
    return config, beside


def blocks(text: str, key: bool) -> str:
    """Return the certificates of a PEM text, or its `key`."""
    return "".join(found[0] for found in BLOCK.finditer(text) if ("KEY" in found[1]) is key)


def user_files(desired: Mapping[str, Any], users: Iterable[Mapping[str, Any]], read: Read) -> Files:
    """Return ``<user>/<file>`` -> content, with the password; None if there is to be none.

    `desired`: ``kafka_desired``'s fact. Content for each listener that takes the user's way to log in. Clients trust
    the cluster's own authority, or those that their machine trusts.
    """
    cluster = desired["cluster"]
    authority = next((desired["nodes"][host]["certificate"]["authority"] for host in certified(desired)), "")
    found: Files = {}
    for user in users:
        found |= {f"{user['name']}/{name}": None for name in (TRUSTED, OWN)}
        for listener in cluster["clients"]:
            config, usable = _of_user(cluster, listener, authority, user)
            portable, beside = carried(config, read) if usable else (config, {})
            for name, content in {**beside, **files_of(cluster["name"], listener, portable)}.items():
                found[f"{user['name']}/{name}"] = content if usable else None
    return found


def _of_user(
    cluster: Mapping[str, Any], listener: str, authority: str, user: Mapping[str, Any]
) -> tuple[ClientConfig, bool]:
    """Return the user's connection, and True if the listener accepts the user's kind of login."""
    given = cluster["clients"][listener]
    with_certificate = listener in cluster["mutual_listeners"] and has_certificate(user)
    config = ClientConfig(
        bootstrap_servers=tuple(given["bootstrap.servers"].split(",")),
        security_protocol=given["security.protocol"],
        ca_file=f"{authority}/{NODES}.pem" if authority else "",
        keystore_file=user_certificate(authority, user["name"]) if with_certificate else "",
        sasl_mechanism=mechanism(user),
        username=str(user["name"]),
        password=str(user.get("password") or ""),
    )
    usable = with_certificate or config.sasl_mechanism in cluster["login_mechanisms"].get(listener, ())
    return config, usable and user.get("state") != ABSENT


def certified(desired: Mapping[str, Any]) -> list[str]:
    """Return the hosts whose node has a certificate: a mere controller without TLS between nodes has none.

    `desired`: ``kafka_desired``'s fact.
    """
    return [host for host, node in desired["nodes"].items() if node["certificate"]]


def files_of(cluster: str, listener: str, config: ClientConfig) -> Files:
    """Return all files of one listener; None for a file whose format cannot express the connection."""
    python, native, prefixed = kafka_python(config), librdkafka(config), spark(config)
    spark_producer = {f"kafka.{name}": value for name, value in PRODUCER.items()}
    files: Files = {
        "properties": java_properties.text_of(java(config)),
        "producer.properties": java_properties.text_of({**java(config), **PRODUCER}),
        "kcat.conf": kcat(config),
        "librdkafka.json": _json({"producer": {**native, **PRODUCER}, "consumer": native}),
        "kafka_python.json": _json({"producer": {**python, **KAFKA_PYTHON_PRODUCER}, "consumer": python}),
        "spark.json": _json({"write": {**prefixed, **spark_producer}, "read": prefixed}),
        "airflow.json": _json(airflow(f"kafka_{cluster}_{listener}".lower(), native)),
        "kaskade.ini": kaskade(config),
        "kafbat.yaml": kafbat(f"{cluster} {listener}", config),
    }
    return {f"{listener}.{kind}": content for kind, content in files.items()}


def kcat(config: ClientConfig) -> str | None:
    """Return kcat's file, with as many bootstrap servers as fit a line; None if it would misread a value.

    kcat trims the end of a line, reads an escaped ``=`` or ``:`` without its backslash, and cuts after 511 bytes.
    Source: how kcat.c reads the file of its option -F, line by line.
    """
    servers, taken = config.bootstrap_servers, len(config.bootstrap_servers)
    while taken > 1 and len(f"bootstrap.servers={','.join(servers[:taken])}".encode()) > KCAT_LINE:
        taken -= 1
    named = dataclasses.replace(config, bootstrap_servers=servers[:taken], ca_pem="", certificate_pem="", key_pem="")
    options = librdkafka(named)
    held = all(
        value == value.strip() and not re.search(r"\\[=:]", value) and len(f"{name}={value}".encode()) <= KCAT_LINE
        for name, value in options.items()
    )
    return "".join(f"{name}={value}\n" for name, value in options.items()) if held else None


def kaskade(config: ClientConfig) -> str | None:
    """Return the file of kaskade's option --config-file; None if it would misread a value, as its parser trims lines.

    Source: ``load_ini`` of kaskade/utils.py.
    """
    options = librdkafka(dataclasses.replace(config, ca_pem="", certificate_pem="", key_pem=""))
    held = all(value == value.strip() and "\n" not in value for value in options.values())
    return "[kafka]\n" + "".join(f"{name} = {value}\n" for name, value in options.items()) if held else None


def kafbat(name: str, config: ClientConfig) -> str | None:
    """Return the configuration of kafbat's Kafka UI, in JSON, which is YAML; None if Spring would replace a value.

    Source: https://ui.docs.kafbat.io/configuration/configuration-file, and its class ClustersProperties.
    """
    options = {key: value for key, value in java(config).items() if key != "bootstrap.servers"}
    if any("${" in value for value in options.values()):
        return None
    one = {"name": name, "bootstrapServers": config.servers, "properties": options}
    return _json({"kafka": {"clusters": [one]}})


def airflow(name: str, native: Options) -> dict[str, dict[str, str]]:
    """Return connections for ``airflow connections import``; ``extra`` holds librdkafka's options as a text.

    Source: https://airflow.apache.org/docs/apache-airflow-providers-apache-kafka/stable/connections/kafka.html.
    """
    consumer = {**native, "group.id": name, "auto.offset.reset": "earliest"}
    extras = {"producer": {**native, **PRODUCER}, "consumer": consumer}
    return {f"{name}_{role}": {"conn_type": "kafka", "extra": json.dumps(extra)} for role, extra in extras.items()}


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2) + "\n"
