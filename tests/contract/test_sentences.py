"""Plain English that can be counted: sentences of README, changelog, pages, ADRs and roles, and phrases everywhere.

Code, links' targets and what scripts write between their marks are left out. A piece of code counts as one word.
"""

from __future__ import annotations

import re
import subprocess
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
        *ROOT.glob("docs/adr/*.md"),
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
#: Idioms, inversions, and software that is spoken to or lives: the plain word is shorter.
PHRASES = re.compile(
    r"gone for good|for ever after|as it stands|\b(?:is|are) told\b|\bliving cluster|\bknobs?\b"
    r"|\b(?:Refused|Seen|Shown|Known|Read|Told|Left out|Missing|Kept|Meant) (?:is|are)\b"
)
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


def texts() -> Iterator[tuple[str, str]]:
    """Every text file of the project but this one and what others wrote, its lines joined."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.split():
        path = ROOT / name
        if path.suffix in (".py", ".md", ".yml", ".j2", ".txt", ".sh") and path.is_file() and path != Path(__file__):
            yield name, re.sub(r"\s+(?:#:? )?", " ", path.read_text())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_sentence_of_a_page_is_too_long(page: Path) -> None:
    assert too_long(page.read_text()) == []


def test_no_phrase_that_a_hurried_reader_stumbles_over_is_in_code_messages_tasks_or_pages() -> None:
    assert [(name, found) for name, text in texts() for found in PHRASES.findall(text)] == []


def test_a_phrase_is_seen_across_lines_and_a_plain_sentence_is_not() -> None:
    for text in (
        "gone for good",
        "Refused are disks",
        "Seen is that",
        "The host is told so",
        "as it stands",
        "is a living cluster",
    ):
        assert PHRASES.search(text), text
    for text in ("It is refused.", "is lost", "what it has seen is new", "as it is", "told what to do"):
        assert not PHRASES.search(text), text


def test_a_long_sentence_is_seen_wherever_it_stands_and_code_is_one_word() -> None:
    long, short = " ".join(["word"] * 26), " ".join(["word"] * 25)
    for form in ("{}.", "- {}", "> {}", "1. {}", "| x | {} |", "# {}", "A sentence. {}", "**{}**", "wrapped\n{}"):
        assert len(too_long(form.format(long))) == 1, form
    assert too_long(f"{short}. {short}: `a b c`") != []
    assert too_long(f"{short}. {short}") == []
    assert too_long(f"{' '.join(['word'] * 24)} `a b c`") == []
    for form in ("```\n{}\n```\n", "a\n\n    {}\n", "<!-- x: begin -->\n{}\n<!-- x: end -->\n", "[a]({})"):
        assert too_long(form.format(long.replace(" ", "-") if "(" in form else long)) == [], form
