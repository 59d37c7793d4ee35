"""Why a running node must be restarted, in words: what it was started with against what it would be started with."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping

from ansible.module_utils.kraft.node.release.manifest import MANIFEST, Manifest, parse_manifest
from ansible.module_utils.kraft.node.service.change_text import UNSET, change_text
from ansible.module_utils.kraft.node.service.client_moves import Move, client_moves
from ansible.module_utils.kraft.node.service.unit import fingerprint, without_fingerprint
from ansible.module_utils.kraft.secret_values import HIDDEN, is_secret, shown_line

PROPERTIES, JVM_OPTIONS, LOGGING = "server.properties", "jvm.options", "log4j2.yaml"
#: The node's own files below ``config/``; the unit copies them into the record at each start.
CONFIG_FILES = (PROPERTIES, JVM_OPTIONS, LOGGING)
NO_RECORD = "there is no record of what the running process was started with"
#: log4j2 rereads a file that says so by itself.
RELOADED = re.compile(r"^\s*monitorInterval:\s*[\"']?[1-9]", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Inputs:
    """What a process is started with. ``texts``: name -> content of the config files; ``unit``: the unit's text."""

    texts: Mapping[str, str]
    manifest: Manifest | None
    unit: str


def running_inputs(record: Mapping[str, bytes], unit_name: str) -> Inputs:
    """The inputs that a record (``/run/kafka/started``) holds."""
    texts = {name: content.decode("utf-8", "replace") for name, content in record.items()}
    config = {name: texts[name] for name in CONFIG_FILES if name in texts}
    return Inputs(config, parse_manifest(texts.get(MANIFEST, "")), texts.get(unit_name, ""))


def parse_properties(text: str) -> dict[str, str]:
    """``key=value`` lines; comments and empty lines are left out."""
    lines = (line.strip() for line in text.splitlines())
    pairs = (line.partition("=") for line in lines if line and line[0] not in "#!")
    return {key.strip(): value.strip() for key, _, value in pairs}


def parse_jvm_options(text: str) -> dict[str, str]:
    """Option -> value of a java @argfile with one option a line: ``-Xmx`` -> ``1g``, ``-XX:UseG1GC`` -> ``+``."""
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


def shown(key: str, before: str | None, after: str | None) -> str:
    """A change as it may be printed: never a secret, and of a long value the part that changes."""
    if not any(is_secret(key, text) for text in (before or "", after or "")):
        return change_text(before, after)
    return " -> ".join(UNSET if value is None else HIDDEN for value in (before, after))


def changed_keys(name: str, before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """``server.properties: num.io.threads 8 -> 16`` for each key that differs."""
    keys = sorted(key for key in {*before, *after} if before.get(key) != after.get(key))
    return [f"{name}: {shown_line(key)} {shown(key, before.get(key), after.get(key))}" for key in keys]


def setting_of(reason: str) -> str:
    """The key of server.properties that a reason of ``changed_keys`` is about; '' for any other reason."""
    prefix = f"{PROPERTIES}: "
    return reason[len(prefix) :].partition(" ")[0] if reason.startswith(prefix) else ""


def changed_lines(name: str, before: str, after: str) -> list[str]:
    """One reason for all lines that come and go."""
    old, new = (set(without_fingerprint(text).splitlines()) for text in (before, after))
    words = [f"- {shown_line(line)}" for line in in_order(before, old - new)]
    words += [f"+ {shown_line(line)}" for line in in_order(after, new - old)]
    return [f"{name}: {'; '.join(words)}"] if words else [name]


def in_order(text: str, lines: Iterable[str]) -> list[str]:
    wanted = set(lines)
    return [line for line in text.splitlines() if line in wanted and line.strip()]


def config_reasons(running: Inputs, desired: Inputs) -> list[str]:
    """Differences in the config files. A changed log4j2.yaml is none where log4j2 rereads the file by itself."""
    before, after = ({name: i.texts.get(name, "") for name in CONFIG_FILES} for i in (running, desired))
    out = changed_keys(PROPERTIES, parse_properties(before[PROPERTIES]), parse_properties(after[PROPERTIES]))
    out += changed_keys(JVM_OPTIONS, parse_jvm_options(before[JVM_OPTIONS]), parse_jvm_options(after[JVM_OPTIONS]))
    if before[LOGGING] != after[LOGGING] and not RELOADED.search(before[LOGGING]):
        out.append(LOGGING)
    return out


def moves(running: Inputs, desired: Inputs) -> tuple[Move, ...]:
    """Whom a restart of the process would send elsewhere."""
    before, after = (parse_properties(inputs.texts.get(PROPERTIES, "")) for inputs in (running, desired))
    return client_moves(before, after)


def release_reasons(running: Manifest | None, desired: Manifest | None, release: str) -> list[str]:
    """`desired` is None where the release is not installed yet (check mode)."""
    if running is None:
        return ["release: the running process has no record of its own"]
    if running.version != release:
        return [f"release {running.version} -> {release}"]
    if desired is not None and desired.text() != running.text():
        return [f"release {release}: other files than those that the process was started with"]
    return []


def unit_reasons(running: Inputs, desired: Inputs, environment_unit: str) -> list[str]:
    """By the fingerprint in the process's environment; the copy in the record only says what differs."""
    if not desired.unit or environment_unit == fingerprint(desired.unit):
        return []
    known = running.unit and fingerprint(running.unit) == environment_unit
    return changed_lines("unit", running.unit, desired.unit) if known else ["unit"]


def reasons(running: Inputs, desired: Inputs, environment_unit: str, release: str) -> list[str]:
    """Everything that a restart would change; empty where the process runs with what is wanted."""
    if not running.texts:
        return [NO_RECORD]
    return [
        *release_reasons(running.manifest, desired.manifest, release),
        *config_reasons(running, desired),
        *unit_reasons(running, desired, environment_unit),
    ]
