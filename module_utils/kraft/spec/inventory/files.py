"""The inventory's own files: those that Ansible reads for a host, and the values that it takes from another place.

Order of sources: https://docs.ansible.com/ansible/latest/playbook_guide/playbooks_variables.html, and the plugin
``host_group_vars``, whose own way of finding files is used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ansible.errors import AnsibleError
from ansible.module_utils.kraft.spec.inventory.origins import origin
from ansible.module_utils.kraft.spec.inventory.spec import nearest
from ansible.module_utils.kraft.spec.inventory_rules.subject import Files, Replaced, Unread

GROUPS, HOSTS = "group_vars", "host_vars"
PREFIX = "kafka_"
#: Extensions of files beside variables that hold none.
OTHERS = (".md", ".rst", ".txt", ".example", ".sample")


class Source(NamedTuple):
    """Variables of one place. ``rank``: how narrow the group is, hosts above all groups; ``owner``: whose they are."""

    rank: int
    owner: str
    file: str
    values: Mapping[str, Any]


def inspect(hostvars: Any, loader: Any, hosts: Iterable[str]) -> Files:
    """Find values in the files of a run's inventory that have no effect, for the cluster's `hosts`."""
    inventory, hosts = hostvars._inventory, list(hosts)
    return Files(
        unread=unread(inventory, loader),
        replaced=replaced(inventory, loader, hosts),
        dotted={host: frozenset(name for name in map(str, hostvars.raw_get(host)) if "." in name) for host in hosts},
        groups=frozenset(map(str, inventory.groups)),
    )


def shown(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def folders(sources: Iterable[str]) -> list[str]:
    """Return the folders of an inventory that may have group_vars and host_vars."""
    found = [each if os.path.isdir(each) else os.path.dirname(os.path.abspath(each)) for each in map(str, sources)]
    return list(dict.fromkeys(each for each in found if os.path.isdir(each)))


def read_for(loader: Any, folder: str, groups: Iterable[str], hosts: Iterable[str]) -> dict[tuple[str, str], list[str]]:
    """Return (kind, name) -> the files that Ansible reads for a group or a host."""
    named = [*((GROUPS, name) for name in groups), *((HOSTS, name) for name in hosts)]
    return {
        (kind, name): list(map(str, loader.find_vars_files(f"{folder}/{kind}", name)))
        for kind, name in named
        if os.path.isdir(f"{folder}/{kind}")
    }


def files_below(folder: str) -> Iterator[Path]:
    """Yield files written for Ansible; hidden ones, backups and texts for people do not count."""
    for path in sorted(Path(folder).rglob("*")) if os.path.isdir(folder) else ():
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden and not path.name.endswith("~") and path.suffix not in OTHERS:
            yield path


def unread(inventory: Any, loader: Any) -> tuple[Unread, ...]:
    """Return files of group_vars and host_vars that Ansible reads for no group and no host of the inventory."""
    found: list[Unread] = []
    for folder in folders(inventory._sources):
        names = {GROUPS: sorted(inventory.groups), HOSTS: sorted(inventory.hosts)}
        taken = {one for each in read_for(loader, folder, names[GROUPS], names[HOSTS]).values() for one in each}
        for kind, known in names.items():
            top = Path(folder) / kind
            files = [each for each in files_below(str(top)) if str(each) not in taken]
            found += [_unread(each, top, kind, known, loader) for each in files]
        found += misspelt(folder)
    return tuple(found)


def _unread(path: Path, top: Path, kind: str, known: list[str], loader: Any) -> Unread:
    first = path.relative_to(top).parts[0]
    name, what = first, "group" if kind == GROUPS else "host"
    for end in (".yml", ".yaml", ".json"):
        name = first[: -len(end)] if path.parent == top and first.endswith(end) else name
    if name not in known:
        near = nearest(name, known)
        remedy = f"did you mean {what} {near}? rename it" if near else f"name it after a {what}, or remove it"
        reason = f"The file is not read: the inventory has no {what} {name}"
        return Unread(shown(str(path)), reason, remedy, bool(near) or holds_ours(path, loader))
    beside = next((str(each) for each in (top / name, top / f"{name}.yml", top / f"{name}.yaml") if each.exists()), "")
    reason, remedy = "The file is not read: its name does not end in .yml, .yaml or .json", "rename it, or remove it"
    if path.parent == top:
        reason = f"The file is not read: {shown(beside)} takes precedence"
        remedy = f"move it to {shown(str(top / name))}/, or keep one of the two"
    return Unread(shown(str(path)), reason, remedy, error=True)


def misspelt(folder: str) -> list[Unread]:
    """Return folders that look like group_vars or host_vars."""
    found = []
    for path in sorted(Path(folder).iterdir()):
        near = nearest(path.name, [GROUPS, HOSTS], least=0.8)
        if path.name not in (GROUPS, HOSTS) and near and path.is_dir():
            found.append(
                Unread(shown(str(path)), "The folder is not read", f"did you mean {near}? rename it", error=True)
            )
    return found


def holds_ours(path: Path, loader: Any) -> bool:
    """Check whether a file sets a variable of ours; False for a file that cannot be read."""
    try:
        values = loader.load_from_file(str(path), cache="none")
    except Exception:
        return False
    return isinstance(values, Mapping) and any(str(name).startswith(PREFIX) for name in values)


def sources(inventory: Any, loader: Any, host: str) -> list[Source]:
    """Return the sources of a host's variables; the last one wins."""
    one = inventory.hosts[host]
    groups = sorted(one.get_groups(), key=lambda group: (group.depth, group.priority, group.name))
    found = [Source(each.depth, f"group {each.name}", "", each.vars) for each in groups]
    for folder in folders(inventory._sources):
        taken = read_for(loader, folder, [each.name for each in groups], [host])
        for group in sorted(groups, key=lambda group: group.name != "all"):
            found += _loaded(loader, group.depth, f"group {group.name}", taken.get((GROUPS, group.name), []))
    found.append(Source(HOST_RANK, f"host {host}", "", one.vars))
    for folder in folders(inventory._sources):
        found += _loaded(loader, HOST_RANK, f"host {host}", read_for(loader, folder, [], [host]).get((HOSTS, host), []))
    return found


