#!/usr/bin/python
"""Class data of a release, which halves the processor time of a start."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_class_data
short_description: Brings a release's class data to a host, or has it made there beside everything else
description:
  - Class data (an application class-data archive of the JVM) halves the processor time of a start of Kafka and of its
    tools. It fits one build of the JVM, one release and one install dir; RV(key) names that. Once made on a host, it
    is kept on the control machine and brought to every other host with the same key.
  - It is put into C(classpath.options) of the release only after the JVM has taken it in a trial, so whoever starts
    Java with that file uses it from the next start on. No running process is touched, nothing needs to be restarted.
  - Where the JVM makes or takes none, Kafka starts as without it. This is recorded and reported, it is no failure.
options:
  version: {description: Version of Kafka., type: str, required: true}
  checksum: {description: "The release's archive, as M(kafka_release) gets it.", type: str, required: true}
  install_dir: {description: Where releases live., type: str, default: /opt/kafka}
  java: {description: The C(java) that Kafka is started with., type: path, default: /usr/bin/java}
  state:
    description:
      - V(present) brings class data that the control machine has, and does nothing where it has none.
      - V(made) also has it made where the control machine has none. A transient unit does that (C(kafka-class-data),
        some ten seconds of one processor, behind all else that the host does); nobody waits for it. A later run fetches
        it for the control machine.
    type: str
    choices: [present, made]
    default: present
  cache_dir: {description: Where the control machine keeps class data., type: path}
  class_list: {description: "What is loaded at a start, one class a line, compressed by gzip.", type: path}
  archive: {description: Class data that was brought to the host; given by the action plugin., type: path}
  output: {description: Where a copy is left for the control machine; given by the action plugin., type: path}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Bring class data from an earlier run
  kafka_class_data:
    version: 4.3.1
    checksum: "{{ kafka_archive_checksum }}"
    cache_dir: .cache/class_data

- name: Bring class data, or have it made for later starts
  kafka_class_data:
    version: 4.3.1
    checksum: "{{ kafka_archive_checksum }}"
    cache_dir: .cache/class_data
    class_list: classes-4.3.1.gz
    state: made
"""

RETURN = r"""
key:
  description: Name of the class data that this host could use; empty without a JVM.
  returned: always
  type: str
in_use:
  description: Whether the next start uses class data.
  returned: always
  type: bool
missing:
  description: Whether class data should still be made or brought.
  returned: always
  type: bool
making:
  description: Whether it is being made.
  returned: always
  type: bool
reason:
  description: Why there is none, where the JVM refused it.
  returned: always
  type: str
operation:
  description: What was done (or would be). V(none), V(install), V(make), V(enable) or V(disable).
  returned: always
  type: str
"""

import dataclasses
import os
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.kraft.errors import KraftError, RefusedError
from ansible.module_utils.kraft.node.release import class_data, class_data_io
from ansible.module_utils.kraft.node.release import manifest as release
from ansible.module_utils.kraft.node.service.state import Run

ARGUMENT_SPEC: dict[str, Any] = {
    "version": {"type": "str", "required": True},
    "checksum": {"type": "str", "required": True},
    "install_dir": {"type": "str", "default": "/opt/kafka"},
    "java": {"type": "path", "default": "/usr/bin/java"},
    "state": {"type": "str", "choices": ["present", "made"], "default": "present"},
    "cache_dir": {"type": "path"},
    "class_list": {"type": "path"},
    "archive": {"type": "path"},
    "output": {"type": "path"},
}


def observe(run: Run, params: dict[str, Any]) -> class_data.ClassData:
    return class_data_io.observe(run, params["java"], params["install_dir"], params["version"], params["checksum"])


def apply(run: Run, action: str, params: dict[str, Any], key: str) -> str:
    """Carry the action out; gives why there is no class data afterwards, or ''."""
    directory, java = release.release_dir(params["install_dir"], params["version"]), params["java"]
    if action == class_data.INSTALL:
        return class_data_io.install(directory, java, key, params["archive"])
    if action == class_data.MAKE:
        class_data_io.begin(run, class_data_io.prepare(directory, java, key, params["class_list"]))
    else:
        class_data_io.enable(directory, action == class_data.ENABLE)
    return ""


def diff(before: class_data.ClassData, action: str) -> dict[str, str]:
    """What there is against what there would be."""
    words = {True: "in use", False: "none in use"}
    after = action in (class_data.INSTALL, class_data.MAKE, class_data.ENABLE)
    header = "class data of the release"
    found = f"{words[before.enabled]} (key {before.tried or 'none'})\n"
    return {
        "before_header": header,
        "after_header": header,
        "before": found,
        "after": f"{words[after]} (key {before.key if after else before.tried or 'none'})\n",
    }


def ensure_class_data(run: Run, params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The five steps; gives the module's result."""
    found = observe(run, params)
    if check_mode and not found.key:  # a run would install the JVM first
        found = dataclasses.replace(found, key="unknown")
    action = class_data.plan_class_data(found, bool(params["archive"]), bool(params["class_list"]))
    result = {"operation": action, "diff": [] if action == class_data.NONE else [diff(found, action)]}
    described = class_data.described(found)
    if check_mode or action == class_data.NONE:
        if params["output"] and described["in_use"] and not check_mode:
            class_data_io.pack(release.release_dir(params["install_dir"], params["version"]), params["output"])
        missing = described["missing"] and action not in (class_data.INSTALL, class_data.MAKE)
        return {**described, **result, "missing": missing, "changed": action != class_data.NONE}
    if not release.observe_release(params["install_dir"], params["version"]).complete:
        raise RefusedError(["the release is not complete; install it first"])
    problem = apply(run, action, params, found.key)
    after = observe(run, params)
    described = class_data.described(after)
    return {**described, **result, "changed": after != found, "reason": problem or described["reason"]}


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    os.umask(0o022)
    try:
        result = ensure_class_data(module.run_command, module.params, module.check_mode)
    except RefusedError as error:
        module.fail_json(msg=f"class data of Kafka {module.params['version']}: {error}")
    except (KraftError, OSError) as error:  # a start that takes longer is better than no start
        module.warn(f"Kafka {module.params['version']} starts without class data: {error}")
        nothing = class_data.described(class_data.ClassData(reason=str(error)))
        result = {**nothing, "operation": class_data.NONE, "changed": False}
    module.exit_json(**result)


if __name__ == "__main__":
    main()
