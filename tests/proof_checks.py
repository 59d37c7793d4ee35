"""A generated pair of logs as the proof takes it in, and the comparison of its decision with the oracle's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from spark_jobs.kafka_io import Window
from spark_jobs.proof import groups, small
from spark_jobs.proof.account import LOST, STAMPED, Account
from spark_jobs.proof.comparison import Comparison
from spark_jobs.proof.group_positions import Course
from spark_jobs.proof.held import Held, HeldReader
from spark_jobs.proof.native_records import Content, record
from spark_jobs.proof.report_schema import Position
from spark_jobs.proof.stretches import Block
from spark_jobs.proof.topics import Place, TopicPair, TopicSide
from tests.proof_logs import Case
from tests.proof_oracle import Side, placed, prove


def held(side: Side, with_timestamp: bool) -> list[Held]:
    return [record(one.offset, Content(*one[1:5]), one.stamped, with_timestamp) for one in side.records]


def reader(case: Case) -> HeldReader:
    both = (held(case.source, not case.stamped), held(case.target, not case.stamped))
    return HeldReader(both, 0, (case.source.aborted, case.target.aborted))


def pair(case: Case, name: str = "t") -> TopicPair:
    """A topic of one partition and its copy."""
    more = {"message.timestamp.type": "LogAppendTime"} if case.stamped else {}
    source, target = (
        TopicSide(
            name,
            Window({0: side.start}, {0: side.end}),
            {"cleanup.policy": "compact" if side.compacted else "delete", **settings},
        )
        for side, settings in ((case.source, {}), (case.target, more))
    )
    return TopicPair(source, target)


def faults(account: Account) -> Counter[str]:
    return +account.faults


def marks(case: Case) -> tuple[set[int], set[int]]:
    return {case.group[0]}, {case.group[1]}


def position(case: Case, course: Course) -> tuple[str, int | None, bool]:
    """Return the outcome of the case's group, its records, and whether they are exact."""
    found = judged(case, course, [{("t", 0): at} for at in case.group])
    return found["outcome"], found["records"], found["exact"]


def judged(case: Case, course: Course, offsets: Sequence[Mapping[Place, int]]) -> Position:
    """Return the position of a group with these offsets of both sides."""
    one = pair(case)
    compared = Comparison([], [one], lambda _: None, {("t", 0): marks(case)})
    compared.courses["t", 0] = course
    compared.blocks = {
        (side, "t", 0): [Block(0, len(log.records), log.records[0].offset, log.records[-1].offset, 0)]
        for side, log in enumerate((case.source, case.target))
        if log.records
    }
    ends = [{("t", 0): side.end} for side in (case.source, case.target)]
    (found,) = groups.positions(compared, {"g": offsets}, ends)
    return found


def agree(case: Case) -> None:
    """The decision, its pairs, its exceptions with their bounds, and the group's place are the oracle's."""
    expected = prove(case.source, case.target)
    account = Account(deletions_allowed=True)
    course = small.judged(pair(case), reader(case), account, marks(case))
    assert (not faults(account)) == (expected is not None), (faults(account), expected, case)
    if expected is None:
        return
    assert account.paired == len(expected.pairs)
    assert account.excused.records[LOST] == expected.lost
    strict = Account()
    small.judged(pair(case), reader(case), strict, marks(case))
    assert (not faults(strict)) == (expected.lost == 0)
    alone = len(case.source.records) + len(case.target.records) - 2 * len(expected.pairs)
    kinds = [kind for kind in account.excused.records if kind != STAMPED]
    assert sum(account.excused.records[kind] for kind in kinds) == alone
    assert all(account.excused.records[kind] <= account.excused.at_most[kind] for kind in kinds)
    assert position(case, course) == placed(case.source, case.target, expected, case.group)
