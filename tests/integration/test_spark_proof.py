"""The proof of a copy on real brokers: no false alarm on clean copies, and each fault made on purpose is named."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep, time
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic  # type: ignore[attr-defined]
from pyspark.sql import SparkSession

from spark_jobs.errors import EXIT_PROVEN, UsageError
from spark_jobs.progress import Progress
from spark_jobs.proof import comparison, pairing, record_by_record
from spark_jobs.proof.command import begun, prove
from spark_jobs.proof.comparison import Comparison
from spark_jobs.proof.config import Address, ProofConfig
from spark_jobs.proof.report_schema import Report, Topic
from spark_jobs.report_check import schema_errors
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.mirror_maker import mirroring
from tests.integration.patience import until
from tests.integration.spark_topic import create
from tests.integration.topic_copy import PARTITIONS, Copied, Sent, numbered, proof_of, read, visible

ROOT = Path(__file__).resolve().parents[2]
RECORDS = 6000
SETTLED_SECONDS = 240
MIRROR_SECONDS = 120
COMPACTED = {
    "cleanup.policy": "compact",
    "min.cleanable.dirty.ratio": "0.01",
    "segment.ms": "500",
    "max.compaction.lag.ms": "1000",
}


def proven(
    spark: SparkSession,
    directory: Path,
    *copies: Copied,
    groups: tuple[str, ...] = (),
    allowed: tuple[str, ...] = (),
    **more: bool,
) -> Report:
    """The report of a proof of these copies."""
    empty = Address("")
    config = proof_of(copies, ProofConfig("test", empty, empty, {}, directory, groups, False, allowed, **more))
    progress = Progress(directory)
    draft = begun(config, progress)
    prove(spark, config, draft, progress)
    assert schema_errors(draft, Report) == []
    return draft


def faults(topic: Topic) -> dict[str, int]:
    return {kind: count for kind, count in topic["faults"].items() if count}


def cleaned(cluster: KafkaCluster, copied: Copied) -> None:
    """Returns when the source is compacted and its cleaner changes nothing any more; the copy is as it was."""
    deadline, before = monotonic() + SETTLED_SECONDS, -1
    while monotonic() < deadline:
        now = int(time() * 1000)  # the age of a segment is counted by its records
        copied.both([Sent(number, b"roll", b"%d" % now, timestamp=now) for number in range(PARTITIONS)])
        sleep(1.5)  # longer than segment.ms and the cleaner's rest together
        count = visible(cluster.bootstrap_servers, copied.source)
        if count in range(before - 2, before + 3) and count < RECORDS // 2:
            return
        before = count
    raise AssertionError(f"not compacted within {SETTLED_SECONDS} s")


@pytest.mark.usefixtures("quick_cleaner")
def test_ten_clean_copies_raise_no_alarm(
    spark: SparkSession, kafka_cluster: KafkaCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap, records = kafka_cluster.bootstrap_servers, numbered(RECORDS)
    plain, no_keys, no_values, headed, empty = (
        Copied.make(bootstrap, f"clean-{name}") for name in ("plain", "keys", "values", "headers", "empty")
    )
    plain.both(records)
    no_keys.both([one._replace(key=None) for one in records])
    no_values.both([one._replace(value=None if n % 3 else b"") for n, one in enumerate(records)])
    headers: list[tuple[tuple[str, bytes | None], ...]] = [(), (("a", b"b"), ("a", None)), (("", b""),)]
    headed.both([one._replace(headers=headers[n % 3]) for n, one in enumerate(records)])
    repeated = Copied.make(bootstrap, "clean-repeated")
    repeated.both([Sent(n % PARTITIONS, b"k", b"v") for n in range(RECORDS)])
    transactional = Copied.make(bootstrap, "clean-transactional")
    transactional.write_transactions(transactional.source, records)
    transactional.write(transactional.target, records)
    stamped = Copied.make(bootstrap, "clean-stamped", target={"message.timestamp.type": "LogAppendTime"})
    stamped.both(records)
    shortened = Copied.make(bootstrap, "clean-shortened")
    shortened.both(records)
    delete_first(bootstrap, shortened.source, 1100)
    compacted = Copied.make(bootstrap, "clean-compacted", COMPACTED, {"cleanup.policy": "compact"})
    compacted.both(records)
    cleaned(kafka_cluster, compacted)
    copies = (plain, no_keys, no_values, headed, empty, repeated, transactional, stamped, shortened, compacted)
    report = proven(spark, tmp_path, *copies)
    assert [(topic["source"], faults(topic)) for topic in report["topics"]] == [(one.source, {}) for one in copies]
    assert report["verdict"]["outcome"] == "proven"
    for reader in ("DIRECT", "SMALL"):
        monkeypatch.setattr(comparison, reader, 0)  # as if the partitions were large
    large = proven(spark, tmp_path, shortened, compacted)["topics"]
    assert large[0] == report["topics"][-2]
    assert faults(large[1]) == {}  # its cleaner may have done more
    by_name = {topic["source"]: topic for topic in report["topics"]}
    assert len(by_name) == 10
    whole = [by_name[one.source] for one in copies[:-2] if one is not empty]
    assert {(topic["source_records"], topic["target_records"], topic["paired"]) for topic in whole} == {(RECORDS,) * 3}
    assert by_name[shortened.source]["excused"]["deleted_on_source"] == {"records": 1100, "at_most": 1100}
    gone = by_name[compacted.source]
    excused = gone["excused"]["compacted_on_source"]
    assert excused["records"] == gone["target_records"] - gone["paired"] > RECORDS // 2
    assert excused["records"] <= excused["at_most"] <= RECORDS + SETTLED_SECONDS * PARTITIONS
    assert by_name[stamped.source]["excused"]["timestamps_set_by_target"]["records"] == RECORDS
    said = {topic["source"] for topic in report["topics"] if topic["rules"]}
    assert said == {stamped.source, shortened.source, compacted.source}


def delete_first(bootstrap: str, topic: str, count: int) -> None:
    """Delete records like retention."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    place = TopicPartition(topic, 1, count)
    admin.delete_records([place])[place].result(30)


