#!/usr/bin/python
"""Topics, users, ACLs and quotas in one run."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_resources
short_description: Makes topics, users who log in with SCRAM, ACLs and quotas be as they are declared (internal)
description:
  - Looks at all of it and plans all of it before anything is changed; all refusals are listed at once.
  - Topics come first. New access comes before old access goes, over all kinds.
  - A kind that is left out is neither read nor changed.
  - A password is compared with what the metadata log of this host's node has (O(client.node)), or else by logging in
    with it. So a run with nothing to do changes nothing.
options:
  topics:
    description: Topics, each name once.
    type: list
    elements: dict
    suboptions:
      name:
        description: The topic.
        type: str
        required: true
      state:
        description: V(present) creates the topic, V(absent) deletes it. Kafka's own topics are never removed.
        type: str
        choices: [present, absent]
        default: present
      partitions:
        description: Number of partitions; may only grow. Left out, that of the topic or the cluster's default.
        type: int
      replication_factor:
        description: Replicas of each partition. Left out, that of the topic or the cluster's default.
        type: int
      config:
        description: Settings of the topic. A null value takes the topic's own setting away. Others are left alone.
        type: dict
  delete_topics:
    description: Names of topics that may be deleted. One that exists and is V(absent) is refused if it is not named.
    type: list
    elements: str
    default: []
  prune:
    description: Kinds from which undeclared entries are removed, a tenth of them at most.
    type: list
    elements: str
    choices: [users, acls, quotas]
    default: []
  prune_most:
    description: Largest number of undeclared entries of a kind to remove, instead of a tenth.
    type: int
  timeout:
    description: Seconds to wait for the cluster to answer, and to show what was changed.
    type: int
    default: 60
  fact:
    description: Keep the result as the fact C(kafka_resources) of the hosts in the play.
    type: bool
    default: false
extends_documentation_fragment: [kafka_client, kafka_users, kafka_acls, kafka_quotas]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Create a topic and its reader in one run
  kafka_resources:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    topics:
      - {name: orders, partitions: 12}
    acls:
      - {principal: User:reader, topic: orders, operations: [read]}
"""

RETURN = r"""
topics:
  description: As C(kafka_topic) returns them.
  returned: success
  type: list
  elements: dict
steps:
  description: Changes of users, ACLs and quotas that were made, or would be made in check mode.
  returned: success
  type: list
  elements: str
drift:
  description: Users, ACLs and quotas that are in the cluster and not declared. They are left alone without O(prune).
  returned: success
  type: list
  elements: str
problems:
  description: Everything that forbids it.
  returned: when refused
  type: list
  elements: str
"""

from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.resources import asked
from ansible.module_utils.kraft.operations.resources.plan import Prune
from ansible.module_utils.kraft.operations.resources.run import KindRun, Made, Resources
from ansible.module_utils.kraft.operations.resources.shell import carry_out
from ansible.module_utils.kraft.operations.topics.plan import desired
from ansible.module_utils.kraft.operations.topics.run import DELETE_SPEC, TOPIC_SPEC, TopicRun

#: In the order in which new access is created.
KINDS: dict[str, Made[Any]] = {"users": asked.users, "acls": asked.acls, "quotas": asked.quotas}
ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "topics": {
        "type": "list",
        "elements": "dict",
        "options": {"name": {"type": "str", "required": True}, **TOPIC_SPEC},
    },
    "users": asked.USERS,
    "logins": asked.LOGINS,
    "acls": asked.ACLS,
    "quotas": asked.QUOTAS,
    "delete_topics": DELETE_SPEC,
    "prune": {"type": "list", "elements": "str", "choices": list(KINDS), "default": []},
    "prune_most": {"type": "int"},
    "timeout": {"type": "int", "default": 60},
    "fact": {"type": "bool", "default": False},
}


def parts(client: Client, params: dict[str, Any], check_mode: bool) -> Resources:
    """Return the kinds that were given."""
    given, topics = {**params, "check_mode": check_mode}, [desired(one) for one in params["topics"] or ()]
    return Resources(
        topics=[TopicRun(client, topics, params["timeout"], params["delete_topics"])] if topics else [],
        kinds=[
            KindRun(client, made, given, Prune(kind in params["prune"], params["prune_most"]))
            for kind, made in KINDS.items()
            if params[kind] is not None
        ],
    )


def result(resources: Resources) -> dict[str, Any]:
    topics = [part.result() for part in resources.topics]
    kinds = [part.result() for part in resources.kinds]
    return {
        "changed": any(one["changed"] for one in (*topics, *kinds)),
        "topics": [entry for one in topics for entry in one["topics"]],
        "steps": [step for one in kinds for step in one["steps"]],
        "drift": [each for one in kinds for each in one["drift"]],
        "diff": [diff for one in topics for diff in one["diff"]] + [one["diff"] for one in kinds if "diff" in one],
    }


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    carry_out(module, lambda client: parts(client, module.params, module.check_mode), result)


if __name__ == "__main__":
    main()
