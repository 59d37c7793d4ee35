#!/usr/bin/python
"""All directories, files and links of a host in one task."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_files
short_description: Brings directories, files and links of a host to the wanted state, all in one task (internal)
description:
  - Compares content, owner, group and mode of each path and changes what differs, in the order given;
    directories first, then files, then links.
  - A file is written beside its place, synced and renamed, so that a killed run leaves the old file or the new one.
    The temporary file of a killed run has a fixed name, is recognised by the next one and removed.
  - Everything that cannot be done is reported at once, before the first change. A directory is not replaced by a file
    nor a file by a directory; a link is only changed if a link is. Nothing is changed recursively.
  - Links on the way to a path are followed when root made them, and refused otherwise. A file that is itself a link
    is refused.
  - In check mode a missing user, group or parent directory is taken for something that an earlier task would have made.
options:
  directories:
    description: Directories. Missing ones above them are made as root, mode V(0755).
    type: list
    elements: dict
    default: []
    suboptions:
      path: {description: Absolute path., type: str, required: true}
      owner: {description: Name of the owner., type: str, default: root}
      group: {description: Name of the group., type: str, default: root}
      mode: {description: Octal digits in quotes., type: str, default: "0755"}
  links:
    description: Symbolic links. Their targets need not exist yet.
    type: list
    elements: dict
    default: []
    suboptions:
      path: {description: Absolute path., type: str, required: true}
      target: {description: "Target, as it is written in the link.", type: str, required: true}
extends_documentation_fragment: [kafka_files]
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Create the directory of the logs
  kafka_files:
    directories:
      - {path: /var/log/kafka, owner: kafka, group: kafka, mode: "0750"}
"""

RETURN = r"""
changed_paths:
  description: Paths that were changed, or would be in check mode, in order; a removed leftover by its own name.
  returned: always
  type: list
  elements: str
"""

from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.files.ensure import DIRECTORY_SPEC, FILE_SPEC, LINK_SPEC, ensure_files

LISTS = ("directories", "files", "links")
LIST: dict[str, Any] = {"type": "list", "elements": "dict", "default": []}
ARGUMENT_SPEC: dict[str, Any] = {
    "directories": {**LIST, "options": DIRECTORY_SPEC},
    "files": {**LIST, "options": FILE_SPEC},
    "links": {**LIST, "options": LINK_SPEC},
}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    invocation = {"module_args": {"paths": [item["path"] for kind in LISTS for item in module.params[kind]]}}
    try:
        given = {kind: module.params[kind] for kind in LISTS}
        result = ensure_files(given, check_mode=module.check_mode)
    except (KraftError, ValueError, OSError) as error:
        module.fail_json(msg=str(error), invocation=invocation)
    module.exit_json(invocation=invocation, **result)


if __name__ == "__main__":
    main()
