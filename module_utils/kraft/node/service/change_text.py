"""Text of a changed value in one line, complete. Pure; the caller hides secrets.

A list is compared element by element, and elements are paired by their name (``CLIENT`` of ``CLIENT://host:port``). So
one listener's new port is visible among unchanged listeners.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

UNSET = "(unset)"
#: Values up to this length are shown whole.
SHORT = 80
#: Unchanged characters that are shown on either side of a long value's changed part.
AROUND = 12
#: The longest changed part of a single value; a list shows every element that differs.
LONGEST = 400
#: A text with commas that matches is no list: a login, a mapping rule.
SINGLE = re.compile(r"[\s()]|^RULE:")
#: Settings whose lists have another separator than a comma, since names of certificates have commas.
SEPARATORS = {"super.users": ";"}
NAME = re.compile(r"([A-Za-z0-9_.-]+)(?:://|[@:=])")


def change_text(before: str | None, after: str | None, separator: str = ",") -> str:
    """``8 -> 16``; of lists the elements that come, go or change, and how many stay; None stands for unset."""
    if before is None or after is None:
        return f"{whole(before)} -> {whole(after)}"
    old, new = elements(before, separator), elements(after, separator)
    short = max(len(before), len(after)) <= SHORT
    if max(len(old), len(new)) > 1 and (not short or set(old) & set(new) or paired(old, new)):
        return list_text(old, new, separator)
    if short:
        return f"{before} -> {after}"
    return " -> ".join(around(before, after))


def elements(value: str, separator: str = ",") -> list[str]:
    """The parts of a list; a text with blanks, brackets or a rule between commas is one element."""
    parts = [part.strip() for part in value.split(separator)]
    single = separator == "," and any(SINGLE.search(part) for part in parts)
    return [value] if single else [part for part in parts if part]


def list_text(old: Sequence[str], new: Sequence[str], separator: str = ",") -> str:
    """``a://1 -> a://2, + b://3, - c://4 (2 stay)``."""
    gone = [one for one in old if one not in new]
    come = [one for one in new if one not in old]
    if not gone and not come:
        return f"{separator.join(old)} -> {separator.join(new)}"  # another order, or a duplicate
    pairs = paired(gone, come)
    words = [f"{one} -> {pairs[one]}" if one in pairs else f"- {one}" for one in gone]
    words += [f"+ {one}" for one in come if one not in pairs.values()]
    stay = len(set(old) & set(new))
    return ", ".join(words) + (f" ({stay} {'stays' if stay == 1 else 'stay'})" if stay else "")


def paired(gone: Sequence[str], come: Sequence[str]) -> dict[str, str]:
    """Return removed element -> added one of the same name, if each side has that name once."""
    old, new = named(gone), named(come)
    return {ones[0]: new[name][0] for name, ones in old.items() if name and len(ones) == len(new.get(name, ())) == 1}


def named(found: Sequence[str]) -> dict[str, list[str]]:
    """Return elements by their name."""
    out: dict[str, list[str]] = {}
    for one in found:
        out.setdefault(name_of(one), []).append(one)
    return out


def name_of(element: str) -> str:
    """Return ``CLIENT`` of ``CLIENT://host:9092``, ``4`` of ``4@host:9093``; empty if an element has no name."""
    match = NAME.match(element)
    return match.group(1) if match else ""


def whole(value: str | None) -> str:
    """Return a single value, cut only if it is very long."""
    return UNSET if value is None else cut(value)


def around(before: str, after: str) -> tuple[str, str]:
    """Return the parts of two long values in which they differ, with a little context."""
    start = common(before, after)
    end = min(common(before[::-1], after[::-1]), min(len(before), len(after)) - start)
    first = max(0, start - AROUND)
    return part(before, first, len(before) - end), part(after, first, len(after) - end)


def part(value: str, first: int, end: int) -> str:
    """Return `value` from `first` to a little beyond `end`; dots mark what is left out."""
    last = min(len(value), end + AROUND)
    left, right = "..." if first else "", "..." if last < len(value) else ""
    return f"{left}{cut(value[first:last])}{right}"


def common(one: str, other: str) -> int:
    """Return the length of the common beginning."""
    return next((at for at, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def cut(value: str) -> str:
    return value if len(value) <= LONGEST else f"{value[:LONGEST]}... ({len(value)} characters)"
