"""Dashboards query metrics that nodes publish, of one cluster alone, and each panel has a description."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from ansible.module_utils.kraft.monitoring import dashboards, rules
from ansible.module_utils.kraft.monitoring.catalogue import catalogue, read

from tests.promql import names

DATA = read("dashboards")
PANELS: dict[str, Any] = {
    f"{page['name']}: {row['title']}: {panel['title']}": panel
    for page in DATA
    for row in page["rows"]
    for panel in row["panels"]
}
RECORDS = {one["record"]: one["expr"] for one in rules.data("blue")["records"]}
MOST = 80
#: Grafana's names of units.
UNITS = {"none", "percentunit", "s", "h", "bytes", "Bps", "ops"}
FIELDS = {"title", "kind", "unit", "expr", "legend", "text"}


def test_there_are_not_too_many() -> None:
    assert 0 < sum(len(row["panels"]) for page in DATA for row in page["rows"]) <= MOST
    assert len(PANELS) == sum(len(row["panels"]) for page in DATA for row in page["rows"])  # no title twice in a row


@pytest.mark.parametrize("panel", PANELS)
def test_a_panel_asks_its_own_cluster_for_names_that_there_are(panel: str) -> None:
    one = PANELS[panel]
    used = names(one["expr"])
    assert used
    assert used <= {each.name for each in catalogue()} | RECORDS.keys() | {"up"}
    selected = re.findall(r"([a-zA-Z_:][\w:]*)\{(?:ours|hosts)[,}]", one["expr"])
    assert len(selected) == sum(len(re.findall(rf"(?<![\w:]){re.escape(name)}(?![\w:])", one["expr"])) for name in used)


@pytest.mark.parametrize("panel", PANELS)
def test_a_panel_has_a_unit_and_says_what_it_shows(panel: str) -> None:
    one = PANELS[panel]
    assert one.keys() <= FIELDS
    assert one["unit"] in UNITS
    assert re.fullmatch(r"[A-Z0-9].*\.", one["text"])
    assert one.get("kind") == "stat" or one["legend"]


def test_percentiles_and_counts_of_the_cluster_are_put_together_rightly() -> None:
    percentiles = {each.name for each in catalogue() if each.quantiles}
    whole = {each.name for each in catalogue() if each.of == "cluster"}
    for panel, one in PANELS.items():
        used = names(one["expr"])
        assert not (used & percentiles and re.search(r"\b(avg|sum|rate|quantile) ?[(b]", one["expr"])), panel
        assert not (used & whole) or one["expr"].startswith("max("), panel


def test_pages_have_places_of_their_own_for_all_panels() -> None:
    texts = dashboards.files("blue")
    pages = [json.loads(text) for text in texts.values()]
    assert [page["uid"] for page in pages] == sorted(
        {page["uid"] for page in pages}, key=[p["uid"] for p in pages].index
    )
    assert all(len(page["uid"]) <= 40 for page in pages)
    for page in pages:
        assert len({one["id"] for one in page["panels"]}) == len(page["panels"])
        cells = [cell for one in page["panels"] for cell in covered(one["gridPos"])]
        assert len(cells) == len(set(cells))
        assert max(x for x, _ in cells) < dashboards.COLUMNS
        choices = {one["name"] for one in page["templating"]["list"]}
        assert set(re.findall(r"\$\{?(\w+)", json.dumps(page["panels"]))) <= choices
    assert dashboards.files("blue") == texts


def covered(place: dict[str, int]) -> list[tuple[int, int]]:
    return [
        (x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])
    ]
