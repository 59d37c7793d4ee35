"""Write the rules by severity into docs/validation.md, from the code.

Run it after a change of a rule: ``.venv/bin/python scripts/render_rules.py``. A contract test compares.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "module_utils/kraft"
PAGE = ROOT / "docs/validation.md"
BEGIN, END = "<!-- rules: begin -->\n", "<!-- rules: end -->"
#: Sources of the problems of validation and preflight.
SOURCES = ("spec", "node/storage/rules.py", "providers/ec2/rules.py")
#: Functions that make a problem; the helpers whose name begins with an underscore take the rule second.
MAKERS = ("Problem", "problem", "_said", "_consented")
SEVERITIES = {"ERROR": "error", "RISK": "risk", "WARNING": "warning"}
#: Ends of the rules ``log_dir_<state>``.
STATES = ("data_without_identity", "foreign", "leftovers", "not_a_directory", "unreadable", "zookeeper_era")


def files() -> Iterator[Path]:
    for source in SOURCES:
        path = CORE / source
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))


def made(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Yield (rule, call) of every outermost call that makes a problem: ``dataclasses.replace`` can give a severity."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    replaced = [call.args[0] for call in calls if ast.unparse(call.func) == "dataclasses.replace"]
    for call in calls:
        inner = call.args[0] if call.args and call.args[0] in replaced else call
        if call not in replaced and isinstance(inner, ast.Call) and ast.unparse(inner.func) in MAKERS:
            for name in rules(inner):
                yield name, call


def rules(call: ast.Call) -> list[str]:
    """Return the rules that a call names; none if a helper passes one on."""
    first = call.args[1 if ast.unparse(call.func).startswith("_") else 0] if call.args else None
    if isinstance(first, ast.JoinedStr):
        return [f"log_dir_{state}" for state in STATES]
    return [first.value] if isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value else []


def severities(call: ast.Call, tree: ast.AST) -> set[str]:
    """Return the severities of a call, also by a name that the file assigns; a consent makes a warning of an error."""
    values = [*call.args, *(each.value for each in call.keywords if each.arg == "severity")]
    names = set().union(*map(names_in, values))
    assigned = (node for node in ast.walk(tree) if isinstance(node, ast.Assign))
    names |= set().union(*(names_in(each.value) for each in assigned if names_in(each) & names & {"severity"}))
    given = {SEVERITIES[name] for name in names & SEVERITIES.keys()}
    return {"error", "warning"} if ast.unparse(call.func) == "_consented" else given or {"error"}


def names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def of_the_code() -> dict[str, set[str]]:
    """Return rule -> severities."""
    found: dict[str, set[str]] = {}
    for path in files():
        tree = ast.parse(path.read_text())
        for name, call in made(tree):
            found.setdefault(name, set()).update(severities(call, tree))
    return found


def lists(found: dict[str, set[str]]) -> str:
    """Return a paragraph of code for each severity."""
    paragraphs = (
        textwrap.wrap(" ".join(sorted(name for name in found if severity in found[name])), 132)
        for severity in SEVERITIES.values()
    )
    titles = (f"`{severity}`:\n\n" for severity in SEVERITIES.values())
    return "\n".join(title + "".join(f"    {line}\n" for line in lines) for title, lines in zip(titles, paragraphs))


def main() -> None:
    """Rewrite the part between the two marks."""
    head, rest = PAGE.read_text().split(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}{lists(of_the_code())}{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
