#!/usr/bin/python
"""Features of a cluster, finalised at a level."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_feature
short_description: Finalises features, such as metadata.version, at a level (internal)
description:
  - Other features stay as they are. C(kraft.version) makes a static quorum dynamic, which cannot be undone. It is
    raised only by its own name.
  - Refused while any registered node does not support a level, brokers that are away included, with what to do about
    each. Kafka validates everything before anything is changed, in check mode too.
  - Lower levels only with O(allow_downgrade), and then only if Kafka finds that no metadata is lost.
options:
  features:
    description: Feature to level.
    type: dict
    required: true
  allow_downgrade:
    description: If true, a feature may be lowered if Kafka considers that safe.
    type: bool
    default: false
  controllers:
    description:
      - The controllers of the inventory. A controller that is registered, and neither among them nor a voter, has left.
        With this option its registration is renewed before a feature is changed, and removed once C(metadata.version)
        is 33 (Kafka 4.4). Refused while it runs. Without the option Kafka may refuse for its sake.
    default: []
extends_documentation_fragment: [kafka_client, kafka_controllers, kafka_controllers.registrations]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Finalise metadata.version
  kafka_feature:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    features: {metadata.version: 33}
"""

RETURN = r"""
steps:
  description: Changes that were made, or would be made in check mode.
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
from ansible.module_utils.kraft.cluster.controllers import CONTROLLERS_SPEC
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.errors import KraftError, RefusedError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.features.admin import FeatureAdmin, Plan
from ansible.module_utils.kraft.problem import Problem

ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "features": {"type": "dict", "required": True},
    "allow_downgrade": {"type": "bool", "default": False},
    "controllers": {**CONTROLLERS_SPEC, "default": []},
    "timeout": {"type": "int", "default": 30},
}


def levels(features: dict[str, Any]) -> dict[str, int]:
    """Return levels as integers. Raises RefusedError for each that is none."""
    wrong = {name: value for name, value in features.items() if isinstance(value, bool) or not str(value).isdigit()}
    if wrong:
        remedy = "give its level, an integer of 0 or more"
        raise RefusedError([Problem("level", f"{value!r} is no level", remedy, name) for name, value in wrong.items()])
    return {name: int(value) for name, value in features.items()}


class Run:
    """One run of the module: what was planned first is what is reported."""

    def __init__(self, client: Client, params: dict[str, Any], check_mode: bool) -> None:
        controllers = {one["node_id"]: one["address"] for one in params["controllers"]}
        self._admin, self._check_mode = FeatureAdmin(client, params["timeout"], controllers), check_mode
        self._asked = (levels(params["features"]), params["allow_downgrade"])
        self._result: dict[str, Any] = {}

    def __call__(self) -> dict[str, Any]:
        made = self._admin.planned(*self._asked)
        self._result = self._result or result(made)
        if made.steps() and not self._check_mode:
            self._admin.apply(made)
        return self._result


def result(made: Plan) -> dict[str, Any]:
    before = "".join(f"{one.name}: {one.before}\n" for one in made.changes)
    after = "".join(f"{one.name}: {one.after}\n" for one in made.changes)
    before += "".join(f"controller {one.node_id}: registered\n" for one in made.dropped)
    diff = {"before_header": "finalised", "after_header": "finalised", "before": before, "after": after}
    found: dict[str, Any] = {"changed": bool(made.steps()), "steps": made.steps()}
    return {**found, "diff": diff} if made.steps() else found


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    params = module.params
    try:
        with Client(params["client"], warn=module.warn) as client:
            found = until_answered(Run(client, params, module.check_mode), params["timeout"])
    except RefusedError as error:
        problems = [str(problem) for problem in error.problems]
        module.fail_json(msg=f"No feature was changed:\n{error}", problems=problems)
    except KraftError as error:
        module.fail_json(msg=f"Not all features were changed: {error}")
    module.exit_json(**found)


if __name__ == "__main__":
    main()
