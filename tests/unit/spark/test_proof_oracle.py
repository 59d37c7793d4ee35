"""A hundred generated pairs of logs through local Spark: its decision is the oracle's in both directions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any, cast

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_jobs import kafka_io
from spark_jobs.kafka_io import Window
from spark_jobs.proof import comparison, groups, stretches
from spark_jobs.proof.account import LOST
from spark_jobs.proof.comparison import Comparison
from spark_jobs.proof.held import Held
from spark_jobs.proof.topics import Cluster, Place
from tests.proof_checks import held, marks, pair
from tests.proof_logs import FAULTS, Case, made
from tests.proof_oracle import Proof, Rec, Side, placed, prove

SCHEMA = (
    "key binary, value binary, topic string, partition int, offset long, timestamp timestamp, timestampType int, "
    "headers array<struct<key: string, value: binary>>"
)
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Logs:
    """Stands for the admin client and the native client of one side."""

    sides: Mapping[str, Side]
    append_time: frozenset[str] = frozenset()

    def first_since(self, *_: Any) -> dict[int, int]:
        return {}

    def read(self, spans: Mapping[Place, tuple[int, int]]) -> dict[Place, list[Held]]:
        return {
            place: [
                one for one in held(self.sides[place[0]], place[0] not in self.append_time) if start <= one.offset < end
            ]
            for place, (start, end) in spans.items()
        }

    def offsets(self, spans: Mapping[Place, tuple[int, int]]) -> dict[Place, list[int]]:
        return {
            place: [one for one in every(self.sides[place[0]]) if start <= one < end]
            for place, (start, end) in spans.items()
        }


def every(side: Side) -> list[int]:
    """Offsets of all records, those of aborted transactions among them."""
    return sorted({one.offset for one in side.records} | set(side.aborted))


@dataclass(frozen=True)
class Generated(Cluster):
    """One side of all pairs, whose rows come as from Kafka: each partition in one task, in its order."""

    sides: Mapping[str, Side] = field(default_factory=dict)

    @property
    def native(self) -> Any:
        return Logs(self.sides, self.append_time)

    def rows(self, windows: Mapping[str, Window], isolation: str = kafka_io.READ_COMMITTED) -> DataFrame:
        parts = [[row(name, one) for one in self.sides[name].records] for name in windows]
        if isolation == kafka_io.READ_UNCOMMITTED:
            parts += [[row(name, Rec(at, None, None, (), 0)) for at in self.sides[name].aborted] for name in windows]
        spread = self.spark.sparkContext.parallelize(parts, len(parts)).flatMap(lambda some: some)
        frame = self.spark.createDataFrame(spread, SCHEMA)
        starts = [(name, window.starts[0], window.ends[0]) for name, window in windows.items()]
        bounds = self.spark.createDataFrame(starts, "topic string, low long, high long").hint("broadcast")
        return frame.join(bounds, "topic").where("offset >= low and offset < high").drop("low", "high")


def row(name: str, one: Rec) -> tuple[Any, ...]:
    when = EPOCH + timedelta(milliseconds=one.timestamp)
    return one.key, one.value, name, 0, one.offset, when, int(one.stamped), list(one.headers) or None


def generated(count: int, keyed: bool | None = None) -> dict[str, Case]:
    """The same ones in each run; half of them with planted faults."""
    names = sorted(FAULTS)
    found = {}
    for number in range(count):
        dice = Random(number)  # noqa: S311
        planted = tuple(dice.sample(names, dice.choice((0, 0, 1, 2))))
        found[f"t{number}"] = made(
            dice, planted, dice.random() < 0.4, dice.random() < 0.5 if keyed is None else keyed, 14
        )
    return found


def compared(spark: SparkSession, cases: Mapping[str, Case]) -> tuple[Comparison, list[Any]]:
    pairs = [pair(case, name) for name, case in cases.items()]
    stamped = frozenset(name for name, case in cases.items() if case.stamped)
    clusters = [
        Generated(spark, cast("Any", None), cast("Any", Logs(sides)), stamped, sides)
        for sides in (
            {name: case.source for name, case in cases.items()},
            {name: case.target for name, case in cases.items()},
        )
    ]
    asked = {(name, 0): marks(case) for name, case in cases.items()}
    made = Comparison(clusters, pairs, lambda _: None, asked, list(cases))
    return made, list(made.compare())


def judged(made: Comparison, cases: Mapping[str, Case], proofs: Mapping[str, Proof | None]) -> set[str]:
    """Require the oracle's place of each group in a proven partition; the outcomes."""
    offsets = {"g": [{(name, 0): case.group[side] for name, case in cases.items()} for side in (0, 1)]}
    ends = [
        {(name, 0): case.source.end for name, case in cases.items()},
        {(name, 0): case.target.end for name, case in cases.items()},
    ]
    found = {one["topic"]: one for one in groups.positions(made, offsets, ends)}
    for name, proof in proofs.items():
        if proof:
            case, one = cases[name], found[name]
            said = (one["outcome"], one["records"], one["exact"])
            assert said == placed(case.source, case.target, proof, case.group), (case, proof)
    return {one["outcome"] for one in found.values()}


