"""The page as a whole: the verdict, what is known, nothing from outside, and no way to inject into it."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from spark_jobs.page.__main__ import main
from spark_jobs.page.report_loader import EMPTY
from spark_jobs.page.smoke import render
from tests.unit.page.pages import HREFS, OUTSIDE, Element, everything, parse
from tests.unit.page.reports import HOSTILE, OUTCOMES, example, hostile, large, with_listeners
from tests.unit.problems import named, values
from tests.wording_files import Wording

LIMIT = 300_000
WORDS = {"report": "Proven.", "failed": "Failed.", "unreachable": "Unreachable."}


def page_of(report: object) -> Element:
    return example_page(report) if isinstance(report, str) else parse(render(report))


@functools.cache
def example_page(name: str) -> Element:
    return parse(render(large() if name == "large" else with_listeners(example(name))))


@pytest.fixture(scope="module", params=[*OUTCOMES, "large", "empty"])
def any_page(request: pytest.FixtureRequest) -> str:
    made = {"large": large, "empty": dict}
    return render(made[request.param]() if request.param in made else example(request.param))


@pytest.fixture(scope="module")
def any_tree(any_page: str) -> Element:
    return parse(any_page)


def test_stays_small(any_page: str) -> None:
    assert len(any_page.encode()) <= LIMIT


def test_refers_to_nothing_outside_itself(any_page: str, any_tree: Element) -> None:
    assert not OUTSIDE.findall(any_page)
    assert {e.attributes["href"] for e in everything(any_tree) if "href" in e.attributes} <= HREFS


def test_every_picture_and_table_says_what_it_is(any_tree: Element) -> None:
    root = any_tree
    for svg in root.all("svg"):
        assert svg.attributes.get("aria-hidden") == "true" or svg.all("title")[0].words()
    assert all(table.all("caption")[0].words() for table in root.all("table"))
    assert len(root.all("h1")) == 1
    assert all(section.all("h2") for section in root.all("section"))
    assert root.all("title")[0].words()


def test_numbers_are_never_infinite_or_undefined(any_tree: Element) -> None:
    values = [v for e in everything(any_tree) for v in e.attributes.values()]
    assert not [v for v in values if v in {"nan", "inf", "None", "nan%", "inf%"}]
    assert "None" not in any_tree.all("body")[0].words()


@pytest.mark.parametrize("name", OUTCOMES)
def test_verdict_is_a_word_a_shape_and_a_sentence(name: str) -> None:
    root, report = page_of(name), example(name)
    assert root.all("h1")[0].words() == f"{WORDS[name]} {report['verdict']['sentences'][0]}"
    sign = next(svg for svg in root.all("svg") if svg.attributes["class"] == "sign")
    assert sign.all("title")[0].words() + "." == WORDS[name]


def test_each_verdict_has_a_shape_of_its_own() -> None:
    signs = [[p.attributes.get("d") for p in page_of(name).all("svg")[0].all("path")] for name in OUTCOMES]
    assert len({str(sign) for sign in signs}) == len(OUTCOMES)


def test_figures_have_thousands_separators_and_faults_a_mark() -> None:
    figures = {div.all("dt")[0].words(): div for div in page_of("failed").all("header")[0].all("dl")[0].all("div")}
    assert figures["written"].all("dd")[0].words() == "200,000"
    assert figures["lost"].all("dd")[0].words() == "fault 23"
    assert figures["lost"].attributes["class"] == "bad"
    assert figures["duplicated"].attributes["class"] == "plain"


FAULTS = {"duplicated": 41, "misplaced": 1, "lost": 23, "corrupt": 2, "out of order": 3}


def section(report: object, heading: str) -> str:
    found = [s.words() for s in page_of(report).all("section") if s.all("h2")[0].words() == heading]
    assert len(found) == 1, f"{heading}: {len(found)} sections"
    return found[0]


def test_first_missing_records_stand_with_their_neighbours() -> None:
    report = example("failed")
    report["first_missing"][1] |= {"offset_before": None, "leader": None}
    words = section(report, "First missing records")
    assert "The first 20 of 23" in words
    assert "52,384" in words
    assert "17,210 and 17,211" in words
    assert "start and 17,260" in words


def test_map_shows_nodes_with_roles_racks_listeners_and_the_leader(wording: Wording) -> None:
    words = section("report", "Cluster")
    assert named([words])[0][:6] == ["3", "3", "kraft2", "2", "1", "6"]
    first_node = words[words.index("kraft1 node 1") :]
    assert named([first_node])[0][:6] == ["kraft1", "1", "CLIENT", "10.83.0.11:9092", "INTERNAL", "10.83.0.11:19092"]
    assert "rack-c" in words
    wording([words])


def test_map_of_an_unreachable_cluster_says_that_it_is_only_configured(wording: Wording) -> None:
    words = section("unreachable", "Cluster")
    assert named([words])[0][:2] == ["3", "3"]
    assert "CONTROLLER 10.83.0.13:9093" in words
    wording([words])


def test_a_fenced_broker_and_replicas_behind_are_said_in_words() -> None:
    words = section("large", "Cluster")
    assert "Fenced: serves no clients" in words
    assert "1,800 under-replicated" in words


def test_quorum_tells_lag_directory_and_leader(wording: Wording) -> None:
    words = section("report", "Quorum")
    assert named([words])[0][:4] == ["3", "2", "3", "1"]
    third = words[words.index("3 kraft3 follower") :].split()
    assert third[:7] == ["3", "kraft3", "follower", "1", "411", "02:41:29.880", "AAAAAAAAAAAAAAAAAAAAAc"]
    wording([words])


def test_a_voter_never_heard_from_is_said_so() -> None:
    report = example("report")
    report["cluster"]["quorum"]["voters"][0] |= {"lag": None, "last_caught_up_ms": -1}
    words = section(report, "Quorum")
    assert "1 not heard from" in words
    assert "1 kraft1 follower — 412 — AAAA" in words


def test_partitions_show_placement_bytes_and_faults(wording: Wording) -> None:
    root = page_of("failed")
    strips = [
        s.all("title")[0].words() for s in root.all("svg") if s.attributes.get("class") == "strip" and s.all("title")
    ]
    assert strips[1] == "leader 1, in sync 2 and 3"
    words = section("failed", "Partitions")
    assert {"5", "41", "23"} <= values(words)
    assert all(f"{count} {fault}" in words for fault, count in FAULTS.items())
    assert {"33,177", "3.95", "33,201", "23"} <= values(words)
    wording([words])


def test_latency_marks_median_and_99th_percentile() -> None:
    root = page_of("report")
    labels = [t.words() for t in root.all("text") if t.attributes["class"] == "mark-label"]
    assert labels == ["p50 31 ms", "p99 262 ms"]
    assert "longest 812 ms" in section("report", "Latency of the bulk load")


def test_the_steady_client_comes_first_and_neither_latency_is_taken_for_the_other(wording: Wording) -> None:
    headings = [one.words() for one in page_of("report").all("h2")]
    steady, bulk = (f"Latency of {one}" for one in ("a steady client", "the bulk load"))
    assert headings.index(steady) < headings.index(bulk)
    words = section("report", steady)
    assert {"3.18", "9.4", "21.7", "3.91", "11.2", "24.3", "640", "100", "6.4"} <= values(words)
    wording([words])


def test_a_run_without_a_steady_client_says_that_it_was_not_measured() -> None:
    report = example("report") | {"steady": None}
    assert "Latency of a steady client" not in {one.words() for one in page_of(report).all("h2")}
    assert "the latency of a steady client" in section(report, "What was not checked")


def test_clocks_that_differ_are_said_and_drawn(wording: Wording) -> None:
    report = example("report")
    report["latency"]["negative"] = 12
    report["latency"]["histogram"][0]["records"] = 12
    assert "12 records" in section(report, "Latency of the bulk load")
    bars = [r for r in page_of(report).all("rect") if r.attributes["class"] == "bar bad"]
    assert [b.words() for b in bars] == ["below 0 ms: 12 records (0.006 %)"]
    wording([section(report, "Latency of the bulk load")])


def test_throughput_tells_both_ways_and_whether_cold(wording: Wording) -> None:
    words = section("report", "Throughput")
    assert named([words])[0][:2] == ["28,986", "38,462"]
    assert "Write 28,986 3.45 6.9 s cold" in words
    assert {"confluent-kafka", "2.16.1", "2.12.1", "6"} <= values(words)
    wording([words])


def test_a_stream_that_saw_something_else_is_a_fault(wording: Wording) -> None:
    report = example("report")
    report["stream"]["same_as_batch"] = False
    sound, faulty = ({one.attributes.get("class") for one in everything(page_of(each))} for each in ("report", report))
    assert faulty - sound == {"fault"}
    wording([section(report, "Throughput")])


def test_settings_say_equal_values_once_and_others_by_node(wording: Wording) -> None:
    words = section("report", "Settings")
    assert named([words])[0][0] == "12"
    wording([words])
    assert "num.io.threads 8 num.network.threads 3" in words
    assert "node.id 1 kraft1 2 kraft2 3 kraft3" in words


def test_versions_and_feature_levels_are_listed() -> None:
    words = section("report", "Versions")
    assert "kafka 4.3.1" in words
    assert "spark 4.2.0" in words
    assert "metadata.version 29" in words


def test_feature_levels_are_read_from_the_snapshot_form_too() -> None:
    report = example("report")
    report["cluster"]["features"] = [{"name": "kraft.version", "level": 1, "minimum": 0, "maximum": 1}]
    assert "kraft.version 1" in section(report, "Versions")


def test_waterfall_has_a_row_for_each_phase_and_a_bar_for_each_task(wording: Wording) -> None:
    root = page_of("report")
    words = section("report", "Deployment")
    assert named([words])[0][:7] == ["21", "2026", "02:40:50", "UTC", "23.2", "3", "9.7"]
    assert "health" in words
    wording([words])
    assert len([r for r in root.all("rect") if r.attributes["class"].startswith("task")]) == 31


def test_failed_task_is_named_in_the_waterfall() -> None:
    report = example("report")
    report["timeline"][6]["ok"] = False
    assert "failed on kraft1" in section(report, "Deployment")


def test_what_was_not_checked_is_said() -> None:
    for sentence in example("report")["not_checked"]:
        assert sentence in section("report", "What was not checked")


def test_unreachable_page_claims_nothing(wording: Wording) -> None:
    root = page_of("unreachable")
    assert not root.all("header")[0].all("dl")
    headings = {h.words() for h in root.all("h2")}
    assert headings == {"Cluster", "Deployment", "Settings", "Versions", "What was not checked"}
    words = section("unreachable", "What was not checked")
    assert {"records", "streaming", "latency", "throughput"} <= values(words)
    wording([words])


def test_markup_in_any_text_stays_text() -> None:
    page = render(hostile())
    root = parse(page)
    elements = everything(root)
    assert not [e.name for e in elements if e.name in {"script", "img", "iframe"}]
    assert not [name for e in elements for name in e.attributes if name.startswith("on")]
    assert {e.attributes["href"] for e in elements if "href" in e.attributes} <= HREFS
    assert HOSTILE in root.all("h1")[0].text
    assert page.count("{{ 7 * 7 }}") > 50


WRONG: list[Any] = [float("nan"), [None, 3, {"unknown": 1}]]


@pytest.mark.parametrize("name", EMPTY)
def test_page_is_made_whatever_a_section_holds(name: str) -> None:
    for wrong in WRONG:
        assert "</html>" in render(example("failed") | {name: wrong})


def test_missing_sections_are_said() -> None:
    page = render({"schema": 1})
    assert all(f"<code>report: {name} is missing</code>" in page for name in list(EMPTY)[1:20])


@pytest.mark.parametrize("name", ["brokers", "topics", "quorum", "features", "cluster_id"])
def test_page_is_made_whatever_the_snapshot_holds(name: str) -> None:
    for wrong in [*WRONG, None, {"voters": [{"node_id": 1}], "leader_id": "x"}, [{"name": 1, "partitions": [None]}]]:
        report = example("report")
        report["cluster"][name] = wrong
        assert "</html>" in render(report)


@pytest.mark.parametrize("raw", [None, [], 7, {"verdict": {"outcome": "proven"}}])
def test_without_a_whole_verdict_nothing_is_proven(raw: object, wording: Wording) -> None:
    heading = page_of(raw).all("h1")[0].words()
    assert heading.startswith(f"{WORDS['failed']} ")
    wording([heading])


def test_command_writes_the_page(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(json.dumps(example("report")))
    assert main([str(tmp_path / "report.json"), str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")


def test_command_refuses_what_is_no_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "report.json").write_text("{")
    assert main([str(tmp_path / "report.json"), str(tmp_path / "page.html")]) == 3
    assert main([]) == 3
    errors = capsys.readouterr().err
    assert "report.json cannot be read as a report" in errors
    assert "usage:" in errors
