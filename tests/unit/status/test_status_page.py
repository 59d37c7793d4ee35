"""The page of a cluster's status: whole, in one file, and nothing in it runs or is fetched."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from ansible.module_utils.kraft.cluster.leadership import Leadership
from ansible.module_utils.kraft.node.machine.ungranted import Ungranted
from ansible.module_utils.kraft.status.advice import Step
from ansible.module_utils.kraft.status.causes import Cause
from ansible.module_utils.kraft.status.effects import Effect
from ansible.module_utils.kraft.status.model import Node, Status
from ansible.module_utils.kraft.status.screen import sections

from spark_jobs.page.status import render
from tests.unit.problems import named
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


def test_drift_alone_is_neither_healthy_nor_sick() -> None:
    assert "Drifted.</span>" in page(dataclasses.replace(GOOD, drift=("a 1 -> 2 on node 1",)))


def test_nothing_runs_nothing_is_fetched_and_text_stays_text() -> None:
    text = page(dataclasses.replace(GOOD, name="<script>alert(1)</script>"))
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "default-src 'none'" in text
    assert not [word for word in ("http:", "https:", "src=", "@import") if word in text]
