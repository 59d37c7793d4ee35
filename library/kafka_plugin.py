#!/usr/bin/python
"""A plugin of Kafka: its jars on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_plugin
short_description: Installs the jars of a plugin beside the releases of Kafka (internal)
description:
  - Compares the file's sha256 before anything is unpacked. A jar is installed as it is. All jars of an archive
    (C(.tar.gz) or C(.zip)) are installed, from all its folders.
  - The jars belong to root, in C(plugins/<name>-<first 12 digits of the sha256>) below O(install_dir). The directory
    gets its name when it is complete, and is not changed after that.
  - Does not put a plugin on the class path. The unit does that; see role C(kafka). M(kafka_node) removes plugins that
    no unit names any more, at a start.
options:
  install_dir: {description: Installation directory of Kafka., type: path, default: /opt/kafka}
  name: {description: Name of the plugin., type: str, required: true}
  sha256: {description: Digest of the file., type: str, required: true}
  source:
    description: The file on the control machine. The action plugin transfers it to the host, and removes it afterwards.
    type: path
  archive: {description: The file on the host., type: path}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Install the plugin for tiered storage
  kafka_plugin:
    name: tiered-storage
    source: /srv/jars/tiered-storage-1.0.0.tgz
    sha256: 7d61f737fd661610ccc14aea79764faa1ea94a340cbc8f0029b3d2edea3d80c1
"""

RETURN = r"""
directory: {description: Directory of the jars., returned: success, type: str}
"""

from typing import Any

from ansible.module_utils.kraft.errors import KraftError, RefusedError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node import plugins

ARGUMENT_SPEC: dict[str, Any] = {
    "install_dir": {"type": "path", "default": "/opt/kafka"},
    "name": {"type": "str", "required": True},
    "sha256": {"type": "str", "required": True},
    "source": {"type": "path"},
    "archive": {"type": "path"},
}


def ensure(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Install the plugin unless it is complete; return the module's result."""
    place = plugins.directory(params["install_dir"], params["name"], params["sha256"])
    changed = not plugins.is_complete(place)
    if changed and not check_mode:
        if not params["archive"]:
            raise RefusedError([f"{place} is not complete, and no file is given"])
        plugins.verify(params["archive"], params["sha256"])
        plugins.install(params["archive"], place)
    diff = {"before_header": place, "after_header": place, "before": "absent\n", "after": "complete\n"}
    return {"changed": changed, "directory": place, "diff": [diff] if changed else []}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        result = ensure(module.params, module.check_mode)
    except (KraftError, OSError) as error:
        module.fail_json(msg=f"Plugin {module.params['name']}: {error}")
    module.exit_json(**result)


if __name__ == "__main__":
    main()
