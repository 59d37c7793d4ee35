#!/usr/bin/python
"""Settings of brokers and topics, changed while Kafka runs."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_config
short_description: Changes settings of brokers and topics while Kafka runs (internal)
description:
  - Sets and removes the overrides that Kafka itself keeps, of one broker, of all brokers together, or of a topic. Other
    keys stay as they are.
  - Refuses settings that Kafka reads only at its start, and unknown names, which Kafka would accept without an error.
    Kafka validates all changes before any is made.
  - A change is done when those whom it concerns show it. Pools of threads are changed in several steps if Kafka
    allows them only to be doubled or halved at once.
  - An override counts more than C(server.properties). Role C(kafka) removes those that its file has
    caught up with.
options:
  entities:
    description: Type and name of the owner of the settings.
    type: list
    elements: dict
    required: true
    suboptions:
      type: {description: Type of the resource., type: str, choices: [broker, topic], default: broker}
      name: {description: "A topic's name, a broker's node id, or V('') for all brokers.", type: str, default: ''}
      config:
        description: >-
          Kafka's key to value. Null removes the override, so that the next lower layer applies. A secret cannot be read
          back, so it is set each time.
        type: dict
        required: true
  override_state:
    description: >-
      File on this host that lists the broker overrides that this module sets. It is written before they are set, and
      later separates them from overrides by others.
    type: path
  timeout:
    description: Seconds in which the cluster must answer, and a change must show.
    type: int
    default: 30
extends_documentation_fragment: [kafka_client]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Change the retention of a topic while Kafka runs
  kafka_config:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    entities:
      - {type: topic, name: orders, config: {retention.ms: "604800000"}}
"""

RETURN = r"""
entities:
  description: One entry for each entity, in the order given.
  returned: success
  type: list
  elements: dict
  contains:
    type: {description: Type of the resource., type: str, returned: always}
    name: {description: Its name., type: str, returned: always}
    changed: {description: "True if it was changed, or would be in check mode.", type: bool, returned: always}
    steps: {description: "Changes that were made, or would be made in check mode.", type: list, returned: always}
    settings:
      description: >-
        Each named key as it was found, with C(value), C(source) (such as STATIC_BROKER, DYNAMIC_BROKER,
        DYNAMIC_DEFAULT_BROKER, DEFAULT) and C(read_only); secrets are hidden.
      type: dict
      returned: always
"""

import os
from collections.abc import Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.errors import KraftError, RefusedError, UnreachableError, refuse
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.files.apply import write_file
from ansible.module_utils.kraft.node.release.manifest import read_text
from ansible.module_utils.kraft.operations.config import managed_overrides
from ansible.module_utils.kraft.operations.config.admin import ConfigAdmin
from ansible.module_utils.kraft.operations.config.managed_overrides import ManagedOverrides
from ansible.module_utils.kraft.operations.config.plan import (
    Change,
    Desired,
    config_refusals,
    desired,
    diff,
    plan,
    twice,
)
from ansible.module_utils.kraft.operations.config.settings import BROKER, Settings, shown
from ansible.module_utils.kraft.problem import Problem

ENTITY: dict[str, Any] = {
    "type": {"type": "str", "choices": ["broker", "topic"], "default": "broker"},
    "name": {"type": "str", "default": ""},
    "config": {"type": "dict", "required": True},
}
ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "entities": {"type": "list", "elements": "dict", "required": True, "options": ENTITY},
    "override_state": {"type": "path"},
    "timeout": {"type": "int", "default": 30},
}
STATE_MODE = 0o644


class Run:
    """One run of the module: what was planned first is what is reported, however often the connection broke."""

    def __init__(self, client: Client, params: dict[str, Any], check_mode: bool) -> None:
        self._client, self._timeout, self._check_mode = client, params["timeout"], check_mode
        self._desired, self._override_state = [desired(one) for one in params["entities"]], params["override_state"]
        self._reported: list[dict[str, Any]] = []

    def __call__(self) -> list[dict[str, Any]]:
        admin = ConfigAdmin(self._client, self._timeout)
        found = admin.describe_configs([one.entity for one in self._desired])
        if admin.unanswered:
            raise UnreachableError("; ".join(admin.unanswered.values()))
        known = next(iter(admin.describe_configs(list(admin.brokers)[:1]).values()), {})
        self._refuse(
            *twice(self._desired),
            *(one for w in self._desired for one in config_refusals(w, found[w.entity], brokers_only(w, known))),
        )
        planned = {w.entity: plan(w, found[w.entity]) for w in self._desired}
        changes = [change for made in planned.values() for change in made]
        self._refuse(*(f"{change}: Kafka refuses: {text}" for change, text in admin.validate(changes).items()))
        self._reported = self._reported or [entry(w, planned[w.entity], found[w.entity]) for w in self._desired]
        if not self._check_mode:
            self._carry_out(admin, changes)
        return self._reported

    def _carry_out(self, admin: ConfigAdmin, changes: Sequence[Change]) -> None:
        before = managed_overrides.read(read_text(self._override_state)) if self._override_state else {}
        during = managed_overrides.with_set(before, changes)
        self._write(before, during)
        admin.apply(changes)
        self._write(during, managed_overrides.without_removed(during, changes))

    def _write(self, before: ManagedOverrides, after: ManagedOverrides) -> None:
        if self._override_state and after != before:
            text = managed_overrides.text_of(after).encode()
            write_file(self._override_state, text, os.geteuid(), os.getegid(), STATE_MODE)

    @staticmethod
    def _refuse(*found: Problem | str) -> None:
        refuse(found)


def brokers_only(wanted: Desired, known: Settings) -> Settings:
    """Return the known settings of brokers; a broker describes no topic settings, because their keys differ."""
    return known if wanted.entity.kind == BROKER else {}


def entry(wanted: Desired, changes: Sequence[Change], settings: Settings) -> dict[str, Any]:
    """Return the module's result for an entity."""
    named = {key: settings[key] for key in wanted.config if key in settings}
    return {
        "type": wanted.entity.kind,
        "name": wanted.entity.name,
        "changed": bool(changes),
        "steps": [str(one) for one in changes],
        "settings": {
            key: {"value": shown(one.value, one.secret, key), "source": one.source, "read_only": one.read_only}
            for key, one in named.items()
        },
        "diff": diff(wanted.entity, changes),
    }


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    params = module.params
    invocation = {"module_args": {name: params[name] for name in params if name not in ("client", "entities")}}
    try:
        with Client(params["client"], warn=module.warn) as client:
            run = Run(client, params, module.check_mode)
            reported = until_answered(run, params["timeout"])
    except RefusedError as error:
        module.fail_json(msg=str(error), problems=[str(one) for one in error.problems], invocation=invocation)
    except KraftError as error:
        module.fail_json(msg=str(error), invocation=invocation)
    diffs = [one.pop("diff") for one in reported]
    changed = [one["changed"] for one in reported]
    module.exit_json(
        changed=any(changed),
        entities=reported,
        diff=[one for one, is_changed in zip(diffs, changed) if is_changed],
        invocation=invocation,
    )


if __name__ == "__main__":
    main()
