"""The documentation site in a real browser: every table and code block is readable at the widths of a laptop."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from scripts.site.__main__ import assemble
from tests.integration.test_page_browser import Browser

ROOT = Path(__file__).resolve().parents[2]
#: The widest tables, the longest commands, many columns.
PAGES = (
    "README",
    "reference/variables",
    "docs/daily_use",
    "docs/runbooks/give_access",
    "roles/kafka/README",
    "docs/validation",
)
#: What is wider than the text's column, or is cut by its own box.
WIDE = """
const column = document.querySelector('.rst-content').getBoundingClientRect().right + 1;
const cut = e => e.scrollWidth > e.clientWidth + 1 && !['auto', 'scroll'].includes(getComputedStyle(e).overflowX);
const shown = e => e.tagName + ' ' + e.textContent.trim().slice(0, 60);
return [...document.querySelectorAll('.rst-content table, .rst-content td, .rst-content pre, .rst-content code')]
  .filter(e => e.getBoundingClientRect().right > column || cut(e)).map(shown).slice(0, 5);
"""
HIDDEN = """
const column = document.querySelector('.rst-content').getBoundingClientRect().right + 1;
return [...document.querySelectorAll('.rst-content pre')].filter(e => {
  const range = document.createRange(); range.selectNodeContents(e);
  return [...range.getClientRects()].some(r => r.right > column); }).map(e => e.textContent.slice(0, 60));
"""
#: Columns so narrow that words fall apart.
NARROW = """
return [...document.querySelectorAll('.rst-content td')]
  .filter(e => e.getBoundingClientRect().width < 60).map(e => e.textContent.slice(0, 40)).slice(0, 5);
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few pages alone: MkDocs takes seconds a hundred pages."""
    made = tmp_path_factory.mktemp("site")
    assemble(made / "all")
    for name in (*(f"{page}.md" for page in PAGES), "site.css"):
        target = made / "source" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text((made / "all" / name).read_text())
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    config |= {
        "docs_dir": str(made / "source"),
        "site_dir": str(made / "site"),
        "nav": [f"{page}.md" for page in PAGES],
    }
    (made / "mkdocs.yml").write_text(yaml.safe_dump(config))
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", str(made / "mkdocs.yml")]
    subprocess.run(command, check=True, capture_output=True)
    return made / "site"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.driver.quit()


@pytest.mark.parametrize("width", [1280, 1900])
@pytest.mark.parametrize("page", PAGES)
def test_tables_and_code_are_readable(site: Path, opened: Browser, page: str, width: int) -> None:
    name = "index" if page == "README" else page.replace("/README", "/index")
    opened.show(site / f"{name}.html", width)
    assert opened.run("return document.documentElement.scrollWidth") <= width
    assert opened.run(WIDE) == []
    assert opened.run(HIDDEN) == []
    assert opened.run(NARROW) == []


def test_a_bar_in_a_default_has_no_backslash(site: Path) -> None:
    assert "\\|" not in (site / "reference/variables.html").read_text()
