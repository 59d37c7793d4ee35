"""A generated pair of logs as the proof takes it in, and the comparison of its decision with the oracle's."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter

from spark_jobs.kafka_io import Window
from spark_jobs.proof import small
from spark_jobs.proof.account import LOST, STAMPED, Account
from spark_jobs.proof.held import Held, HeldReader
from spark_jobs.proof.native_records import Content, record
from spark_jobs.proof.positions import place
from spark_jobs.proof.topics import TopicPair, TopicSide
from tests.proof_logs import Case
from tests.proof_oracle import Proof, Side, prove


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


def counted(case: Case, proof: Proof) -> list[int]:
    """Return the number of pairs before the group's offset on both sides."""
    offsets = [(case.source.records[here].offset, case.target.records[there].offset) for here, there in proof.pairs]
    return [bisect_left([one[side] for one in offsets], at) for side, at in enumerate(case.group)]


def agree(case: Case) -> None:
    """The decision, its pairs, its exceptions with their bounds, and the group's place are the oracle's."""
    expected = prove(case.source, case.target)
    account = Account(deletions_allowed=True)
    course = small.judged(pair(case), reader(case), account)
    assert (not faults(account)) == (expected is not None), (faults(account), expected, case)
    if expected is None:
        return
    assert account.paired == len(expected.pairs)
    assert account.excused.records[LOST] == expected.lost
    strict = Account()
    small.judged(pair(case), reader(case), strict)
    assert (not faults(strict)) == (expected.lost == 0)
    alone = len(case.source.records) + len(case.target.records) - 2 * len(expected.pairs)
    kinds = [kind for kind in account.excused.records if kind != STAMPED]
    assert sum(account.excused.records[kind] for kind in kinds) == alone
    assert all(account.excused.records[kind] <= account.excused.at_most[kind] for kind in kinds)
    before = [course.before(side, at, lambda *_: 0) for side, at in enumerate(case.group)]
    assert before == counted(case, expected)
    assert place(before[0], before[1], course.exact).records == abs(before[0] - before[1])
