"""Documentation that the modules share which ask controllers at their own listeners."""

from __future__ import annotations


class ModuleDocFragment:
    """C(kafka_controllers): who they are; C(kafka_controllers.registrations): how long a change of them may take."""

    DOCUMENTATION = r"""
options:
  controllers:
    description: All controllers of the inventory.
    type: list
    elements: dict
    suboptions:
      node_id: {description: Its node id., type: int, required: true}
      address: {description: Its listener as C(host:port)., type: str, required: true}
"""

    REGISTRATIONS = r"""
options:
  timeout:
    description:
      - Seconds to wait until the cluster shows the change, and until a node that goes has stopped. Longer than
        C(broker.session.timeout.ms), since a broker that was killed is fenced after that.
    type: int
    default: 30
"""
