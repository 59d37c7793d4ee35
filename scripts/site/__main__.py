"""Builds the documentation site: ``python -m scripts.site``; ``make docs`` does so.

The site's source is put together in ``.cache/docs/source`` as the repository lays it out, so that links between pages
are the same in both; ``mkdocs.yml`` has the navigation. A link that leads nowhere fails the build. The exit code is
that of MkDocs.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.site import messages, modules, variables

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / ".cache/docs/source"
#: Files of the repository that the site shows.
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "docs/**/*", "roles/*/README.md")


def assemble(source: Path = SOURCE) -> None:
    """The pages of the repository and those that are made from the code, in an empty folder."""
    shutil.rmtree(source, ignore_errors=True)
    for path in (each for pattern in PAGES for each in sorted(ROOT.glob(pattern)) if each.is_file()):
        target = source / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        if path.suffix == ".md":
            target.write_text(unescaped(path.read_text()))
    for name in ("site.css", "search_text.js"):
        shutil.copyfile(Path(__file__).with_name(name), source / name)
    made = {"variables.md": variables.page(ROOT), "messages.md": messages.page()}
    made |= {f"modules/{name}": text for name, text in modules.pages(ROOT).items()}
    for name, text in made.items():
        target = source / "reference" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(unescaped(text))


def unescaped(text: str) -> str:
    """Unescape bars in code of tables: GitHub needs a backslash before each, which MkDocs would show."""
    rows = re.compile(r"^\|.*$", re.MULTILINE)
    return rows.sub(lambda row: re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), row[0]), text)


def build(config: Path) -> int:
    """MkDocs' exit code; a warning counts as an error."""
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(config)]
    return subprocess.run(words, check=False).returncode  # noqa: S603


def main() -> int:
    assemble()
    code = build(ROOT / "mkdocs.yml")
    if not code:
        sys.stdout.write(f"{SOURCE.with_name('site') / 'index.html'}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
