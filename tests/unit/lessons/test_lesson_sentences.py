"""Each sentence holds, is wrong, or is not shown, by the observations of a run, as the page reports."""

from __future__ import annotations

import json
import pathlib
import re
from typing import Any

import pytest

from spark_jobs.lessons.measured import HOLDS, NOT_SHOWN, WRONG, verdict
from spark_jobs.lessons.run import Settings, load, observed, problems, write
from spark_jobs.lessons.sentences import SENTENCES, judged, summary
from spark_jobs.page.lessons import render
from tests.unit.lessons.observations import EMPTY_RUNS, GOOD, WRONG_RUNS, report

NAMES = [one.name for one in SENTENCES]
Run = dict[str, dict[str, Any]]


def runs(table: dict[str, list[Run]]) -> list[Any]:
    return [pytest.param(name, run, id=f"{name}-{n}") for name, found in table.items() for n, run in enumerate(found)]


def verdicts(run: Run) -> dict[str, str]:
    return {one["name"]: one["verdict"] for one in judged(run)}


def page_of(run: Run) -> str:
    found = judged(run)
    return render(report(run, found, summary(found)))


def section(page: str, name: str) -> str:
    return re.sub(r"<[^>]+>", " ", page.partition(f'<section id="{name}">')[2].partition("</section>")[0])


def test_each_sentence_has_a_run_in_which_it_is_wrong() -> None:
    assert sorted(NAMES) == sorted(WRONG_RUNS) == sorted(EMPTY_RUNS)
    assert all(WRONG_RUNS.values())


def test_every_sentence_holds_in_the_good_run() -> None:
    assert verdicts(GOOD) == dict.fromkeys(NAMES, HOLDS)
    page = page_of(GOOD)
    assert f"{len(NAMES)} of {len(NAMES)} sentences hold" in page
    assert '<body class="proven">' in page


@pytest.mark.parametrize(("name", "run"), runs(WRONG_RUNS))
def test_a_sentence_is_wrong_where_the_run_refutes_it_and_the_page_says_so(name: str, run: Run) -> None:
    assert verdicts(run)[name] == WRONG
    page = page_of(run)
    assert f"{name} wrong" in page
    assert '<body class="failed">' in page
    assert WRONG in section(page, name)


@pytest.mark.parametrize(("name", "run"), runs(EMPTY_RUNS))
def test_a_sentence_is_not_shown_by_a_run_that_proves_nothing(name: str, run: Run) -> None:
    assert verdicts(run)[name] == NOT_SHOWN
    assert NOT_SHOWN in section(page_of(run), name)
    assert '<body class="failed">' in page_of(run)


@pytest.mark.parametrize("name", NAMES)
def test_a_sentence_without_its_experiment_is_not_shown(name: str) -> None:
    [sentence] = [one for one in SENTENCES if one.name == name]
    missing = {key: seen for key, seen in GOOD.items() if key != sentence.experiment}
    assert verdicts(missing)[name] == NOT_SHOWN
    broken = {**GOOD, sentence.experiment: {"error": "OSError: node 2: no route"}}
    assert "no route" in section(page_of(broken), name)
    assert verdicts(broken)[name] == NOT_SHOWN


@pytest.mark.parametrize("name", NAMES)
def test_no_observation_may_be_missing(name: str) -> None:
    """A sentence that loses one observation after the other never holds by what is left."""
    [sentence] = [one for one in SENTENCES if one.name == name]
    seen = GOOD[sentence.experiment]
    read = [key for key in seen if verdicts({**GOOD, sentence.experiment: _without(seen, key)})[name] == NOT_SHOWN]
    assert read
    assert verdicts({**GOOD, sentence.experiment: {}})[name] == NOT_SHOWN


def _without(seen: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in seen.items() if name != key}


def test_no_sentences_prove_nothing() -> None:
    assert '<body class="failed">' in render(report({}, [], summary([])))


@pytest.mark.parametrize(
    ("claimed", "refuted", "expected"),
    [(True, False, HOLDS), (False, True, WRONG), (False, False, NOT_SHOWN), (True, True, NOT_SHOWN)],
)
def test_two_findings_make_a_verdict(claimed: bool, refuted: bool, expected: str) -> None:
    assert verdict(claimed, refuted) == expected


def test_texts_of_a_cluster_are_escaped() -> None:
    run = {**GOOD, "on_tmp": {**GOOD["on_tmp"], "message": "<script>alert(1)</script>"}}
    assert "<script" not in page_of(run)


def test_report_and_page_are_written(tmp_path: pathlib.Path) -> None:
    found = judged(GOOD)
    page = write(report(GOOD, found, summary(found)), tmp_path / "lessons")
    assert {one.name for one in page.parent.iterdir()} == {"lessons.json", "lessons.html"}


def test_settings_are_refused_with_all_problems(tmp_path: pathlib.Path) -> None:
    assert len(problems({"other": 1, "only": ["majority", "none"], "nodes": [{}]})) == 7
    assert problems([]) == ["is not an object"]
    good = {"cluster": "a", "output_dir": str(tmp_path), "nodes": [{}, {}, {}], "java": "java", "libs": "/libs/*"}
    (tmp_path / "lessons.json").write_text(json.dumps(good))
    assert isinstance(load(tmp_path / "lessons.json"), Settings)


def test_an_experiment_that_fails_leaves_its_error() -> None:
    class Broken:
        def wait_whole(self) -> None:
            raise OSError("no route")

    found = observed(Broken(), ("on_tmp", "auto_creation"), lambda _: {})  # type: ignore[arg-type]
    assert found == {name: {"error": "OSError: no route"} for name in ("on_tmp", "auto_creation")}
