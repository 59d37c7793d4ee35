"""Make a running node load the certificate on its host, and verify that every listener shows it.

A change of the node's settings that has no other effect triggers it. It deletes an override that does not exist, and
Kafka reads the files of every listener again. No override is left.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client, Question
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.retry import passing
from ansible.module_utils.kraft.errors import KraftError, ToolError
from ansible.module_utils.kraft.kafka_terms import INTER_BROKER
from ansible.module_utils.kraft.node import certificate
from ansible.module_utils.kraft.node.release.manifest import read_text
from ansible.module_utils.kraft.node.served import accepted, showing_other, subjects
from ansible.module_utils.kraft.node.service.deployed import local_address, secured_addresses
from ansible.module_utils.kraft.operations.config.admin import DELETE
from ansible.module_utils.kraft.operations.config.settings import BROKER, RESOURCE

#: Parameters of `kafka_certificate` for V(loaded).
LOAD_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "options": CLIENT_SPEC},
    "node_id": {"type": "int"},
    "listeners": {"type": "list", "elements": "dict"},
    "controllers": {"type": "list", "elements": "str"},
    "timeout": {"type": "int", "default": 60},
    "deferrable": {"type": "bool", "default": False},
}
#: Any setting of the files will do: Kafka then looks at those of all listeners.
SETTING = "ssl.keystore.location"
POLL_SECONDS = 0.2
NOT_CONTROLLER = 41


def asked_at(listeners: list[dict[str, Any]], controllers: list[str]) -> list[str]:
    """Return the addresses that take a change of the node's settings: the broker's own, else the controllers'."""
    return [str(one["address"]) for one in listeners if one["purpose"] == INTER_BROKER][:1] or controllers


def request_load(client: Client, node_id: int, addresses: list[str]) -> None:
    """Ask for the node to read its files, until one takes it. Raises KraftError with the last words against it."""
    resource = (RESOURCE[BROKER], str(node_id), [(SETTING, DELETE, None)])
    request = client.request("IncrementalAlterConfigsRequest", resources=[resource], validate_only=False)
    failure: KraftError = ToolError(f"node {node_id}: no broker or controller accepts a change of its settings")
    for address in addresses:
        answer = client.send_all([Question(address, request)])[0]
        if isinstance(answer, KraftError):
            failure = answer
            continue
        response = answer["responses"][0]
        error = client.error(f"node {node_id}", response["error_code"], response["error_message"])
        if error is None:
            return
        failure = error
        if response["error_code"] != NOT_CONTROLLER:
            break
    raise failure


def await_shown(addresses: list[str], pem: str, timeout: float) -> None:
    """Wait until each address shows the certificate. Raises ToolError for those that do not."""
    deadline = time.monotonic() + timeout
    while others := showing_other(addresses, pem):
        if time.monotonic() > deadline:
            text = ", ".join(others)
            raise ToolError(
                f"{text}: the node still shows another certificate, {timeout:.0f} s after the request to load it"
            )
        time.sleep(POLL_SECONDS)


def mutual(listeners: list[dict[str, Any]], directory: str) -> list[str]:
    """Return the listeners whose process, as started, requires client certificates of the clients' own authority."""
    lines = certificate.started_with()
    trusting = {
        f"listener.name.{one['name'].lower()}.ssl.truststore.location={directory}/{certificate.CLIENTS}.pem": one
        for one in listeners
    }
    return [local_address(one) for line, one in trusting.items() if line in lines]


def await_accepted(run: Callable[..., Any], addresses: list[str], params: dict[str, Any]) -> None:
    """Wait until each address lists the installed client authorities. Raises ToolError for those that do not.

    A listener that does not answer lists none, so at least one authority must be known here.
    """
    path = os.path.join(params["directory"], f"{certificate.CLIENTS}.pem")
    wanted = subjects(run, read_text(path)) if addresses else frozenset()
    if addresses and not wanted:
        raise ToolError(f"{path}: names no authority of clients, or cannot be read; run deploy_cluster.yml, then again")
    deadline = time.monotonic() + params["timeout"]
    while others := [address for address in addresses if accepted(address) != wanted]:
        if time.monotonic() > deadline:
            seconds = f"{params['timeout']} s after the request to load them"
            raise ToolError(f"{', '.join(others)}: the node still trusts other client authorities {seconds}")
        time.sleep(POLL_SECONDS)


def ensure_loaded(
    run: Callable[..., Any], params: dict[str, Any], warn: Callable[[str], None], check_mode: bool
) -> dict[str, Any]:
    """Have the node load its certificate unless it has; return the module's result. Raises KraftError."""
    copied = certificate.restart_copies(run, check_mode)
    if not certificate.is_unloaded():
        return {"changed": copied, "addresses": [], "deferred": False}
    addresses = secured_addresses(params["listeners"])
    if not check_mode:
        try:
            load(run, params, warn, addresses)
        except KraftError as error:
            if params["deferrable"] and passing(error):
                return {"changed": False, "addresses": [], "deferred": True}
            raise
        certificate.loaded(params["directory"])
    return {"changed": True, "addresses": addresses, "deferred": False}


def load(run: Callable[..., Any], params: dict[str, Any], warn: Callable[[str], None], addresses: list[str]) -> None:
    """Request it, and wait until every listener shows the certificate and its authorities. Raises KraftError."""
    directory = params["directory"]
    found = certificate.CERTIFICATE.search(read_text(os.path.join(directory, certificate.NODE)))
    if not found:
        raise ToolError(f"there is no certificate in {directory}/{certificate.NODE}")
    with Client(params["client"], warn=warn) as client:
        request_load(client, params["node_id"], asked_at(params["listeners"], params["controllers"]))
    await_shown(addresses, found.group(0), params["timeout"])
    await_accepted(run, mutual(params["listeners"], directory), params)
