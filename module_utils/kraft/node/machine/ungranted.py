"""Settings that a host does not grant: kernel settings, open files, AppCDS archive. Pure: from results to text.

None of them fails a run or is drift: the host is set up as far as it allows. An operator must be informed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

NAMED = 5


@dataclasses.dataclass(frozen=True)
class Ungranted:
    """``value``: the host's value, empty if it has none; ``reason``: why, and what to do."""

    host: str
    name: str
    wanted: str
    value: str
    reason: str

    @property
    def fact(self) -> str:
        """Return what the host has in place of the desired value."""
        return f"{self.name} is {self.value or 'not there'}, not {self.wanted}" if self.wanted else self.name


def ungranted(
    results: Mapping[str, Mapping[str, Any]], nodes: Mapping[str, Mapping[str, Any]]
) -> tuple[Ungranted, ...]:
    """Return what is not granted, host by host. `nodes`: those of ``kafka_desired``.

    `results`: host -> ``kernel`` (of ``kafka_sysctl``), ``appcds_archive`` (of ``kafka_appcds_archive``),
    ``nofile_hard`` (of ``kafka_host_info``'s facts); each may be missing.
    """
    return tuple(one for host, given in results.items() for one in _of_host(host, given, nodes.get(host, {})))


def _of_host(host: str, given: Mapping[str, Any], node: Mapping[str, Any]) -> Iterator[Ungranted]:
    for unmet in (given.get("kernel") or {}).get("unmet", ()):
        value = "" if unmet["value"] is None else str(unmet["value"])
        yield Ungranted(host, unmet["name"], str(unmet["wanted"]), value, unmet["reason"])
    hard, wanted = given.get("nofile_hard"), node.get("nofile_limit")
    if hard is not None and wanted is not None and int(hard) < int(wanted):
        reason = "the host gives a service no more: raise its limit, or lower kafka_nofile_limit"
        yield Ungranted(host, "open files", str(wanted), str(hard), reason)
    refused = (given.get("appcds_archive") or {}).get("reason")
    if refused:
        yield Ungranted(host, "AppCDS archive", "", "", f"Kafka starts without it, more slowly: {refused}")


def lines(found: Sequence[Ungranted], hosts: Collection[str]) -> list[str]:
    """Return one line for each reason and the hosts that share it; `hosts`: all of the cluster's."""
    having: dict[tuple[str, str], list[str]] = {}
    for one in found:
        having.setdefault((one.fact, one.reason), []).append(one.host)
    facts: dict[tuple[str, str], list[str]] = {}
    for (fact, reason), on in having.items():
        facts.setdefault((_names(on, hosts), reason), []).append(fact)
    return [f"{names}: {', '.join(said)}: {reason}" for (names, reason), said in facts.items()]


def short(found: Sequence[Ungranted], hosts: Collection[str]) -> str:
    """Return the number of settings and their hosts, in one line; empty if all is granted."""
    count = len({one.name for one in found})
    having = list(dict.fromkeys(one.host for one in found))
    return f"{count} setting{'' if count == 1 else 's'} on {_names(having, hosts)}" if found else ""


def _names(having: Sequence[str], hosts: Collection[str]) -> str:
    if len(hosts) > 1 and set(having) == set(hosts):
        return "all hosts"
    more = f" and {len(having) - NAMED} more" if len(having) > NAMED else ""
    return ", ".join(having[:NAMED]) + more
