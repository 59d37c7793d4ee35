"""Properties of the whole tree: playbooks parse, nothing names a registry, files stay readable."""

from __future__ import annotations

import ast
import configparser
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TRACKED = [
    ROOT / f
    for f in subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
]
PYTHON = [f for f in TRACKED if f.suffix == ".py" and f.exists() and not f.is_symlink()]
REGISTRIES = re.compile(
    "|".join([r"pypi\.org", r"pythonhosted", r"maven\.org", r"repo1?\.maven", r"debian\.org", r"npmjs"])
)


def test_every_playbook_parses() -> None:
    playbooks = [str(path) for path in sorted([ROOT / "site.yml", *ROOT.glob("playbooks/*.yml")])]
    command = ["ansible-playbook", "-i", "inventories/example", "--syntax-check", *playbooks]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"}, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(f"playbook: {path}" in done.stdout for path in playbooks)


def test_no_file_names_a_package_registry() -> None:
    named = []
    for path in TRACKED:
        if path.is_file() and path.suffix not in {".png", ".zip"} and path != Path(__file__):
            named += [
                f"{path.relative_to(ROOT)}: {m.group()}" for m in REGISTRIES.finditer(path.read_text(errors="ignore"))
            ]
    assert not named


def long_functions(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= 40:
            found.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    return found


def test_functions_and_files_can_be_read_in_one_go() -> None:
    code = [f for f in PYTHON if "tests" not in f.parts]
    assert not [line for f in code for line in long_functions(f)]
    assert not [str(f.relative_to(ROOT)) for f in code if len(f.read_text().splitlines()) > 300]


def test_nothing_is_left_unfinished() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")
    assert not [str(f.relative_to(ROOT)) for f in PYTHON if f != Path(__file__) and marks.search(f.read_text())]


def test_files_that_pytest_runs_together_have_different_names() -> None:
    """Without packages, pytest takes the second file of a name for the first one, and ends."""
    runs: dict[str, list[str]] = {}
    tests = ROOT / "tests"
    for path in (each for each in PYTHON if each.name.startswith("test_") and tests in each.parents):
        run, *rest = path.relative_to(tests).parts
        runs.setdefault(f"{run}/spark" if rest[0] == "spark" else run, []).append(path.name)
    assert len(runs) > 4
    assert [(run, name) for run, names in runs.items() for name in sorted(set(names)) if names.count(name) > 1] == []


def test_parameters_of_modules_reach_a_host_by_standard_input() -> None:
    """Without pipelining Ansible writes them, with passwords, to a file on the host."""
    settings = configparser.ConfigParser(interpolation=None)
    settings.read(ROOT / "ansible.cfg")
    assert [name for name in settings.sections() if settings.getboolean(name, "pipelining", fallback=False)]
