"""The proof's decision and a brute force by the law's text agree on every generated pair of logs."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings

from spark_jobs.proof import closer_look, pairing
from spark_jobs.proof.account import Account
from spark_jobs.proof.closer_look import Partition
from spark_jobs.proof.stretches import Part, Stretch
from tests.proof_checks import agree, faults, pair, reader
from tests.proof_logs import FAULTS, Case, cases
from tests.proof_oracle import Rec, Side, prove

FEW = settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@FEW
@given(cases())
def test_the_decision_is_the_oracles(case: Case) -> None:
    agree(case)


@pytest.mark.parametrize(("window", "most"), [(4, 3), (8, 100_000), (100_000, 100_000)])
@FEW
@given(case=cases())
def test_a_partition_that_is_read_in_parts_is_never_proven_against_the_oracle(
    case: Case, window: int, most: int
) -> None:
    assume(len({one.stamped for one in case.target.records}) < 2)  # such partitions are never read in parts
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairing, "WINDOW", window)
        patch.setattr(closer_look, "MOST_ALONE", most)
        account = Account(deletions_allowed=True)
        parts = [Part(side.start, side.end, len(side.records), side.start - 1) for side in (case.source, case.target)]
        Partition(reader(case), pair(case), 0).compare(Stretch(parts[0], parts[1], True), account)
    if prove(case.source, case.target) is None:
        assert faults(account), case


def side(*keys: bytes, start: int = 0, end: int | None = None, compacted: bool = False) -> Side:
    """Records that differ, one for each key; without a key there is a hole."""
    records = tuple(Rec(start + n, key, b"%d" % (start + n), (), 1) for n, key in enumerate(keys) if key)
    return Side(records, start, start + len(keys) if end is None else end, compacted)


HOLE = b""
SOURCE = side(b"a", b"b", b"a", b"c")
ABORTED = Side((Rec(1, b"a", b"1", (), 1),), 0, 2, True, (0,))
CLEANED = SOURCE._replace(compacted=True)
PLAIN: list[tuple[str, Side, Side, bool]] = [
    ("the same", SOURCE, SOURCE, True),
    ("deleted on the source", side(b"a", b"c", start=2), SOURCE, True),
    ("lost, and one was deleted", SOURCE, SOURCE._replace(records=SOURCE.records[2:], start=1), False),
    ("compacted away", CLEANED, side(HOLE, b"b", b"a", b"c", compacted=True), True),
    ("compacted, and the source is not", SOURCE, side(HOLE, b"b", b"a", b"c", compacted=True), False),
    ("the last of its key is lost", CLEANED, side(b"a", b"b", HOLE, b"c", compacted=True), False),
    ("a hole, but no compaction", SOURCE, side(HOLE, b"b", b"a", b"c"), False),
    ("both heads", side(b"a", start=5, compacted=True), side(b"b", start=5, compacted=True), False),
    ("foreign, if the source has an aborted record", ABORTED, side(b"a", b"a"), False),
    ("compacted on the source", ABORTED._replace(aborted=()), side(b"a", b"a"), True),
    ("no hole", side(b"a", b"a", b"a", compacted=True), side(b"a", b"a", compacted=True)._replace(start=0), False),
]


@pytest.mark.parametrize(("source", "target", "proven"), [one[1:] for one in PLAIN], ids=[one[0] for one in PLAIN])
def test_the_law_in_plain_cases(source: Side, target: Side, proven: bool) -> None:
    assert (prove(source, target) is not None) == proven
    agree(Case(source, target, (source.end, target.end)))


def test_twenty_kinds_of_faults_are_planted() -> None:
    assert len(FAULTS) >= 20
