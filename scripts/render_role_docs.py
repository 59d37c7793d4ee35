"""Writes each role's table of variables into its README, from the argument specs.

Run it after a change of a role's options: ``.venv/bin/python scripts/render_role_docs.py``.
A contract test compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- variables: begin -->", "<!-- variables: end -->"


def written(option: Mapping[str, Any]) -> str:
    """The default as it stands in the table."""
    if option.get("required"):
        return "required"
    if "default" not in option:
        return "unset"
    text = yaml.safe_dump(option["default"], default_flow_style=True, width=10_000).strip()
    return f"`{text.removesuffix('...').strip()}`".replace("|", "\\|")


def table(specs: dict[str, Any]) -> str:
    """One table of all the entry points' options, in the order of the specs."""
    options = {name: option for spec in specs.values() for name, option in spec.get("options", {}).items()}
    rows = [f"| `{n}` | {written(o)} | {' '.join(o['description'])} |" for n, o in options.items()]
    return "\n".join(["| variable | default | meaning |", "|---|---|---|", *rows])


def main() -> None:
    """Rewrites the part between the two marks of every role's README."""
    for specs in ROOT.glob("roles/*/meta/argument_specs.yml"):
        readme = specs.parents[1] / "README.md"
        head, rest = readme.read_text().split(BEGIN)
        tail = rest.split(END)[1]
        rendered = table(yaml.safe_load(specs.read_text())["argument_specs"])
        readme.write_text(f"{head}{BEGIN}\n{rendered}\n{END}{tail}")


if __name__ == "__main__":
    main()
