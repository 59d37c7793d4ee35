#!/usr/bin/python
"""Opens the way back after a switch: notes where new records begin."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_mirror_back
short_description: Notes where new records begin that go back to the former source (internal)
description:
  - Writes the ends of this cluster's topics to the former source, as positions from which MirrorMaker copies back.
  - Changes nothing if they are there already. The copy from the source must have ended.
options:
  mirror:
    description: The variable C(kafka_mirror), without the secrets of its source.
    type: dict
    required: true
  secrets:
    description: The secrets among the settings of the source's client.
    type: dict
    default: {}
  ends:
    description: The C(progress.ends) that M(kafka_mirror_info) returned before the copy was proven.
    type: dict
    required: true
  replication_factor:
    description: Replicas of the topic with positions; fewer if the source has fewer brokers.
    type: int
    required: true
extends_documentation_fragment: [kafka_client]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Record the offsets where new records begin
  kafka_mirror_back:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    mirror: {source: {name: old, bootstrap_servers: ["198.51.100.5:9092"]}}
    ends: "{{ ends }}"
    replication_factor: 3
"""

RETURN = r"""
changed:
  description: True if the positions were written.
  returned: success
  type: bool
"""

from typing import Any

from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.mirror import positions
from ansible.module_utils.kraft.operations.mirror.observe import ANSWERED_SECONDS
from ansible.module_utils.kraft.spec.desired.mirror import with_secrets

ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "mirror": {"type": "dict", "required": True},
    "secrets": {"type": "dict", "default": {}, "no_log": True},
    "ends": {"type": "dict", "required": True},
    "replication_factor": {"type": "int", "required": True},
}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    params = module.params
    asked = with_secrets(params["mirror"], params["secrets"])
    given = (asked, params["client"], params["ends"], params["replication_factor"], module.check_mode)
    module.finish(lambda: {"changed": until_answered(lambda: positions.begin(*given), ANSWERED_SECONDS)})


if __name__ == "__main__":
    main()
