"""The page of a cluster's status: whole, in one file, and nothing in it runs or is fetched."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from ansible.module_utils.kraft.cluster.leadership import Leadership
from ansible.module_utils.kraft.node.machine.ungranted import Ungranted
from ansible.module_utils.kraft.status.advice import Step
from ansible.module_utils.kraft.status.causes import Cause
from ansible.module_utils.kraft.status.certificates import Certificate
from ansible.module_utils.kraft.status.cluster_figures import ClusterFigures
from ansible.module_utils.kraft.status.effects import Effect
from ansible.module_utils.kraft.status.figures import Disk, Figures
from ansible.module_utils.kraft.status.model import Node, Status
from ansible.module_utils.kraft.status.screen import sections
from ansible.module_utils.kraft.status.watched import Filling, Watched

from spark_jobs.page.status import render
from tests.unit.page.pages import parse
from tests.unit.problems import named
from tests.unit.status.large import large_status
from tests.wording_files import Wording

NODE = Node("kafka1", 1, ("broker", "controller"), "serves, leads", True, True, ())
GOOD = Status(
    name="demo",
    cluster_id="x",
    leader="kafka1 (node 1)",
    leadership=Leadership(1, 1, (1,), needed=1),
    causes=(),
    problems=(),
    nodes=(NODE,),
    drift=(),
    ungranted=(),
    counts={"Brokers": "1 of 1 serve"},
)
CAUSE = Cause(
    "not_running",
    (2,),
    ("kafka2",),
    "Kafka on kafka2 (node 2) does not run",
    "its unit has failed",
    (Effect("under_replicated", 74, "74 partitions are under-replicated"),),
    (Step("ansible kafka2 -b -a 'journalctl'", "see why"),),
)


def page(status: Status) -> str:
    return render(status, sections(status))


def test_a_healthy_cluster_is_said_to_be_so(wording: Wording) -> None:
    text = page(GOOD)
    assert '<body class="proven">' in text
    assert "Healthy.</span>" in text
    assert "1 of 1 serve" in text
    words = re.sub(r"<[^>]*>", " ", text)
    wording(line.strip() for line in words.splitlines() if "inventory says" in line)


def test_every_problem_reason_and_difference_is_on_the_page() -> None:
    reasons, differences = ("partition orders-0: in sync 1",), ("edited in place: x",)
    stuck = dataclasses.replace(NODE, may_go=False, reasons=reasons, drift=differences)
    sick: dict[str, Any] = {
        "causes": (CAUSE,),
        "problems": ("broker 2 is fenced",),
        "nodes": (stuck,),
        "drift": ("live: a 1 -> 2",),
    }
    text = page(dataclasses.replace(GOOD, **sick))
    assert text.index(f"1. {CAUSE.text}") < text.index("see why") < text.index("Nodes</h2>")
    for said in (
        "its unit has failed",
        "74 partitions are under-replicated",
        "broker 2 is fenced",
        *reasons,
        "kafka1 (node 1) edited in place: x",
        "live: a 1 -&gt; 2",
    ):
        assert said in text
    assert '<body class="failed">' in text
    assert "2 differences between" in text


def test_what_hosts_do_not_grant_is_on_the_page() -> None:
    text = page(dataclasses.replace(GOOD, ungranted=(Ungranted("kafka1", "vm.swappiness", "1", "60", "read-only"),)))
    assert '<body class="proven">' in text
    (line,) = re.findall(r"kafka1: vm\.swappiness[^<]*", text)
    assert named([line]) == [["kafka1", "vm.swappiness", "60", "1"]]
    assert line.endswith("read-only")


def test_the_page_has_the_command_that_shows_the_correction() -> None:
    step = Step("ansible-playbook site.yml --check --diff", "see what a deployment corrects")
    assert step.command in page(dataclasses.replace(GOOD, drift=("a 1 -> 2 on node 1",), corrections=(step,)))


def test_drift_alone_is_neither_healthy_nor_sick() -> None:
    assert "Drifted.</span>" in page(dataclasses.replace(GOOD, drift=("a 1 -> 2 on node 1",)))


def test_nothing_runs_nothing_is_fetched_and_text_stays_text() -> None:
    text = page(dataclasses.replace(GOOD, name="<script>alert(1)</script>"))
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "default-src 'none'" in text
    assert not [word for word in ("http:", "https:", "src=", "@import") if word in text]


MARKUP = "<b onclick=alert(1)>&'\""


def hostile(value: Any) -> Any:
    """The same with markup in place of each text; names of fields stay."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kept = {"roles", "leadership"}
        named = [one.name for one in dataclasses.fields(value) if one.name not in kept]
        return dataclasses.replace(value, **{name: hostile(getattr(value, name)) for name in named})
    if isinstance(value, tuple):
        return tuple(map(hostile, value))
    if isinstance(value, dict):
        return dict.fromkeys([MARKUP], MARKUP)
    return MARKUP if isinstance(value, str) else value


