"""Plugin jars of a node (``kafka_plugins``): directories on its host, and the lines of its unit that load them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.node.plugins import directory

VARIABLE = "kafka_plugins"
#: Java's options with the class path of the release and of the plugins. The unit makes it before each start.
OPTIONS = "/run/kafka-classpath.options"


@dataclasses.dataclass(frozen=True)
class PluginFile:
    """A plugin's file on the control machine: its sha256 and its classes, or the fault that forbids its use."""

    sha256: str = ""
    classes: frozenset[str] = frozenset()
    fault: str = ""


@dataclasses.dataclass(frozen=True)
class Plugin:
    """A jar, or an archive with jars. ``file``: None in a run that installs nothing, and so reads no file."""

    name: str
    source: str
    sha256: str
    file: PluginFile | None = None


def plugin(entry: Mapping[str, Any], files: Mapping[str, PluginFile]) -> Plugin:
    """Return the plugin of an entry of the variable; `files`: by their ``source``."""
    return Plugin(entry["name"], entry["source"], entry["sha256"].strip().lower(), files.get(entry["source"]))


def class_path(install_dir: str, plugins: Iterable[Plugin]) -> list[str]:
    """Return the entries of the class path, in the order of the inventory; Java takes all jars of a directory."""
    return [f"{directory(install_dir, each.name, each.sha256)}/*" for each in plugins]


def class_path_lines(entries: Iterable[str], install_dir: str) -> list[str]:
    """Return the lines of the unit that append the plugins to the class path of the release; none without plugins.

    A start makes the options from the release to which ``current`` leads, so an upgrade and a way back keep plugins.
    """
    added = "".join(f":{each}" for each in entries)
    if not added:
        return []
    return [
        f"ExecStartPre=+/usr/bin/install -m 0644 {install_dir}/current/classpath.options {OPTIONS}",
        f"""ExecStartPre=+/usr/bin/sed -i 's|"$$|{added}"|' {OPTIONS}""",
    ]
