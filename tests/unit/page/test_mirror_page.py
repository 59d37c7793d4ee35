"""The page of a copy: its verdict, both sides' counts, its lag over time, and the first faults of its last proof."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from spark_jobs.page.mirror import judged, over_time, render
from tests.unit.page.mirrors import HISTORY, failed_proof, progress, status
from tests.unit.spec.host_rules.loaded_actions import action, plugin

PLUGIN = plugin("kafka_report")


def words(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_counts_lag_and_first_faults_are_on_the_page() -> None:
    page = words(render(status(), HISTORY, failed_proof()))
    assert "Behind. 2 topics, 1200 records are not copied yet" in page
    assert "Caught up in about 12 s" in page
    assert "orders 2 61,200 60,020 1,200" in page
    assert "billing 7 40 1" in page
    assert "Records not copied 1,200 90,000" in page
    assert "Missing 1 123,456" in page
    assert "The last proof" not in words(render(status(), HISTORY, None))


def test_a_topic_that_is_not_on_the_target_yet_has_a_dash_there() -> None:
    found = status(begun=False, lag={"orders": 1200, "new": 5})
    found["progress"]["records"]["source"]["new"] = 5
    found["progress"]["ends"]["source"]["new"] = {"0": 5}
    assert "new 1 5 — 5" in words(render(found, HISTORY, None))


@pytest.mark.parametrize(
    ("changed", "judgement"),
    [
        ({}, ("unreachable", "Behind")),
        ({"lag_records": 0}, ("proven", "Caught up")),
        ({"begun": False}, ("unreachable", "Not begun")),
        ({"failed": {"MirrorSourceConnector-0": "denied"}}, ("failed", "Failed")),
        ({"lag_records": 0, "changed": ["orders"]}, ("failed", "Failed")),  # its lag is no evidence
    ],
)
def test_the_verdict_follows_from_the_progress(changed: dict[str, Any], judgement: tuple[str, str]) -> None:
    assert judged(progress(**changed)) == judgement


def test_the_line_goes_from_the_first_look_to_the_last_without_a_gap() -> None:
    row = over_time(HISTORY)
    assert row.picture.count("M") == 1
    assert "L1000 " in row.picture
    assert over_time([]).now == over_time([]).highest


def test_of_very_many_looks_every_second_one_is_kept() -> None:
    looks = [[float(at), 0.0] for at in range(PLUGIN.LONGEST + 1)]
    kept = PLUGIN.thinned(looks)
    assert len(kept) <= PLUGIN.LONGEST
    assert (kept[0], kept[-1]) == (looks[0], looks[-1])


def test_each_look_is_kept_and_another_direction_begins_again(tmp_path: Path) -> None:
    def lags(**changed: Any) -> list[float]:
        given: dict[str, Any] = {
            "kind": "copy",
            "directory": str(tmp_path),
            "cluster_id": "one",
            "source": "old",
            "progress": progress(**changed),
        }
        result = action(PLUGIN, **given).run()
        assert result["page"] == str(tmp_path / "mirror.html")
        return [lag for _, lag in json.loads((tmp_path / "mirror.json").read_text())["history"]]

    (tmp_path / "cutover").mkdir()
    (tmp_path / "cutover/report.json").write_text(json.dumps(failed_proof()))
    assert lags() == [1200]
    assert lags(lag_records=3) == [1200, 3]
    assert "Missing" in (tmp_path / "mirror.html").read_text()
    (tmp_path / "cutover/report.json").write_text("{")
    back = ["Clients have switched: new records go back to the source", "2 topics, 0 records are not copied yet"]
    assert lags(back=True, lag_records=0, screen=back) == [0]
    page = (tmp_path / "mirror.html").read_text()
    assert "Caught up.</span> 2 topics, 0 records are not copied yet." in page
    assert "The last proof" not in page
