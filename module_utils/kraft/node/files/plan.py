"""Plan for directories, files and links: from current to desired state. Pure: no access to disks."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.difference import PROPERTIES
from ansible.module_utils.kraft.secret_values import differing

DIRECTORY, FILE, LINK, ABSENT, OTHER = "directory", "file", "link", "absent", "other"
#: Header of the diff of new paths.
NEW = "new paths"
#: A file is written under this prefix beside its place, then renamed; one that is found was left by a killed run.
TEMPORARY_PREFIX = ".kraftwright-"


@dataclasses.dataclass(frozen=True)
class Desired:
    """Desired state of one path. ``mode`` is the number (0o640); owner and group are names or numbers as text."""

    path: str
    kind: str
    owner: str = "root"
    group: str = "root"
    mode: int = 0
    content: bytes = b""
    target: str = ""
    sensitive: bool = False


@dataclasses.dataclass(frozen=True)
class Current:
    """Current state of one path. ``leftover``: the temporary file of a killed run is beside it.

    ``suspect``: a link above the path (or the path itself, if a file belongs there) that root did not make.
    ``obstacle``: a path above that is no directory. ``missing_parents``: missing directories above, top first.
    """

    kind: str = ABSENT
    uid: int = 0
    gid: int = 0
    owner: str = ""
    group: str = ""
    mode: int = 0
    content: bytes = b""
    target: str = ""
    leftover: bool = False
    suspect: str = ""
    obstacle: str = ""
    missing_parents: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Accounts:
    """Ids of the requested users and groups; None if the host has no such name."""

    users: Mapping[str, int | None]
    groups: Mapping[str, int | None]


@dataclasses.dataclass(frozen=True)
class Change:
    """Change of one path. ``why``: any of create, content, owner, mode, target, remove, leftover."""

    wanted: Desired
    found: Current
    why: tuple[str, ...]


def parent(path: str) -> str:
    return path.rstrip("/").rpartition("/")[0] or "/"


def temporary(path: str) -> str:
    """Return the path where `path` is written before the rename; always the same name, so that it is recognised."""
    return f"{parent(path).rstrip('/')}/{TEMPORARY_PREFIX}{path.rstrip('/').rpartition('/')[2]}"


def difference(wanted: Desired, found: Current, accounts: Accounts) -> tuple[str, ...]:
    """Return the words of ``Change.why``; empty if nothing differs."""
    stale = ("leftover",) if found.leftover else ()
    if wanted.kind == ABSENT:
        return (() if found.kind == ABSENT else ("remove",)) + stale
    if found.kind == ABSENT:
        return ("create", *stale)
    if wanted.kind == LINK:
        return (("target",) if found.target != wanted.target else ()) + stale
    ids = (accounts.users[wanted.owner], accounts.groups[wanted.group])
    checks = {
        "content": wanted.kind == FILE and found.content != wanted.content,
        "owner": ids != (found.uid, found.gid),
        "mode": found.mode != wanted.mode,
    }
    return tuple(word for word, differs in checks.items() if differs) + stale


def path_problems(wanted: Desired, found: Current, planned: set[str], predict: bool) -> list[str]:
    """Return why `wanted` is impossible. `planned`: directories that are created before it."""
    where = f"{wanted.path} (wanted: a {wanted.kind})"
    if not wanted.path.startswith("/") or ".." in wanted.path.split("/"):
        return [f"{where}: give an absolute path without '..'"]
    if found.obstacle:
        return [f"{where}: {found.obstacle} is on the way and is no directory; move it away"]
    if found.suspect:
        return [
            f"{where}: {found.suspect} is a link that root did not make, and it is not followed; "
            "replace it by a directory, or let root own it"
        ]
    if found.kind not in (ABSENT, FILE if wanted.kind == ABSENT else wanted.kind):
        return [f"{where}: there is a {found.kind} already, and it is not replaced; look at it and move it away"]
    needed = () if wanted.kind in (ABSENT, DIRECTORY) else found.missing_parents
    missing = [path for path in needed if path not in planned]
    if missing and not predict:
        return [f"{where}: its directory {missing[-1]} does not exist; list it under 'directories'"]
    return []


def account_problems(wanted: Sequence[Desired], accounts: Accounts) -> list[str]:
    """Return one line for each missing user or group, with the paths that it should own."""
    out = []
    for kind, ids in (("user", accounts.users), ("group", accounts.groups)):
        for name in sorted(name for name, number in ids.items() if number is None):
            paths = [w.path for w in wanted if w.kind != LINK and (w.owner if kind == "user" else w.group) == name]
            out.append(f"{kind} {name!r} does not exist on this host; it should own {', '.join(paths)}")
    return out


def file_refusals(wanted: Sequence[Desired], found: Sequence[Current], accounts: Accounts, predict: bool) -> list[str]:
    """Return everything that forbids the change. `predict`: earlier tasks have not really run (check mode)."""
    directories = [(w, f) for w, f in zip(wanted, found) if w.kind == DIRECTORY]
    planned = {path for w, f in directories for path in (w.path, *f.missing_parents)}
    out = [text for w, f in zip(wanted, found) for text in path_problems(w, f, planned, predict)]
    repeated = sorted({w.path for w in wanted if sum(other.path == w.path for other in wanted) > 1})
    out += [f"{path} is listed more than once" for path in repeated]
    return out + ([] if predict else account_problems(wanted, accounts))


def plan(wanted: Sequence[Desired], found: Sequence[Current], accounts: Accounts) -> list[Change]:
    """Return the changes, in the given order."""
    differences = ((w, f, difference(w, f, accounts)) for w, f in zip(wanted, found))
    return [Change(w, f, why) for w, f, why in differences if why]


def changed_paths(changes: Sequence[Change]) -> list[str]:
    """Return each changed path; the temporary path if only a leftover is removed."""
    return [temporary(c.wanted.path) if c.why == ("leftover",) else c.wanted.path for c in changes]


def attributes(kind: str, owner: str, group: str, mode: int) -> str:
    return f"state: {kind}\nowner: {owner}\ngroup: {group}\nmode: '{mode:04o}'\n"


def has_settings(path: str) -> bool:
    """Check whether a file holds a node's settings, in which those of unknown plugins are hidden."""
    return path.endswith(f"/{PROPERTIES}")


