"""The ``client`` parameter of the modules: options and certificates for each address.

One listener has one protocol, so a client of brokers and controllers may need two configurations; a cluster whose
listeners change needs three. ``node`` makes a module act as the node on whose host it runs: then the node's own
``server.properties`` names the certificates, and no secret travels with the parameter.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.client_config import ALGORITHM, SAME_VALUE, ClientConfig, node_setting
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.kafka_terms import MECHANISMS, PLAINTEXT, PROTOCOLS
from ansible.module_utils.kraft.node.files.parsed_properties import parse_properties

#: Options for the listeners at some addresses: the fields of ``ClientConfig``, and the listener's name.
CONNECTION_SPEC: dict[str, Any] = {
    "bootstrap_servers": {"type": "list", "elements": "str", "required": True},
    "security_protocol": {"type": "str", "default": PLAINTEXT, "choices": list(PROTOCOLS)},
    "ca_file": {"type": "path"},
    "keystore_file": {"type": "path"},
    "key_password": {"type": "str", "no_log": True},
    "check_hostname": {"type": "bool", "default": True},
    "sasl_mechanism": {"type": "str", "choices": list(MECHANISMS)},
    "username": {"type": "str"},
    "password": {"type": "str", "no_log": True},
    "listener": {"type": "str"},
}
#: The ``client`` parameter of every module that connects to a cluster.
CLIENT_SPEC: dict[str, Any] = {
    **CONNECTION_SPEC,
    "others": {"type": "list", "elements": "dict", "options": CONNECTION_SPEC, "default": []},
    "cluster_id": {"type": "str"},
    "node": {"type": "path"},
    "python_path": {"type": "path"},
}
#: Settings of a node for its connections to other nodes.
OF_NODES = ("ssl.truststore.location", "ssl.keystore.location", "ssl.keystore.type", "ssl.key.password")
JKS = "JKS"  #: Kafka's default type of a keystore
FIELDS = {field.name for field in dataclasses.fields(ClientConfig)}


@dataclasses.dataclass(frozen=True)
class Connections:
    """The first addresses of a cluster, and the options for each address: `first`, except for those of `others`."""

    first: ClientConfig
    others: tuple[ClientConfig, ...] = ()

    @property
    def addresses(self) -> tuple[str, ...]:
        return self.first.bootstrap_servers

    def to(self, address: str) -> ClientConfig:
        """Return the options for `address`."""
        return next((each for each in self.others if address in each.bootstrap_servers), self.first)


def connections(options: Mapping[str, Any]) -> Connections:
    """Parse the ``client`` parameter. Raises RefusedError for a node whose configuration names no certificates.

    Those of the others without certificates are left out: after a change to plaintext a node has none for the old one.
    """
    node, others = options.get("node") or "", list[ClientConfig]()
    for one in options.get("others") or ():
        with contextlib.suppress(RefusedError):
            others.append(_config(one, node))
    return Connections(_config(options, node), tuple(others))


def _config(options: Mapping[str, Any], node: str) -> ClientConfig:
    given = {name: value for name, value in options.items() if name in FIELDS and value is not None}
    config = ClientConfig(**{**given, "bootstrap_servers": split_addresses(options["bootstrap_servers"])})
    listener = options.get("listener")
    return as_node(config, node, listener) if node and listener and config.uses_tls else config


def as_node(config: ClientConfig, path: str, listener: str) -> ClientConfig:
    """Return `config` with the certificates that the ``server.properties`` at `path` names for `listener`."""
    try:
        with open(path, encoding="utf-8") as file:
            properties = parse_properties(file.read())
    except OSError as error:
        raise RefusedError([f"{path}: cannot be read ({error.strerror}); it names the node's certificates"]) from error
    own = {key: node_setting(properties, listener, key) for key in OF_NODES}
    if not own["ssl.keystore.location"]:
        raise RefusedError([f"{path}: names no ssl.keystore.location for the listener {listener}"])
    fields: dict[str, Any] = {SAME_VALUE[key]: value for key, value in own.items() if value}
    checked = config.check_hostname and node_setting(properties, listener, ALGORITHM, "https") != ""
    return dataclasses.replace(config, **{"keystore_type": JKS, **fields, "check_hostname": checked})


def split_addresses(servers: str | Sequence[str]) -> tuple[str, ...]:
    """Split ``["a:1,b:2", "c:3"]`` or ``"a:1,b:2"`` into single addresses."""
    listed = [servers] if isinstance(servers, str) else servers
    return tuple(one.strip() for text in listed for one in text.split(",") if one.strip())
