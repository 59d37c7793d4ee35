"""Grafana's dashboards against the types that Grafana publishes, by TypeScript's own compiler."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from ansible.module_utils.kraft.monitoring import dashboards

PACKAGES = ("@grafana/schema@13.2.3", "typescript@5.9.3")
#: JSON has texts where the types have an enumeration's members.
CHECKED = """import type { Dashboard } from '@grafana/schema';
type Plain<T> = 0 extends 1 & T ? any
  : T extends string ? `${T}`
  : T extends object ? { [K in keyof T]: Plain<T[K]> }
  : T;
export const made: Plain<Dashboard> = """
COMPILER = (
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--target",
    "es2022",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
)
FILES = dashboards.files("blue")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("types")
    (directory / "package.json").write_text('{"private": true}')
    subprocess.run(["npm", "install", "--ignore-scripts", "--legacy-peer-deps", *PACKAGES], cwd=directory, check=True)
    return directory


def compiled(place: Path, name: str, text: str) -> str:
    """Return the compiler's errors about a dashboard; empty if it fits."""
    (place / f"{name}.ts").write_text(f"{CHECKED}{text};\n")
    done = subprocess.run(
        ["node_modules/.bin/tsc", *COMPILER, f"{name}.ts"], cwd=place, capture_output=True, text=True, check=False
    )
    return done.stdout


@pytest.mark.parametrize("name", FILES)
def test_a_dashboard_is_of_the_type_that_grafana_publishes(place: Path, name: str) -> None:
    assert compiled(place, name, FILES[name]) == ""


def test_what_the_type_does_not_have_is_seen(place: Path) -> None:
    text = next(iter(FILES.values()))
    assert "titel" in compiled(place, "misspelt", text.replace('"title"', '"titel"', 1))
