#!/usr/bin/python
"""One release of Kafka, or the jars of a plugin, unpacked and complete."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_release
short_description: Unpacks a release of Kafka, or a plugin, beside the others (internal)
description:
  - Compares the archive's checksum before anything is unpacked, and unpacks into C(releases/.partial-<version>).
    Refuses another version than the requested one. Writes C(classpath.options) and at last C(MANIFEST), syncs
    everything to the disk and renames it to C(releases/<version>). The next run replaces what a killed run left.
  - Paths, links and special files that lead out of the archive are refused. Everything belongs to root.
  - A release is complete when its MANIFEST is there and all files have the recorded sizes. In place of a damaged one
    the archive is unpacked again, and both are exchanged by one rename.
    A file system that cannot exchange names, such as NFS, gets two renames. If the run is killed between them, the next
    one finishes it. A process that runs from the release continues. C(config/), which holds the node's files, is kept.
  - A release that was unpacked from an archive with another checksum is refused, not replaced.
  - Does not choose which release is run; see M(kafka_node).
  - With O(plugin) it installs the jars of a plugin. A jar is installed as it is. All jars of an archive (C(.tar.gz) or
    C(.zip)) are installed, from all its folders. They belong to root, in C(plugins/<name>-<first 12 digits of the
    sha256>) below O(install_dir). The directory gets its name when it is complete, and is not changed after that. The
    unit puts a plugin on the class path. M(kafka_node) removes plugins that no unit names any more, at a start.
options:
  version: {description: Version of Kafka. Required without O(plugin)., type: str}
  plugin: {description: Name of a plugin. Excludes O(version)., type: str}
  install_dir: {description: Directory of the releases., type: str, default: /opt/kafka}
  source:
    description:
      - The archive on the control machine. The action plugin brings it to the host by ssh itself and removes it there
        afterwards; give it only if the release is not complete.
    type: path
  archive:
    description:
      - The archive on the host. Not needed if the release is complete. An archive in C(<install_dir>/.incoming), where
        the role downloads it, is removed afterwards, with incomplete ones there. Other archives are kept.
    type: path
  checksum:
    description: The archive's checksum, C(sha256:<hex>) or C(sha512:<hex>); of a plugin C(sha256:<hex>).
    type: str
    required: true
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Install a release beside the others
  kafka_release:
    version: 4.4.0
    source: /srv/kafka_2.13-4.4.0.tgz
    checksum: "{{ kafka_archive_checksum }}"

- name: Install the plugin for tiered storage
  kafka_release:
    plugin: tiered-storage
    source: /srv/jars/tiered-storage-1.0.0.tgz
    checksum: sha256:7d61f737fd661610ccc14aea79764faa1ea94a340cbc8f0029b3d2edea3d80c1
"""

RETURN = r"""
operation:
  description: Action that was taken, or would be taken in check mode. V(none), V(unpack) or V(classpath).
  returned: without O(plugin)
  type: str
damage:
  description: Path of each file that was found damaged, with what was wrong.
  returned: without O(plugin)
  type: dict
release_dir:
  description: The release's directory.
  returned: without O(plugin)
  type: str
archive_checksum:
  description: The requested checksum.
  returned: without O(plugin)
  type: str
directory: {description: Directory of the jars., returned: with O(plugin), type: str}
"""

import contextlib
import dataclasses
import os
import shutil
from typing import Any

from ansible.module_utils.kraft.errors import KraftError, RefusedError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node import plugins
from ansible.module_utils.kraft.node.files.apply import locked, write_file
from ansible.module_utils.kraft.node.release import manifest as release
from ansible.module_utils.kraft.node.release import unpack as release_unpack

CARRIED = ".kraftwright-"  # how directories of control/ssh_transfer.py begin
ARGUMENT_SPEC: dict[str, Any] = {
    "version": {"type": "str"},
    "plugin": {"type": "str"},
    "install_dir": {"type": "str", "default": "/opt/kafka"},
    "source": {"type": "path"},
    "archive": {"type": "path"},
    "checksum": {"type": "str", "required": True},
}


def observe(params: dict[str, Any]) -> release.ReleaseState:
    rest = bool(release_unpack.incoming_rest(params["install_dir"], params["archive"] or ""))
    return dataclasses.replace(release.observe_release(params["install_dir"], params["version"]), rest=rest)


