"""A record that Spark cannot read costs its partition, not the proof."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import pytest

from spark_jobs.proof import comparison
from spark_jobs.proof.block_reader import Blocks, UnreadableError
from spark_jobs.proof.comparison import Comparison
from spark_jobs.proof.held import Held
from spark_jobs.proof.stretches import Block
from spark_jobs.proof.topics import Cluster, Place, TopicPair
from tests.proof_checks import held, pair
from tests.proof_logs import Case
from tests.proof_oracle import Rec, Side

BEYOND = 1_795_769_259_198_000_000
PLAIN = Side(tuple(Rec(offset, b"k", b"v", (), 1) for offset in range(3)), 0, 3)
STRANGE = PLAIN._replace(records=(*PLAIN.records[:2], PLAIN.records[2]._replace(timestamp=BEYOND)))
EARLY = PLAIN._replace(records=(PLAIN.records[0]._replace(timestamp=-BEYOND), *PLAIN.records[1:]))
LOGS = {"plain": PLAIN, "strange": STRANGE, "early": EARLY}


@dataclass(frozen=True)
class Brokers:
    """They find records by their timestamp, but only later ones than asked for; and the native client reads all."""

    def first_since(self, topic: str, _: list[int], epoch_ms: int) -> dict[int, int]:
        late = [one.offset for one in LOGS[topic].records if one.timestamp >= epoch_ms]
        return {0: late[0]} if late else {}

    def read(self, spans: Mapping[Place, tuple[int, int]]) -> dict[Place, list[Held]]:
        return {place: held(LOGS[place[0]], True) for place in spans}


class OneSide(Cluster):
    @property
    def native(self) -> Any:
        return Brokers()


def blocks(_: Any, pairs: Sequence[TopicPair], __: int, strange: Collection[Place]) -> Blocks:
    """As Spark: no topic is read together with one that it cannot read."""
    read = [one.source.name for one in pairs if (one.source.name, 0) not in strange]
    if any(abs(record.timestamp) == BEYOND for name in read for record in LOGS[name].records):
        raise UnreadableError
    return {(side, name, 0): [Block(0, 3, 0, 2, 7)] for side in (0, 1) for name in read}


def test_the_others_are_proven_and_the_partition_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "first_pass", blocks)
    clusters = [OneSide(cast("Any", None), cast("Any", None), cast("Any", Brokers()))] * 2
    pairs = [pair(Case(side, side, (0, 0)), name) for name, side in LOGS.items()]
    topics = Comparison(clusters, pairs, lambda _: None).compare()
    assert [(topic["paired"], sum(topic["faults"].values())) for topic in topics] == [(3, 0)] * 3
    said = {topic["source"]: topic["rules"] for topic in topics}
    assert said["plain"] == []
    assert "partition 0: the timestamp of offset 2 on the source" in said["strange"][0]
    assert "partition 0: the timestamp of offset 0 on the source" in said["early"][0]
