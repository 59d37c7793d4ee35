#!/usr/bin/python
"""Make a running node load the certificate on its host, and verify that every listener shows it."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_certificate_load
short_description: Has a running node load its renewed certificate, without a restart (internal)
description:
  - If M(kafka_certificate) has renewed the certificate of a running node, the node reads its files again. Then every
    listener with TLS must show the new certificate. Listeners that require client certificates must name the
    authorities that they trust now.
  - A change of the node's settings that has no other effect triggers it. The module deletes an override that does not
    exist, and Kafka reads the files of every listener again. No override is left.
  - No request is sent to a node that has loaded its certificate, or does not run.
options:
  node_id: {description: Id of the node., type: int, required: true}
  listeners:
    description: Addresses of the node's present listeners, as M(kafka_host_info) gives them in
      RV(kafka_host_info#module:deployed).
    type: list
    elements: dict
    required: true
  controllers: {description: Addresses of the controllers., type: list, elements: str, required: true}
  directory: {description: Directory of the node's certificate., type: path, required: true}
  timeout: {description: Seconds in which every listener must show it., type: int, default: 60}
  deferrable:
    description: If true, the certificate is left for later if no controller answers.
    type: bool
    default: false
extends_documentation_fragment: [kafka_client]
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Load the renewed certificate
  kafka_certificate_load:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    node_id: 1
    listeners: "{{ secured_listeners }}"
    controllers: ["192.0.2.11:9093"]
    directory: /opt/kafka/tls
"""

RETURN = r"""
addresses:
  description: The listeners that show the new certificate; none if nothing had to be loaded.
  returned: success
  type: list
  elements: str
deferred:
  description: True if no controller answered, so that the certificate is still to be loaded.
  returned: success
  type: bool
"""

import os
import time
from collections.abc import Callable
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client, Question
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.retry import passing
from ansible.module_utils.kraft.errors import KraftError, ToolError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node import certificate
from ansible.module_utils.kraft.node.release.manifest import read_text
from ansible.module_utils.kraft.node.served import accepted, showing_other, subjects
from ansible.module_utils.kraft.node.service.deployed import local_address, secured_addresses
from ansible.module_utils.kraft.operations.config.admin import DELETE
from ansible.module_utils.kraft.operations.config.settings import BROKER, RESOURCE
from ansible.module_utils.kraft.terms import INTER_BROKER

ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "node_id": {"type": "int", "required": True},
    "listeners": {"type": "list", "elements": "dict", "required": True},
    "controllers": {"type": "list", "elements": "str", "required": True},
    "directory": {"type": "path", "required": True},
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


def load(client: Client, node_id: int, addresses: list[str]) -> None:
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
    """Wait until each address lists the installed client authorities. Raises ToolError for those that do not."""
    path = os.path.join(params["directory"], f"{certificate.CLIENTS}.pem")
    wanted = subjects(run, read_text(path)) if addresses else frozenset()
    deadline = time.monotonic() + params["timeout"]
    while others := [address for address in addresses if accepted(address) != wanted]:
        if time.monotonic() > deadline:
            seconds = f"{params['timeout']} s after the request to load them"
            raise ToolError(f"{', '.join(others)}: the node still trusts other client authorities {seconds}")
        time.sleep(POLL_SECONDS)


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    params = module.params
    try:
        copied = certificate.restart_copies(module.run_command, module.check_mode)
    except KraftError as error:
        module.fail_json(msg=str(error))
    if not certificate.is_unloaded():
        module.exit_json(changed=copied, addresses=[], deferred=False)
    addresses = secured_addresses(params["listeners"])
    if module.check_mode:
        module.exit_json(changed=True, addresses=addresses, deferred=False)
    found = certificate.CERTIFICATE.search(read_text(os.path.join(params["directory"], certificate.NODE)))
    try:
        if not found:
            raise ToolError(f"there is no certificate in {params['directory']}/{certificate.NODE}")
        with Client(params["client"], warn=module.warn) as client:
            load(client, params["node_id"], asked_at(params["listeners"], params["controllers"]))
        await_shown(addresses, found.group(0), params["timeout"])
        await_accepted(module.run_command, mutual(params["listeners"], params["directory"]), params)
    except KraftError as error:
        if params["deferrable"] and passing(error):
            module.exit_json(changed=False, addresses=[], deferred=True)
        module.fail_json(msg=str(error))
    certificate.loaded(params["directory"])
    module.exit_json(changed=True, addresses=addresses, deferred=False)


if __name__ == "__main__":
    main()