def is_ours(archive: str, install_dir: str) -> bool:
    """Check whether the archive was transferred by us: by this run, or by a run that may be dead by now."""
    directory = os.path.dirname(os.path.realpath(archive))
    carried = os.path.basename(directory).startswith(CARRIED)
    return carried or directory == os.path.realpath(f"{install_dir}/{release.INCOMING}")


def rewrite_classpath(params: dict[str, Any], state: release.ReleaseState) -> None:
    directory = release.release_dir(params["install_dir"], params["version"])
    text = release.classpath_options(directory, state.manifest.files if state.manifest else ())
    write_file(f"{directory}/{release.CLASSPATH}", text.encode(), os.geteuid(), os.getegid(), 0o644)


def apply(plan: release.Plan, params: dict[str, Any], state: release.ReleaseState, digests: dict[str, str]) -> None:
    install_dir, version, archive = params["install_dir"], params["version"], params["archive"]
    if plan.action == "unpack":
        release_unpack.install(install_dir, release_unpack.unpack_beside(archive, digests, install_dir, version))
    if plan.action == "classpath":
        rewrite_classpath(params, state)
    if "partial" in plan.clean:
        for path in release.remains(install_dir, version):
            shutil.rmtree(path, ignore_errors=True)
    if "archive" in plan.clean:
        unlink(archive)
    if "rest" in plan.clean:
        for path in release_unpack.incoming_rest(install_dir, archive or ""):
            unlink(path)


def unlink(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def diff(params: dict[str, Any], state: release.ReleaseState, plan: release.Plan) -> dict[str, str]:
    what = f"release {params['version']}"
    before = f"damaged: {release.describe_damage(state.damage)}" if state.damage else "complete"
    after = "complete" if plan.action != "none" or state.complete else before
    cleaned = dict.fromkeys(("partial", "rest"), "remains of a killed run") | {"archive": params["archive"]}
    return {
        "before_header": what,
        "after_header": what,
        "before": "\n".join([before if state.exists else "absent", *(cleaned[c] for c in plan.clean)]) + "\n",
        "after": f"{after}\n",
    }


def ensure_release(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Run the five steps, and return the module's result."""
    archive = params["archive"] or ""
    release.parse_checksum(params["checksum"])
    state = observe(params)
    found = bool(archive) and os.path.isfile(archive)
    plan = release.plan_release(
        state, params["checksum"], archive, found or check_mode, found and is_ours(archive, params["install_dir"])
    )
    needed = found and plan.action == "unpack"
    digests = release_unpack.verified_archive(archive, params["checksum"]) if needed else {}
    if not check_mode:
        apply(plan, params, state, digests)
    return {
        "changed": plan.changed,
        "operation": plan.action,
        "damage": dict(state.damage),
        "release_dir": release.release_dir(params["install_dir"], params["version"]),
        "archive_checksum": params["checksum"],
        "diff": [diff(params, state, plan)] if plan.changed else [],
    }


def ensure_plugin(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Install the plugin unless it is complete; return the module's result."""
    sha256 = release.parse_checksum(params["checksum"])[1]
    place = plugins.directory(params["install_dir"], params["plugin"], sha256)
    changed = not plugins.is_complete(place)
    if changed and not check_mode:
        if not params["archive"]:
            raise RefusedError([f"{place} is not complete, and no file is given"])
        plugins.verify(params["archive"], sha256)
        plugins.install(params["archive"], place)
    diff = {"before_header": place, "after_header": place, "before": "absent\n", "after": "complete\n"}
    return {"changed": changed, "directory": place, "diff": [diff] if changed else []}


def held(install_dir: str, check_mode: bool) -> contextlib.AbstractContextManager[Any]:
    """Lock the unpacking: a process that a killed run left is awaited."""
    releases = f"{install_dir}/releases"
    return contextlib.nullcontext() if check_mode or not os.path.isdir(releases) else locked(releases)


def main() -> None:
    one = [("version", "plugin")]
    module = KraftModule(
        argument_spec=ARGUMENT_SPEC, supports_check_mode=True, mutually_exclusive=one, required_one_of=one
    )
    params, check_mode = module.params, module.check_mode
    try:
        if params["plugin"]:
            module.exit_json(**ensure_plugin(params, check_mode))
        with held(params["install_dir"], check_mode):
            result = ensure_release(params, check_mode)
    except (KraftError, ValueError, OSError) as error:
        what = f"Plugin {params['plugin']}" if params["plugin"] else f"Kafka {params['version']}"
        module.fail_json(msg=f"{what}: {error}")
    module.exit_json(**result)


if __name__ == "__main__":
    main()
