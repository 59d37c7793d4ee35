"""Differences between a running node and its next start: the reasons for a restart."""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from ansible.module_utils.kraft.difference import (
    CONTRIBUTED,
    JVM_OPTIONS,
    LOGGING,
    MANIFEST_MISSING,
    OTHER_FILES,
    PROPERTIES,
    RECORD,
    RELEASE,
    UNIT,
    Difference,
)
from ansible.module_utils.kraft.node.release.manifest import MANIFEST, Manifest, parse_manifest
from ansible.module_utils.kraft.node.service.client_moves import Move, client_moves
from ansible.module_utils.kraft.node.service.unit_fingerprint import fingerprint, without_fingerprint
from ansible.module_utils.kraft.secret_values import HIDDEN, is_secret, is_secret_setting, shown_line

#: The node's files below ``config/``; the unit copies them into the record at each start.
CONFIG_FILES = (PROPERTIES, JVM_OPTIONS, LOGGING)
#: log4j2 rereads a file with this setting without a restart.
RELOADED = re.compile(r"^\s*monitorInterval:\s*[\"']?[1-9]", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Inputs:
    """Inputs of a process's start. ``texts``: name -> content of the config files; ``unit``: the unit's text."""

    texts: Mapping[str, str]
    manifest: Manifest | None
    unit: str


def running_inputs(record: Mapping[str, bytes], unit_name: str) -> Inputs:
    """Return the inputs that a record (``record.py``) holds."""
    texts = {name: content.decode("utf-8", "replace") for name, content in record.items()}
    names = (*CONFIG_FILES, CONTRIBUTED, *contributed(texts.get(CONTRIBUTED, "")))
    config = {name: texts[name] for name in names if name in texts}
    return Inputs(config, parse_manifest(texts.get(MANIFEST, "")), texts.get(unit_name, ""))


def contributed(text: str) -> dict[str, bool]:
    """Parse the list of contributed files: name -> whether a change needs a restart."""
    lines = (line.split() for line in text.splitlines())
    return {words[0]: words[1:] == ["restart"] for words in lines if words}


def written_values(text: str) -> dict[str, str]:
    """Parse ``key=value`` lines as they are written: escapes and continued lines of Java stay different from others."""
    lines = (line.strip() for line in text.splitlines())
    pairs = (line.partition("=") for line in lines if line and line[0] not in "#!")
    return {key.strip(): value.strip() for key, _, value in pairs}


def parse_jvm_options(text: str) -> dict[str, str]:
    """Parse a java @argfile with one option a line: ``-Xmx`` -> ``1g``, ``-XX:UseG1GC`` -> ``+``."""
    out = {}
    for line in (line.strip().strip("\"'") for line in text.splitlines()):
        if not line or line.startswith("#"):
            continue
        switch = re.fullmatch(r"-XX:([+-])(\w+)", line)
        setting = re.fullmatch(r"(-Xm[nsx]|-Xss)(.+)", line) or re.fullmatch(r"([^=]+)=(.*)", line)
        if switch:
            out[f"-XX:{switch[2]}"] = switch[1]
        elif setting:
            out[setting[1]] = setting[2]
        else:
            out[line] = "set"
    return out


def difference(name: str, key: str, before: str | None, after: str | None) -> Difference:
    """Return a changed key as it may leave the host: never with a secret."""
    judge = is_secret_setting if name == PROPERTIES else is_secret
    secret = any(judge(key, text) for text in (before or "", after or ""))
    old, new = (HIDDEN if secret and value is not None else value for value in (before, after))
    return Difference(name, shown_line(key), old, new, secret)


def changed_keys(name: str, before: Mapping[str, str], after: Mapping[str, str]) -> list[Difference]:
    """Return one difference for each key that differs."""
    keys = sorted(key for key in {*before, *after} if before.get(key) != after.get(key))
    return [difference(name, key, before.get(key), after.get(key)) for key in keys]


def changed_lines(name: str, before: str, after: str) -> list[Difference]:
    """Return one difference for all removed and added lines."""
    old, new = (set(without_fingerprint(text).splitlines()) for text in (before, after))
    gone, come = in_order(before, old - new), in_order(after, new - old)
    before, after = ("\n".join(map(shown_line, lines)) for lines in (gone, come))
    secret = any(shown_line(line) != line for line in gone + come)
    return [Difference(name, "", before or None, after or None, secret)]


def in_order(text: str, lines: Iterable[str]) -> list[str]:
    wanted = set(lines)
    return [line for line in text.splitlines() if line in wanted and line.strip()]


def config_differences(running: Inputs, desired: Inputs) -> list[Difference]:
    """Return differences in the config files. A changed log4j2.yaml is none if log4j2 rereads it without a restart."""
    before, after = (defaultdict(str, i.texts) for i in (running, desired))
    out = changed_keys(PROPERTIES, written_values(before[PROPERTIES]), written_values(after[PROPERTIES]))
    out += changed_keys(JVM_OPTIONS, parse_jvm_options(before[JVM_OPTIONS]), parse_jvm_options(after[JVM_OPTIONS]))
    if before[LOGGING] != after[LOGGING] and not RELOADED.search(before[LOGGING]):
        out.append(Difference(LOGGING))
    old, new = (contributed(texts[CONTRIBUTED]) for texts in (before, after))
    needed = sorted(name for name in {*old, *new} if new.get(name, old.get(name)) and before[name] != after[name])
    return out + [Difference(name) for name in needed]


def moves(running: Inputs, desired: Inputs) -> tuple[Move, ...]:
    """Return the clients that a restart of the process would affect."""
    before, after = (written_values(inputs.texts.get(PROPERTIES, "")) for inputs in (running, desired))
    return client_moves(before, after)


def release_differences(running: Manifest | None, desired: Manifest | None, release: str) -> list[Difference]:
    """Return differences of the release. `desired` is None if it is not installed yet (check mode)."""
    if running is None:
        return [Difference(RELEASE, MANIFEST_MISSING, None, release)]
    if running.version != release:
        return [Difference(RELEASE, "", running.version, release)]
    if desired is not None and desired.text() != running.text():
        return [Difference(RELEASE, OTHER_FILES, release, release)]
    return []


def unit_differences(running: Inputs, desired: Inputs, environment_unit: str) -> list[Difference]:
    """Compare by the fingerprint in the process's environment; the copy in the record shows the lines that differ."""
    if not desired.unit or environment_unit == fingerprint(desired.unit):
        return []
    known = running.unit and fingerprint(running.unit) == environment_unit
    return changed_lines(UNIT, running.unit, desired.unit) if known else [Difference(UNIT)]


def differences(running: Inputs, desired: Inputs, environment_unit: str, release: str) -> list[Difference]:
    """Return everything that a restart would change; empty if the process has the desired inputs."""
    if not running.texts:
        return [Difference(RECORD)]
    return [
        *release_differences(running.manifest, desired.manifest, release),
        *config_differences(running, desired),
        *unit_differences(running, desired, environment_unit),
    ]
