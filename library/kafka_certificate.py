"""Documentation of the action plugin `kafka_certificate`; the work on the host is that of `kafka_certificate_files`."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_certificate
short_description: Gives a node its private key and a certificate
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
- name: Give the node its certificate
  kafka_certificate:
    directory: /opt/kafka/tls
    node: {host: kafka1, cluster: orders, names: [kafka1, 10.0.0.11]}
    authority: .kraftwright/orders/tls
    passphrase: "{{ vault_ca_passphrase }}"
"""

RETURN = r"""
reasons:
  description: Why a certificate was issued, or would be; empty where the present one is good.
  returned: always
  type: list
  elements: str
"""
