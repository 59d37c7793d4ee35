"""Account of a producer's records: acknowledged, lost, and stored twice. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Account:
    """Counts of records. ``lost``: acknowledged and not stored. ``twice``: stored more than once.

    ``failed``: the library reported an error; ``silent``: it reported nothing until the end.
    """

    sent: int
    acked: int
    lost: int
    twice: int
    failed: int
    silent: int


@dataclass(frozen=True)
class Row:
    """The account of one client, with one setting, under one fault."""

    client: str
    acks: str
    fault: str
    account: Account


def reconcile(log: Iterable[str], stored: Iterable[int]) -> Account:
    """Compare the log of a producer with the numbers that its topic holds. A torn last line of the log is ignored."""
    seen: dict[str, set[int]] = {"sent": set(), "acked": set(), "failed": set()}
    for line in log:
        outcome, _, rest = line.partition(" ")
        number = rest.partition(" ")[0].strip()
        if line.endswith("\n") and number.isdigit():
            seen[outcome].add(int(number))
    sent, acked, failed = seen.values()
    held = Counter(stored)
    return Account(
        sent=len(sent),
        acked=len(acked),
        lost=len(acked - held.keys()),
        twice=sum(count > 1 for count in held.values()),
        failed=len(failed - acked),
        silent=len(sent - acked - failed),
    )


def table(rows: Sequence[Row]) -> str:
    """Return a table of Markdown: a line for each client and setting, a column for each fault."""
    faults = list(dict.fromkeys(row.fault for row in rows))
    found = {(row.client, row.acks, row.fault): _cell(row.account) for row in rows}
    clients = list(dict.fromkeys((row.client, row.acks) for row in rows))
    lines = [[*each, *(found.get((*each, fault), "-") for fault in faults)] for each in clients]
    head = ["client", "acks", *faults]
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, ["---"] * len(head), *lines])


def _cell(account: Account) -> str:
    """Return the lost records of the acknowledged ones, and other outcomes that are not zero."""
    more = {"stored twice": account.twice, "failed": account.failed, "without an answer": account.silent}
    return ", ".join([f"{account.lost:,} of {account.acked:,}", *(f"{n:,} {name}" for name, n in more.items() if n)])
