"""The rooms of module_utils/kraft are on floors: code uses rooms below it, never those above or beside it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "module_utils/kraft"
PACKAGE = "ansible.module_utils.kraft"
#: From the ground up. Files outside the rooms are the ground: terms, identity, problems, errors, secrets.
FLOORS = (("ground",), ("node", "providers"), ("control", "cluster"), ("spec",), ("operations", "status", "monitoring"))
#: Outside the folders: the class of all modules, which inspects the run lock of its host.
OF_A_HOST = {"module.py", "module"}
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def room(parts: tuple[str, ...]) -> str:
    if parts and parts[0] in OF_A_HOST:
        return "node"
    return parts[0] if parts and (CORE / parts[0]).is_dir() else "ground"


def used(path: Path) -> Iterator[tuple[str, ...]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
            package = tuple((node.module or "").split(".")[3:])
            yield from ((*package, each.name) for each in node.names)


def test_every_folder_is_a_room_on_a_floor() -> None:
    folders = {path.name for path in CORE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == FLOOR.keys() - {"ground"}


@pytest.mark.parametrize("path", sorted(CORE.rglob("*.py")), ids=lambda path: str(path.relative_to(CORE)))
def test_code_uses_only_what_stands_below(path: Path) -> None:
    own = room(path.relative_to(CORE).parts)
    wrong = [".".join(one) for one in used(path) if room(one) != own and FLOOR[room(one)] >= FLOOR[own]]
    assert wrong == []
