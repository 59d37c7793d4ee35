"""Documentation that the modules which ask a cluster share."""

from __future__ import annotations


class ModuleDocFragment:
    """C(kafka_client): connection to the cluster; C(kafka_client.expected): the cluster as the inventory defines it."""

    DOCUMENTATION = r"""
options:
  client:
    description: Connection to the cluster.
    type: dict
    required: true
    suboptions:
      bootstrap_servers:
        description: Brokers as C(host:port), tried first; an entry may hold several, with commas.
        type: list
        elements: str
        required: true
      security_protocol: &security_protocol
        description: The protocol of the listeners.
        type: str
        default: PLAINTEXT
        choices: [PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL]
      ca_file: &ca_file
        description: PEM file with the certificates to trust. Left out, those that the host trusts.
        type: path
      keystore_file: &keystore_file
        description: PEM file with the client's own key and certificate.
        type: path
      key_password: &key_password
        description: Password of the client's own key.
        type: str
      check_hostname: &check_hostname
        description: If true, a broker's certificate must carry its host name.
        type: bool
        default: true
      sasl_mechanism: &sasl_mechanism
        description: Login with SASL.
        type: str
        choices: [PLAIN, SCRAM-SHA-256, SCRAM-SHA-512]
      username: &username
        description: The user who logs in.
        type: str
      password: &password
        description: That user's password.
        type: str
      listener: &listener
        description: Name of the listener, by which O(client.node) finds its certificates.
        type: str
      others:
        description: Addresses with other settings, such as controllers with a separate protocol.
        type: list
        elements: dict
        default: []
        suboptions:
          bootstrap_servers:
            description: The addresses as C(host:port).
            type: list
            elements: str
            required: true
          security_protocol: *security_protocol
          ca_file: *ca_file
          keystore_file: *keystore_file
          key_password: *key_password
          check_hostname: *check_hostname
          sasl_mechanism: *sasl_mechanism
          username: *username
          password: *password
          listener: *listener
      cluster_id:
        description:
          - Id that the cluster must have. Each connection checks it before anything else. Bootstrap servers of another
            cluster are skipped with a warning.
          - Left out, no cluster is refused.
        type: str
      node:
        description:
          - The C(server.properties) of the node on this host. The module then acts as that node, with the certificates
            that the file names for O(client.listener).
        type: path
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
