"""Java's properties files, as Kafka's clients have them: names, values, escapes, lines that go on. Pure.

Source: ``java.util.Properties.load``.
"""

from __future__ import annotations

import re

LINE_END = re.compile(r"\r\n|\r|\n")
CONTINUED = re.compile(r"(?:^|[^\\])(?:\\\\)*\\$")
PAIR = re.compile(r"((?:\\.|[^\\:=\s])*)\s*[:=]?\s*(.*)", re.DOTALL)
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}


def parse(text: str) -> dict[str, str]:
    """Name -> value; of two with the same name the last one counts."""
    pairs = (PAIR.fullmatch(line) for line in _lines(text))
    return {_unescaped(pair[1]): _unescaped(pair[2]) for pair in pairs if pair}


def _lines(text: str) -> list[str]:
    """Return whole lines, without comments; a backslash at the end continues a line."""
    found: list[str] = []
    goes_on = False
    for line in (raw.lstrip() for raw in LINE_END.split(text)):
        if goes_on:
            found[-1] += line
        elif line and line[0] not in "#!":
            found.append(line)
        else:
            continue
        goes_on = CONTINUED.search(line) is not None
        if goes_on:
            found[-1] = found[-1][:-1]
    return found


def _unescaped(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code[1:], 16)) if len(code) > 1 else CONTROLS.get(code, code)

    units = ESCAPE.sub(one, text).encode("utf-16", "surrogatepass")  # beyond 16 bits a letter is written as two
    return units.decode("utf-16", "surrogatepass")
