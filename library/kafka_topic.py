"""Create or change topics as requested."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_topic
short_description: Creates, changes and removes topics
description:
  - Everything is planned and validated by Kafka before anything is changed; all refusals are listed at once.
  - Waits until every broker has the changes and replicas have arrived.
  - Takes one topic or a list of them; a list is one task and few requests.
options:
  name:
    description: The topic.
    type: str
  state: &state
    description: V(present) creates the topic, V(absent) deletes it. Kafka's own topics are never removed.
    type: str
    choices: [present, absent]
    default: present
  partitions: &partitions
    description: Number of partitions; may only grow. Left out, that of the topic or the cluster's default.
    type: int
  replication_factor: &replication_factor
    description:
      - Replicas of each partition. Changed by moving as little as possible, spread over racks, no leader displaced.
      - Left out, that of the topic or the cluster's default.
    type: int
  config: &config
    description: Settings of the topic. A null value takes the topic's own setting away. Others are left alone.
    type: dict
  topics:
    description: Several topics at once, instead of O(name) and the options beside it.
    type: list
    elements: dict
    suboptions:
      name:
        description: The topic.
        type: str
        required: true
      state: *state
      partitions: *partitions
      replication_factor: *replication_factor
      config: *config
  delete_topics:
    description: Names of topics that may be deleted. One that exists and is V(absent) is refused if it is not named.
    type: list
    elements: str
    default: []
  timeout:
    description: Seconds without any advance after which waiting is given up.
    type: int
    default: 60
extends_documentation_fragment: [kafka_client]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Create a topic
  kafka_topic:
    client:
      bootstrap_servers: ["192.0.2.11:9092", "192.0.2.12:9092"]
      python_path: /opt/kafka/client/kafka_python.zip
    name: orders
    partitions: 12
    replication_factor: 3
    config:
      retention.ms: 86400000
      cleanup.policy: [compact, delete]

- name: See that several are as they should be
  kafka_topic:
    client:
      bootstrap_servers: ["192.0.2.11:9092", "192.0.2.12:9092"]
      python_path: /opt/kafka/client/kafka_python.zip
    topics:
      - {name: orders, partitions: 24}
      - {name: audit, partitions: 6, config: {retention.ms: null}}
      - {name: scratch, state: absent}
    delete_topics: [scratch]
"""

RETURN = r"""
topics:
  description: One entry for each topic, in the order given.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: The topic.
      type: str
      returned: always
    topic_id:
      description: Id of the topic before; empty if there was none. A topic that is deleted and made again gets another.
      type: str
      returned: always
    changed:
      description: True if it was changed, or would be in check mode.
      type: bool
      returned: always
    steps:
      description: Changes that were made, or would be made in check mode.
      type: list
      returned: always
    partitions:
      description: Number of partitions afterwards.
      type: int
      returned: when present
    replication_factor:
      description: Replicas of each partition afterwards.
      type: int
      returned: when present
    config:
      description: The topic's own settings afterwards.
      type: dict
      returned: when present
"""

from typing import Any

from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.resources.run import Resources
from ansible.module_utils.kraft.operations.resources.shell import carry_out
from ansible.module_utils.kraft.operations.topics.plan import desired
from ansible.module_utils.kraft.operations.topics.run import DELETE_SPEC, TOPIC_SPEC, TopicRun

ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "name": {"type": "str"},
    **TOPIC_SPEC,
    "topics": {
        "type": "list",
        "elements": "dict",
        "options": {"name": {"type": "str", "required": True}, **TOPIC_SPEC},
    },
    "delete_topics": DELETE_SPEC,
    "timeout": {"type": "int", "default": 60},
}


def main() -> None:
    module = KraftModule(
        argument_spec=ARGUMENT_SPEC,
        supports_check_mode=True,
        mutually_exclusive=[("name", "topics")],
        required_one_of=[("name", "topics")],
    )
    params = module.params
    topics = [desired(one) for one in params["topics"] or [params]]
    carry_out(
        module,
        lambda client: Resources(topics=[TopicRun(client, topics, params["timeout"], params["delete_topics"])]),
        lambda resources: resources.topics[0].result(),
    )


if __name__ == "__main__":
    main()
