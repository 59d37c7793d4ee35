#!/usr/bin/python
"""Facts about ports of other hosts that are reachable from this host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_reach_info
short_description: Connects to ports of other hosts and reports which answer
description:
  - Connects to all O(targets) at the same time and sends nothing. A port that answers, or that a host refuses, is
    reached; one that stays silent is behind a filter or not there.
  - Changes nothing, so it runs in check mode as it does otherwise.
options:
  targets: {description: 'Ports to connect to, as C(host:port).', type: list, elements: str, required: true}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Try the ports of another node
  kafka_reach_info:
    targets: ["10.40.1.11:9092", "10.40.1.11:19093"]
"""

RETURN = r"""
answers:
  description: Answer of each target, V(open), V(refused), or the reason for its absence.
  returned: always
  type: dict
reached:
  description: True for a target that answered; a refusal is an answer.
  returned: always
  type: dict
"""

from typing import Any

from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.machine.network import ask_all

ARGUMENT_SPEC: dict[str, Any] = {"targets": {"type": "list", "elements": "str", "required": True}}
ANSWERS = ("open", "refused")


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    targets = module.params["targets"]
    answers = ask_all({"reach": targets})["reach"] if targets else {}
    module.exit_json(
        changed=False, answers=answers, reached={target: said in ANSWERS for target, said in answers.items()}
    )


if __name__ == "__main__":
    main()
