#!/usr/bin/python
"""Ask listeners for the certificates that they show."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_certificate_info
short_description: Reads the certificates of listeners with TLS
description:
  - Connects from the host to each address and reads the certificate that is shown, as any client would see it. It
    verifies no certificate and shows none, so it also reads one that has expired.
  - An address that does not answer, or answers without TLS, has an C(error). The module does not fail.
  - Changes nothing. The control machine reads the certificates, with Python's C(cryptography).
options:
  addresses:
    description: Listeners as C(host:port).
    type: list
    elements: str
    required: true
author: Kraftwright
"""

EXAMPLES = r"""
- name: Read what the listeners of this node show
  kafka_certificate_info:
    addresses: ["192.0.2.11:9092", "192.0.2.11:9093"]
  register: shown
"""

RETURN = r"""
certificates:
  description:
    - For each of O(addresses), in their order, C(address), C(certificate) (PEM), and C(error), why nothing was read.
    - Without an error, also C(subject), such as C(CN=kafka1,OU=nodes,O=orders), and C(issuer), the signer.
    - C(serial) in hexadecimal digits, as openssl prints it. C(names), the DNS names and addresses that it is good for.
    - C(not_before) and C(not_after), such as C(2026-11-23T20:00:00Z). C(days_left), whole days until then by the host's
      clock, negative once it has expired.
  returned: success
  type: list
  elements: dict
asked_at:
  description: Time of the reading, in seconds of the epoch by the host's clock.
  returned: success
  type: float
"""

import time
from typing import Any

from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.served import served

ARGUMENT_SPEC: dict[str, Any] = {"addresses": {"type": "list", "elements": "str", "required": True}}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    module.exit_json(changed=False, certificates=served(module.params["addresses"]), asked_at=time.time())


if __name__ == "__main__":
    main()
