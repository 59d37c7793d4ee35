"""YAML files of an inventory, read before Ansible reads them: its own message names neither file nor line."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import yaml
from ansible.module_utils.kraft.control.plain_secrets import VAULT
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.inventory.files import folders, read_for, shown

ENDS = (".yml", ".yaml", ".json")
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
INDENT = "align it with the lines around it; put text with a colon, or that begins with a sign, into quotes"
REMEDIES = {
    "alias": "put text that begins with * into quotes",
    "tag": "put text that begins with ! into quotes",
    "expected <block end>": "begin the line in the column of the lines that belong with it",
    "mapping values": "align it with the lines around it, or put text with ': ' into quotes",
    "cannot start any token": "put text that begins with a sign such as %, @ or ` into quotes",
    "unexpected end of stream": "close the quote or the bracket",
}
UNLOCK = "give the vault's password (--vault-password-file)"
NO_UTF8 = "The file is not UTF-8 text"


def unreadable_files(inventory: Any, loader: Any, group: str = "kafka") -> list[Problem]:
    """Return the files that concern the hosts of `group` and that Ansible could not read."""
    found = [problem for path in hosts_files(inventory._sources) for problem in _problems(path, loader)]
    for path in _variable_files(inventory, loader, group):
        found += _problems(path, loader)
    return found


def hosts_files(sources: Iterable[Any]) -> Iterator[str]:
    """Yield files of hosts in YAML; for a folder those in it, as Ansible takes them."""
    for source in map(str, sources):
        names = sorted(os.listdir(source)) if os.path.isdir(source) else []
        paths = [os.path.join(source, name) for name in names if not name.startswith(".")] or [source]
        yield from (path for path in paths if os.path.isfile(path) and path.endswith(ENDS))


def _variable_files(inventory: Any, loader: Any, group: str) -> Iterator[str]:
    """Yield files of variables that Ansible reads for the hosts of `group`, for all hosts, and for this machine."""
    hosts = list(inventory.groups[group].get_hosts()) if group in inventory.groups else []
    groups = {each.name for host in hosts for each in host.get_groups()} | {"all", "ungrouped"}
    names = [host.name for host in hosts] + ["localhost"]
    for folder in folders(inventory._sources):
        yield from (path for files in read_for(loader, folder, sorted(groups), names).values() for path in files)


def _problems(path: str, loader: Any) -> Iterator[Problem]:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        yield Problem(
            "file_unreadable",
            f"The file cannot be read: {error.strerror}",
            "correct its mode or its owner",
            shown(path),
        )
        return
    if content.startswith(VAULT):
        text, problem = unlocked(path, content, loader._vault.decrypt, bool(loader._vault.secrets))
        yield from [problem] if problem else fault(path, text)
    else:
        yield from fault(path, content)


def unlocked(path: str, content: bytes, decrypt: Callable[[bytes], bytes], given: bool) -> tuple[bytes, Problem | None]:
    """Return the text of a file that is encrypted as a whole. `given`: the run has a vault's password."""
    try:
        return (decrypt(content), None) if given else (b"", Problem("vault_locked", LOCKED, UNLOCK, shown(path)))
    except Exception:
        message = "The file is encrypted with a different password from the one that the run has"
        return b"", Problem("vault_locked", message, f"{UNLOCK} that it was encrypted with", shown(path))


LOCKED = "The file is encrypted, and the run has no vault password"


def fault(path: str, content: bytes) -> Iterator[Problem]:
    """Return the first place at which a file is no YAML. The line itself is not shown: it may hold a secret."""
    try:
        for _ in yaml.compose_all(content.decode("utf-8"), Loader=LOADER):
            pass
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        yield Problem("yaml", NO_UTF8, "save it as UTF-8", f"{shown(path)}:{line}")
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        message = re.sub(r"'[^']{2,}'", "...", str(getattr(error, "problem", "") or "cannot be read"))
        remedy = next((each for sign, each in REMEDIES.items() if sign in message), INDENT)
        if (
            mark
            and content.splitlines()[mark.line :][:1]
            and b"\t" in content.splitlines()[mark.line][: mark.column + 1]
        ):
            remedy = "indent with blanks, not with tabs"
        place = f"{shown(path)}:{mark.line + 1}" if mark else shown(path)
        yield Problem("yaml", f"The file is not valid YAML: {message}", remedy, place)
