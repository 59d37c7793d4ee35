"""The documentation site: it is whole, strict, and fetches nothing from elsewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from scripts.site import messages, modules, variables
from scripts.site.__main__ import assemble, build, unescaped

ROOT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
#: Rule, message and remedy: a search for the message must lead to the heading with the remedy.
SEARCHED = (
    ("port", "The port must be from 1 to …", "give a port in that range"),
    ("no_controller", "No node is a controller", "give three nodes the role controller"),
    ("not_root", "The tasks do not run as root", "run the play with become: true"),
    ("host_key_unknown", "ssh does not know its host key", "compare the fingerprint"),
)

#: Tests of operations, whose problems may have the name of a rule.
OPERATIONS = {"quorum_plan", "replacement", "topics"}


def built(source: Path, site: Path, **changed: object) -> int:
    path = source.with_name("mkdocs.yml")
    path.write_text(yaml.safe_dump({**CONFIG, "docs_dir": str(source), "site_dir": str(site), **changed}))
    return build(path)


def test_the_site_is_built(tmp_path: Path) -> None:
    source = tmp_path / "source"
    assemble(source)
    assert built(source, tmp_path / "site") == 0
    pages = {path: path.read_text() for path in (tmp_path / "site").rglob("*.html")}
    assert len(pages) > 80
    assert [path for path, text in pages.items() if re.search(r"<code>[^<]*\\\\\|", text)] == []
    assert [path for path, text in pages.items() if re.search(r'(?:src|<link[^>]*href)="(?:https?:)?//', text)] == []
    found = json.loads((tmp_path / "site/search/search_index.json").read_text())["docs"]
    for rule, message, remedy in SEARCHED:
        (row,) = (
            each
            for each in found
            if each["location"].startswith("reference/messages") and each["location"].endswith(f"#{rule}")
        )
        assert [each in row["text"] for each in (message, remedy)] == [True, True], rule


@pytest.mark.parametrize(("link", "whole"), [("other.md", True), ("nowhere.md", False), ("other.md#nowhere", False)])
def test_a_broken_link_fails_the_build(tmp_path: Path, link: str, whole: bool) -> None:
    """With the settings of the site, and two pages."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "other.md").write_text("# Other\n")
    (source / "one.md").write_text(f"# One\n\n[link]({link})\n")
    assert (built(source, tmp_path / "site", nav=["one.md", "other.md"]) == 0) is whole


def test_every_page_of_the_documentation_is_in_the_navigation() -> None:
    listed = set(re.findall(r"[\w/]+\.md", (ROOT / "mkdocs.yml").read_text()))
    pages = {
        str(path.relative_to(ROOT)) for folder in ("docs", "docs/runbooks") for path in ROOT.glob(f"{folder}/*.md")
    }
    assert pages - listed == set()


def test_every_message_of_a_rule_is_on_the_page_of_messages() -> None:
    known = {rule: [re.split("…", message) for message in said] for rule, (said, _) in messages.by_rule().items()}
    missing = []
    for path in (each for each in (ROOT / "tests/wording").glob("*.txt") if each.stem not in OPERATIONS):
        for rule, message in re.findall(r"^  (\w+): (?:error|warning) (.*)$", path.read_text(), re.MULTILINE):
            if not any(all(part in message for part in parts) for parts in known.get(rule, [[""]])):
                missing.append(f"{path.stem}: {rule}: {message}")
    assert missing == []


@pytest.mark.parametrize("path", sorted((ROOT / "library").glob("*.py")), ids=lambda path: str(path.stem))
def test_a_module_has_a_page_with_its_options_and_its_example(path: Path) -> None:
    page = modules.page(path, modules.load_fragments(ROOT))
    texts = modules.constants(path)
    document = yaml.safe_load(texts["DOCUMENTATION"])
    assert [name for name in document.get("options", {}) if f"| `{name}` |" not in page] == []
    assert ("```yaml\n- name: " in page) is ("EXAMPLES" in texts)
    assert not re.search(r"\b(?:C|O|M|V|RV)\(", page.partition("## Example")[0])


def test_variables_stand_in_the_order_of_their_names() -> None:
    names = re.findall(r"^\| `(\w+)` \|", variables.page(ROOT), re.MULTILINE)
    assert len(names) > 100
    assert names == sorted(names)


def test_bars_in_code_of_tables_are_shown_without_a_backslash() -> None:
    text = "| `a` | `'{{ b \\| c }}'` | d \\| e |\n\n    `f \\| g`\n"
    assert unescaped(text) == "| `a` | `'{{ b | c }}'` | d \\| e |\n\n    `f \\| g`\n"


def test_every_public_variable_is_in_the_reference() -> None:
    page = variables.page(ROOT)
    assert not re.search(r"\b(?:C|O|M|V|RV)\(", page)
    for specs in ROOT.glob("roles/*/meta/argument_specs.yml"):
        entries = yaml.safe_load(specs.read_text())["argument_specs"].values()
        assert [name for entry in entries for name in entry.get("options", {}) if f"| `{name}` |" not in page] == []
