"""Patterns of English that readers must decode, counted by area and pattern. An allowed count may only fall.

Counted are docstrings, comments, task names, descriptions of modules and variables, pages and READMEs. After a rewrite,
lower the number in ALLOWED. Phrases that are never allowed: test_sentences.py.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.contract.test_sentences import BEGINS, sentences

ROOT = Path(__file__).resolve().parents[2]
#: Name of a pattern -> its form in one text. `clause` and `where` are compared with each sentence's head.
PATTERNS = {
    "clause": re.compile(
        r"^(?:What(?! you see when it worked)|Who|Whose|Whoever|Whether|Which|Of|How|When)(?=[ ,])(?!.*\?$)"
    ),
    "where": re.compile(
        r"^Where(?=[ ,])(?!.*\?$)|[;:] where\b"
        r"|\b(?:also|only|except|empty|false|none|null|fails?|refused?|Error) where\b"
        r"|\bwhere (?:it|there|that|this|they) (?:is|are|was|were|has|have|had) (?:a|an|no|not|none|missing|empty)\b"
    ),
    "word": re.compile(
        r"\b(?:nobody|somebody|whoever|anew|foretells?|foretold|shall|held against"
        r"|so (?:many|long)|for good)\b(?! (?:as|that)\b)",
        re.IGNORECASE,
    ),
    "own": re.compile(r"\bof (?:its|their|his|one's) own\b|\bof (?:which|whom)\b", re.IGNORECASE),
    "person": re.compile(r"\b(?:(?:was|were|be|been|being) told|tells?|says?|speaks?|asks|knows?)\b", re.IGNORECASE),
    "stand": re.compile(r"\b(?:stands?(?! for\b)|stood|lies?|lay)\b(?!-)", re.IGNORECASE),
}
#: Beginning of paths -> the allowed count of each pattern, in their order. The first that fits a file counts.
ALLOWED: dict[str, tuple[int, ...]] = {
    # clause, where, word, own, person, stand
    "module_utils/kraft/node/": (0, 0, 0, 0, 0, 0),
    "module_utils/kraft/cluster/": (0, 0, 0, 0, 0, 0),
    "module_utils/kraft/control/": (0, 0, 0, 0, 0, 0),
    "module_utils/kraft/monitoring/": (0, 0, 0, 0, 0, 0),
    "module_utils/kraft/operations/": (0, 0, 0, 0, 0, 0),
    "module_utils/kraft/providers/": (0, 0, 0, 0, 0, 0),
    "module_utils/kraft/spec/": (0, 0, 0, 0, 0, 0),
    "module_utils/kraft/status/": (0, 0, 0, 0, 0, 0),
    "module_utils/kraft/": (0, 0, 0, 0, 0, 0),
    "library/": (0, 0, 0, 0, 0, 0),
    "plugins/": (0, 0, 0, 0, 0, 0),
    "roles/": (0, 0, 0, 0, 0, 0),
    "playbooks/": (0, 0, 0, 0, 0, 0),
    "molecule/": (0, 0, 0, 0, 0, 0),
    "spark_jobs/": (0, 0, 0, 0, 0, 0),
    "dist/": (0, 0, 0, 0, 0, 0),
    "scripts/": (0, 0, 0, 0, 0, 0),
    "benchmarks/": (0, 0, 0, 0, 0, 0),
    "tests/": (0, 0, 0, 0, 0, 0),
    "docs/adr/": (0, 0, 0, 0, 0, 0),
    "docs/runbooks/": (0, 0, 0, 0, 0, 0),
    "docs/": (0, 0, 0, 0, 0, 0),
    "CHANGELOG.md": (0, 0, 0, 0, 0, 0),
    "": (0, 0, 0, 0, 0, 0),
}
COMMENT = re.compile(r"(?:^|\s)#:? (?!noqa|type:|fmt:|nosec)(.*)$")
TASKS = ("block", "rescue", "always", "tasks", "pre_tasks", "post_tasks", "handlers")


def comments(text: str) -> Iterator[str]:
    """Comments, lines that follow each other joined."""
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        found = COMMENT.search(line)
        if block and not (found and line.lstrip().startswith("#")):
            yield " ".join(block)
            block = []
        if found:
            block.append(found[1])


def documented(tree: ast.Module) -> Iterator[str]:
    """Docstrings, and descriptions in DOCUMENTATION and RETURN."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield ast.get_docstring(node) or ""
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("DOCUMENTATION", "RETURN"):
            yield from descriptions(loaded(str(getattr(node.value, "value", ""))))


