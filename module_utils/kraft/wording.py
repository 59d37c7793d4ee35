"""Wording of messages that every room shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def printable(text: str) -> str:
    """Return one line of foreign text (logs, alerts, errors) without control characters for a terminal."""
    return "".join(each if each.isprintable() else " " if each == "\t" else "?" for each in text)


def printable_text(text: str, longest: int = 0) -> str:
    """Return foreign lines, `printable` except for tabs. Cut after `longest` characters; 0 cuts nothing."""
    cut = f"\n... and {len(text) - longest} more characters" if 0 < longest < len(text) else ""
    lines = (text[:longest] if cut else text).split("\n")
    return "\n".join("\t".join(map(printable, line.removesuffix("\r").split("\t"))) for line in lines) + cut


def counted(number: int, what: str) -> str:
    """Return ``1 topic``, ``2 topics``; `what`: the singular."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def named(items: Iterable[object], limit: int = 6) -> str:
    """Format a few things as a list for people."""
    texts = [str(item) for item in items]
    more = f" and {len(texts) - limit} more" if len(texts) > limit else ""
    return ", ".join(texts[:limit]) + more


#: Copies that a throttle between log dirs limits.
BETWEEN_LOG_DIRS = "copies between log dirs"


def limited(rates: Mapping[int, int], copies: str = "replication") -> str:
    """Return the note that a run of moves has set a throttle. `rates`: broker -> bytes per second."""
    where = f"broker{'s' * (len(rates) > 1)} {', '.join(map(str, sorted(rates)))}"
    return f"a run of moves has limited {copies} to {max(rates.values()) / 1e6:.1f} MB/s on {where}"