def test_a_hundred_pairs_are_judged_as_the_oracle_does(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "LEAST_BITS", 2)
    monkeypatch.setattr(comparison, "DIRECT", 0)  # as if the partitions were larger
    cases = generated(100)
    made, topics = compared(spark, cases)
    expected = {name: prove(case.source, case.target) for name, case in cases.items()}
    decided = {topic["source"]: not any(topic["faults"].values()) for topic in topics}
    assert decided == {name: proof is not None for name, proof in expected.items()}
    assert 20 < sum(decided.values()) < 80
    for topic in topics:
        proof = expected[topic["source"]]
        if proof:
            assert (topic["paired"], topic["excused"][LOST]["records"]) == (len(proof.pairs), proof.lost)
    assert judged(made, cases, expected) >= {"same", "earlier", "later", "outside_source"}


def heads() -> dict[str, Case]:
    """One side has deleted its head, so Spark does not read it; or in one block there is more than that."""
    whole = Side(tuple(Rec(n, b"k", b"%d" % n, (), 1) for n in range(40)), 0, 40)
    short, aborted = whole._replace(records=whole.records[17:], start=17), whole._replace(start=40, records=())
    changed = whole._replace(records=(*whole.records[:-1], whole.records[-1]._replace(offset=41)), end=42)
    return {
        "at the log start": Case(short, whole, (17, 5)),
        "at the first common one": Case(short, whole, (17, 17)),
        "further": Case(short, whole, (20, 5)),
        "retention passed it": Case(short, whole, (3, 12)),
        "deleted here": Case(whole, short, (7, 18)),
        "all deleted": Case(aborted, whole, (40, 39)),
        "all deleted here": Case(whole, aborted, (3, 40)),
        "another offset at the end": Case(short, changed, (17, 8)),
    }


@pytest.mark.parametrize(("count", "keyed"), [(12, False), (6, True)])
def test_large_partitions_are_judged_as_the_oracle_does(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, count: int, keyed: bool
) -> None:
    """As if Spark had to read everything."""
    monkeypatch.setattr(stretches, "LEAST_BITS", 2)
    monkeypatch.setattr(comparison, "DIRECT", 0)
    monkeypatch.setattr(comparison, "SMALL", 0)
    cases = generated(count, keyed) | heads()
    made, topics = compared(spark, cases)
    expected = {name: prove(case.source, case.target) for name, case in cases.items()}
    decided = {topic["source"]: not any(topic["faults"].values()) for topic in topics}
    assert decided == {name: proof is not None for name, proof in expected.items()}
    judged(made, cases, expected)
