"""Figures of the house that may only fall: what a reader holds in mind between a task and the code that decides.

Lower a limit with the change that makes it possible. A figure that rises is a decision
which took a detour through Jinja.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = {
    path: path.read_text()
    for folder in ("roles", "playbooks")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.is_file() and path.suffix in (".yml", ".j2") and not any(each.is_symlink() for each in path.parents)
}
#: Inspects hosts for all roles; no part of role `kafka_host`.
INSPECTION = {"kafka_host_info"}
PLUGINS = {path: path.read_text() for path in sorted((ROOT / "plugins").rglob("*.py"))}


def names(pattern: str, texts: Iterable[str]) -> set[str]:
    return {found for text in texts for found in re.findall(pattern, text, re.MULTILINE)}


def filters() -> set[str]:
    return names(r'"(kraft_\w+)":', (text for path, text in PLUGINS.items() if path.parent.name == "filter"))


def private_variables() -> set[str]:
    """Return variables that role `kafka` computes between its tasks."""
    return names(r"^(__kafka_\w+):", [WRITTEN[ROOT / "roles/kafka/vars/main.yml"]])


def registers_read_elsewhere() -> set[str]:
    """Return registers that a file reads in which no task makes them."""
    makes = {path: names(r"register: (\w+)$", [text]) for path, text in WRITTEN.items()}
    readers = {**WRITTEN, **PLUGINS}
    return {
        name
        for name in set().union(*makes.values())
        if any(name not in makes.get(path, ()) and re.search(rf"\b{name}\b", text) for path, text in readers.items())
    }


def entry_points() -> set[str]:
    return set(yaml.safe_load((ROOT / "roles/kafka/meta/argument_specs.yml").read_text())["argument_specs"])


def modules() -> set[str]:
    return {path.stem for path in (ROOT / "library").glob("k*.py")}


@pytest.mark.parametrize(
    ("figure", "most"),
    [
        (filters, 20),
        (private_variables, 11),
        (registers_read_elsewhere, 5),
        (entry_points, 12),
        (modules, 42),
    ],
)
def test_a_figure_of_the_house_only_falls(figure: Callable[[], set[str]], most: int) -> None:
    found = figure()
    assert len(found) == most, f"{figure}: {len(found)}, not {most}: {', '.join(sorted(found))}"


def keys(value: Any) -> Iterator[tuple[str, Any]]:
    """Return every key of a file with its value, those inside of others, too."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield str(key), inner
            yield from keys(inner)
    elif isinstance(value, list):
        for each in value:
            yield from keys(each)


def test_role_kafka_names_no_other_role() -> None:
    """Neither a role, nor a module that another role has for its own service: `node_up.yml` puts them in order."""
    others = {path.name for path in (ROOT / "roles").iterdir()} - {"kafka"}
    written = {
        path: list(keys(yaml.safe_load(text)))
        for path, text in WRITTEN.items()
        if {"tasks", "handlers"} & set(path.parts) and ROOT / "roles" in path.parents
    }
    used = {
        path: {str(value) if key == "module" else key for key, value in found} & modules()
        for path, found in written.items()
    }
    elsewhere = set().union(*(found for path, found in used.items() if ROOT / "roles/kafka" not in path.parents))
    services = {one for one in elsewhere for role in others if re.match(rf"{role}(_|$)", one)} - INSPECTION
    assert {"kafka_metrics_service", "kafka_mirror", "kafka_probe"} <= services
    for path, found in written.items():
        if ROOT / "roles/kafka" in path.parents:
            named = {str(value.get("name")) for key, value in found if key.endswith("_role")}
            assert (path, named | used[path] & services) == (path, set())


def test_a_filter_takes_values() -> None:
    """Neither all variables of all hosts, nor the name of a register, by which it would read them itself."""
    calls = [
        (path, call)
        for path, text in WRITTEN.items()
        for call in re.findall(r"\bkraft_\w+\([^\n]*", text.replace("map('extract', hostvars)", ""))
        if re.search(r"[(,] *hostvars *[,)]|'__kafka_\w+'(?!, default)", call)
    ]
    assert calls == []
