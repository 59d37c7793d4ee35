"""The timeline under mitogen's strategy is that of Ansible's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.unit.plugins.timeline_project import ROOT, make_project, play, read


def essence(lines: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return sorted((x["host"], x["phase"], x["task"], x["changed"], x["ok"]) for x in lines)


def test_records_the_same_under_mitogen(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    strategies = next((ROOT / ".venv/lib").glob("python3*/site-packages/ansible_mitogen/plugins/strategy"))
    mitogen = {"ANSIBLE_STRATEGY_PLUGINS": str(strategies), "ANSIBLE_STRATEGY": "mitogen_linear"}
    for name, environment in {"plain": {}, "mitogen": mitogen}.items():
        done = play(project, "deploy_cluster", KRAFTWRIGHT_TIMELINE=str(tmp_path / name), **environment)
        assert done.returncode == 0, done.stdout + done.stderr
    assert essence(read(tmp_path / "mitogen")) == essence(read(tmp_path / "plain")) != []
