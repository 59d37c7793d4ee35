"""Commands that the documentation shows can be typed: playbooks, inventories, verbs and variables are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from ansible.module_utils.kraft.spec.inventory.removed import REMOVED, REMOVED_PREFIXES, ZOOKEEPER, removal

ROOT = Path(__file__).resolve().parents[2]
RUNBOOKS = sorted((ROOT / "docs/runbooks").glob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")), *RUNBOOKS]
#: Pages of architecture decisions, without their index.
DECISIONS = sorted((ROOT / "docs/adr").glob("[0-9]*.md"))
NAVIGATION = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
TYPED = re.compile(r"(?:^|`)((?:ansible-playbook|make) [^`\n]*)", re.MULTILINE)
MAKEFILES = "".join((ROOT / name).read_text() for name in ("Makefile", "scripts/tests.mk"))
VERBS = set(re.findall(r"^([a-z-]+):", MAKEFILES, re.MULTILINE))
#: Files that a reader makes by copying an inventory, as the documentation describes.
OWN_INVENTORIES = {"inventories/mine"}


def commands() -> Iterator[tuple[str, str]]:
    """(page, command) of everything that is shown as typed; what a shell continues with a backslash is one command."""
    for page in PAGES:
        text = page.read_text().replace("\\\n", " ")
        for command in TYPED.findall(text):
            yield page.name, command.partition(" #")[0].strip()


def variables() -> set[str]:
    """Every variable of the roles, and those that playbooks take by themselves."""
    known: set[str] = set()
    for path in (ROOT / "roles").glob("*/meta/argument_specs.yml"):
        for entry in yaml.safe_load(path.read_text())["argument_specs"].values():
            known |= set(entry.get("options", {}))
    for path in (ROOT / "playbooks").rglob("*.yml"):
        known |= set(re.findall(r"\bkafka_[a-z0-9_]+", path.read_text()))
    return known


COMMANDS = sorted(set(commands()))
VARIABLES = variables()


def test_the_documentation_shows_commands() -> None:
    assert len(COMMANDS) > 30


@pytest.mark.parametrize(("page", "command"), [pair for pair in COMMANDS if pair[1].startswith("ansible-playbook")])
def test_a_playbook_can_be_run_as_it_is_shown(page: str, command: str) -> None:
    playbooks = re.findall(r"(?:^| )((?:playbooks/)?[a-z_0-9]+\.yml)\b", command)
    playbooks += [f"playbooks/{name}.yml" for name in re.findall(r"(?:^| )kraftwright\.kafka\.([a-z_]+)", command)]
    assert playbooks or "…" in command, f"{page}: no playbook"
    assert [name for name in playbooks if not (ROOT / name).is_file()] == []
    inventories = set(re.findall(r"-i (\S+)", command)) - OWN_INVENTORIES
    assert [name for name in inventories if "<" not in name and not (ROOT / name).exists()] == []
    given = set(re.findall(r"\bkafka_[a-z0-9_]+(?=\"?[=:])", command))
    assert given - VARIABLES == set()


@pytest.mark.parametrize(("page", "command"), [pair for pair in COMMANDS if pair[1].startswith("make ")])
def test_a_verb_is_one_of_the_makefile(page: str, command: str) -> None:
    assert command.split()[1] in VERBS, page


def test_the_readme_is_one_screen() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 110


def test_the_picture_of_the_architecture_names_folders_that_are_there() -> None:
    text = (ROOT / "docs/architecture.md").read_text()
    named = re.findall(
        r"(?<![\w/])((?:roles|spark_jobs|playbooks|library)/\w*)", text.partition("```text")[2].partition("```")[0]
    )
    rooms = re.findall(r"^\| (?:… )?(`[^|]*`) \|", text, re.MULTILINE)
    folders = [name for cell in rooms for name in re.findall(r"`([^`]+)`", cell)]
    assert len(named) == 4
    assert len(folders) > 15
    roots = (ROOT, ROOT / "module_utils/kraft")
    assert [name for name in (*named, *folders) if not any((root / name).exists() for root in roots)] == []


def test_each_decision_has_its_own_number() -> None:
    pages = DECISIONS
    titles = [re.match(r"# (\d+)\. ", page.read_text()) for page in pages]
    numbers = [int(page.name[:4]) for page in pages]
    assert [int(title[1]) for title in titles if title] == numbers
    assert len(set(numbers)) == len(numbers)


def test_the_index_of_decisions_lists_each_with_its_title_and_status() -> None:
    text = (ROOT / "docs/adr/README.md").read_text()
    rows = re.findall(r"^\| (\d+) \| \[(.+)\]\((\S+\.md)\) \| (.+) \| \S.* \|$", text, re.MULTILINE)
    titles = [page.read_text().splitlines()[0] for page in DECISIONS]
    assert [(f"# {number}. {title}", name) for number, title, name, _ in rows] == [
        (title, page.name) for title, page in zip(titles, DECISIONS)
    ]
    status = re.compile(r"binds|history|superseded (?:in part )?by \[\d+\]")
    assert [row for row in rows if not status.match(row[3])] == []


def test_the_documentation_index_has_the_sections_and_pages_of_the_navigation() -> None:
    sections = re.split(r"^## ", (ROOT / "docs/README.md").read_text(), flags=re.MULTILINE)[1:]
    listed = {
        one.split()[0]: [f"docs/{link}" for link in re.findall(r"^\| \[[^\]]+\]\((\w\S*\.md)\)", one, re.MULTILINE)]
        for one in sections
    }
    nav = {name: pages for entry in NAVIGATION if isinstance(entry, dict) for name, pages in entry.items()}
    assert list(listed) == ["Try", "Deploy", "Operate", "Understand"]
    for name, pages in listed.items():
        found = [path for entry in nav[name] for path in entry.values()]
        assert [path for path in found if not path.startswith("reference/")] == pages


def test_the_changelog_names_each_playbook() -> None:
    """But those of the first day, and the step of another playbook."""
    first = {"create_lab", "deploy_cluster", "destroy_lab", "validate_inventory"}
    named = {path.stem for path in (ROOT / "playbooks").glob("*.yml")} - first - {"advance_authority"}
    text = (ROOT / "CHANGELOG.md").read_text()
    assert sorted(name for name in named if f"{name}.yml" not in text) == []


def test_the_folders_and_files_that_say_where_to_add_what_are_there() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text().split("## Files to change for an addition")[1].split("\n## ")[0]
    named = [one for one in re.findall(r"`([\w/.]+/[\w/.]*)`", table) if "<" not in one]
    roots = (ROOT, ROOT / "module_utils/kraft", ROOT / "spark_jobs/page")
    assert len(named) > 15
    assert [one for one in named if not any((root / one).exists() for root in roots)] == []


def test_the_page_for_those_who_come_from_zookeeper_names_each_setting_that_is_refused() -> None:
    """And no other one: the page matches the validation. Topics' own settings are not checked by it."""
    table = (ROOT / "docs/coming_from_zookeeper.md").read_text().split("\n## Settings")[1].split("\n## ")[0]
    first = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = set(re.findall(r"`([a-z][a-z.*]+)`", " ".join(first))) - {"message.format.version"}
    assert {key for key, (why, _) in REMOVED.items() if why == ZOOKEEPER} <= named
    assert {f"{prefix}*" for prefix in REMOVED_PREFIXES} <= named
    assert [key for key in named if removal(key) is None] == []


def test_the_page_that_leads_to_every_variable_names_each_role_that_has_some() -> None:
    roles = [path.parents[1].name for path in (ROOT / "roles").glob("*/meta/argument_specs.yml")]
    text = (ROOT / "docs/daily_use.md").read_text()
    assert [name for name in roles if f"roles/{name}/README.md#variables)" not in text] == []