@pytest.fixture
def clean(kafka_cluster: KafkaCluster, request: pytest.FixtureRequest) -> tuple[Copied, list[Sent], list[int]]:
    """An empty topic and copy, the source written; the records, and the source's offset of each."""
    name = request.node.name.replace("[", "-").rstrip("]")
    copied = Copied.make(kafka_cluster.bootstrap_servers, name)
    records = [one._replace(headers=(("h", b"%d" % n),)) for n, one in enumerate(numbered(RECORDS))]
    copied.write_transactions(copied.source, records, size=1000)
    return copied, records, offsets(copied.bootstrap, copied.source, records)


def offsets(bootstrap: str, topic: str, records: list[Sent]) -> list[int]:
    """Return the offset at which an independent client finds each record."""
    found = {message.value(): message.offset() or 0 for message in read(bootstrap, topic)}
    return [found[one.value] for one in records]


def named(topic: Topic) -> set[tuple[str, int, int | None, int | None, tuple[str, ...]]]:
    return {
        (one["kind"], one["partition"], one["source_offset"], one["target_offset"], tuple(one["fields"]))
        for one in topic["examples"]
    }


Clean = tuple[Copied, list[Sent], list[int]]


SMALL = {100_000: comparison.SMALL, 700: 0}  # 0: as if the partition were large


