"""Each public report about EC2 has a test, which exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import yaml

TESTS = Path(__file__).resolve().parents[1]
REPORTS = yaml.safe_load((TESTS / "public_reports_ec2.yml").read_text())
PART = "part"


def test_each_report_names_a_test_that_exists() -> None:
    for path, name in {tuple(each.split("::")) for each in REPORTS.values() if each != PART}:
        functions = {
            each.name for each in ast.parse((TESTS / path).read_text()).body if isinstance(each, ast.FunctionDef)
        }
        assert name in functions, f"{path}: {name}"


def test_reports_are_named_by_their_place_and_nearly_all_are_handled() -> None:
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+#\d+|re:Invent \d+ \w+", each) for each in REPORTS)
    assert len(REPORTS) > 70
    assert list(REPORTS.values()).count(PART) <= 1
