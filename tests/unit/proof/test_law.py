"""The proof's decision and a brute force by the law's text agree on every generated pair of logs."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings

from spark_jobs.proof import pairing, record_by_record, small
from spark_jobs.proof.account import Account
from spark_jobs.proof.group_positions import Course
from spark_jobs.proof.law import Heads
from spark_jobs.proof.pairing import Pairing
from spark_jobs.proof.record_by_record import Partition
from spark_jobs.proof.stretches import Part, Stretch
from tests.proof_checks import agree, faults, judged, marks, pair, position, reader
from tests.proof_logs import FAULTS, Case, cases
from tests.proof_oracle import Rec, Side, placed, prove

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
        patch.setattr(record_by_record, "MOST_ALONE", most)
        account = Account(deletions_allowed=True)
        parts = [Part(side.start, side.end, len(side.records), side.start - 1) for side in (case.source, case.target)]
        stretch, below = Stretch(parts[0], parts[1], True), [dict.fromkeys(some, 0) for some in marks(case)]
        found = Pairing(below=(below[0], below[1]), heads=Heads.at(marks(case)))
        Partition(reader(case), pair(case), 0).compare(stretch, account, found)
    proof = prove(case.source, case.target)
    if proof is None:
        assert faults(account), case
    elif not faults(account):
        totals = (len(case.source.records), len(case.target.records))
        course = Course(found.paired, totals, None, stretch, found.below, found.heads)
        assert position(case, course) == placed(case.source, case.target, proof, case.group)


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


WHOLE = side(*[b"%d" % n for n in range(10)])
SHORT = WHOLE._replace(records=WHOLE.records[6:], start=6)
COMPACTED = side(b"a", b"b", b"b", b"b", b"c", compacted=True)
CLEAN = COMPACTED._replace(records=COMPACTED.records[3:], start=2)  # deleted up to 2, then the cleaner took 2
GROUPS: list[tuple[str, Side, Side, tuple[int, int], tuple[str, int | None, bool]]] = [
    ("at the source's log start, in the head here", SHORT, WHOLE, (6, 2), ("earlier", 4, True)),
    ("at the first record of both", SHORT, WHOLE, (6, 6), ("same", 0, True)),
    ("further on the source, in the head here", SHORT, WHOLE, (8, 2), ("earlier", 6, True)),
    ("retention has passed it, in the head here", SHORT, WHOLE, (1, 2), ("earlier", 4, True)),
    ("retention has passed it, further here", SHORT, WHOLE, (1, 7), ("outside_source", None, True)),
    ("in the head that is deleted here", WHOLE, SHORT, (2, 6), ("later", 4, True)),
    ("in the head that is deleted here, further here", WHOLE, SHORT, (2, 8), ("later", 6, True)),
    ("in the head that is deleted here, below the log", WHOLE, SHORT, (2, 2), ("outside_target", None, True)),
    ("behind the head that is deleted here", WHOLE, SHORT, (8, 6), ("earlier", 2, True)),
    ("all is deleted on the source", WHOLE._replace(records=(), start=10), WHOLE, (10, 3), ("earlier", 7, True)),
    ("all is deleted here", WHOLE, WHOLE._replace(records=(), start=10), (3, 10), ("later", 7, True)),
    ("deleted and cleaned", CLEAN, COMPACTED, (3, 0), ("earlier", 2, False)),
    ("cleaned alone", CLEAN, COMPACTED, (3, 2), ("same", 0, True)),
]


@pytest.mark.parametrize(
    ("source", "target", "group", "found"), [one[1:] for one in GROUPS], ids=[o[0] for o in GROUPS]
)
def test_a_group_is_judged_by_counting(
    source: Side, target: Side, group: tuple[int, int], found: tuple[str, int | None, bool]
) -> None:
    case = Case(source, target, group)
    course = small.judged(pair(case), reader(case), Account(), marks(case))
    assert position(case, course) == found
    agree(case)


@pytest.mark.parametrize(
    ("source", "target", "at", "set_to"),
    [(SHORT, WHOLE, 6, 6), (SHORT, WHOLE, 1, 6), (WHOLE, SHORT, 2, None), (WHOLE, SHORT, 7, 7)],
)
def test_an_offset_is_set_on_the_target_unless_the_group_would_skip_what_is_deleted_there(
    source: Side, target: Side, at: int, set_to: int | None
) -> None:
    case = Case(source, target, (at, 0))
    course = small.judged(pair(case), reader(case), Account(), marks(case))
    assert judged(case, course, [{("t", 0): at}, {}])["set_to"] == set_to


def test_twenty_kinds_of_faults_are_planted() -> None:
    assert len(FAULTS) >= 20
