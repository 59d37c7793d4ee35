"""Figures have one home: docs/benchmarks.md, each with its command, its day and how busy the machine was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import deploy, roll, spark
from benchmarks.all import QUICK, place, replaced
from benchmarks.figures import Promise
from benchmarks.machine import QUIET, described, mark

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/benchmarks.md").read_text()
GUARANTEES = [line for line in (ROOT / "docs/guarantees.md").read_text().splitlines() if re.match(r"\| .*`", line)]
GOALS = [line for line in PAGE.partition("\n## Goals\n")[2].partition("\n## ")[0].splitlines() if "`" in line]
#: Day, command, and what the machine did besides: the paragraph above a result's table.
ORIGIN = re.compile(
    r"^\d{4}-\d\d-\d\d, `python -m benchmarks\.(?P<name>\w+)[^`]*`, .*; "
    r"(?:(?P<before>\d+\.\d) cores busy before, load|load before the first round not recorded,) \d+\.\d at the end\."
)
#: In place of a result: no machine was quiet enough so far.
NOT_YET = "Not measured yet on a machine that does nothing else."
UNITS = r"(?:s|ms|seconds|minutes|min|%|times|records|MB|records/s|/s)"
FIGURE = re.compile(rf"\d[\d.,]* ?{UNITS}(?![\w/])")


def result(name: str) -> str:
    begin, end = place(name)
    return PAGE.partition(begin)[2].partition(end)[0].strip()


def limit(promise: Promise, unit: str = "") -> str:
    return promise.text() + unit


@pytest.mark.parametrize("name", QUICK)
def test_a_result_names_its_day_its_command_and_how_busy_the_machine_was(name: str) -> None:
    if result(name) == NOT_YET:
        return
    found = ORIGIN.match(result(name))
    assert found, result(name)[:200]
    assert found["name"] == name
    assert found["before"] is None or mark(float(found["before"])) in result(name)


def test_every_benchmark_has_its_place_and_its_command_on_the_page() -> None:
    modules = {path.stem for path in (ROOT / "benchmarks").glob("*.py") if "def main(" in path.read_text()}
    assert modules - {"all"} == set(QUICK)
    assert [name for name in modules if f"\npython -m benchmarks.{name} " not in PAGE] == []


def test_a_paragraph_as_the_benchmarks_write_it_is_one_that_the_page_takes() -> None:
    for before in (0.2, 3.4):
        text = described("benchmarks.roll", before, 2)
        found = ORIGIN.match(text)
        assert found
        assert (found["before"], "**" in text) == (str(before), before >= QUIET)


def test_a_new_result_takes_the_place_of_the_old_one_and_of_nothing_else() -> None:
    page = replaced(PAGE, "roll", "new")
    assert page.replace("\nnew\n", f"\n{result('roll')}\n") == PAGE
    with pytest.raises(ValueError, match="no place"):
        replaced("nothing", "roll", "new")


def test_the_text_around_the_results_repeats_no_measured_figure() -> None:
    causes = PAGE.partition("## Why some limits are missed")[2].partition("\n## ")[0]
    assert causes
    assert FIGURE.findall(causes) == []


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.name
)
def test_nothing_is_told_as_seen_once_with_figures_that_no_command_produces(page: Path) -> None:
    paragraphs = (" ".join(one.split()) for one in page.read_text().split("\n\n"))
    told = [one for one in paragraphs if re.search(r"\b[Ss]een (?:on|with|here|there)\b", one) and FIGURE.search(one)]
    assert told == []


@pytest.mark.parametrize("row", [*GUARANTEES, *GOALS])
def test_a_guarantee_or_goal_is_proven_by_something_that_is_there(row: str) -> None:
    proof = row.rpartition(" | ")[2]
    paths = re.findall(r"`((?:tests|benchmarks)[^`]*)`", proof) + re.findall(r"\]\(([^)]+)\)", proof)
    scenarios = [
        name for names in re.findall(r"molecule ((?:`\w+`(?:, )?)+)", proof) for name in re.findall(r"\w+", names)
    ]
    assert paths or scenarios
    assert [path for path in paths if not (ROOT / path).exists() and not (ROOT / "docs" / path).exists()] == []
    assert [name for name in scenarios if not (ROOT / "molecule" / name / "molecule.yml").exists()] == []


def test_the_goals_are_the_limits_of_the_benchmarks() -> None:
    assert len(GUARANTEES) > 40
    names = ("roll", "deploy", "spark")
    rolls, speed, rates = (next(row for row in GOALS if f"`benchmarks/{name}.py`" in row) for name in names)
    for text in (limit(roll.ROLL, " s"), limit(roll.STALL, " s")):
        assert text in rolls
    write, read = (spark.PROMISES[pair] for pair in list(spark.PROMISES)[:2])
    for text in (
        limit(deploy.COLD, " times"),
        limit(deploy.RERUN, " times"),
        limit(deploy.RERUN_TASKS, " tasks"),
    ):
        assert text in speed
    assert limit(write) in rates
    assert limit(read) in rates


def test_readme_and_guarantees_repeat_no_measured_speed() -> None:
    pages = [ROOT / "README.md", ROOT / "docs/guarantees.md"]
    assert [row for page in pages for row in page.read_text().splitlines() if "`benchmarks/" in row] == []
