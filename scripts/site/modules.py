"""One page for each module, from its own documentation."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from scripts.render_role_docs import marked, written


def constants(path: Path) -> dict[str, str]:
    """Return DOCUMENTATION, EXAMPLES and RETURN of a module, without importing it."""
    assigned = (node for node in ast.parse(path.read_text()).body if isinstance(node, ast.Assign))
    texts = {ast.unparse(node.targets[0]): node.value for node in assigned}
    return {
        name: str(ast.literal_eval(texts[name])) for name in ("DOCUMENTATION", "EXAMPLES", "RETURN") if name in texts
    }


def cell(text: Any) -> str:
    return marked(text).replace("|", "\\|").replace("\n", " ")


def option_rows(options: Mapping[str, Mapping[str, Any]], of: str = "") -> Iterator[str]:
    """Yield rows of the table of options, those of a mapping under its own name."""
    for name, option in options.items():
        default = written(option).replace("unset", "")
        choices = f" One of {', '.join(f'`{one}`' for one in option['choices'])}." if "choices" in option else ""
        kind = option.get("type", "str") + (f" of {option['elements']}" if "elements" in option else "")
        yield f"| `{of}{name}` | {kind} | {default} | {cell(option.get('description', ''))}{choices} |"
        yield from option_rows(option.get("suboptions", {}), f"{of}{name}.")


def value_rows(values: Mapping[str, Mapping[str, Any]], of: str = "") -> Iterator[str]:
    """Yield rows of the table of return values."""
    for name, value in values.items():
        yield f"| `{of}{name}` | {value.get('type', '')} | {cell(value.get('description', ''))} |"
        yield from value_rows(value.get("contains", {}), f"{of}{name}.")


def fragment_options(document: Mapping[str, Any], fragments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that several modules share."""
    asked = document.get("extends_documentation_fragment", [])
    names = [asked] if isinstance(asked, str) else asked
    return {name: option for one in names for name, option in fragments[one]["options"].items()}


def load_fragments(root: Path) -> dict[str, Any]:
    """Return ``kafka_client`` and ``kafka_client.expected`` -> options; the attributes of the class in each file."""
    found: dict[str, Any] = {}
    for path in sorted((root / "plugins/doc_fragments").glob("*.py")):
        classes = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)]
        for node in (each for one in classes for each in one.body if isinstance(each, ast.Assign)):
            name = ast.unparse(node.targets[0])
            key = path.stem if name == "DOCUMENTATION" else f"{path.stem}.{name.lower()}"
            found[key] = yaml.safe_load(str(ast.literal_eval(node.value)))
    return found


def page(path: Path, fragments: Mapping[str, Any]) -> str:
    """Return a module's page in Markdown."""
    texts = constants(path)
    document = yaml.safe_load(texts["DOCUMENTATION"])
    description = document["description"]
    paragraphs = description if isinstance(description, list) else [description]
    options: dict[str, Any] = dict(document.get("options", {}))
    for name, option in fragment_options(document, fragments).items():
        options[name] = {
            **option,
            **options.get(name, {}),
        }  # merged as Ansible does
    lines = [f"# {path.stem}", "", marked(document["short_description"]) + ".", ""]
    lines += [f"- {marked(one)}" for one in paragraphs]
    lines += ["", "## Options", "", "| option | type | default | meaning |", "|---|---|---|---|", *option_rows(options)]
    example = texts.get("EXAMPLES", "").strip()
    lines += ["", "## Example", "", "```yaml", example, "```", ""] if example else [""]
    returned = yaml.safe_load(texts.get("RETURN", "")) or {}
    rows = list(value_rows(returned))
    lines += ["## Returned", "", "| value | type | meaning |", "|---|---|---|", *rows, ""] if rows else []
    return "\n".join(lines)


def pages(root: Path) -> dict[str, str]:
    """Return file name -> page, with an index of all modules."""
    fragments = load_fragments(root)
    paths = sorted((root / "library").glob("*.py"))
    found = {f"{path.stem}.md": page(path, fragments) for path in paths}
    summaries = [(path.stem, yaml.safe_load(constants(path)["DOCUMENTATION"])["short_description"]) for path in paths]
    rows = [f"| [`{name}`]({name}.md) | {cell(text)} |" for name, text in summaries]
    index = ["# Modules", "", "| module | what it does |", "|---|---|", *rows, ""]
    return {"README.md": "\n".join(index), **found}
