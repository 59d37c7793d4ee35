"""The files of tests/wording: each has its test module, and a sentence that changed is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wording_files import FILES, Wording


def test_every_wording_file_has_its_test_module() -> None:
    modules = {path.stem for path in FILES.parent.rglob("test_*.py") if "wording: Wording" in path.read_text()}
    assert {f"test_{path.stem}" for path in FILES.glob("*.txt")} == modules - {"test_wording"}


def test_a_changed_sentence_is_refused_and_then_renewed(tmp_path: Path) -> None:
    said = ["port: error k1: is not from 1 to 65535", "port: error k2: is not from 1 to 65535"]
    Wording("tests.unit.test_x", renew=True, files=tmp_path)(said)
    wording = Wording("tests.unit.test_x", files=tmp_path)
    wording(said)
    for changed in (said[:1], said[::-1], [*said, "more"], [said[0], said[1].replace("not", "never")]):
        with pytest.raises(AssertionError, match="--renew-wording"):
            wording(changed)
    with pytest.raises(AssertionError, match="--renew-wording"):
        Wording("tests.unit.test_y", files=tmp_path)(said)
