"""Words of messages that every room writes alike."""

from __future__ import annotations

from collections.abc import Mapping


def printable(text: str) -> str:
    """One line of text that others wrote (logs, alerts, errors), without what would steer a terminal."""
    return "".join(each if each.isprintable() else " " if each == "\t" else "?" for each in text)


def printable_text(text: str, longest: int = 0) -> str:
    """Lines that others wrote, `printable` but for tabs. Cut after `longest` characters; 0 cuts nothing."""
    cut = f"\n... and {len(text) - longest} more characters" if 0 < longest < len(text) else ""
    lines = (text[:longest] if cut else text).split("\n")
    return "\n".join("\t".join(map(printable, line.removesuffix("\r").split("\t"))) for line in lines) + cut


def counted(number: int, what: str) -> str:
    """``1 topic``, ``2 topics``; `what`: one of them."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


BETWEEN_LOG_DIRS = "copies between log dirs"


def limited(rates: Mapping[int, int], copies: str = "replication") -> str:
    """That a run of moves has set a throttle. `rates`: broker -> bytes per second. `copies`: of what."""
    where = f"broker{'s' * (len(rates) > 1)} {', '.join(map(str, sorted(rates)))}"
    return f"a run of moves has limited {copies} to {max(rates.values()) / 1e6:.1f} MB/s on {where}"
