"""Write each role's tables of entry points and of variables into its README, from the argument specs.

Run it after a change of a role's options: ``.venv/bin/python scripts/render_role_docs.py``.
A contract test compares.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
#: Marks around a generated part of a README: name of the part -> its table.
PLACE = ("<!-- {}: begin -->", "<!-- {}: end -->")
#: Ansible's marks in documentation: C(code), O(option), M(module) and so on. Source: Ansible's developer guide.
MARKS = {"M": r"[`\1`](\1.md)", "B": r"**\1**", "I": r"*\1*", **dict.fromkeys(("C", "O", "V", "RV", "E"), r"`\1`")}


def marked(text: Any) -> str:
    """Convert Ansible's marks to Markdown; a list of paragraphs becomes one text."""
    found = " ".join(text) if isinstance(text, list) else str(text)
    for mark, markdown in MARKS.items():
        found = re.sub(rf"\b{mark}\(([^)]*)\)", markdown, found)
    return found


def written(option: Mapping[str, Any]) -> str:
    """Return the default as the table shows it."""
    if option.get("required"):
        return "required"
    if "default" not in option:
        return "unset"
    text = yaml.safe_dump(option["default"], default_flow_style=True, width=10_000).strip()
    return f"`{text.removesuffix('...').strip()}`".replace("|", "\\|")


def table(specs: dict[str, Any]) -> str:
    """Return one table of all the entry points' options, in the order of the specs."""
    options = {name: option for spec in specs.values() for name, option in spec.get("options", {}).items()}
    rows = [f"| `{n}` | {written(o)} | {marked(o['description'])} |" for n, o in options.items()]
    return "\n".join(["| variable | default | meaning |", "|---|---|---|", *rows])


def entry_points(specs: Mapping[str, Any]) -> str:
    """Return one table of the values of ``tasks_from``, in the order of the specs."""
    rows = [f"| `{name}` | {marked(spec['short_description'])} |" for name, spec in specs.items()]
    return "\n".join(["| `tasks_from` | what it does |", "|---|---|", *rows])


def rendered(readme: str, specs: dict[str, Any]) -> str:
    """Return a role's README with its tables from the specs."""
    for name, text in {"entry points": entry_points(specs), "variables": table(specs)}.items():
        begin, end = (mark.format(name) for mark in PLACE)
        head, rest = readme.split(begin)
        readme = f"{head}{begin}\n{text}\n{end}{rest.split(end)[1]}"
    return readme


def main() -> None:
    """Rewrite the tables of every role's README."""
    for path in ROOT.glob("roles/*/meta/argument_specs.yml"):
        readme = path.parents[1] / "README.md"
        readme.write_text(rendered(readme.read_text(), yaml.safe_load(path.read_text())["argument_specs"]))


if __name__ == "__main__":
    main()
