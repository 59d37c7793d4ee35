"""Java's ``.properties`` format: the text that ``java.util.Properties.load`` reads back as the very same settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAMED = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f"}
#: Characters that end a key.
KEY_ENDS = frozenset("=: ")
#: Characters that make a line a comment if they come first.
COMMENT = frozenset("#!")


def text_of(settings: Mapping[str, str], heading: str = "") -> str:
    """Return one line for each setting, sorted by key, below `heading` as a comment."""
    comment = "".join(f"# {line}\n" for line in heading.splitlines())
    return comment + "".join(f"{_key(key)}={_value(settings[key])}\n" for key in sorted(settings))


def value_text(value: Any) -> str:
    """Format a YAML value for Kafka: booleans in lower case, lists with commas."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(value_text(each) for each in value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def _key(text: str) -> str:
    escaped = "".join(f"\\{each}" if each in KEY_ENDS else _escaped(each) for each in text)
    return f"\\{escaped}" if text[:1] in COMMENT else escaped


def _value(text: str) -> str:
    """Escape a value; only leading blanks need it: Java drops them, and keeps all others."""
    escaped = "".join(_escaped(each) for each in text)
    return f"\\{escaped}" if text.startswith(" ") else escaped


def _escaped(character: str) -> str:
    if character in NAMED:
        return NAMED[character]
    if " " <= character <= "~":
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{int.from_bytes(units[at : at + 2], 'big'):04x}" for at in range(0, len(units), 2))
