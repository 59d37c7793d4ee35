#!/usr/bin/python
"""The host's half of `kafka_metadata_copy`: read the files of the metadata log."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_metadata_copy
short_description: Copies the metadata log of a controller to this machine (internal)
description:
  - Reads the newest complete snapshot and the segments after it. Changes nothing on the host, and reads no records of
    topics. The files hold SCRAM verifiers and delegation tokens.
  - In check mode nothing is written here.
options:
  metadata_dir:
    description: The log dir with the metadata log.
    type: path
    required: true
  known_offset:
    description: Refused if the copy ends before this offset of the metadata log.
    type: int
    default: 0
  directory:
    description: Directory on this machine for the files. It is created for this user alone.
    type: path
    required: true
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Copy the metadata log of a controller
  kafka_metadata_copy:
    metadata_dir: /data/kafka1
    directory: .kraftwright/orders/rehearsal
"""

RETURN = r"""
names:
  description: Names of the files.
  returned: success
  type: list
  elements: str
bytes:
  description: Their size.
  returned: success
  type: int
"""

from typing import Any

from ansible.module_utils.kraft.errors import UnreachableError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.rehearsal import metadata_files

HOST_SPEC: dict[str, Any] = {
    "metadata_dir": {"type": "path", "required": True},
    "known_offset": {"type": "int", "default": 0},
}


def collected(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    files = metadata_files.read(params["metadata_dir"])
    end = metadata_files.end_offset(files)
    if end < params["known_offset"]:
        text = f"the metadata log of this host ends at {end}, before {params['known_offset']}"
        raise UnreachableError(f"{text}: its controller is behind the others, or does not run")
    packed = {name: metadata_files.packed(content) for name, content in files.items()}
    found = {"names": sorted(files), "bytes": sum(map(len, files.values()))}
    return found if check_mode else {**found, "files": packed}


def main() -> None:
    module = KraftModule(argument_spec=HOST_SPEC, supports_check_mode=True)
    module.finish(lambda: collected(module.params, module.check_mode))


if __name__ == "__main__":
    main()
