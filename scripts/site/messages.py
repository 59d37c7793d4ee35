"""One page with the messages of validation and preflight and their remedies, from the code. Values are shown as `…`.

Each rule has a heading, so that the site's search leads from a message to its remedies. In the code a message begins
with a capital or a value, and a remedy with a small letter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scripts.render_rules import CORE, files, made, of_the_code

CERTIFICATES = ("control/given_faults.py", "control/given_certificates.py")
KEYS = ("node/certificate.py", "operations/certificates/given.py")
#: Rules whose problems come from faults of other files -> these files.
PASSED_ON = {
    **{f"certificate_{kind}": CERTIFICATES for kind in ("file", "chain", "root", "dates", "ends", "usage", "weak")},
    "certificate_subject": CERTIFICATES,
    "certificate_key": (*CERTIFICATES, *KEYS),
    "file_unread": ("spec/inventory/files.py",),
    "plugin_file": ("node/plugins.py", "spec/inventory/plugin_files.py"),
    "type": ("spec/inventory/spec.py",),
}
#: Further sources of texts.
HELPERS = ("identity.py", "node/run_lock/lock.py", "node/plugins.py", *CERTIFICATES, *KEYS)
#: Causes of failed connections: rule, pattern, message and remedy of each call of ``Cause``.
CAUSES = "control/connection.py"
VALUE = "…"
SHORTEST = 3  #: words of a message
DEEPEST = 4  #: calls of functions that are followed
HEAD = """# Error messages

The messages of [validation and preflight](../docs/validation.md) by rule, with their remedies.
`…` is a value of your inventory or host.
"""


class Code:
    """Functions and constants of all sources, by name."""

    def __init__(self) -> None:
        self.trees = {path: ast.parse(path.read_text()) for path in [*files(), *(CORE / name for name in HELPERS)]}
        nodes = [(node, tree) for tree in self.trees.values() for node in ast.walk(tree)]
        self.homes: dict[ast.AST, ast.Module] = {
            node: tree for node, tree in nodes if isinstance(node, ast.FunctionDef)
        }
        self.functions: dict[str, list[ast.FunctionDef]] = {}
        for node, _ in nodes:
            if isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, []).append(node)
        self.after = 0  #: line of the problem before
        top = [each for tree in self.trees.values() for each in tree.body if isinstance(each, ast.Assign)]
        self.constants = {ast.unparse(each.targets[0]): each.value for each in top}

    def texts(self, node: ast.AST, scope: ast.AST, before: int, depth: int = 0) -> Iterator[str]:
        """Yield the texts within `node`, with those of the names and functions that it uses.

        `scope`: the function around it; `before`: the line up to which an assignment counts.
        """
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # a docstring
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(each.value) if isinstance(each, ast.Constant) else VALUE for each in node.values)
        elif isinstance(node, ast.Constant):
            yield from [node.value] if isinstance(node.value, str) else []
        elif isinstance(node, ast.Name):
            yield from self.named(node.id, scope, before, depth)
        elif isinstance(node, ast.Call) and depth < DEEPEST:
            for function in self.called(node, scope):
                yield from self.inside(function, function, function.end_lineno or 0, depth + 1)
            yield from self.inside(node, scope, before, depth)
        else:
            yield from self.inside(node, scope, before, depth)

    def inside(self, node: ast.AST, scope: ast.AST, before: int, depth: int) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            yield from self.texts(child, scope, before, depth)

    def called(self, node: ast.Call, scope: ast.AST) -> list[ast.FunctionDef]:
        """Return the functions with the name of a call: those of the same file, or else those of all files."""
        found = self.functions.get(ast.unparse(node.func).rpartition(".")[2], [])
        own = [each for each in found if self.homes[each] is self.homes.get(scope)]
        return own or found

    def named(self, name: str, scope: ast.AST, before: int, depth: int) -> Iterator[str]:
        """Yield the texts of a name: of its bindings since the problem before, else of the last, or of the constant."""
        bound = [each for each in ast.walk(scope) if binds(each, name) and line(each) <= before]
        if bound and depth < DEEPEST:
            since = [each for each in bound if line(each) > self.after] or [max(bound, key=line)]
            for each in since:
                source = each.iter if isinstance(each, (ast.For, ast.comprehension)) else getattr(each, "value", None)
                yield from self.texts(source, scope, line(each) - 1, depth + 1) if source else ()
        elif not bound and name in self.constants and name not in self.functions:
            yield from self.texts(self.constants[name], ast.Module([], []), 0, depth + 1) if depth < DEEPEST else ()


def binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.AugAssign):
        return False
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return any(isinstance(each, ast.Name) and each.id == name for one in targets if one for each in ast.walk(one))


def line(node: ast.AST) -> int:
    """Return the line of a node; a comprehension has that of its target."""
    return int(getattr(getattr(node, "target", node), "lineno", 0) if not hasattr(node, "lineno") else node.lineno)


def by_rule() -> dict[str, tuple[list[str], list[str]]]:
    """Return rule -> its messages and its remedies."""
    code = Code()
    found: dict[str, list[str]] = {}
    for tree in code.trees.values():
        scopes = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
        ends = sorted(call.end_lineno or 0 for _, call in made(tree))
        for rule, call in made(tree):
            around = [each for each in scopes if each.lineno <= call.lineno <= (each.end_lineno or 0)]
            scope = max(around, key=line) if around else tree
            code.after = max([around[-1].lineno if around else 0, *(end for end in ends if end < call.lineno)])
            texts = [text for each in call.args for text in code.texts(each, scope, call.end_lineno or call.lineno)]
            found.setdefault(rule, []).extend(texts)
    for rule, names in PASSED_ON.items():
        for name in names:
            found.setdefault(rule, []).extend(code.inside(code.trees[CORE / name], ast.Module([], []), 0, DEEPEST))
    causes = ast.parse((CORE / CAUSES).read_text())
    for node in ast.walk(causes):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Cause":
            rules, message, remedy = ([*code.texts(node.args[at], causes, 0)] for at in (0, 2, 3))
            found[rules[0]] = [*(f"The host could not be inspected: {each}" for each in message), *remedy]
    return {rule: (messages(texts), remedies(texts)) for rule, texts in sorted(found.items())}


def messages(texts: list[str]) -> list[str]:
    return list(dict.fromkeys(each for each in texts if is_prose(each) and is_message(each)))


def remedies(texts: list[str]) -> list[str]:
    return list(dict.fromkeys(each for each in texts if is_prose(each) and not is_message(each)))


def is_message(text: str) -> bool:
    """Check for a capital, a value or the name of a setting at the beginning."""
    return text[0].isupper() or text[0] == VALUE or "." in text.split(maxsplit=1)[0]


def is_prose(text: str) -> bool:
    return len(text.split()) >= SHORTEST and "\n" not in text


def page() -> str:
    """Return the page: a heading for each rule, then messages and remedies."""
    lines, severities = [HEAD], of_the_code()
    for rule, (said, ways) in by_rule().items():
        lines += [f"## {rule}", "", f"Severity: {' or '.join(sorted(severities.get(rule, {'error'})))}.", ""]
        lines += [f"- {each}" for each in map(plain, said)] + ["", "Remedy:", ""] * bool(ways)
        lines += [f"- {each}" for each in map(plain, ways)] + [""]
    return "\n".join(lines)


def plain(text: str) -> str:
    """Escape characters of Markdown and HTML."""
    return "".join(f"\\{each}" if each in "*_[]<`#" else each for each in text).strip()
