"""Documentation that the modules which write files share."""

from __future__ import annotations


class ModuleDocFragment:
    """C(kafka_files): files as they are given."""

    DOCUMENTATION = r"""
options:
  files:
    description: Files, written in this order.
    type: list
    elements: dict
    default: []
    suboptions:
      path: {description: Absolute path., type: str, required: true}
      content: {description: Content of the file., type: str, required: true}
      owner: {description: Name of the owner., type: str, default: root}
      group: {description: Name of the group., type: str, default: root}
      mode: {description: Octal digits in quotes., type: str, default: "0644"}
      sensitive: {description: 'If true, the diff hides the content.', type: bool, default: false}
"""
