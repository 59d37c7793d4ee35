#!/usr/bin/python
"""An upgrade, tried on a copy of a cluster's metadata."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_rehearsal
short_description: Tries an upgrade on a copy of a cluster's metadata, in a network without a way out (internal)
description:
  - Starts controllers with the ids and addresses of the cluster and the libraries of another release. Each has a copy
    of the metadata log. Also starts one new broker. Registers the brokers of the cluster with the features of that
    release, and finalises. Then it removes the new broker.
  - Everything runs in a separate network namespace of this machine that has only C(lo). Refused if an address of the
    running cluster answers there. Root is not needed where unprivileged user namespaces are allowed.
  - Contacts no node of the cluster. All listeners inside are PLAINTEXT. All processes have ended when it returns.
options:
  directory:
    description: Directory with the copied files. Nodes work below it, and their files are removed again.
    type: path
    required: true
  archive:
    description: Archive of the release on this machine.
    type: path
    required: true
  checksum:
    description: The archive's checksum, C(sha256:<hex>) or C(sha512:<hex>).
    type: str
    required: true
  java:
    description: Java on this machine.
    type: path
    default: java
  python_path:
    description: The kafka-python library, a zip or a directory. By default it must be installed.
    type: path
  cluster:
    description: The cluster that is rehearsed.
    type: dict
    required: true
    suboptions:
      cluster_id:
        description: Id of the cluster.
        type: str
        required: true
      quorum:
        description: Form of the quorum.
        type: str
        choices: [dynamic, static]
        default: dynamic
      listener:
        description: Name of the controller listener.
        type: str
        required: true
      controllers:
        description: Every voter.
        type: list
        elements: dict
        required: true
        suboptions:
          node_id:
            description: Node id.
            type: int
            required: true
          address:
            description: Its controller listener (C(host:port)).
            type: str
            required: true
          directory_id:
            description: Its directory id, as the quorum lists it.
            type: str
      broker_ids:
        description: Node ids of the brokers of the inventory. Other registered brokers are no more.
        type: list
        elements: int
        required: true
      addresses:
        description: Addresses of the running cluster that must not answer inside (C(host:port)).
        type: list
        elements: str
        required: true
  features:
    description: Feature to level, as for M(kafka_feature).
    type: dict
    required: true
  known_settings:
    description: C(topic) and C(broker) to the names of the settings that the release has.
    type: dict
    required: true
author: Kraftwright
"""

EXAMPLES = r"""
- name: Rehearse an upgrade on the copied metadata
  kafka_rehearsal:
    directory: .kraftwright/orders/rehearsal
    archive: /srv/kafka_2.13-4.4.0.tgz
    checksum: "{{ kafka_archive_checksum }}"
    cluster: "{{ rehearsed.cluster }}"
    features: {metadata.version: 33}
    known_settings: "{{ rehearsed.known_settings }}"
"""

RETURN = r"""
before:
  description: Feature to finalised level, in the copy.
  returned: success
  type: dict
attempts:
  description: Tries to finalise, each with C(steps) or C(refusals), and the broker that was unregistered before it.
  returned: success
  type: list
after:
  description: Feature to finalised level, at the end.
  returned: success
  type: dict
ghost_brokers:
  description: Registered brokers that are not in the inventory, and the C(metadata.version) that each supports.
  returned: success
  type: list
ghost_controllers:
  description: Registered controllers that are not in the inventory, with the same range.
  returned: success
  type: list
unknown_settings:
  description: Topics and brokers with settings that the release does not have. Values are not returned.
  returned: success
  type: list
refused_topics:
  description: Topic to Kafka's refusal of any change of its settings.
  returned: success
  type: dict
registered_brokers:
  description: Node ids of the brokers that were registered with the features of the release.
  returned: success
  type: list
added_broker:
  description: Node id of the broker that was added and removed.
  returned: success
  type: int
topics:
  description: Number of topics.
  returned: success
  type: int
copied_bytes:
  description: Size of the copied files.
  returned: success
  type: int
seconds:
  description: Part of the rehearsal to its time.
  returned: success
  type: dict
"""

from typing import Any

from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.rehearsal.run import Rehearsal, refuse_unless_supported

CLUSTER_SPEC: dict[str, Any] = {
    "cluster_id": {"type": "str", "required": True},
    "quorum": {"type": "str", "choices": ["dynamic", "static"], "default": "dynamic"},
    "listener": {"type": "str", "required": True},
    "controllers": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "node_id": {"type": "int", "required": True},
            "address": {"type": "str", "required": True},
            "directory_id": {"type": "str"},
        },
    },
    "broker_ids": {"type": "list", "elements": "int", "required": True},
    "addresses": {"type": "list", "elements": "str", "required": True},
}
ARGUMENT_SPEC: dict[str, Any] = {
    "directory": {"type": "path", "required": True},
    "archive": {"type": "path", "required": True},
    "checksum": {"type": "str", "required": True},
    "java": {"type": "path", "default": "java"},
    "python_path": {"type": "path"},
    "cluster": {"type": "dict", "required": True, "options": CLUSTER_SPEC},
    "features": {"type": "dict", "required": True},
    "known_settings": {"type": "dict", "required": True},
}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=False)

    def rehearse() -> dict[str, Any]:
        refuse_unless_supported(module.params)
        return Rehearsal(module.params)()

    module.finish(rehearse)


if __name__ == "__main__":
    main()
