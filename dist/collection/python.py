"""Python of the checkout, converted for the collection: our modules are imported by the collection's name. Pure."""

from __future__ import annotations

import ast

OURS = "ansible.module_utils.kraft"
PATH = "ansible.module_utils.__path__.append"
WHOLE = "ansible.module_utils"
#: For a Python that Ansible did not start; Ansible finds collections by itself.
FINDS_COLLECTION = "sys.path.append(str(Path(__file__).resolve().parents[4]))"


def rewritten(source: str, package: str, starts_alone: bool = False) -> str:
    """Return `source` with our modules imported from `package`, without the lines that make them importable.

    ``starts_alone``: the file also runs in a separate Python, which has to find the collection.
    """
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and is_ours(node.module):
            at = node.lineno - 1
            lines[at] = lines[at].replace(f"from {OURS}", f"from {package}.plugins.module_utils.kraft", 1)
        elif isinstance(node, ast.Import) and [each.name for each in node.names] == [WHOLE]:
            replace(lines, node, "import sys\n" if starts_alone else "")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == PATH:
            replace(lines, node, f"{FINDS_COLLECTION}\n" if starts_alone else "")
    made = "".join(lines)
    if left := [each for each in ast.walk(ast.parse(made)) if imports_ours(each)]:
        raise ValueError(f"line {left[0].lineno}: an import of {OURS} in a form that is not rewritten")  # type: ignore[attr-defined]
    return made


def is_ours(module: str | None) -> bool:
    return module == OURS or (module or "").startswith(f"{OURS}.")


def imports_ours(node: ast.AST) -> bool:
    """Check whether `node` imports our modules by the checkout's name, in any form."""
    if isinstance(node, ast.ImportFrom):
        return is_ours(node.module) or (node.module == WHOLE and any(each.name == "kraft" for each in node.names))
    return isinstance(node, ast.Import) and any(each.name == WHOLE or is_ours(each.name) for each in node.names)


def replace(lines: list[str], node: ast.stmt, text: str) -> None:
    """Replace a statement by `text`; the number of lines stays."""
    first, last = node.lineno - 1, node.end_lineno or node.lineno
    lines[first:last] = [text, *[""] * (last - first - 1)]


def fragments(source: str, names: frozenset[str], collection: str) -> str:
    """Return `source` of a module with the collection's names of the documentation fragments that it extends."""
    before, mark, after = source.partition("extends_documentation_fragment: [")
    inside, end, rest = after.partition("]")
    given = [each.strip() for each in inside.split(",")]
    return before + mark + ", ".join(f"{collection}.{each}" if each in names else each for each in given) + end + rest


def calls(source: str, modules: frozenset[str], collection: str) -> str:
    """Return `source` of an action plugin with full names in calls of modules and other actions.

    These are the constants of the file (``MODULE = "kafka_release"``) and the arguments of ``action_loader.get``.
    """
    lines = source.splitlines(keepends=True)
    tree = ast.parse(source)
    named = [node.value for node in tree.body if isinstance(node, ast.Assign)]
    asked = [
        node.args[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("action_loader.get") and node.args
    ]
    for node in (*named, *asked):
        if isinstance(node, ast.Constant) and node.value in modules:
            at = node.lineno - 1
            lines[at] = lines[at].replace(f'"{node.value}"', f'"{collection}.{node.value}"', 1)
    return "".join(lines)


def filters(source: str) -> frozenset[str]:
    """Return the names of a plugin's filters: the keys of the dict that its ``filters`` returns."""
    returned = [
        node.value
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef) and function.name == "filters"
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict)
    ]
    return frozenset(str(key.value) for one in returned for key in one.keys if isinstance(key, ast.Constant))