def test_names_that_hosts_and_topics_have_stay_text() -> None:
    text = page(hostile(large_status()))
    assert "<b onclick" not in text
    assert text.count("&lt;b") > 100
    parse(text)


def test_each_figure_of_a_node_is_on_the_page_or_said_to_be_unknown() -> None:
    figures = Figures(
        "4.3.1", 90_000.0, 2, 1 << 30, 2_000_000_000, None, 34, 56, 7_000_000_000, (), 3, 40, ("x: lost",)
    )
    text = page(dataclasses.replace(GOOD, nodes=(dataclasses.replace(NODE, figures=figures),)))
    row = cells(text, "Nodes in figures")[0]
    assert row == {
        "Release": "4.3.1",
        "Up for": "1 d 1 h",
        "Restarts": "2",
        "Heap limit": "1.07 GB",
        "Memory": "2.00 GB",
        "Fullest volume": "unknown",
        "Leaders": "34",
        "Replicas": "56",
        "Bytes": "7.00 GB",
        "Behind": "3",
    }
    assert "kafka1: x: lost" in text


def test_nothing_is_zero_or_empty_where_nothing_is_known() -> None:
    (row,) = cells(page(GOOD), "Nodes in figures")
    assert set(row.values()) == {"unknown"}
    controller = dataclasses.replace(NODE, roles=("controller",))
    (row,) = cells(page(dataclasses.replace(GOOD, nodes=(controller,))), "Nodes in figures")
    assert {row[name] for name in ("Leaders", "Replicas", "Bytes", "Fullest volume")} == {"none"}


def test_log_dirs_have_days_until_full_only_where_a_rate_was_recorded() -> None:
    disk = Disk("/data", "", 5 * 10**9, 3, 10**12, 5 * 10**10)
    node = dataclasses.replace(NODE, figures=Figures(disks=(disk,)))
    bare = page(dataclasses.replace(GOOD, nodes=(node,)))
    (row,) = cells(bare, "Log dirs")
    assert row == {
        "Log dir": "/data", "Kafka's bytes": "5.00 GB", "Replicas": "3", "Volume": "1.00 TB", "Used": "95 %",
        "Free": "50.0 GB",
    }  # fmt: skip
    assert "kafka_prometheus_url" in bare
    told = {
        "2.5 days": Filling(1, "/data", 2.5),
        "does not fill": Filling(1, "/data", None),
        "unknown": Filling(2, "/data", 1.0),
    }
    for said, filling in told.items():
        seen = Watched("http://127.0.0.1:9090", filling=(filling,))
        (row,) = cells(page(dataclasses.replace(GOOD, nodes=(node,), watched=seen)), "Log dirs")
        assert row["Full in"] == said


def test_the_cluster_in_figures_names_what_is_largest_and_what_takes_no_records() -> None:
    text = page(large_status())
    assert cells(text, "Largest topics")[0]["Bytes"] == "7.45 TB"
    assert [row["Lag, records"] for row in cells(text, "Groups")][:2] == ["9,876,543,210", "4,938,271,605"]
    words = " ".join(re.sub(r"<[^>]*>", "", text).split())
    for said in (
        "not all were asked, 900 of 1,234",
        "orders.00-",
        "level 29, the release has up to 30",
        "51 partitions:",
    ):
        assert said in words, said
    assert words.index("51 partitions:") < words.index("Nodes in figures") < words.index("Last deployment")


def test_what_a_table_without_rows_would_say_stands_below_the_figures_of_the_cluster() -> None:
    silent = ClusterFigures(topics=(), groups=(), partial=("bytes and topics: without 1", "groups: kafka1 refuses"))
    text = page(dataclasses.replace(GOOD, figures=silent))
    assert not {"Largest topics", "Groups"} & {one.words() for one in parse(text).all("h2")}
    assert all(said in text for said in silent.partial)
    assert page(large_status()).count("not all were asked") == 1


def test_the_head_has_a_number_for_certificates_and_the_sentence_stands_below() -> None:
    sentence = "the first expires in 36 days: kafka1 at kafka1:9093, by CN=demo, for kafka1"
    shown = dataclasses.replace(NODE, certificates=(Certificate("kafka1:9093", 36, "CN=demo", ("kafka1",)),))
    text = page(dataclasses.replace(GOOD, nodes=(shown,), counts={**GOOD.counts, "Certificates": sentence}))
    head, main = text.split("<main>")
    assert "<dd>36 days</dd>" in head
    assert "CN=demo" not in head
    assert "CN=demo" in main


def cells(text: str, title: str) -> list[dict[str, str]]:
    """Label -> text of each cell, of the rows of a table."""
    table = next(one for one in parse(text).all("section") if one.all("h2")[0].words() == title)
    return [
        {one.attributes["data-label"]: one.words() for one in row.all("td")} for row in table.all("tr") if row.all("td")
    ]
