"""The files of tests/wording: one section for each test that keeps its sentences there; a changed sentence is seen."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.wording_files import FILES, Wording, sections


def worded_tests() -> list[tuple[str, str]]:
    """(Module, test) of every test that takes the fixture ``wording``."""
    return [
        (path.stem, node.name)
        for path in FILES.parent.rglob("test_*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and any(one.arg == "wording" for one in node.args.args)
    ]


def test_every_section_has_its_test_and_every_test_its_section() -> None:
    found = {
        (f"test_{path.stem}", name.partition("[")[0])
        for path in FILES.glob("*.txt")
        for name in sections(path.read_text())
    }
    known = worded_tests()
    assert len(known) == len(set(known))
    assert found == set(known)


def test_a_changed_sentence_is_refused_and_then_renewed(tmp_path: Path) -> None:
    said = ["port: error k1: is not from 1 to 65535", "port: error k2: is not\nfrom 1 to 65535"]
    Wording("tests.unit.test_x", "test_b", renew=True, files=tmp_path)(["another"])
    Wording("tests.unit.test_x", "test_a[1-2]", renew=True, files=tmp_path)(said)
    assert list(sections((tmp_path / "x.txt").read_text())) == ["test_a[1-2]", "test_b"]
    wording = Wording("tests.unit.test_x", "test_a[1-2]", files=tmp_path)
    wording(said)
    for changed in (said[:1], said[::-1], [*said, "more"], [said[0], said[1].replace("not", "never")], []):
        with pytest.raises(AssertionError, match="--renew-wording"):
            wording(changed)
    for module, test in (
        ("tests.unit.test_x", "test_b"),
        ("tests.unit.test_x", "test_c"),
        ("tests.unit.test_y", "test_a"),
    ):
        with pytest.raises(AssertionError, match="--renew-wording"):
            Wording(module, test, files=tmp_path)(said)
