"""A module's documentation is its argument spec, and the examples of those for users parse."""

from __future__ import annotations

import ast
import importlib
import importlib.util
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(p.stem for p in ROOT.glob("library/*.py"))
#: Modules for users of the collection. All others serve the playbooks and may change with any release.
PUBLIC = {"kafka_topic", "kafka_user", "kafka_acl", "kafka_quota"}
COMPARED = ("type", "elements", "required", "default", "choices", "no_log")


def literal(module: str, name: str) -> str:
    tree = ast.parse((ROOT / "library" / f"{module}.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return str(ast.literal_eval(node.value))
    raise AssertionError(f"{module} has no {name}")


def loaded(name: str, path: Path) -> Any:
    """A plugin as Ansible loads it: by its path."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    plugin = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plugin)
    return plugin


def documentation(module: str) -> dict[str, Any]:
    """A module's documentation with the fragments that it extends."""
    documented: dict[str, Any] = yaml.safe_load(literal(module, "DOCUMENTATION"))
    options = documented["options"] = documented.get("options") or {}
    for name in documented.get("extends_documentation_fragment", []):
        file, _, part = name.partition(".")
        fragment = loaded(file, ROOT / "plugins/doc_fragments" / f"{file}.py").ModuleDocFragment
        text = getattr(fragment, part.upper() or "DOCUMENTATION")
        shared = yaml.safe_load(text)["options"]
        options |= {key: {**option, **options.get(key, {})} for key, option in shared.items()}  # as Ansible merges
    return documented


def test_no_two_modules_document_the_same_parts_of_an_option() -> None:
    """A doc fragment holds them once."""
    seen: dict[str, list[str]] = {}
    for module in MODULES:
        options = yaml.safe_load(literal(module, "DOCUMENTATION")).get("options") or {}
        for name, option in options.items():
            if option.get("suboptions"):
                seen.setdefault(f"{name} {option['suboptions']}", []).append(module)
    assert not [modules for modules in seen.values() if len(modules) > 1]


def shape(options: dict[str, Any], inner: str) -> dict[str, Any]:
    """Reduce options to the keys that documentation and argument spec share."""
    out = {}
    for name, option in options.items():
        kept = {key: option[key] for key in COMPARED if key in option and key != "no_log"}
        kept.setdefault("type", "str")
        if not kept.get("required", True):
            del kept["required"]
        if "choices" in kept:
            kept["choices"] = list(kept["choices"])
        kept["options"] = shape(option.get(inner) or {}, inner)
        out[name] = kept
    return out


def argument_spec(module: str) -> dict[str, Any]:
    """The module's own, or that of the action plugin which runs in its place. Never two."""
    found = [importlib.import_module(module)]
    if (ROOT / "plugins/action" / f"{module}.py").exists():
        found.append(loaded(f"action_{module}", ROOT / "plugins/action" / f"{module}.py"))
    specs = [one.ARGUMENT_SPEC for one in found if hasattr(one, "ARGUMENT_SPEC")]
    assert len(specs) == 1, f"{module} has {len(specs)} ARGUMENT_SPEC to compare"
    return dict(specs[0])


@pytest.mark.parametrize("module", MODULES)
def test_documentation_is_the_argument_spec(module: str) -> None:
    documented = documentation(module)
    spec = argument_spec(module)
    assert shape(documented.get("options") or {}, "suboptions") == shape(spec, "options")
    assert documented["module"] == module


@pytest.mark.parametrize("module", MODULES)
def test_a_module_that_is_not_for_users_says_so(module: str) -> None:
    assert documentation(module)["short_description"].endswith("(internal)") is (module not in PUBLIC)


@pytest.mark.parametrize("module", MODULES)
def test_examples_are_tasks_that_the_module_accepts(module: str) -> None:
    examples = yaml.safe_load(literal(module, "EXAMPLES"))
    assert examples
    spec = argument_spec(module)
    for task in examples:
        assert task["name"]
        given = task[module] or {}
        known = {key: value for key, value in given.items() if "{{" not in str(value)}
        accepted = {key: option for key, option in spec.items() if key in known or key not in given}
        found = ArgumentSpecValidator(accepted).validate(known)
        assert not found.error_messages, f"{module}: {task['name']}"


@pytest.mark.parametrize("module", MODULES)
def test_returns_are_described(module: str) -> None:
    returns = yaml.safe_load(literal(module, "RETURN"))
    assert all({"description", "returned", "type"} <= set(value) for value in returns.values())


@pytest.mark.parametrize("module", MODULES)
def test_no_parameter_of_a_module_is_written_to_the_journal(module: str) -> None:
    """KraftModule keeps them out. `AnsibleModule(no_log=True)` does not: the task's own no_log replaces it."""
    text = (ROOT / "library" / f"{module}.py").read_text()
    runs_on_the_host = "def main(" in text
    assert ("KraftModule(argument_spec=" in text.replace("(\n        ", "(")) is runs_on_the_host
    assert "AnsibleModule" not in text
    assert "no_log=True" not in text
