"""Account of a producer's records: acknowledged, lost, and stored twice. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

COLUMNS = ("Client", "acks", "Fault", "Sent", "Acknowledged", "Lost", "Twice", "Failed", "No answer")


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
    """Return the accounts as a table of Markdown."""
    head = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * 3}{'---:|' * (len(COLUMNS) - 3)}"]
    return "\n".join([*head, *map(_line, rows)]) + "\n"


def _line(row: Row) -> str:
    numbers = [f"{value:,}" for value in asdict(row.account).values()]
    return f"| {row.client} | {row.acks} | {row.fault} | {' | '.join(numbers)} |"
