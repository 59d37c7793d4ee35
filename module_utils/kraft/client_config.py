"""Client configuration of a cluster: one value, translated into the options of each client library. Pure.

``java``, ``librdkafka`` and ``kafka_python`` are the three dialects. Each gives only what the protocol needs: no
certificates without TLS, no login without SASL. Files are PEM, which all three read; a key may also be PKCS#12, which
kafka-python cannot read. Java and librdkafka also take the text of a certificate in place of its file.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.errors import RefusedError, refuse
from ansible.module_utils.kraft.kafka_terms import PLAINTEXT

PEM, PKCS12 = "PEM", "PKCS12"
PREFIX = "kafka."  #: prefix of Java's names in Spark's options
LOGIN_MODULES = "org.apache.kafka.common.security"
#: In Java's syntax (Kafka's JaasConfig, java.io.StreamTokenizer): a text in either quotes, or a word.
JAAS_ENTRY = re.compile(
    r"""(?<![\w-])(username|password)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([\w.$#+/-]+))"""
)
SECURITY = ("security.", "ssl.", "sasl.")
#: Java's option -> field with the same value.
SAME_VALUE = {
    "security.protocol": "security_protocol",
    "ssl.truststore.location": "ca_file",
    "ssl.keystore.location": "keystore_file",
    "ssl.keystore.type": "keystore_type",
    "ssl.keystore.password": "keystore_password",
    "ssl.key.password": "key_password",
    "sasl.mechanism": "sasl_mechanism",
}
#: Java's options that hold a text in place of a file -> field.
INLINE = {
    "ssl.truststore.certificates": "ca_pem",
    "ssl.keystore.certificate.chain": "certificate_pem",
    "ssl.keystore.key": "key_pem",
}
#: Files that Java and librdkafka read.
STORE_TYPES = {"ssl.truststore.type": (PEM,), "ssl.keystore.type": (PEM, PKCS12)}
ALGORITHM = "ssl.endpoint.identification.algorithm"
JAAS = "sasl.jaas.config"


def host_port(host: str, port: int) -> str:
    """Return ``host:port``, with brackets around an IPv6 address."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def split_host_port(address: str) -> tuple[str, int]:
    """Return the host, without brackets, and the port of ``host:port``."""
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def normal_name(name: str) -> str:
    """Normalise a name or an address as certificates and clients do. Java writes an IPv6 address in full."""
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        return name.rstrip(".").lower()


def normal_host_port(address: str) -> str:
    """Return ``host:port`` with the host's ``normal_name``."""
    host, port = split_host_port(address)
    return host_port(normal_name(host), port)


@dataclasses.dataclass(frozen=True)
class ClientConfig:
    """Servers, protocol of the listener, trusted certificates and credentials of a client."""

    bootstrap_servers: tuple[str, ...] = ()
    security_protocol: str = PLAINTEXT
    ca_file: str = ""  #: PEM file with the certificates to trust; empty: those that the machine trusts
    keystore_file: str = ""  #: the client's certificate and key, in one file
    keystore_type: str = PEM
    ca_pem: str = ""  #: the certificates to trust as text, which counts before their file if a client reads it
    certificate_pem: str = ""
    key_pem: str = dataclasses.field(default="", repr=False)
    keystore_password: str = dataclasses.field(default="", repr=False)
    key_password: str = dataclasses.field(default="", repr=False)
    check_hostname: bool = True
    sasl_mechanism: str = ""
    username: str = ""
    password: str = dataclasses.field(default="", repr=False)

    @property
    def uses_tls(self) -> bool:
        return self.security_protocol.endswith("SSL")

    @property
    def uses_login(self) -> bool:
        return self.security_protocol.startswith("SASL")

    @property
    def servers(self) -> str:
        return ",".join(self.bootstrap_servers)

    @property
    def public(self) -> ClientConfig:
        """The same without a password, a login or a key: files that all users may read."""
        kept = ("bootstrap_servers", "security_protocol", "ca_file", "ca_pem", "check_hostname", "sasl_mechanism")
        return ClientConfig(**{name: getattr(self, name) for name in kept})


def from_java(options: Mapping[str, str], servers: str = "", inline: bool = False) -> ClientConfig:
    """The client that Java's `options` describe, with or without Spark's prefix; `servers`: ``host:port,...``.

    `inline`: certificates may be texts, which kafka-python does not read.
    Options that do not secure the connection are ignored. Raises RefusedError with each option that another client has
    no counterpart of.
    """
    same = {**SAME_VALUE, **INLINE} if inline else SAME_VALUE
    refuse(list(_problems(options, {*same, *STORE_TYPES, ALGORITHM, JAAS})))
    named = {name.removeprefix(PREFIX): value for name, value in options.items()}
    fields: dict[str, Any] = {field: named[name] for name, field in same.items() if name in named}
    if "keystore_file" in fields:
        fields.setdefault("keystore_type", PKCS12)  # librdkafka takes a keystore without a type for PKCS#12
    login = {
        entry: re.sub(r"\\(.)", r"\1", "".join(texts)) for entry, *texts in JAAS_ENTRY.findall(named.get(JAAS, ""))
    }
    addresses = tuple(filter(None, servers.split(",")))
    return ClientConfig(bootstrap_servers=addresses, check_hostname=named.get(ALGORITHM) != "", **login, **fields)


def _problems(options: Mapping[str, str], known: set[str]) -> Iterator[str]:
    for name, value in options.items():
        short = name.removeprefix(PREFIX)
        if short.startswith(SECURITY) and short not in known:
            yield f"the native client has no counterpart of {name}: remove it"
        elif value not in STORE_TYPES.get(short, (value,)):
            yield f"{name}: {value} is read by Java alone: use {' or '.join(STORE_TYPES[short])}"


def tuning(options: Mapping[str, str]) -> dict[str, str]:
    """Return those of Java's `options` that do not secure the connection."""
    return {name: value for name, value in options.items() if not name.removeprefix(PREFIX).startswith(SECURITY)}


def java(config: ClientConfig) -> dict[str, str]:
    """Java's properties. Source: https://kafka.apache.org/documentation/#security_configclients."""
    pem = config.key_pem
    tls = {
        "ssl.truststore.type": PEM if config.ca_file or config.ca_pem else "",
        "ssl.truststore.location": "" if config.ca_pem else config.ca_file,
        "ssl.truststore.certificates": config.ca_pem,
        "ssl.keystore.type": config.keystore_type if config.keystore_file or pem else "",
        "ssl.keystore.location": "" if pem else config.keystore_file,
        "ssl.keystore.certificate.chain": config.certificate_pem,
        "ssl.keystore.key": pem,
        "ssl.keystore.password": config.keystore_password,
        "ssl.key.password": config.key_password,
    }
    unchecked = {ALGORITHM: ""} if config.uses_tls and not config.check_hostname else {}
    login = {"sasl.mechanism": config.sasl_mechanism, JAAS: _jaas(config)}
    return {**_common(config), **_given(config.uses_tls, tls), **unchecked, **_given(config.uses_login, login)}


def spark(config: ClientConfig) -> dict[str, str]:
    """Return Spark's options of the source and the sink ``kafka``: Java's names behind a prefix."""
    return {f"{PREFIX}{name}": value for name, value in java(config).items()}


def librdkafka(config: ClientConfig) -> dict[str, str]:
    """The options of librdkafka: confluent-kafka, kcat, Airflow."""
    pem = config.keystore_file if config.keystore_type == PEM and not config.key_pem else ""
    tls = {
        "ssl.ca.location": "" if config.ca_pem else config.ca_file,
        "ssl.ca.pem": config.ca_pem,
        "ssl.certificate.location": pem,
        "ssl.certificate.pem": config.certificate_pem,
        "ssl.key.location": pem,
        "ssl.key.pem": config.key_pem,
        "ssl.keystore.location": "" if pem or config.key_pem else config.keystore_file,
        "ssl.keystore.password": config.keystore_password,
        "ssl.key.password": config.key_password,
        ALGORITHM: "" if config.check_hostname else "none",
    }
    login = {
        "sasl.mechanism": config.sasl_mechanism,
        "sasl.username": config.username,
        "sasl.password": config.password,
    }
    return {**_common(config), **_given(config.uses_tls, tls), **_given(config.uses_login, login)}


def kafka_python(config: ClientConfig) -> dict[str, Any]:
    """Return the arguments of kafka-python's clients. Raises RefusedError for a key that is no PEM."""
    if config.uses_tls and config.keystore_file and config.keystore_type != PEM:
        raise RefusedError([f"{config.keystore_file}: kafka-python reads a {PEM} key only, not {config.keystore_type}"])
    tls = {
        "ssl_cafile": config.ca_file,
        "ssl_certfile": config.keystore_file,
        "ssl_password": config.key_password,
    }
    unchecked = {"ssl_check_hostname": False} if config.uses_tls and not config.check_hostname else {}
    login = {
        "sasl_mechanism": config.sasl_mechanism,
        "sasl_plain_username": config.username,
        "sasl_plain_password": config.password,
    }
    where = {"bootstrap_servers": list(config.bootstrap_servers), "security_protocol": config.security_protocol}
    return {**where, **_given(config.uses_tls, tls), **unchecked, **_given(config.uses_login, login)}


def _common(config: ClientConfig) -> dict[str, str]:
    return {"bootstrap.servers": config.servers, "security.protocol": config.security_protocol}


def _given(needed: bool, options: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in options.items() if needed and value}


def _jaas(config: ClientConfig) -> str:
    if not config.username:
        return ""
    name, password = (re.sub(r'(["\\])', r"\\\1", text) for text in (config.username, config.password))
    module = "plain.PlainLoginModule" if config.sasl_mechanism == "PLAIN" else "scram.ScramLoginModule"
    return f'{LOGIN_MODULES}.{module} required username="{name}" password="{password}";'


def node_setting(properties: Mapping[str, str], listener: str, key: str, default: str = "") -> str:
    """Return a listener's value of `key`, or the node's, or Kafka's default. Source: Kafka's ``AbstractConfig``."""
    return properties.get(f"listener.name.{listener.lower()}.{key}", properties.get(key, default))
