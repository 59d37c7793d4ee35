"""The verdict and the page of a proof show the findings of any report."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_jobs.page import proof as page
from spark_jobs.progress import Progress
from spark_jobs.proof.account import EXCEPTIONS
from spark_jobs.proof.command import begun
from spark_jobs.proof.config import Address, ProofConfig
from spark_jobs.proof.group_positions import Outcome
from spark_jobs.proof.report_schema import Exempt, Fault, Position, Report, Topic
from spark_jobs.proof.unmatched_records import FAULTS
from spark_jobs.proof.verdict import verdict


def topic(**faults: int) -> Topic:
    return Topic(
        source="a<b",
        target="copy",
        partitions=2,
        source_records=1200,
        target_records=1190,
        paired=1180,
        newest="2026-11-22T10:00:00Z",
        faults={**dict.fromkeys(FAULTS, 0), **faults},
        excused={
            **dict.fromkeys(EXCEPTIONS, Exempt(records=0, at_most=0)),
            **({"compacted_on_source": Exempt(records=3, at_most=4711)} if faults else {}),
        },
        rules=["The source is compacted."] if faults else [],
        examples=[
            Fault(kind=kind, partition=1, source_offset=77_001, target_offset=None, fields=["headers"])
            for kind in faults
        ],
    )


def position(outcome: Outcome, records: int | None) -> Position:
    return Position(
        group="g",
        topic="t",
        partition=0,
        source_offset=5,
        target_offset=4,
        outcome=outcome,
        records=records,
        exact=True,
        set_to=None,
    )


@pytest.mark.parametrize("kind", FAULTS)
def test_any_fault_fails_and_is_named(kind: str) -> None:
    found = verdict([topic(), topic(**{kind: 2})], [], duplicates_allowed=False)
    assert found["outcome"] == "failed"
    assert found["sentences"][0].startswith("a<b: 2 ")


def test_duplicates_fail_only_where_they_are_not_allowed() -> None:
    topics = [topic(duplicated=2)]
    assert verdict(topics, [], duplicates_allowed=True)["outcome"] == "proven"
    assert verdict([topic(duplicated=2, missing=1)], [], duplicates_allowed=True)["outcome"] == "failed"


@pytest.mark.parametrize(
    ("outcome", "proven"),
    [
        ("same", True),
        ("earlier", True),
        ("later", False),
        ("absent", False),
        ("outside_source", False),
        ("outside_target", False),
        ("target_alone", False),
    ],
)
def test_a_group_that_would_skip_records_fails(outcome: Outcome, proven: bool) -> None:
    found = verdict([topic()], [position(outcome, 3)], duplicates_allowed=False)
    assert found["outcome"] == ("proven" if proven else "failed")
    assert len(found["sentences"]) > 1


def report(tmp_path: Path) -> Report:
    return begun(ProofConfig("run", Address("old:1"), Address("new:1"), {"a": "a"}, tmp_path), Progress(tmp_path))


def test_the_page_of_a_run_that_was_interrupted_can_be_made(tmp_path: Path) -> None:
    assert "Unreachable" in page.render(report(tmp_path))


def test_the_page_shows_counts_examples_rules_and_groups(tmp_path: Path) -> None:
    draft = report(tmp_path)
    draft["topics"] = [topic(missing=2, changed=1)]
    draft["groups"] = [position("later", 3)]
    draft["verdict"] = verdict(draft["topics"], draft["groups"], duplicates_allowed=False)
    text = page.render(draft)
    assert "a&lt;b" in text
    assert "a<b" not in text
    for said in (
        "1,200",
        "77,001",
        "headers",
        "The source is compacted.",
        "Compacted away on the source",
        "4,711",
        "skip 3",
    ):
        assert said in text


def test_every_kind_has_its_name_on_the_page() -> None:
    assert list(page.FAULTS) == list(FAULTS)
    assert list(page.EXCUSED) == list(EXCEPTIONS)
