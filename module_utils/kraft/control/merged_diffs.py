"""Merge the diffs of several hosts: equal ones once, with their hosts; shared lines of new text once. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

#: In Ansible's form: ``before``, ``after`` and a header of each.
Diff = Mapping[str, Any]
#: Maximum number of named hosts.
NAMED = 5


def joined(found: Iterable[tuple[str, Diff]]) -> list[dict[str, Any]]:
    """Merge (host, diff) pairs of one task, in the order of the first hosts. The header names the hosts."""
    by_header: dict[str, dict[str, list[Diff]]] = {}
    for host, diff in found:
        by_header.setdefault(str(diff.get("after_header", "")), {}).setdefault(host, []).append(diff)
    return [one for of_hosts in by_header.values() for one in _of_header(of_hosts)]


def _of_header(of_hosts: Mapping[str, Sequence[Diff]]) -> list[dict[str, Any]]:
    alone = [each[0] for each in of_hosts.values() if len(each) == 1]
    if len(of_hosts) > 1 and len(alone) == len(of_hosts) and all(map(_is_new, alone)):
        return _new(dict(zip(of_hosts, alone)))
    return _grouped([(host, diff) for host, each in of_hosts.items() for diff in each])


def _is_new(diff: Diff) -> bool:
    return diff.get("before") == "" and isinstance(diff.get("after"), str) and "prepared" not in diff


def _new(of_hosts: Mapping[str, Diff]) -> list[dict[str, Any]]:
    """Return the lines of a new text that all hosts share, then the other lines of each."""
    lines = {host: str(diff["after"]).splitlines(keepends=True) for host, diff in of_hosts.items()}
    first = next(iter(of_hosts))
    shared = set(lines[first]).intersection(*lines.values())
    common = {**of_hosts[first], "after": "".join(line for line in lines[first] if line in shared)}
    own = {
        host: {**of_hosts[host], "after": "".join(line for line in each if line not in shared)}
        for host, each in lines.items()
    }
    shown = [(host, diff) for host, diff in own.items() if diff["after"]]
    return [*([_named(common, list(of_hosts))] if common["after"] else []), *_grouped(shown)]


def _grouped(found: Iterable[tuple[str, Diff]]) -> list[dict[str, Any]]:
    groups: list[tuple[Diff, list[str]]] = []
    for host, diff in found:
        hosts = next((hosts for one, hosts in groups if one == diff), None)
        if hosts is None:
            groups.append((diff, [host]))
        elif host not in hosts:
            hosts.append(host)
    return [_named(diff, hosts) for diff, hosts in groups]


def _named(diff: Diff, hosts: Sequence[str]) -> dict[str, Any]:
    """Return the diff with its hosts in the header; a diff without one is left as it is."""
    return {**diff, "after_header": f"{diff['after_header']} on {names(hosts)}"} if "after_header" in diff else {**diff}


def names(hosts: Sequence[str]) -> str:
    """Return ``k1, k2``, and a count of the hosts beyond NAMED."""
    more = f" and {len(hosts) - NAMED} more" if len(hosts) > NAMED else ""
    return ", ".join(hosts[:NAMED]) + more
