"""One page with every public variable, from the roles' argument specs."""

from __future__ import annotations

from pathlib import Path

import yaml

from scripts.render_role_docs import marked, written


def name(row: str) -> str:
    """Return the variable of a row. Rows are sorted by it alone: the mark behind a name sorts after an underscore."""
    return row.split("`")[1]


def page(root: Path) -> str:
    """Return every variable of every role in alphabetical order, with role, default and meaning."""
    rows = []
    for path in sorted(root.glob("roles/*/meta/argument_specs.yml")):
        role = path.parents[1].name
        specs = yaml.safe_load(path.read_text())["argument_specs"]
        options = {name: option for spec in specs.values() for name, option in spec.get("options", {}).items()}
        link = f"[{role}](../roles/{role}/README.md)"
        rows += [f"| `{n}` | {link} | {written(o)} | {marked(o['description'])} |" for n, o in options.items()]
    head = ["# Variables", "", "Each role's own page has them in the order of their theme.", ""]
    head += ["| variable | role | default | meaning |", "|---|---|---|---|"]
    return "\n".join([*head, *sorted(set(rows), key=name), ""])
