"""Every runbook has the same five parts. A test runs the commands that it shows, and the messages in it are said."""

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
FAILS = re.compile(r"^## If it fails$(.*?)^## ", re.MULTILINE | re.DOTALL)
QUOTED = [
    f"{page.stem}: {message}"
    for page in PAGES
    for part in FAILS.findall(page.read_text())
    for row in re.findall(r"^\| (.+?) \| ", part, re.MULTILINE)
    for message in re.findall(r"`([^`]+)`", row)
]
#: Folders with messages, the tests' own sentences among them: there values are filled in.
SAID_IN = ("module_utils", "plugins", "library", "roles", "playbooks", "spark_jobs", "dist", "scripts", "tests/wording")
#: Messages of other programs (Kafka, its clients, OpenSSL), and a command.
OF_OTHERS = (
    "Invalid record timestamp",
    "SASL authentication error",
    "credentials with SASL mechanism",
    "certificate verify failed",
    "Unable to bootstrap",
    "journalctl",
)
SCREEN = 24  #: lines
RUN = 3  #: adjacent words of a message in the code; values separate the others


def said() -> str:
    """All text in which a message can be, with the pieces of one sentence joined."""
    found = [
        path.read_text()
        for folder in SAID_IN
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".py", ".yml", ".j2", ".txt") or path.name == "bootstrap"
    ]
    return re.sub(r"\s+", " ", re.sub(r'"\s*\n\s*f?"', "", "\n".join(found)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.stem))
def test_a_runbook_has_the_five_parts_and_a_place_in_the_index(page: Path) -> None:
    assert re.findall(r"^## (.*)$", page.read_text(), re.MULTILINE) == PARTS
    assert f"({page.name})" in INDEX.read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.stem))
def test_a_runbook_shows_a_command_on_its_first_screen(page: Path) -> None:
    assert re.search(r"^```(?:sh|ini)$", "\n".join(page.read_text().splitlines()[:SCREEN]), re.MULTILINE)


@pytest.mark.parametrize("command", SHOWN)
def test_a_test_runs_the_playbook_with_its_variables(command: str) -> None:
    playbook = re.findall(r"(\w+)\.yml", command)[0]
    run_as = (rf"playbook: {playbook}\b", rf"playbooks/{playbook}\.yml", rf"\b{playbook}\.yml")
    assert any(re.search(each, TESTS) for each in run_as)
    given = set(re.findall(r"\bkafka_[a-z_]+(?=\"?[=:])", command))
    assert {name for name in given if not re.search(rf"\b{name}\b", TESTS)} == set()


def runs(message: str) -> list[str]:
    """Return each run of words of a message; one must be in the code as it is. Names and numbers are values."""
    pieces = [piece.split() for piece in re.split(r"…|\.\.\.|\S*[_/\d]\S*", message)]
    longest = min(RUN, max(map(len, pieces)))
    return [" ".join(words[one : one + longest]) for words in pieces for one in range(len(words) - longest + 1)]


def test_every_message_that_a_runbook_quotes_is_one_that_is_said() -> None:
    text = said()
    unsaid = [each for each in QUOTED if not any(run in text for run in runs(each.partition(": ")[2]))]
    assert [each for each in unsaid if not any(other in each for other in OF_OTHERS)] == []


def test_a_message_that_no_one_says_is_seen() -> None:
    assert runs("would remove … of all ACLs") == ["of all ACLs"]
    assert runs("cannot be run") == ["cannot be run"]
    assert not any(run in said() for run in runs("another process answers under this node id"))
