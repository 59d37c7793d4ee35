"""Words of messages that every room writes alike."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """``1 topic``, ``2 topics``; `what`: one of them."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
