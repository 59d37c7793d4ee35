"""Documentation that the modules of long moves share."""

from __future__ import annotations


class ModuleDocFragment:
    """C(kafka_moves): how long is waited."""

    DOCUMENTATION = r"""
options:
  timeout:
    description: Seconds without any advance after which waiting is given up. The moves then go on by themselves.
    type: int
    default: 300
  pause:
    description:
      - Seconds after which the module returns although something is left (RV(finished)), to be called again. 0 waits
        for the end. A playbook calls it repeatedly and shows the progress.
    type: int
    default: 0
  limited:
    description: Brokers on which an earlier stretch of this run has set the throttle (RV(limited)).
    type: list
    elements: int
    default: []
"""