def content_diff(change: Change) -> dict[str, str]:
    """Return both contents without secrets; only the sizes of a sensitive file.

    No digest either: a short secret could be guessed from it.
    """
    wanted, found = change.wanted, change.found
    headers = {"before_header": wanted.path, "after_header": wanted.path}
    if not wanted.sensitive:
        before, after = (text.decode("utf-8", "replace") for text in (found.content, wanted.content))
        before, after = differing(before, after, has_settings(wanted.path))
        return {**headers, "before": before, "after": after}
    before = f"(hidden: {len(found.content)} bytes, as found)\n" if found.kind == FILE else ""
    return {**headers, "before": before, "after": f"(hidden: {len(wanted.content)} bytes, new)\n"}


def attribute_diff(change: Change) -> dict[str, str]:
    wanted, found = change.wanted, change.found
    if wanted.kind == LINK:
        before, after = (f"target: {target}\n" for target in (found.target, wanted.target))
    else:
        before = attributes(found.kind, found.owner, found.group, found.mode)
        after = attributes(wanted.kind, wanted.owner, wanted.group, wanted.mode)
    after = "state: absent\n" if wanted.kind == ABSENT else after
    what = f"{wanted.path} ({wanted.kind})"
    return {"before_header": what, "after_header": what, "before": before, "after": after}


def new_path(change: Change) -> str:
    """``/opt/kafka: directory root:root 0755``."""
    wanted = change.wanted
    if wanted.kind == LINK:
        return f"{wanted.path}: link to {wanted.target}\n"
    return f"{wanted.path}: {wanted.kind} {wanted.owner}:{wanted.group} {wanted.mode:04o}\n"


def diffs(changes: Sequence[Change]) -> list[dict[str, str]]:
    """Return Ansible's diff: one entry for content, one for attributes, one for a leftover.

    New paths have one line each in a separate entry, before the contents.
    """
    made = "".join(new_path(change) for change in changes if "create" in change.why)
    out = [{"before_header": NEW, "after_header": NEW, "before": "", "after": made}] if made else []
    for change in changes:
        if change.wanted.kind == FILE and {"create", "content"} & set(change.why):
            out.append(content_diff(change))
        if {"owner", "mode", "target", "remove"} & set(change.why):
            out.append(attribute_diff(change))
        if "leftover" in change.why:
            name = temporary(change.wanted.path)
            text = "left by a run that was killed\n"
            out.append({"before_header": name, "after_header": name, "before": text, "after": ""})
    return out


def parse_mode(text: str) -> int:
    """Parse ``'0640'`` -> 0o640. Raises ValueError for anything but three or four octal digits."""
    if not re.fullmatch("[0-7]{3,4}", text):
        raise ValueError(f"mode {text!r}: give three or four octal digits in quotes, such as '0640'")
    return int(text, 8)


def wanted_list(params: Mapping[str, Any]) -> list[Desired]:
    """Return the module's parameters in the order of changes: absent paths, directories, files, links."""
    gone = [Desired(path, ABSENT) for path in params.get("absent", ())]
    directories = [
        Desired(d["path"].rstrip("/") or "/", DIRECTORY, d["owner"], d["group"], parse_mode(d["mode"]))
        for d in params.get("directories", ())
    ]
    files = [
        Desired(
            f["path"].rstrip("/"),
            FILE,
            f["owner"],
            f["group"],
            parse_mode(f["mode"]),
            content=f["content"].encode(),
            sensitive=f["sensitive"],
        )
        for f in params.get("files", ())
    ]
    links = [Desired(link["path"].rstrip("/"), LINK, target=link["target"]) for link in params.get("links", ())]
    return [*gone, *directories, *files, *links]
