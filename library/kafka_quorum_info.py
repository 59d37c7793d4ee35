"""Ask who leads the metadata quorum, and how far its voters are."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_quorum_info
short_description: Who leads the metadata quorum and how far its voters are
description:
  - Asks any broker, which asks the active controller. Changes nothing.
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
  timeout:
    description: Seconds to go on asking while nobody answers or there is no leader.
    type: int
    default: 15
author: Kraftwright
"""

EXAMPLES = r"""
- name: Look at the quorum
  kafka_quorum_info:
    client:
      bootstrap_servers: ["192.0.2.11:9092", "192.0.2.12:9092"]
      python_path: /opt/kafka/client/kafka_python.zip
  register: __kafka_quorum
"""

RETURN = r"""
cluster_id:
  description: The cluster's id.
  returned: success
  type: str
quorum:
  description:
    - Leader, epoch, high watermark, and every voter and observer with its log end offset and its distance from the
      leader in records (C(lag)) and milliseconds (C(behind_ms)).
  returned: success
  type: dict
  sample:
    leader_id: 1
    leader_epoch: 4
    high_watermark: 1203
    voters:
      - {node_id: 1, directory_id: b6eD3uv0QAmoZ0zSbh97pw, log_end_offset: 1203, lag: 0, behind_ms: 0,
         last_caught_up_ms: 1795228846702, last_fetch_ms: 1795228846702}
    observers: []
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.kraft.cluster import gather
from ansible.module_utils.kraft.cluster.client import CLIENT_SPEC, Client
from ansible.module_utils.kraft.errors import KraftError

ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "timeout": {"type": "int", "default": 15},
}


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        with Client(module.params["client"]) as client:
            snapshot = gather.patiently(client, ("quorum",), module.params["timeout"])
    except KraftError as error:
        module.fail_json(msg=str(error))
    if snapshot.quorum is None:
        module.fail_json(msg=f"The quorum is not known: {snapshot.unanswered.get('quorum', '')}")
    module.exit_json(changed=False, cluster_id=snapshot.cluster_id, quorum=snapshot.to_dict()["quorum"])


if __name__ == "__main__":
    main()
