"""The files of a node's key and certificate on its host."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_certificate_files
short_description: Makes a node's private key on its host and installs the certificate for it
description:
  - The host's half of M(kafka_certificate), which signs. The key is made here and never leaves.
options:
  directory:
    description: Directory of the files. C(node.pem) holds key and certificate, the others what the node trusts.
    type: path
    required: true
  group:
    description: The group that may read the key.
    type: str
    default: kafka
  state:
    description:
      - V(observed) looks. V(requested) makes a new key and a request for its certificate, and leaves the present pair
        as it is. V(installed) puts what was issued in place.
    type: str
    choices: [observed, requested, installed]
    default: observed
  certificate:
    description: Certificate that was issued for the last request, as PEM. Empty if only O(trust) is to be installed.
    type: str
    default: ""
  key:
    description: The private key as PEM (PKCS#8), where it was not made by a request.
    type: str
    default: ""
  key_file:
    description: Path of the private key on this host, if it was neither made by a request nor given.
    type: str
    default: ""
  trust:
    description: The authorities' certificates as PEM, by the name of their file without its ending.
    type: dict
    default: {}
  live:
    description: If true, a running node is made to load it later, by M(kafka_certificate_load).
    type: bool
    default: false
author: Kraftwright
"""

EXAMPLES = r"""
- name: Look at the node's certificate
  kafka_certificate_files:
    directory: /opt/kafka/tls
"""

RETURN = r"""
certificate:
  description: The node's certificate as PEM; empty where there is none.
  returned: when O(state=observed)
  type: str
chain:
  description: The certificate and those of its authorities in the same file, as PEM.
  returned: when O(state=observed)
  type: str
key_fits:
  description: True if the certificate belongs to the key beside it.
  returned: when O(state=observed)
  type: bool
unloaded:
  description: True if the running node has not loaded its certificate yet.
  returned: when O(state=observed)
  type: bool
trust:
  description: The authorities' certificates that are there.
  returned: when O(state=observed)
  type: dict
request:
  description: The request for a certificate as PEM.
  returned: when O(state=requested), outside check mode
  type: str
"""

from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node import certificate

ARGUMENT_SPEC: dict[str, Any] = {
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
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
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
