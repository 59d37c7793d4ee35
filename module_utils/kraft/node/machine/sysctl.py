"""Kernel settings: desired, current and possible values. First the pure plan, then the inspection of a host."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping
from pathlib import Path

HEADER = "# Written by Kraftwright; changes made here are lost.\n"
NAME = re.compile(r"[A-Za-z0-9_-]+([./][A-Za-z0-9_-]+)+")
PROC = "/proc/sys"
#: Directories that systemd reads settings from at boot; a file whose name sorts later wins.
BOOT_DIRS: tuple[str, ...] = ("/usr/lib/sysctl.d", "/run/sysctl.d", "/etc/sysctl.d")


@dataclasses.dataclass(frozen=True)
class Setting:
    """A setting of the running kernel. ``value`` is None if the kernel has no such setting.

    ``boot_override``: a file that is read after ours at boot with another value, as ``path: value``.
    """

    value: str | None = None
    writable: bool = False
    boot_override: str = ""


@dataclasses.dataclass(frozen=True)
class Unmet:
    """A setting that the host does not grant, and the reason."""

    name: str
    wanted: str
    value: str | None
    reason: str


@dataclasses.dataclass(frozen=True)
class Plan:
    """A plan. ``text``: file for the next boot; ``live``: values for the running kernel; ``unmet``: not granted."""

    text: str
    live: Mapping[str, str]
    unmet: tuple[Unmet, ...]


def normal(value: object) -> str:
    """Normalise blanks between numbers."""
    return " ".join(str(value).split())


def bad_names(names: Mapping[str, object]) -> list[str]:
    return [f"{name!r} is not a kernel setting: give a name such as vm.swappiness" for name in names if not fits(name)]


def fits(name: str) -> bool:
    return NAME.fullmatch(name) is not None


def raised(wanted: str, value: str | None) -> str:
    """Return the higher of the two if both are numbers: a higher limit is never lowered."""
    if value is not None and wanted.isdigit() and value.isdigit():
        return str(max(int(wanted), int(value)))
    return wanted


def effective(settings: Mapping[str, object], found: Mapping[str, Setting], at_least: frozenset[str]) -> dict[str, str]:
    """Return name -> desired value; for the names in `at_least`, a higher value of the kernel stays."""
    wanted = {name: normal(value) for name, value in settings.items()}
    return {
        name: raised(value, found[name].value) if name in at_least else value for name, value in sorted(wanted.items())
    }


def boot_text(wanted: Mapping[str, str]) -> str:
    return HEADER + "".join(f"{name} = {value}\n" for name, value in wanted.items())


def why_unmet(wanted: str, setting: Setting) -> str:
    """Return why the host does not grant `wanted`; '' if it does, or will when it is written."""
    if setting.value is None:
        return "this kernel has no such setting"
    if setting.value != wanted and not setting.writable:
        return "read-only here (a container has its host's kernel): set it on the machine below"
    if setting.boot_override:
        return f"at boot it is overridden by {setting.boot_override}: change it there"
    return ""


def plan_settings(settings: Mapping[str, object], found: Mapping[str, Setting], at_least: frozenset[str]) -> Plan:
    """Plan what to write. A setting that cannot be granted is no change."""
    wanted = effective(settings, found, at_least)
    live = {n: v for n, v in wanted.items() if found[n].writable and found[n].value not in (None, v)}
    reasons = {name: why_unmet(value, found[name]) for name, value in wanted.items()}
    unmet = tuple(Unmet(n, wanted[n], live.get(n, found[n].value), why) for n, why in reasons.items() if why)
    return Plan(boot_text(wanted), live, unmet)


def proc_path(name: str) -> str:
    """Return the file of ``net.ipv4.conf.eth0/1.rp_filter``, as sysctl(8): the first separator sets the meaning."""
    first = next((character for character in name if character in "./"), ".")
    path = name if first == "/" else name.translate(str.maketrans("./", "/."))
    return f"{PROC}/{path}"


def settings_in(text: str) -> dict[str, str]:
    """Parse the settings of one sysctl.d file; a leading '-' (ignore errors) and comments are left out."""
    pairs = (line.lstrip(" -").partition("=") for line in text.splitlines() if not line.lstrip().startswith(("#", ";")))
    return {name.strip().replace("/", "."): normal(value) for name, separator, value in pairs if separator}


def later_files(file: str) -> list[str]:
    """Return files that are read after `file` at boot, in order; of one name, the one in /etc hides the others."""
    found = {}
    for directory in BOOT_DIRS:
        for path in Path(directory).glob("*.conf") if os.path.isdir(directory) else ():
            found[path.name] = str(path)
    return [found[name] for name in sorted(found) if name > os.path.basename(file)]


def boot_overrides(file: str) -> dict[str, tuple[str, str]]:
    """Return name -> (path, value) of settings that are read after `file` at boot."""
    out = {}
    for path in later_files(file):
        try:
            text = Path(path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        out.update({name: (path, value) for name, value in settings_in(text).items()})
    return out


def can_write(path: str) -> bool:
    """Check that the kernel lets us open it for writing: access rights alone prove nothing in a container."""
    try:
        os.close(os.open(path, os.O_WRONLY))
    except OSError:
        return False
    return True


def read_setting(name: str) -> Setting:
    path = proc_path(name)
    try:
        value = normal(Path(path).read_text(encoding="utf-8"))
    except OSError:
        return Setting()
    return Setting(value, can_write(path))


def write_setting(name: str, value: str) -> str:
    """Write into the running kernel and read back. Returns the kernel's error, '' on success."""
    try:
        with open(proc_path(name), "w", encoding="utf-8") as file:
            file.write(value)
    except OSError as error:
        return error.strerror or str(error)
    return "" if read_setting(name).value == value else "the kernel took another value"
