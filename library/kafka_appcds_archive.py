#!/usr/bin/python
"""The AppCDS archive of a release, which halves the processor time of a start."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_appcds_archive
short_description: Has a release's AppCDS archive made on its host, beside everything else (internal)
description:
  - An AppCDS archive (application class-data sharing of the JVM) halves the processor time of a start of Kafka and
    of its tools. It fits one build of the JVM, one release and one install dir. Each host makes its own.
  - The transient unit C(kafka-appcds-archive) makes it, in some ten seconds of one processor at idle priority, as a
    user without rights. No run waits for it.
  - It is put into C(classpath.options) of the release only after a trial start of the JVM with it. Java that starts
    with that file then uses the archive. No running process is touched, and no restart is needed.
  - If the JVM cannot make or use the archive, Kafka starts without it. This is recorded and reported, and is not a
    failure.
options:
  version: {description: Version of Kafka., type: str, required: true}
  checksum: {description: "The release's archive, as M(kafka_release) gets it.", type: str, required: true}
  install_dir: {description: Directory of the releases., type: str, default: /opt/kafka}
  java: {description: The C(java) that Kafka is started with., type: path, default: /usr/bin/java}
  class_list:
    description: Classes that a start loads, one a line, compressed by gzip. A file on the control machine.
    type: path
    required: true
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Create the AppCDS archive of a release
  kafka_appcds_archive:
    version: 4.4.0
    checksum: "{{ kafka_archive_checksum }}"
    class_list: /opt/kafka/appcds/classes.lst
"""

RETURN = r"""
in_use:
  description: True if the next start uses an AppCDS archive.
  returned: always
  type: bool
missing:
  description: True if an AppCDS archive is still to be made.
  returned: always
  type: bool
making:
  description: True while the archive is being made.
  returned: always
  type: bool
reason:
  description: Why there is none, if the JVM refused it.
  returned: always
  type: str
operation:
  description: Action that was taken, or would be taken in check mode. V(none), V(make), V(enable) or V(disable).
  returned: always
  type: str
"""

import dataclasses
import os
from typing import Any

from ansible.module_utils.kraft.errors import KraftError, RefusedError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.release import appcds_archive, appcds_archive_io
from ansible.module_utils.kraft.node.release import manifest as release
from ansible.module_utils.kraft.node.service.unit_state import Run

ARGUMENT_SPEC: dict[str, Any] = {
    "version": {"type": "str", "required": True},
    "checksum": {"type": "str", "required": True},
    "install_dir": {"type": "str", "default": "/opt/kafka"},
    "java": {"type": "path", "default": "/usr/bin/java"},
    "class_list": {"type": "path", "required": True},
}


def observe(run: Run, params: dict[str, Any]) -> appcds_archive.AppCdsArchive:
    return appcds_archive_io.observe(run, params["java"], params["install_dir"], params["version"], params["checksum"])


def apply(run: Run, action: str, params: dict[str, Any], found: appcds_archive.AppCdsArchive) -> None:
    """Carry the action out. An archive with another key is disabled before the new one is made."""
    directory = release.release_dir(params["install_dir"], params["version"])
    if action != appcds_archive.MAKE or found.enabled:
        appcds_archive_io.enable(directory, action == appcds_archive.ENABLE)
    if action == appcds_archive.MAKE:
        work = appcds_archive_io.prepare(directory, params["java"], found.key, params["class_list"])
        appcds_archive_io.begin(run, work)


def diff(before: appcds_archive.AppCdsArchive, action: str) -> dict[str, str]:
    """Return the difference between the present and the planned state."""
    words = {True: "in use", False: "none in use"}
    after = action in (appcds_archive.MAKE, appcds_archive.ENABLE)
    header = "AppCDS archive of the release"
    found = f"{words[before.enabled]} (key {before.tried or 'none'})\n"
    return {
        "before_header": header,
        "after_header": header,
        "before": found,
        "after": f"{words[after]} (key {before.key if after else before.tried or 'none'})\n",
    }


def ensure_appcds_archive(run: Run, params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Run the five steps, and return the module's result."""
    found = observe(run, params)
    if check_mode and not found.key:  # a run would install the JVM first
        found = dataclasses.replace(found, key="unknown")
    action = appcds_archive.plan_appcds_archive(found)
    result = {"operation": action, "diff": [] if action == appcds_archive.NONE else [diff(found, action)]}
    described = appcds_archive.described(found)
    if check_mode or action == appcds_archive.NONE:
        missing = described["missing"] and action != appcds_archive.MAKE
        return {**described, **result, "missing": missing, "changed": action != appcds_archive.NONE}
    if not release.observe_release(params["install_dir"], params["version"]).complete:
        raise RefusedError(["the release is not complete; install it first"])
    apply(run, action, params, found)
    after = observe(run, params)
    return {**appcds_archive.described(after), **result, "changed": after != found}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True, without_lock=True)
    os.umask(0o022)
    try:
        result = ensure_appcds_archive(module.run_command, module.params, module.check_mode)
    except RefusedError as error:
        module.fail_json(msg=f"AppCDS archive of Kafka {module.params['version']}: {error}")
    except (KraftError, OSError) as error:  # a start that takes longer is better than no start
        module.warn(f"Kafka {module.params['version']} starts without an AppCDS archive: {error}")
        nothing = appcds_archive.described(appcds_archive.AppCdsArchive(reason=str(error)))
        result = {**nothing, "operation": appcds_archive.NONE, "changed": False}
    module.exit_json(**result)


if __name__ == "__main__":
    main()
