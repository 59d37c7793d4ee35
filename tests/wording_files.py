"""The wording of messages, checked in one place: the files of ``tests/wording``.

A test asserts rule, severity, host, variable and value. Its sentences are in the wording file of its module, below
the name of the test. Each message of a rule is there once, not for each host and value. After a better sentence run
``pytest --renew-wording`` and read the difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

FILES = Path(__file__).resolve().parent / "wording"


#: Modules of rules; their tests assert host, variable and value.
RULES = ("rules_", "preflight")
PLACE = re.compile(r"(?:error|warning)(?: [\w, ]+)?: (?:(?:kafka|ansible)_[^:]*: )?")
WORDS = 5  #: the messages of a rule differ in this number of first words


def once(sentences: Iterable[str]) -> list[str]:
    """Return the first sentence of each message of a rule (``rule: error k1: kafka_x: message``)."""
    found: dict[tuple[str, ...], str] = {}
    for each in sentences:
        rule, _, text = each.partition(": ")
        found.setdefault((rule, *PLACE.sub("", text, count=1).split()[:WORDS]), each)
    return list(found.values())


def sections(text: str) -> dict[str, list[str]]:
    """Parse sections: a line ``[name]`` begins the lines of that test; each of them is indented by two spaces."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            found[line[1:-1]] = []
        else:
            found[next(reversed(found))].append(line[2:])
    return found


def body(lines: Iterable[str]) -> str:
    return "".join(f"  {line}\n" if line else "\n" for line in lines)


class Wording:
    """The sentences of one test. Called with all of them, it compares them, or writes them."""

    def __init__(self, module: str, test: str, renew: bool = False, files: Path = FILES) -> None:
        self.path = files / f"{module.rpartition('.')[2].removeprefix('test_')}.txt"
        self.test, self.renew = test, renew

    def __call__(self, sentences: Iterable[str]) -> None:
        kept = once(sentences) if self.path.name.startswith(RULES) else sentences
        lines = [line for each in kept for line in each.split("\n")]
        known = sections(self.path.read_text()) if self.path.exists() else {}
        if self.renew:
            known = {name: there for name, there in {**known, self.test: lines}.items() if there}
            self.path.parent.mkdir(exist_ok=True)
            self.path.write_text("".join(f"[{name}]\n" + body(known[name]) for name in sorted(known)))
        assert lines == known.get(self.test, []), f"{self.path}: run pytest --renew-wording, read the difference"
