#!/usr/bin/python
"""A cluster's metadata, copied, and an upgrade that is tried on the copy."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_rehearsal
short_description: Copies a cluster's metadata, and tries an upgrade on it in a network without a way out (internal)
description:
  - With O(state=copied) it reads the newest complete snapshot of the metadata log and the segments after it on a
    controller, and writes them to the control machine. It changes nothing on the host, and reads no records of topics.
    The files hold SCRAM verifiers and delegation tokens. In check mode nothing is written.
  - Otherwise it runs on the control machine. It starts controllers with the ids and addresses of the cluster and the
    libraries of another release. Each has a copy of the metadata log. It also starts one new broker. It registers the
    brokers of the cluster with the features of that release, and finalises. Then it removes the new broker.
  - Everything runs in a separate network namespace of this machine that has only C(lo). Refused if an address of the
    running cluster answers there. Root is not needed where unprivileged user namespaces are allowed. Skipped in check
    mode.
  - Contacts no node of the cluster. All listeners inside are PLAINTEXT. All processes have ended when it returns.
options:
  state:
    description: V(copied) copies the metadata log, V(rehearsed) tries the upgrade.
    type: str
    choices: [copied, rehearsed]
    default: rehearsed
  directory:
    description: Directory on the control machine for the copied files. It is created for this user alone. Nodes work
      below it, and their files are removed again.
    type: path
    required: true
  metadata_dir: {description: The log dir with the metadata log. Required for V(copied)., type: path}
  known_offset:
    description: Refused if the copy ends before this offset of the metadata log.
    type: int
    default: 0
  archive:
    description: Archive of the release on this machine. Required for V(rehearsed), as O(checksum), O(cluster),
      O(features) and O(known_settings) are.
    type: path
  checksum:
    description: The archive's checksum, C(sha256:<hex>) or C(sha512:<hex>).
    type: str
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
  snapshot:
    description:
      - RV(ignore:snapshot) of M(kafka_cluster_info), with its quorum. O(cluster), O(features) and O(known_settings)
        are derived from it and the fact C(kafka_desired), and RV(lines) and RV(refusals) are returned.
    type: dict
  source:
    description: Host of the copied metadata log, with O(snapshot).
    type: str
  known_settings:
    description: C(topic) and C(broker) to the names of the settings that the release has.
    type: dict
author: Kraftwright
"""

EXAMPLES = r"""
- name: Copy the metadata log of a controller
  kafka_rehearsal:
    state: copied
    metadata_dir: /data/kafka1
    directory: .kraftwright/orders/rehearsal

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
lines:
  description: Lines of the page.
  returned: with O(snapshot)
  type: list
  elements: str
refusals:
  description: Reasons why the finalisation will be refused.
  returned: with O(snapshot)
  type: list
  elements: str
names:
  description: Names of the files.
  returned: with O(state=copied)
  type: list
  elements: str
bytes:
  description: Their size.
  returned: with O(state=copied)
  type: int
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

from ansible.module_utils.kraft.errors import UnreachableError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.rehearsal import metadata_files
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
    "state": {"type": "str", "choices": ["copied", "rehearsed"], "default": "rehearsed"},
    "directory": {"type": "path", "required": True},
    "metadata_dir": {"type": "path"},
    "known_offset": {"type": "int", "default": 0},
    "archive": {"type": "path"},
    "checksum": {"type": "str"},
    "java": {"type": "path", "default": "java"},
    "python_path": {"type": "path"},
    "cluster": {"type": "dict", "options": CLUSTER_SPEC},
    "features": {"type": "dict"},
    "known_settings": {"type": "dict"},
    "snapshot": {"type": "dict"},
    "source": {"type": "str"},
}
NEEDS = [
    ("state", "copied", ["metadata_dir"]),
    ("state", "rehearsed", ["archive", "checksum", "cluster", "features", "known_settings"]),
]


def collected(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Return the names and the size of the files, and outside check mode the files themselves."""
    files = metadata_files.read(params["metadata_dir"])
    end = metadata_files.end_offset(files)
    if end < params["known_offset"]:
        text = f"the metadata log of this host ends at {end}, before {params['known_offset']}"
        raise UnreachableError(f"{text}: its controller is behind the others, or does not run")
    packed = {name: metadata_files.packed(content) for name, content in files.items()}
    found = {"names": sorted(files), "bytes": sum(map(len, files.values()))}
    return found if check_mode else {**found, "files": packed}


def rehearse(params: dict[str, Any]) -> dict[str, Any]:
    refuse_unless_supported(params)
    return Rehearsal(params)()


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True, required_if=NEEDS)
    if module.params["state"] == "copied":
        module.finish(lambda: collected(module.params, module.check_mode))
    if module.check_mode:
        module.exit_json(skipped=True)
    module.finish(lambda: rehearse(module.params))


if __name__ == "__main__":
    main()
