"""Documentation that the modules which ask a cluster share."""

from __future__ import annotations


class ModuleDocFragment:
    """C(kafka_client): how the cluster is reached; C(kafka_client.expected): what the inventory says it is."""

    DOCUMENTATION = r"""
options:
  client:
    description: How the cluster is reached.
    type: dict
    required: true
    suboptions:
      bootstrap_servers:
        description: Client listeners as C(host:port); an entry may hold several, with commas.
        type: list
        elements: str
        required: true
      security_protocol:
        description: What the listeners speak.
        type: str
        default: PLAINTEXT
        choices: [PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL]
      ssl_cafile:
        description: PEM file with the certificates to trust.
        type: path
      ssl_certfile:
        description: PEM file with the client's own certificate.
        type: path
      ssl_keyfile:
        description: PEM file with the key of O(client.ssl_certfile).
        type: path
      ssl_password:
        description: Password of O(client.ssl_keyfile).
        type: str
      ssl_check_hostname:
        description: Whether a broker's certificate must carry its host name.
        type: bool
        default: true
      sasl_mechanism:
        description: How to log in.
        type: str
        choices: [PLAIN, SCRAM-SHA-256, SCRAM-SHA-512]
      sasl_plain_username:
        description: User for O(client.sasl_mechanism).
        type: str
      sasl_plain_password:
        description: Password for O(client.sasl_mechanism).
        type: str
      python_path:
        description: Zip or directory that holds kafka-python; without it, the one that is installed.
        type: path
"""

    EXPECTED = r"""
options:
  expected:
    description: What the inventory says the cluster is; what is left out is not checked.
    type: dict
    suboptions:
      cluster_id:
        description: The cluster's id.
        type: str
      broker_ids:
        description: Node ids of all brokers.
        type: list
        elements: int
      voter_ids:
        description: Node ids of all controllers.
        type: list
        elements: int
      only:
        description: Node ids that are to be judged, in the middle of a roll; left out, all are.
        type: list
        elements: int
      largest_delay_ms:
        description: How far a controller may be behind the leader, in milliseconds.
        type: int
        default: 2000
"""
