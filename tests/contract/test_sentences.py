"""Plain English that can be counted: no sentence of the README, the changelog, the pages and the roles is too long.

Code, links' targets and what scripts write between their marks are left out. A piece of code counts as one word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 25
PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        ROOT / "CONTRIBUTING.md",
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("docs/runbooks/*.md"),
        *ROOT.glob("roles/*/README.md"),
    ]
)
LEFT_OUT = re.compile(
    r"^(?P<indent> *)```.*?^(?P=indent)```[^\n]*$"  # fenced code
    r"|^<!-- (?P<block>[\w ]+): begin -->.*?^<!-- (?P=block): end -->"  # written by a script
    r"|<!--.*?-->"
    r"|(?<=\n\n)(?: {4}[^\n]*\n|\n)+",  # indented code
    re.MULTILINE | re.DOTALL,
)
BEGINS = re.compile(r"[-*+>] |\d+\. |\||#")
END = re.compile(r"(?<=[.!?])[)*_\"]*\s+")


def paragraphs(text: str) -> Iterator[str]:
    """Paragraphs, items of lists and cells of tables."""
    lines: list[str] = []
    for line in [*LEFT_OUT.sub("\n", text).splitlines(), ""]:
        stripped = line.strip()
        if (not stripped or BEGINS.match(stripped)) and lines:
            yield " ".join(lines)
            lines = []
        if stripped.startswith("|"):
            yield from re.split(r"(?<!\\)\|", stripped.strip("|"))
        elif stripped:
            lines.append(stripped)
    if lines:
        yield " ".join(lines)


def sentences(text: str) -> Iterator[str]:
    for paragraph in paragraphs(text):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]+`", "CODE", paragraph))
        yield from END.split(plain)


def words(sentence: str) -> int:
    return sum(bool(re.search(r"\w", one)) for one in sentence.split())


def too_long(text: str) -> list[str]:
    return [one for one in sentences(text) if words(one) > LONGEST]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_sentence_of_a_page_is_too_long(page: Path) -> None:
    assert too_long(page.read_text()) == []


def test_a_long_sentence_is_seen_wherever_it_stands_and_code_is_one_word() -> None:
    long, short = " ".join(["word"] * 26), " ".join(["word"] * 25)
    for form in ("{}.", "- {}", "> {}", "1. {}", "| x | {} |", "# {}", "A sentence. {}", "**{}**", "wrapped\n{}"):
        assert len(too_long(form.format(long))) == 1, form
    assert too_long(f"{short}. {short}: `a b c`") != []
    assert too_long(f"{short}. {short}") == []
    assert too_long(f"{' '.join(['word'] * 24)} `a b c`") == []
    for form in ("```\n{}\n```\n", "a\n\n    {}\n", "<!-- x: begin -->\n{}\n<!-- x: end -->\n", "[a]({})"):
        assert too_long(form.format(long.replace(" ", "-") if "(" in form else long)) == [], form
