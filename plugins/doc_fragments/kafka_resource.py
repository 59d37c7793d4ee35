"""Documentation that the modules of one kind of resource share."""

from __future__ import annotations


class ModuleDocFragment:
    """C(kafka_resource): handling of undeclared resources, and the timeout."""

    DOCUMENTATION = r"""
options:
  prune:
    description: Whether the list is all that there is to be. What nobody declared goes then, a tenth of it at most.
    type: bool
    default: false
  prune_most:
    description: How many may go that nobody declared, in place of a tenth.
    type: int
  timeout:
    description: Seconds to wait for the cluster to answer, and to show what was changed.
    type: int
    default: 30
"""