def loaded(text: str) -> Any:
    """YAML without tags. libyaml is ten times as fast as Python."""
    return yaml.load(re.sub(r"!\w+", "", text), getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - it is safe


def descriptions(node: Any) -> Iterator[str]:
    """Every `description` and `short_description` of a specification."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("description", "short_description") and isinstance(value, (str, list)):
                yield from [value] if isinstance(value, str) else map(str, value)
            else:
                yield from descriptions(value)
    elif isinstance(node, list):
        for item in node:
            yield from descriptions(item)


def task_names(node: Any) -> Iterator[str]:
    for task in node if isinstance(node, list) else []:
        if isinstance(task, dict):
            yield str(task.get("name", ""))
            for key in TASKS:
                yield from task_names(task.get(key))


def prose(name: str, text: str) -> Iterator[str]:
    """Sentences of the file `name`, in order."""
    if name.endswith(".md"):
        yield from (BEGINS.sub("", sentence).strip("# *_") for sentence in sentences(text))
        return
    parts = list(comments(text))
    if name.endswith(".py"):
        parts += documented(ast.parse(text))
    elif re.search(r"/(?:tasks|handlers)/|^playbooks/|^molecule/|^site", name):
        parts += task_names(loaded(text))
    elif name.endswith("argument_specs.yml"):
        parts += descriptions(loaded(text))
    for part in parts:
        for paragraph in re.split(r"\n\s*\n", part):
            yield from re.split(r"(?<=[.!?])\s+", re.sub(r"\s+", " ", re.sub(r"`[^`]+`", "CODE", paragraph)).strip())


def hits(name: str, text: str) -> Iterator[tuple[str, str]]:
    """(pattern, sentence) of each use."""
    for sentence in prose(name, text):
        for pattern, form in PATTERNS.items():
            yield from ((pattern, sentence) for _ in form.finditer(sentence))


@cache
def found() -> dict[tuple[str, str], list[str]]:
    """(area, pattern) -> ``file: sentence`` of each use in the tree."""
    out: dict[tuple[str, str], list[str]] = {}
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        path = ROOT / name
        if (
            path.suffix in (".py", ".md", ".yml")
            and path.is_file()
            and not path.is_symlink()
            and path != Path(__file__)
        ):
            area = next(area for area in ALLOWED if name.startswith(area))
            for pattern, sentence in hits(name, path.read_text()):
                out.setdefault((area, pattern), []).append(f"{name}: {sentence}")
    return out


@pytest.mark.parametrize("area", ALLOWED)
def test_no_area_has_more_of_a_pattern_than_allowed(area: str) -> None:
    for pattern, allowed in zip(PATTERNS, ALLOWED[area]):
        uses = found().get((area, pattern), [])
        assert len(uses) <= allowed, f"{pattern}: {len(uses)} of {allowed} allowed\n" + "\n".join(uses)


def test_each_pattern_is_seen_in_docstrings_comments_task_names_descriptions_and_pages() -> None:
    text = "{} Where none is, nobody says of which host this stands."
    module = f'"""{text.format("What is left.")}"""\n'
    assert {pattern for pattern, _ in hits("a.py", module)} == set(PATTERNS)
    assert {pattern for pattern, _ in hits("a.md", text.format("Who asks."))} == set(PATTERNS)
    for name, code in (
        ("a.py", "x = 1  # Whether it runs"),
        ("a.py", "# Return\n#\n\n#: Who runs"),
        ("a.py", 'DOCUMENTATION = """\ndescription:\n  - Gone. What is left.\n"""'),
        ("roles/a/tasks/main.yml", "- block:\n    - name: What is left"),
        ("roles/a/meta/argument_specs.yml", "argument_specs: {main: {options: {a: {description: When it ends.}}}}"),
        ("a.md", "# Of hosts"),
    ):
        assert Counter(pattern for pattern, _ in hits(name, code)) == {"clause": 1}, code


def test_plain_english_is_not_counted() -> None:
    for text in ("Return the hosts.", "How does it work?", "It stands for a host.", "A stand-alone host, once more."):
        assert list(hits("a.md", text)) == [], text