@pytest.mark.parametrize("window", SMALL)
def test_a_dropped_a_changed_two_swapped_and_a_duplicated_record_are_named(
    spark: SparkSession, clean: Clean, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    """Numbers 300, 1503, 3006 (with 3009) and 4512 are in partition 0, far from each other and from the ends."""
    monkeypatch.setattr(pairing, "WINDOW", window)
    monkeypatch.setattr(comparison, "SMALL", SMALL[window])
    monkeypatch.setattr(comparison, "DIRECT", 0)
    copied, records, at = clean
    target = list(records)
    target[1503] = target[1503]._replace(value=b"another")
    target[3006], target[3009] = target[3009], target[3006]
    target.insert(4515, target[4512])
    del target[300]
    copied.write(copied.target, target)
    report = proven(spark, tmp_path, copied)
    (topic,) = report["topics"]
    assert report["verdict"]["outcome"] == "failed"
    assert topic["paired"] == RECORDS - 3
    there = {number: number // PARTITIONS - 1 for number in (1503, 3006, 3009, 4512)}
    assert faults(topic) == dict.fromkeys(("missing", "changed", "reordered", "duplicated"), 1)
    swapped = [("reordered", 0, at[3006], there[3009], ()), ("reordered", 0, at[3009], there[3006], ())]
    certain = {
        ("missing", 0, at[300], None, ()),
        ("changed", 0, at[1503], there[1503], ("value",)),
        ("duplicated", 0, at[4512], there[4512] + 1, ()),
    }
    assert named(topic) in [certain | {one} for one in swapped]


CHANGES: list[dict[str, Any]] = [{"key": b"other"}, {"value": None}, {"headers": ()}, {"timestamp": 1}]


def test_a_change_of_each_part_is_named(spark: SparkSession, clean: Clean, tmp_path: Path) -> None:
    copied, records, at = clean
    target = list(records)
    for number, change in enumerate(CHANGES):
        target[number] = target[number]._replace(**change)
    copied.write(copied.target, target)
    (topic,) = proven(spark, tmp_path, copied)["topics"]
    assert named(topic) == {
        ("changed", number % PARTITIONS, at[number], number // PARTITIONS, tuple(change))
        for number, change in enumerate(CHANGES)
    }


def test_an_extra_record_and_a_short_copy_are_told_apart(spark: SparkSession, clean: Clean, tmp_path: Path) -> None:
    """The copy lacks its last 30 records, has one that the source has not, and names no more than ten of each."""
    copied, records, at = clean
    target = [*records[:5], records[5]._replace(key=b"new", value=b"new"), *records[5:-30]]
    copied.write(copied.target, target)
    (topic,) = proven(spark, tmp_path, copied)["topics"]
    assert faults(topic) == {"missing": 30, "extra": 1}
    missing = {(one.partition, offset) for one, offset in zip(records[-30:], at[-30:])}
    examples = [one for one in topic["examples"] if one["kind"] == "missing"]
    assert [(one["partition"], one["source_offset"]) for one in examples] == sorted(missing)[:10]


def test_a_copy_in_which_every_record_differs_is_accounted_for(
    spark: SparkSession, clean: Clean, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if more are unpaired than are kept: they are classified in parts."""
    monkeypatch.setattr(pairing, "WINDOW", 1500)
    monkeypatch.setattr(record_by_record, "MOST_ALONE", 2000)
    monkeypatch.setattr(comparison, "SMALL", 0)
    monkeypatch.setattr(comparison, "DIRECT", 0)
    copied, records, _ = clean
    copied.write(copied.target, [one._replace(timestamp=one.timestamp + 1) for one in records])
    (topic,) = proven(spark, tmp_path, copied)["topics"]
    assert (faults(topic), topic["paired"]) == ({"changed": RECORDS}, 0)
    assert {tuple(one["fields"]) for one in topic["examples"]} == {("timestamp",)}


def test_groups_are_judged_by_counting(
    spark: SparkSession, clean: Clean, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Offsets that follow each other far apart, and those that no log holds."""
    monkeypatch.setattr(comparison, "DIRECT", 0)  # blocks are counted
    copied, records, at = clean
    copied.write(copied.target, records)
    for number, back in ((300, 0), (301, 5), (302, -5)):
        commit(copied, "reader", number % PARTITIONS, at[number], number // PARTITIONS - back)
    commit(copied, "slow", 0, at[5400], 100)
    commit(copied, "astray", 0, at[3000], RECORDS)
    commit(copied, "astray", 1, RECORDS * 2, 0)
    commit(copied, "stale", 2, None, 300)
    commit(copied, "stale", 1, None, 0)  # no record would be skipped
    report = proven(spark, tmp_path, copied, groups=("reader", "nobody", "slow", "astray", "stale"))
    found = {(one["group"], one["partition"]): (one["outcome"], one["records"]) for one in report["groups"]}
    near = {("reader", 0): ("same", 0), ("reader", 1): ("earlier", 5), ("reader", 2): ("later", 5)}
    outside = {("astray", 0): ("outside_target", None), ("astray", 1): ("outside_source", None)}
    assert found == {**near, **outside, ("slow", 0): ("earlier", 1700), ("stale", 2): ("target_alone", 300)}
    assert report["verdict"]["outcome"] == "failed"
    assert any("would skip 5 records" in sentence for sentence in report["verdict"]["sentences"])


def test_offsets_that_mirrormaker_never_translates_are_set_where_the_pairs_say_to_which(
    spark: SparkSession, kafka_cluster: KafkaCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the log start, at 0 of an empty partition, at the end; Spark gives none in the midst of equal records."""
    monkeypatch.setattr(comparison, "DIRECT", 0)
    bootstrap = kafka_cluster.bootstrap_servers
    copied = Copied.make(bootstrap, "unset")
    records = [one._replace(partition=n % 2) for n, one in enumerate(numbered(1200))]
    copied.write(copied.source, records)
    copied.write(copied.target, [records[1], *records])  # partition 1 of the copy begins with one more
    delete_first(bootstrap, copied.target, 1)
    delete_first(bootstrap, copied.source, 400)
    for group, partition, offset in (
        ("late", 1, 100),
        ("late", 2, 0),
        ("late", 0, 600),
        ("amid", 0, 300),
        ("far", 0, 900),
    ):
        commit(copied, group, partition, offset)
    asked: dict[str, Any] = {"before_switch": True}
    report = proven(spark, tmp_path, copied, groups=("late", "amid", "far"), **asked)
    found = {(one["group"], one["partition"]): (one["outcome"], one["set_to"]) for one in report["groups"]}
    late = {("late", 0): ("absent", 600), ("late", 1): ("outside_source", 401), ("late", 2): ("absent", 0)}
    assert found == {**late, ("amid", 0): ("absent", None), ("far", 0): ("outside_source", None)}
    assert report["verdict"]["outcome"] == "failed"
    assert sum("kafka_mirror_set_offsets=true" in one for one in report["verdict"]["sentences"]) == 4
    report = proven(spark, tmp_path, copied, groups=("late", "amid"), set_offsets=True, **asked)
    assert report["verdict"]["outcome"] == "failed"
    assert at(copied, "late") == {}  # nothing is set if not all is proven
    report = proven(spark, tmp_path, copied, groups=("late",), set_offsets=True, **asked)
    assert {one["outcome"] for one in report["groups"]} == {"set"}
    assert report["verdict"]["outcome"] == "proven"
    assert at(copied, "late") == {0: 600, 1: 401, 2: 0}
    report = proven(spark, tmp_path, copied, groups=("late",), set_offsets=True, **asked)
    assert (report["verdict"]["outcome"], {one["outcome"] for one in report["groups"]}) == ("proven", {"same"})


@pytest.mark.parametrize("small", [comparison.SMALL, 0], ids=["small", "as if large"])
def test_no_lost_foreign_or_skipped_record_is_proven(
    spark: SparkSession, kafka_cluster: KafkaCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int
) -> None:
    """Six copies that are none, and one that is, with a record that Spark cannot read."""
    monkeypatch.setattr(comparison, "SMALL", small)
    monkeypatch.setattr(comparison, "DIRECT", 0)
    bootstrap, name = kafka_cluster.bootstrap_servers, f"law-{small}"
    records = [one._replace(partition=1) for one in numbered(1500)]
    shortened, foreign, replaced, repeated, stuck, strange, aborted = copies = [
        Copied.make(bootstrap, f"{name}-{kind}", settings, settings)
        for kind, settings in (
            ("shortened", {}),
            ("foreign", {}),
            ("replaced", {"cleanup.policy": "compact"}),
            ("repeated", {}),
            ("stuck", {}),
            ("strange", {"message.timestamp.after.max.ms": str(2**63 - 1)}),
            ("aborted", {"cleanup.policy": "compact"}),
        )
    ]
    shortened.both(records)
    delete_first(bootstrap, shortened.target, 5)
    foreign.write(foreign.source, records)
    foreign.write(foreign.target, [records[0]._replace(value=b"foreign"), *records[500:]])
    delete_first(bootstrap, foreign.target, 1)
    replaced.write(replaced.source, records)
    changed = [*records[:300], records[300]._replace(value=b"FOREIGN"), *records[300:]]
    changed[501] = changed[501]._replace(value=b"WRONG")
    replaced.write(replaced.target, changed)
    repeated.both([records[0]] * 3000)
    commit(repeated, "beat", 1, 500, 900)
    stuck.both(records)
    nanoseconds = [*records, records[0]._replace(timestamp=1_795_769_259_198_000_000)]
    strange.both([*nanoseconds, *(one._replace(partition=0) for one in records)])
    aborted.write_transactions(
        aborted.source, records[:100]
    )  # 100 are aborted: one marker looks like a compacted record
    aborted.write(aborted.target, [*(one._replace(value=b"foreign") for one in records[:3]), *records[:100]])
    with open_transaction(bootstrap, stuck.target):
        report = proven(spark, tmp_path, *copies, groups=("beat",))
    found = [faults(topic) for topic in report["topics"]]
    assert found == [
        {"deleted": 5},
        {"missing": 499, "deleted": 1},
        {"changed": 1, "extra": 1},
        {},
        {},
        {},
        {"extra": 2},
    ]
    assert [(one["outcome"], one["records"], one["exact"]) for one in report["groups"]] == [("later", 400, True)]
    assert report["undecided"] == [{"topic": stuck.target, "side": "target", "offsets": 1}]
    assert [topic["paired"] for topic in report["topics"]][3:] == [3000, 1500, 3001, 100]
    said = report["topics"][5]["rules"]
    assert "partition 1" in said[-1]
    assert "offset 1500" in said[-1]
    allowed = proven(spark, tmp_path, shortened, allowed=(shortened.source,))
    assert allowed["verdict"]["outcome"] == "proven"
    assert allowed["topics"][0]["excused"]["deleted_on_target"] == {"records": 5, "at_most": 5}


@contextmanager
def open_transaction(bootstrap: str, topic: str) -> Iterator[None]:
    """A foreign producer that has written one record, and neither commits nor aborts."""
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": f"foreign-{topic}", "linger.ms": 0})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, b"foreign", partition=1)
    assert producer.flush(30) == 0
    yield
    producer.abort_transaction()


def commit(copied: Copied, group: str, partition: int, source: int | None, target: int | None = None) -> None:
    consumer = Consumer({"bootstrap.servers": copied.bootstrap, "group.id": group})
    places = {copied.source: source, copied.target: target}
    offsets = [TopicPartition(topic, partition, offset) for topic, offset in places.items() if offset is not None]
    consumer.commit(offsets=offsets, asynchronous=False)
    consumer.close()


def at(copied: Copied, group: str) -> dict[int, int]:
    """Partition -> the group's offset in the copy."""
    consumer = Consumer({"bootstrap.servers": copied.bootstrap, "group.id": group})
    found = consumer.committed([TopicPartition(copied.target, number) for number in range(PARTITIONS)], timeout=30)
    consumer.close()
    return {one.partition: one.offset for one in found if one.offset >= 0}


def test_the_command_writes_report_and_page(clean: Clean, tmp_path: Path) -> None:
    copied, records, _ = clean
    copied.write(copied.target, records)
    config = {
        "run_id": "command",
        "source": {"bootstrap_servers": copied.bootstrap},
        "target": {"bootstrap_servers": copied.bootstrap},
        "topics": {copied.source: copied.target},
        "output_dir": str(tmp_path / "out"),
    }
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(config))
    line = [sys.executable, "-m", "spark_jobs.proof", "--config", str(path)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == EXIT_PROVEN, done.stdout + done.stderr
    report = json.loads((tmp_path / "out/report.json").read_text())
    assert schema_errors(report, Report) == []
    page = (tmp_path / "out/page.html").read_text()
    assert "All 6,000 records of 1 topic are the same on both sides." in page


def test_a_copy_that_is_not_there_or_has_other_partitions_is_refused(
    spark: SparkSession, clean: Clean, tmp_path: Path
) -> None:
    copied, _, _ = clean
    with pytest.raises(UsageError, match="nowhere does not exist"):
        proven(spark, tmp_path, replace(copied, target="nowhere"))
    other = create(copied.bootstrap, "other-partitions", PARTITIONS + 1, {}, replicas=1)
    with pytest.raises(UsageError, match=f"{other} 4 on the target"):
        proven(spark, tmp_path, replace(copied, target=other))
    itself = {copied.source: copied.source}
    here, there = (Address(copied.bootstrap.replace("127.0.0.1", name)) for name in ("127.0.0.1", "localhost"))
    config = ProofConfig("itself", here, there, itself, tmp_path)
    with pytest.raises(UsageError, match="would be compared with itself"):
        prove(spark, config, begun(config, Progress(tmp_path)), Progress(tmp_path))


def test_what_changes_on_the_target_while_it_is_proven_prevents_a_switch(
    spark: SparkSession, clean: Clean, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its retention deletes records that the source still holds, a client writes there already, and a group goes on."""
    copied, records, at = clean
    copied.write(copied.target, records)
    for group in ("moving", "resting"):
        commit(copied, group, 0, at[300], 100)
    compare = Comparison.compare

    def compared(made: Comparison) -> list[Topic]:
        found = compare(made)
        delete_first(copied.bootstrap, copied.source, 20)
        delete_first(copied.bootstrap, copied.target, 25)
        copied.write(copied.target, [Sent(2, b"foreign", b"foreign")])
        commit(copied, "moving", 0, at[3000], None)
        return found

    monkeypatch.setattr(Comparison, "compare", compared)
    monkeypatch.setattr(comparison, "DIRECT", 0)  # blocks are counted
    report = proven(spark, tmp_path, copied, groups=("moving", "resting"), before_switch=True)
    assert faults(report["topics"][0]) == {}
    assert {one["outcome"] for one in report["groups"]} == {"same"}
    assert report["verdict"]["outcome"] == "failed"
    said = "\n".join(report["verdict"]["sentences"])
    assert "was written on the target during the proof: 1 offsets" in said
    assert "25 offsets were deleted on the target during the proof" in said
    assert "Group moving moved during the proof, in 1 partitions" in said
    assert "Group resting moved" not in said


def test_a_topic_that_is_made_again_or_gets_partitions_while_it_is_proven_prevents_a_switch(
    spark: SparkSession, kafka_cluster: KafkaCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many records are there as before, but others; or some are in partitions that were not compared."""
    bootstrap = kafka_cluster.bootstrap_servers
    kinds = [f"{kind}-{side}" for kind in ("remade", "split") for side in ("source", "target")]
    copies = {kind: Copied.make(bootstrap, kind) for kind in (*kinds, "resting")}
    for copied in copies.values():
        copied.write(copied.source, numbered(60))
        copied.write(copied.target, numbered(60))
    compare = Comparison.compare

    def compared(made: Comparison) -> list[Topic]:
        found = compare(made)
        for kind in kinds:
            name = getattr(copies[kind], kind.split("-")[1])
            if kind.startswith("remade"):
                make_again(bootstrap, name, PARTITIONS)
                copies[kind].write(name, [one._replace(value=b"another") for one in numbered(60)])
            else:
                add_partition(bootstrap, name, PARTITIONS)
                copies[kind].write(name, [Sent(PARTITIONS, b"k", b"not compared")])
        return found

    monkeypatch.setattr(Comparison, "compare", compared)
    report = proven(spark, tmp_path, *copies.values(), before_switch=True)
    assert [faults(one) for one in report["topics"]] == [{}] * 5
    assert report["verdict"]["outcome"] == "failed"
    said = [one for one in report["verdict"]["sentences"] if "during the proof" in one and not one.startswith("What")]
    assert len(said) == 4
    for kind, one in zip(kinds, said):
        words = "was deleted on the" if kind.startswith("remade") else f"now has {PARTITIONS + 1} partitions on the"
        assert one.startswith(f"{copies[kind].source} {words} {kind.split('-')[1]}")


def make_again(bootstrap: str, name: str, partitions: int) -> None:
    """Returns when another topic of this name is there, and the first one is not."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.delete_topics([name])[name].result()
    assert until(lambda: name not in topics_of(bootstrap), seconds=SETTLED_SECONDS)
    admin.create_topics([NewTopic(name, partitions, 1)])[name].result()


def add_partition(bootstrap: str, name: str, partitions: int) -> None:
    """Returns when each broker lists the new partition."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_partitions([NewPartitions(name, partitions + 1)])[name].result()
    deadline = monotonic() + SETTLED_SECONDS
    for server in bootstrap.split(","):
        while len(AdminClient({"bootstrap.servers": server}).list_topics(name).topics[name].partitions) <= partitions:
            assert monotonic() < deadline
            sleep(0.1)


def test_what_the_archives_mirrormaker_has_copied_is_proven(
    spark: SparkSession, kafka_cluster: KafkaCluster, tmp_path: Path
) -> None:
    bootstrap = kafka_cluster.bootstrap_servers
    source = create(bootstrap, "mirrored", PARTITIONS, {}, replicas=1)
    copied = Copied(bootstrap, source, f"old.{source}")
    headers = ((), (("a", b"b"), ("a", None)))
    records = [one._replace(headers=headers[n % 2]) for n, one in enumerate(numbered(RECORDS))]
    copied.write_transactions(source, records, size=1000)
    with mirroring(bootstrap, tmp_path, {"topics": source}) as mirror:
        deadline = monotonic() + MIRROR_SECONDS
        while copied.target not in topics_of(bootstrap) or visible(bootstrap, copied.target) < RECORDS:
            assert mirror.poll() is None, (tmp_path / "mirror.log").read_text()[-4000:]
            assert monotonic() < deadline, (tmp_path / "mirror.log").read_text()[-4000:]
            sleep(0.5)
    report = proven(spark, tmp_path, copied)
    assert report["verdict"]["outcome"] == "proven"
    assert report["topics"][0]["paired"] == RECORDS


def topics_of(bootstrap: str) -> set[str]:
    return set(AdminClient({"bootstrap.servers": bootstrap}).list_topics(timeout=10).topics)
