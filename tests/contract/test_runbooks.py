"""Every runbook has the same five parts, and a test runs the commands that it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INDEX = ROOT / "docs/runbooks/README.md"
PAGES = sorted(set(INDEX.parent.glob("*.md")) - {INDEX})
PARTS = ["When", "Command", "What you see when it worked", "If it fails", "Way back"]
#: The tests that run playbooks.
TESTS = "\n".join(
    path.read_text()
    for pattern in ("molecule/**/*.yml", "molecule/**/*.py", "tests/integration/*.py")
    for path in sorted(ROOT.glob(pattern))
)
TYPED = re.compile(r"^ansible-playbook (?:.*\\\n)*.*$", re.MULTILINE)
SHOWN = [f"{page.stem}: {command}" for page in PAGES for command in TYPED.findall(page.read_text())]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.stem))
def test_a_runbook_has_the_five_parts_and_a_place_in_the_index(page: Path) -> None:
    assert re.findall(r"^## (.*)$", page.read_text(), re.MULTILINE) == PARTS
    assert f"({page.name})" in INDEX.read_text()


@pytest.mark.parametrize("command", SHOWN)
def test_a_test_runs_the_playbook_with_its_variables(command: str) -> None:
    playbook = re.findall(r"(\w+)\.yml", command)[0]
    run_as = (rf"playbook: {playbook}\b", rf"playbooks/{playbook}\.yml", rf"\b{playbook}\.yml")
    assert any(re.search(each, TESTS) for each in run_as)
    given = set(re.findall(r"\bkafka_[a-z_]+(?=\"?[=:])", command))
    assert {name for name in given if not re.search(rf"\b{name}\b", TESTS)} == set()
