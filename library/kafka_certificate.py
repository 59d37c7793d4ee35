#!/usr/bin/python
"""The host's half of `kafka_certificate`: its action plugin inspects, signs and has the files installed."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_certificate
short_description: Gives a node its private key and a certificate, and has the node load them (internal)
description:
  - The key is made on the host and never leaves it. The control machine signs a certificate with the names that the
    inventory gives.
  - A new certificate is issued if there is none, if it does not belong to its key, if its issuer, owner or names
    differ, or if it expires soon. The reasons are returned.
  - The control machine keeps the authorities in O(authority). Missing ones are made.
  - With O(given=true) nothing is made and signed. Key and certificate of the node are brought from O(authority), and
    replaced whenever the host has others.
  - With O(state=loaded), a running node whose certificate was renewed reads its files again, without a restart. Then
    every listener with TLS must show the new certificate. Listeners that require client certificates must name the
    authorities that they trust now. A node that has loaded its certificate, or does not run, gets no request.
options:
  state:
    description: V(present) brings key and certificate to the host. V(loaded) has the running node load them.
    type: str
    choices: [present, loaded]
    default: present
  directory:
    description: Directory on the host for C(node.pem) (key and certificate) and for C(nodes.pem) and C(clients.pem).
    type: path
    required: true
  group:
    description: The group that may read the key.
    type: str
    default: kafka
  node:
    description: Owner of the certificate, as C(kafka_desired) describes it (C(host), C(cluster), C(names)). Required
      for V(present), as O(authority) is.
    type: dict
  authority:
    description: Directory on the control machine, with the authorities' certificates and encrypted keys.
    type: path
  given:
    description: If true, O(authority) holds certificates that you provide (C(nodes/<host>.pem), C(nodes/<host>.key)).
    type: bool
    default: false
  host_key:
    description: With O(given=true), the private key on the host, in place of the one in O(authority).
    type: str
    default: ""
  passphrase:
    description: Opens the authorities' keys, or the keys that you bring.
    type: str
    default: ""
  days:
    description: For how long a certificate is good.
    type: int
    default: 397
  renew_before_days:
    description: A certificate that expires sooner is issued again.
    type: int
    default: 60
  renew_all:
    description: If true, a new certificate is issued even if the present one is valid for longer.
    type: bool
    default: false
  client: {required: false}
  node_id: {description: "Id of the node. Required for V(loaded), as the next two and O(client) are.", type: int}
  listeners:
    description: Addresses of the node's present listeners, as M(kafka_host_info) gives them in
      RV(kafka_host_info#module:deployed).
    type: list
    elements: dict
  controllers: {description: Addresses of the controllers., type: list, elements: str}
  timeout: {description: Seconds in which every listener must show the certificate., type: int, default: 60}
  deferrable:
    description: If true, the certificate is left for later if no controller answers.
    type: bool
    default: false
extends_documentation_fragment: [kafka_client]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Issue the certificate of a node
  kafka_certificate:
    directory: /opt/kafka/tls
    node: {host: kafka1, cluster: orders, names: [kafka1.example.org, 192.0.2.11]}
    authority: .kraftwright/orders/tls
    passphrase: "{{ kafka_tls.passphrase }}"

- name: Have the running node load its renewed certificate
  kafka_certificate:
    state: loaded
    directory: /opt/kafka/tls
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    node_id: 1
    listeners: "{{ deployed_listeners }}"
    controllers: ["192.0.2.11:9093"]
"""

RETURN = r"""
reasons:
  description: Why a certificate was issued, or would be; empty if the present one is good.
  returned: with O(state=present)
  type: list
  elements: str
addresses:
  description: The listeners that show the new certificate; none if nothing had to be loaded.
  returned: with O(state=loaded)
  type: list
  elements: str
deferred:
  description: True if no controller answered, so that the certificate is still to be loaded.
  returned: with O(state=loaded)
  type: bool
"""

from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node import certificate
from ansible.module_utils.kraft.operations.certificates.load import LOAD_SPEC, ensure_loaded

#: Parameters from the action plugin. ``observed`` inspects, ``requested`` makes a key and a request beside the present
#: pair. ``installed`` installs ``certificate`` (PEM) with the ``key`` of the request, the one given as PKCS#8, or the
#: one in ``key_file``, and ``trust`` (root -> PEM). ``live``: a running node loads it by ``loaded``.
HOST_SPEC: dict[str, Any] = {
    "directory": {"type": "path", "required": True},
    "group": {"type": "str", "default": "kafka"},
    "state": {"type": "str", "choices": ["observed", "requested", "installed", "loaded"], "default": "observed"},
    "certificate": {"type": "str", "default": ""},
    "key": {"type": "str", "default": "", "no_log": True},
    "key_file": {"type": "str", "default": "", "no_log": False},
    "trust": {"type": "dict", "default": {}},
    "live": {"type": "bool", "default": False},
    **LOAD_SPEC,
}


def main() -> None:
    module = KraftModule(argument_spec=HOST_SPEC, supports_check_mode=True)
    params = module.params

    def run(command: list[str]) -> tuple[int, str, str]:
        return module.run_command(command, handle_exceptions=False)

    found: dict[str, Any] = {}
    try:
        if params["state"] == "observed":
            found = certificate.observe(run, params["directory"])
        elif params["state"] == "loaded":
            found = ensure_loaded(module.run_command, params, module.warn, module.check_mode)
        elif module.check_mode:
            module.exit_json(changed=True)
        elif params["state"] == "requested":
            found = {"request": certificate.request(run, params["directory"], params["group"])}
        else:
            own = certificate.read_host_key(run, params["key_file"]) if params["key_file"] else params["key"]
            pair = own + params["certificate"]
            certificate.install(params["directory"], params["group"], pair, params["trust"], params["live"])
    except (KraftError, OSError) as error:
        module.fail_json(msg=str(error))
    module.exit_json(**{"changed": params["state"] != "observed", **found})


if __name__ == "__main__":
    main()
