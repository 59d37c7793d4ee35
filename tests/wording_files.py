"""The wording of messages, checked in one place: the files of ``tests/wording``.

A rule's test asserts rule, severity, host, variable and value. Its sentences stand in the wording file of its module.
After a better sentence run ``pytest --renew-wording`` and read the difference.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

FILES = Path(__file__).resolve().parent / "wording"


class Wording:
    """The wording file of one test module. Called with all its lines, it compares them, or writes them."""

    def __init__(self, module: str, renew: bool = False, files: Path = FILES) -> None:
        self.path = files / f"{module.rpartition('.')[2].removeprefix('test_')}.txt"
        self.renew = renew

    def __call__(self, lines: Iterable[str]) -> None:
        text = "".join(f"{line}\n" for line in lines)
        if self.renew:
            self.path.parent.mkdir(exist_ok=True)
            self.path.write_text(text)
        known = self.path.read_text() if self.path.exists() else ""
        assert text.splitlines() == known.splitlines(), f"{self.path}: run pytest --renew-wording, read the difference"
