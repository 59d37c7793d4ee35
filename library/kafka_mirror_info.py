#!/usr/bin/python
"""Facts about a mirror: the topics it would copy, and its progress."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_mirror_info
short_description: Looks at both sides of a copy (internal)
description:
  - Reads from the source and this cluster what would be copied, what prevents it, and the progress of the copy.
  - Changes nothing.
  - Reasons against the copy are reported, not raised. A side that does not answer is an error.
options:
  mirror:
    description:
      - The variable C(kafka_mirror). The control side puts the secrets of its source into O(secrets).
      - Without it only this cluster is queried.
    type: dict
  secrets:
    description: The secrets among the settings of the source's client.
    type: dict
    default: {}
  known_settings:
    description: Settings of topics that this cluster's Kafka has, each with the setting of brokers that is its default.
    type: dict
    required: true
  replication_factor:
    description: Replicas of each topic that is created here.
    type: int
    required: true
  install_dir:
    description: Directory on this host in which M(kafka_mirror) has noted the ids of topics.
    type: path
    default: /opt/kafka
  hosts:
    description: Number of hosts that the mirror runs on.
    type: int
    default: 1
  wait:
    description: Seconds to wait until it copies; 0 to look once.
    type: int
    default: 0
  began:
    description: The C(began) of an earlier wait that this one goes on with; 0 for a new one.
    type: float
    default: 0
  shown:
    description: Number of topics and groups that C(screen) lists; 0 for all.
    type: int
    default: 20
  sample:
    description: Seconds between two looks, from which the time to catch up follows; 0 for one look.
    type: int
    default: 0
  fact:
    description: Keep the result as the fact C(kafka_mirror_seen) of the hosts in the play.
    type: bool
    default: false
extends_documentation_fragment: [kafka_client]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Compare both sides of the copy
  kafka_mirror_info:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    mirror: {source: {name: old, bootstrap_servers: ["198.51.100.5:9092"]}}
    known_settings: {retention.ms: log.retention.ms}
    replication_factor: 3
"""

RETURN = r"""
plan:
  description:
    - C(problems) as sentences, C(screen) as lines, C(topics), C(groups), C(partitions), C(bytes), C(create), and
      C(unknown_settings).
    - C(settings), what topics need here to mean the same, and C(put_back), what ends the copy, both for M(kafka_topic).
  returned: success
  type: dict
began:
  description: Start of the wait, in seconds of the epoch; 0 without one. C(waited), the seconds since.
  returned: success
  type: float
progress:
  description:
    - C(copies), whether it is at work.
    - Missing without O(mirror), as C(began) and C(service) are. C(plan) is C(put_back) alone then.
    - C(changed), topics of the source that are no longer those whose copy began.
    - C(begun), C(failed) tasks, C(lag) of each topic, C(lag_records), C(copied) offsets, C(groups), and C(screen).
    - C(ends) and C(records) of both sides. C(catch_up), the time to catch up as text.
    - C(back), whether clients have switched and new records go back to the source.
  returned: success
  type: dict
service:
  description:
    - C(properties) of MirrorMaker and C(heap_mb), for this host's cores and memory.
    - C(topic_ids) of the source when their copies began.
    - C(into), MirrorMaker's alias of the cluster that is written.
  returned: success
  type: dict
"""

import os
import time
from typing import Any

