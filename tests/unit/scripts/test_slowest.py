"""The slowest steps are found in what pytest and molecule print."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.parts import __main__ as runner
from scripts.parts.slowest import Step, Steps, table
from scripts.parts.targets import TARGETS, Part


def test_tests_come_from_the_durations_of_pytest() -> None:
    steps = Steps()
    for line in (
        "12.50s call     tests/a.py::test_b[x y]\n",
        "3.00s setup    tests/a.py::test_c\n",
        "1 passed in 20.00s\n",
    ):
        steps.read(line, 0.0)
    assert steps.found == [Step("tests/a.py::test_b[x y]", 12.5), Step("tests/a.py::test_c (setup)", 3.0)]


@pytest.mark.parametrize("place", ["[day_two > create]", "day_two ➜ create:"])
@pytest.mark.parametrize("end", ["INFO     {} Executed: Successful\n", "ERROR    {} Executed: Failed\n"])
def test_actions_come_from_the_output_of_molecule(place: str, end: str) -> None:
    steps = Steps()
    steps.read(f"INFO     {place} Executing\n", 10.0)
    steps.read(end.format(place), 14.0)
    steps.read("INFO     [day_two > verify] Executed: Skipped\n", 15.0)
    assert steps.found == [Step("molecule day_two create", 4.0)]


def test_table_has_the_slowest_first() -> None:
    steps = [Step(f"s{at}", float(at)) for at in range(30)]
    shown = table(steps)
    assert len(shown) == 10
    assert shown[0].split() == ["29.0", "s", "s29"]


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(runner, "LOGS", tmp_path)
    return tmp_path


def test_part_that_leaves_a_process_behind_still_ends(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    command = (
        'sleep 5 & echo "2.00s call     tests/x.py::test_y"; echo "cache=${PYTHONDONTWRITEBYTECODE-written}"; exit 4'
    )
    outcome = runner.run(Part("left", command))
    assert (outcome.code, outcome.steps) == (4, (Step("tests/x.py::test_y", 2.0),))
    assert outcome.seconds < 4
    assert "cache=written" in (logs / "left.log").read_text()


def test_unknown_target_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert runner.main(["tset"]) == 3
    shown = capsys.readouterr().out
    assert all(target in shown for target in TARGETS)
