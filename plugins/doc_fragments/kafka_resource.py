"""Documentation that the modules of one kind of resource share."""

from __future__ import annotations


class ModuleDocFragment:
    """C(kafka_resource): handling of undeclared resources, and the timeout."""

    DOCUMENTATION = r"""
options:
  prune:
    description: If true, the list is complete. Undeclared entries are then removed, a tenth of them at most.
    type: bool
    default: false
  prune_most:
    description: Largest number of undeclared entries to remove, instead of a tenth.
    type: int
  timeout:
    description: Seconds to wait for the cluster to answer, and to show what was changed.
    type: int
    default: 30
"""
