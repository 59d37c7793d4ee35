"""Whatever a proof finds before a switch has a row in the runbook, and a refusal repeats no line of a log."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from spark_jobs.proof.group_positions import BAD
from spark_jobs.proof.report_schema import Position
from spark_jobs.proof.verdict import ROWS, RUNBOOK, SAID, describe_position, remedies

ROOT = Path(__file__).resolve().parents[2]


def test_each_row_is_in_the_runbook() -> None:
    table = (ROOT / RUNBOOK).read_text().partition("## If it fails")[2].partition("## Way back")[0]
    rows = {
        found for line in table.splitlines() if "|" in line for found in re.findall("`([^`]+)`", line.split("|")[1])
    }
    assert set(ROWS) <= rows


def test_each_fault_and_each_bad_offset_has_a_row() -> None:
    positions = [
        Position(
            group="g",
            topic="t",
            partition=0,
            source_offset=1,
            target_offset=2,
            outcome=outcome,
            records=3,
            exact=True,
            set_to=None,
        )
        for outcome in BAD
    ]
    said = [*SAID.values(), *map(describe_position, positions)]
    assert [sentence for sentence in said if not remedies([sentence])] == []


def test_a_refusal_is_the_reports_sentences() -> None:
    block = yaml.safe_load((ROOT / "roles/kafka_smoke/tasks/copy.yml").read_text())[0]["block"]
    task = next(task for task in block if "ansible.builtin.assert" in task)
    assert "lookup('file', report)" in task["vars"]["found"]
    assert "found.run_id | default('') == ansible_facts['kafka_reports'].run_id" in task["vars"]["sentences"]
    assert "setLogLevel" in task["vars"]["sentences"]


def test_one_run_at_a_time_writes_the_reports_of_both_proofs() -> None:
    folder = ROOT / "roles/kafka_smoke/tasks"
    for name in ("copy", "main"):
        first, *others = yaml.safe_load((folder / f"{name}.yml").read_text())
        task = first["block"][0] if "block" in first else first
        assert task["ansible.builtin.import_tasks"] == "steps/take_reports.yml"
        always = (first if "always" in first else others[-1])["always"]
        given = [one["kafka_report"] for one in always if one.get("kafka_report", {}).get("kind") == "given_back"]
        assert given == [{"kind": "given_back", "directory": task["vars"]["__kafka_smoke_reports"]}]
    taken = yaml.safe_load((folder / "steps/take_reports.yml").read_text())[0]["kafka_report"]
    assert (taken["directory"], taken["exclusive"]) == ("{{ __kafka_smoke_reports }}", True)