HOST_RANK = 1000


def _loaded(loader: Any, rank: int, owner: str, files: list[str]) -> list[Source]:
    values = [(each, loader.load_from_file(each, cache="all", unsafe=True, trusted_as_template=True)) for each in files]
    return [Source(rank, owner, file, given) for file, given in values if isinstance(given, Mapping)]


def replaced(inventory: Any, loader: Any, hosts: Iterable[str]) -> tuple[Replaced, ...]:
    """Return values of ``kafka_*`` variables that another place of the inventory overrides."""
    found = []
    for host in hosts:
        last: dict[str, Source] = {}
        for source in sources(inventory, loader, host):
            for name in (each for each in source.values if str(each).startswith(PREFIX)):
                before = last.get(name)
                if before and differ(before.values[name], source.values[name]):
                    found.append(_replaced(str(name), host, before, source))
                last[name] = source
    return tuple(found)


def differ(first: Any, second: Any) -> bool:
    """Compare two values; True for a secret that cannot be decrypted, since it may differ."""
    try:
        return bool(first != second)
    except (AnsibleError, ReferenceError):
        return True


def _replaced(name: str, host: str, lost: Source, won: Source) -> Replaced:
    return Replaced(
        variable=name,
        host=host,
        lost=_place(name, lost),
        won=_place(name, won),
        narrower=lost.rank > won.rank,
        same_owner=lost.owner == won.owner,
        owner=lost.owner,
    )


def _place(name: str, source: Source) -> str:
    found = origin(source.values[name])
    return str(found) if found else shown(source.file) if source.file else source.owner
