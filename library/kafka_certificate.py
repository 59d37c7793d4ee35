#!/usr/bin/python
"""The host's half of `kafka_certificate`: its action plugin inspects, signs and has the files installed."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_certificate
short_description: Gives a node its private key and a certificate (internal)
description:
  - The key is made on the host and never leaves it. The control machine signs a certificate with the names that the
    inventory gives.
  - A new certificate is issued if there is none, if it does not belong to its key, if its issuer, owner or names
    differ, or if it expires soon. The reasons are returned.
  - The control machine keeps the authorities in O(authority). Missing ones are made.
  - With O(given=true) nothing is made and signed. Key and certificate of the node are brought from O(authority), and
    replaced whenever the host has others.
options:
  directory:
    description: Directory on the host for C(node.pem) (key and certificate) and for C(nodes.pem) and C(clients.pem).
    type: path
    required: true
  group:
    description: The group that may read the key.
    type: str
    default: kafka
  node:
    description: Owner of the certificate, as C(kafka_desired) describes it (C(host), C(cluster), C(names)).
    type: dict
    required: true
  authority:
    description: Directory on the control machine, with the authorities' certificates and encrypted keys.
    type: path
    required: true
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
author: Kraftwright
"""

EXAMPLES = r"""
- name: Issue the certificate of a node
  kafka_certificate:
    directory: /opt/kafka/tls
    node: {host: kafka1, cluster: orders, names: [kafka1.example.org, 192.0.2.11]}
    authority: .kraftwright/orders/tls
    passphrase: "{{ kafka_tls.passphrase }}"
"""

RETURN = r"""
reasons:
  description: Why a certificate was issued, or would be; empty if the present one is good.
  returned: always
  type: list
  elements: str
"""

from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node import certificate

#: Parameters from the action plugin. ``observed`` inspects, ``requested`` makes a key and a request beside the present
#: pair. ``installed`` installs ``certificate`` (PEM) with the ``key`` of the request, the one given as PKCS#8, or the
#: one in ``key_file``, and ``trust`` (root -> PEM). ``live``: a running node loads it by ``kafka_certificate_load``.
HOST_SPEC: dict[str, Any] = {
    "directory": {"type": "path", "required": True},
    "group": {"type": "str", "default": "kafka"},
    "state": {"type": "str", "choices": ["observed", "requested", "installed"], "default": "observed"},
    "certificate": {"type": "str", "default": ""},
    "key": {"type": "str", "default": "", "no_log": True},
    "key_file": {"type": "str", "default": "", "no_log": False},
    "trust": {"type": "dict", "default": {}},
    "live": {"type": "bool", "default": False},
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
    module.exit_json(changed=params["state"] != "observed", **found)


if __name__ == "__main__":
    main()