from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.other_services.mirror_notes import noted
from ansible.module_utils.kraft.node.other_services.mirror_service import TARGET
from ansible.module_utils.kraft.operations.mirror import identity, mirror_properties, plan, progress, topic_settings
from ansible.module_utils.kraft.operations.mirror.observe import (
    ANSWERED_SECONDS,
    Known,
    Seen,
    observe_mirror,
    of_target,
)
from ansible.module_utils.kraft.operations.mirror.observe import asked as reached
from ansible.module_utils.kraft.spec.desired.mirror import Wanted, with_secrets

ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "mirror": {"type": "dict"},
    "secrets": {"type": "dict", "default": {}, "no_log": True},
    "known_settings": {"type": "dict", "required": True, "no_log": False},
    "replication_factor": {"type": "int", "required": True},
    "install_dir": {"type": "path", "default": "/opt/kafka"},
    "hosts": {"type": "int", "default": 1},
    "wait": {"type": "int", "default": 0},
    "began": {"type": "float", "default": 0},
    "shown": {"type": "int", "default": 20},
    "sample": {"type": "int", "default": 0},
    "fact": {"type": "bool", "default": False},
}
PAUSE = 1.0


def known(params: dict[str, Any]) -> Known:
    return Known(params["known_settings"], noted(f"{params['install_dir']}/mirror"))


def waited(asked: Wanted, params: dict[str, Any]) -> tuple[bool, Seen]:
    """Return True once the mirror copies, or False when the time is over, and the last observed state."""
    began, first = time.monotonic(), None
    while True:
        seen = until_answered(lambda: observe_mirror(asked, params["client"], known(params)), ANSWERED_SECONDS)
        first = first or seen
        copies = progress.copies(first, seen)
        if copies or time.monotonic() - began > params["wait"]:
            return copies, seen
        time.sleep(PAUSE)


def sample(asked: Wanted, first: Seen, params: dict[str, Any]) -> tuple[str, Seen]:
    """Return the time to catch up as text, and a second sample; no time if no sample is requested."""
    if not params["sample"]:
        return "", first
    began = time.monotonic()
    time.sleep(params["sample"])
    second = until_answered(lambda: observe_mirror(asked, params["client"], known(params)), ANSWERED_SECONDS)
    left = progress.seconds_left(first, second, time.monotonic() - began)
    return progress.caught_up(left, progress.changed(second)), second


def service(asked: Wanted, seen: Seen, params: dict[str, Any]) -> dict[str, Any]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    partitions = sum(len(one.partitions) for one in seen.source.topics.values())
    size = mirror_properties.size(partitions, params["hosts"], os.cpu_count() or 1, memory)
    replicas = params["replication_factor"]
    if seen.back:
        given = mirror_properties.back(asked, size, min(replicas, seen.target.brokers), seen.source.topics)
    else:
        unknown = plan.unknown_settings(seen.source, seen.target)
        given = mirror_properties.properties(asked, size, replicas, unknown)
    ids = noted(f"{params['install_dir']}/mirror")
    return {
        "properties": given,
        "heap_mb": size.heap_mb,
        "into": asked.name if seen.back else TARGET,
        "topic_ids": ids if seen.back else identity.to_note(seen.source, seen.target, ids),
    }


def alone(params: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that the end of a copy restores, from this cluster alone."""
    with reached(params["client"]) as side:
        return {"put_back": topic_settings.put_back({}, of_target(side, known(params)))}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    params = module.params
    if not params["mirror"]:
        module.finish(lambda: {"changed": False, "plan": alone(params)})
        return
    began = params["began"] or (time.time() if params["wait"] else 0)
    asked, public = with_secrets(params["mirror"], params["secrets"]), with_secrets(params["mirror"], {})
    try:
        copies, seen = waited(asked, params)
        catch_up, seen = sample(asked, seen, params)
    except KraftError as error:
        module.fail_json(msg=str(error))
    module.exit_json(
        changed=False,
        began=began,
        waited=time.time() - began if began else 0,
        plan=plan.answer(asked, seen.source, seen.target, params["replication_factor"], params["shown"])
        if not seen.back
        else plan.answer_back(asked, seen.source),
        progress={
            **progress.answer(seen),
            "copies": copies,
            "catch_up": catch_up,
            "screen": [*progress.screen(seen, params["shown"]), *filter(None, [catch_up])],
        },
        service=service(public, seen, params),
    )


if __name__ == "__main__":
    main()
