"""The ``client`` parameter: the connection and identity for each address."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.client_config import ClientConfig, kafka_python
from ansible.module_utils.kraft.cluster.connections import connections, split_addresses
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.spec.desired.node_client import client_parameter

SECRET = "drawn:for=this\\test"  # noqa: S105 - of no key
PROPERTIES = r"""
ssl.truststore.location=/etc/kafka/nodes.pem
listener.name.internal.ssl.keystore.location=/etc/kafka/internal.pem
listener.name.internal.ssl.keystore.type=PEM
listener.name.internal.ssl.key.password=drawn\:for\=this\\test
listener.name.controller.ssl.keystore.location=/etc/kafka/controller.pem
listener.name.controller.ssl.keystore.type=PEM
listener.name.controller.ssl.endpoint.identification.algorithm=
"""


def listener(name: str, address: str, protocol: str = "PLAINTEXT") -> dict[str, str]:
    purpose = "controller" if name.startswith("CONTROLLER") else "inter_broker"
    return {"name": name, "address": address, "protocol": protocol, "purpose": purpose}


def test_addresses_come_as_lists_as_texts_and_as_lists_of_texts() -> None:
    assert split_addresses("a:1, b:2") == split_addresses(["a:1,b:2"]) == split_addresses(["a:1", "b:2"])
    assert split_addresses(["a:1", ""]) == ("a:1",)


def test_plain_listeners_need_one_way() -> None:
    made = client_parameter([listener("INTERNAL", "a:1"), listener("CONTROLLER", "a:2")], "/opt/kafka", "ours")
    assert made["others"] == []
    found = connections(made)
    assert found.addresses == ("a:1",)
    assert found.to("a:1") == found.to("a:2") == ClientConfig(("a:1",))


def test_the_desired_listener_comes_first_whatever_else_there_is_now() -> None:
    mixed = [listener("INTERNAL", "a:1", "SSL"), listener("OLD", "b:1"), listener("OLD", "a:1")]
    made = client_parameter(mixed, "/opt/kafka", "ours")
    assert (made["listener"], made["bootstrap_servers"]) == ("INTERNAL", ["a:1", "b:1"])
    assert made["others"] == [{"bootstrap_servers": ["b:1"], "listener": "OLD", "security_protocol": "PLAINTEXT"}]


def test_without_a_broker_no_one_is_asked() -> None:
    assert connections(client_parameter([], "/opt/kafka", "ours")).addresses == ()


def parameter(path: Path, *listeners: dict[str, str]) -> dict[str, Any]:
    file = path / "server.properties"
    file.write_text(PROPERTIES)
    return {**client_parameter(listeners, str(path), "ours"), "node": str(file)}


def test_each_address_is_reached_by_its_listener_with_the_certificates_of_the_node(tmp_path: Path) -> None:
    mixed = [
        *(listener("INTERNAL", "a:1", "SSL"), listener("INTERNAL", "b:1", "SSL")),
        *(listener("CONTROLLER", "a:2", "SSL"), listener("OLD", "b:9"), listener("CONTROLLER_OLD", "b:8")),
    ]
    found = connections(parameter(tmp_path, *mixed))
    assert found.addresses == ("a:1", "b:1", "b:9")
    brokers, controllers = found.to("b:1"), found.to("a:2")
    assert (brokers.security_protocol, brokers.ca_file) == ("SSL", "/etc/kafka/nodes.pem")
    assert (brokers.keystore_file, brokers.key_password) == ("/etc/kafka/internal.pem", SECRET)
    assert (brokers.check_hostname, controllers.check_hostname) == (True, False)
    assert controllers.keystore_file == "/etc/kafka/controller.pem"
    assert {found.to(one).security_protocol for one in ("b:9", "b:8")} == {"PLAINTEXT"}
    assert found.to("unknown:1") == brokers


def test_names_are_not_compared_where_the_parameter_says_so(tmp_path: Path) -> None:
    one = {**parameter(tmp_path, listener("INTERNAL", "a:1", "SSL")), "check_hostname": False}
    assert connections(one).to("a:1").check_hostname is False


def test_no_secret_travels_with_the_parameter(tmp_path: Path) -> None:
    assert SECRET not in str(parameter(tmp_path, listener("INTERNAL", "a:1", "SSL")))


@pytest.mark.parametrize(("name", "why"), [("OTHER", r"ssl\.keystore\.location"), ("INTERNAL", "cannot be read")])
def test_a_node_without_certificates_is_refused(tmp_path: Path, name: str, why: str) -> None:
    made = parameter(tmp_path, listener(name, "a:1", "SSL"))
    if name == "INTERNAL":
        Path(made["node"]).unlink()
    with pytest.raises(RefusedError, match=why):
        connections(made)


def test_of_two_protocols_at_one_address_the_desired_one_counts(tmp_path: Path) -> None:
    made = parameter(tmp_path, listener("INTERNAL", "a:1", "SSL"), listener("OLD", "a:1"), listener("OLD", "b:1"))
    found = connections(made)
    assert found.addresses == ("a:1", "b:1")
    assert found.to("a:1").security_protocol == "SSL"
    assert found.to("b:1").security_protocol == "PLAINTEXT"


def test_a_node_that_goes_back_to_plaintext_needs_no_certificate_for_its_old_listener(tmp_path: Path) -> None:
    made = parameter(tmp_path, listener("INTERNAL", "a:1"), listener("INTERNAL", "a:1", "SSL"))
    Path(made["node"]).write_text("node.id=1\n")
    found = connections(made)
    assert found.addresses == ("a:1",)
    assert found.to("a:1").security_protocol == "PLAINTEXT"


def test_a_keystore_that_python_cannot_read_is_refused(tmp_path: Path) -> None:
    made = parameter(tmp_path, listener("INTERNAL", "a:1", "SSL"))
    Path(made["node"]).write_text("ssl.keystore.location=/node.jks\n")
    with pytest.raises(RefusedError, match="JKS"):
        kafka_python(connections(made).first)
