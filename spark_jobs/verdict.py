"""The verdict: an outcome and the sentences with its reasons, for people who have not read the code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spark_jobs.report_schema import (
    Changes,
    Counts,
    Fault,
    LeaderMoved,
    Missing,
    PartitionResult,
    Report,
    Stream,
    Verdict,
)

NOT_CHECKED = (
    "Loss by a power failure of several brokers at once: what is acknowledged is in memory, not necessarily on disk.",
    "Behaviour while a broker fails or restarts: nothing was broken on purpose during this run.",
    "Other clients than Spark's connector and the native client, and other topics than this one.",
    "The bulk load's latency until a consumer holds a record: it is measured until the leading broker has appended it.",
)
NO_APPEND_TIME = (
    "Latency: the topic's timestamps are not the brokers' own (message.timestamp.type is not LogAppendTime)."
)
MOST_MOVED = 5
READINGS = {
    True: "Both readings, batch and streaming, saw the same records.",
    False: "The streaming reading did not see the same records as the batch reading.",
    None: "The batch reading alone came to its end.",
}
NOTHING_KNOWN = "What became of the cluster's records: the run did not get that far."
FATAL = ("lost", "corrupt", "out_of_order", "misplaced", "foreign_headers")
NAMED = (*FATAL, "duplicated", "odd_times")  #: whose first records are named
WORDS = {
    "corrupt": "other bytes than were written",
    "foreign_headers": "headers, which this run does not write",
    "misplaced": "in another partition than the one written to",
    "out_of_order": "behind a later record of its writer",
    "duplicated": "a further copy",
    "odd_times": "made at a time at which this run did not write",
}
NEXT = {
    "lost": "look in the logs{of} for truncation and unclean elections",
    "corrupt": "dump the records with kafka-dump-log.sh, then test disk and memory{of}",
    "foreign_headers": "look for an interceptor or a proxy that adds headers between clients and brokers",
    "misplaced": "look for an interceptor or a proxy that chooses partitions between clients and brokers",
    "out_of_order": "look in the logs{of} for OutOfOrderSequenceException and for leaders that changed meanwhile",
    "duplicated": "look in the logs{of} for the loss of producer state (producer snapshots, producer.id.expiration.ms)",
}


@dataclass(frozen=True)
class Account:
    """Results of a run that came to its end. ``brokers``: those after the write.

    ``retries_needed``: repeated tasks of the writer that explain the duplicates. With fewer, the brokers hold them.
    """

    counts: Counts
    stream: Stream | None
    changes: Changes
    brokers: Mapping[int, str]
    retries_needed: int = 0


def of_run(report: Report, account: Account) -> Verdict:
    """Return ``proven`` unless there is a fault, or the two readings differ.

    ``undecided`` if the only doubt are records behind an open transaction. ``report`` has the lists.
    """
    counts, changed = account.counts, account.changes
    explained = account.retries_needed <= changed["tasks_retried"]
    faults = [name for name in FATAL if counts[name]]  # type: ignore[literal-required]
    faults += [] if explained else ["duplicated"]
    differs = account.stream is not None and not account.stream["same_as_batch"]
    failed = differs or bool(faults)
    undecided = _undecided(report["topic"]["name"], counts, report["per_partition"])
    sentences = _failures(counts, report["first_missing"], explained) if failed else []
    sentences += undecided or ([] if failed else [_success(counts, report["per_partition"])])
    sentences.append(READINGS[account.stream["same_as_batch"] if account.stream else None])
    sentences += _remarks(counts, changed, explained) + _places(report["per_partition"], account.brokers, changed)
    sentences += [_next_step(name, report) for name in faults]
    if failed:
        sentences.append("kafka_smoke_keep_topic keeps the topic of the next run for a look.")
    return Verdict(outcome="failed" if failed else "undecided" if undecided else "proven", sentences=sentences)


def ended(report: Report, reason: str, reached: bool) -> Verdict:
    """Return the verdict of a run that did not come to its end; the first reading's findings stay.

    ``reached``: whether the end has another reason than Kafka.
    """
    found = unreachable(reason)
    counts, changed = report["counts"], report["changes"]
    if counts and changed:
        account = Account(counts, None, changed, {}, min(counts["duplicated"], 1))
        known = of_run(report, account)
        found["outcome"] = "failed" if known["outcome"] == "failed" else "unreachable"
        found["sentences"][1:] = known["sentences"]
    if reached and found["outcome"] == "unreachable":
        found["outcome"] = "undecided"
    return found


def unreachable(reason: str) -> Verdict:
    """Return the verdict of a cluster that did not answer, before or during the run."""
    return Verdict(outcome="unreachable", sentences=[f"The run could not be finished: {reason}", NOTHING_KNOWN])


def _success(counts: Counts, partitions: Sequence[PartitionResult]) -> str:
    once = "at least once" if counts["duplicated"] else "exactly once"
    return (
        f"All {_records(counts['written'])} written to {_number(len(partitions), 'partition')} were read back {once}, "
        "whole and in order."
    )


def _undecided(topic: str, counts: Counts, partitions: Sequence[PartitionResult]) -> list[str]:
    """List partitions with an open transaction before records of this run, and the way to find its producer."""
    found = [result for result in partitions if result["undecided"]]
    if not found:
        return []
    places = ", ".join(f"partition {result['partition']} from offset {result['end_offset']} on" for result in found)
    asked = f"kafka-transactions.sh describe-producers --topic {topic} --partition {found[0]['partition']}"
    return [
        f"{_records(counts['undecided'])} of {counts['written']:,} {_are(counts['undecided'])} undecided, behind an "
        f"open transaction: {places}.",
        f"Next: find its producer (`{asked}`), end the transaction, and verify again.",
    ]


def _failures(counts: Counts, first_missing: Sequence[Missing], explained: bool) -> list[str]:
    sentences = []
    if counts["lost"]:
        first = f"; the first: {missing_text(first_missing[0])}" if first_missing else ""
        sentences.append(f"{counts['lost']:,} of {_records(counts['written'])} acknowledged are lost{first}.")
    if counts["corrupt"]:
        sentences.append(f"{_records(counts['corrupt'])} came back with other bytes than were written.")
    if counts["out_of_order"]:
        said = "came back behind a later record of the same writer in the same partition."
        sentences.append(f"{_records(counts['out_of_order'])} {said}")
    if counts["misplaced"]:
        sentences.append(f"{_records(counts['misplaced'])} came back from another partition than the one written to.")
    if counts["foreign_headers"]:
        sentences.append(f"{_records(counts['foreign_headers'])} came back with headers, and none were written.")
    if not explained:
        sentences.append(
            f"{_number(counts['duplicated'], 'duplicate')}: repeated tasks of the writer do not explain them, so the "
            "brokers hold records more than once."
        )
    return sentences


def named(fault: Fault) -> str:
    """Describe one record with a fault and its place."""
    number = "a record" if fault["sequence"] is None else f"number {fault['sequence']}"
    place = f"partition {fault['partition']} {_leader(fault['leader'])}, offset {fault['offset']}"
    return f"{number}, {place}: {WORDS[fault['kind']]}"


def missing_text(missing: Missing) -> str:
    """Describe one missing record and its place: partition, its leader, the offsets on both sides."""
    before, after = missing["offset_before"], missing["offset_after"]
    place = {
        (True, True): "nothing of its writer is left in that partition",
        (True, False): f"before offset {after}",
        (False, True): f"after offset {before}",
        (False, False): f"between offsets {before} and {after}",
    }[before is None, after is None]
    where = f"partition {missing['partition']} {_leader(missing['leader'])}"
    return f"number {missing['sequence']} (key {missing['key']}), {where}, {place}"


def _leader(leader: int | None) -> str:
    return "without a leader" if leader is None else f"led by node {leader}"


def _remarks(counts: Counts, changed: Changes, explained: bool) -> list[str]:
    """Return remarks that do not fail a run."""
    sentences = []
    if changed["brokers_gone"]:
        gone = ", ".join(f"{node} ({host})" for node, host in changed["brokers_gone"].items())
        sentences.append(f"Gone since the beginning: node {gone}.")
        sentences.append("Next: find the cause of that with playbooks/cluster_status.yml.")
    if changed["leaders_moved"]:
        moved = ", ".join(_moved(one) for one in changed["leaders_moved"][:MOST_MOVED])
        more = len(changed["leaders_moved"]) - MOST_MOVED
        sentences.append(f"Leaders moved meanwhile: {moved}{f', and {more} more' if more > 0 else ''}.")
    if changed["tasks_retried"]:
        sentences.append(f"Spark tried {_number(changed['tasks_retried'], 'task')} of the write again.")
    if counts["duplicated"] and explained:
        copies = _number(counts["duplicated"], "duplicate")
        sentences.append(f"{copies}: a repeated task writes its records again, so they do not fail the run.")
    if counts["odd_times"]:
        said = "made at a time at which this run did not write: a clock was set, or something rewrote them."
        sentences.append(f"{_records(counts['odd_times'])} {'was' if counts['odd_times'] == 1 else 'were'} {said}")
    return sentences


def _moved(one: LeaderMoved) -> str:
    before, after = ("none" if node is None else f"node {node}" for node in (one["before"], one["after"]))
    return f"partition {one['partition']} from {before} to {after}"


def _places(partitions: Sequence[PartitionResult], brokers: Mapping[int, str], changed: Changes) -> list[str]:
    leading = {result["leader"] for result in partitions} & brokers.keys()
    idle = sorted(brokers.keys() - leading)
    if idle:
        names = ", ".join(f"{node} ({brokers[node]})" for node in idle)
        return [f"No partition that took part is led by node {names}: nothing was written through it."]
    left = " that are left" if changed["brokers_gone"] else ""
    return [f"All {len(brokers)} brokers{left} lead partitions that took part."] if len(brokers) > 1 else []


def _next_step(kind: str, report: Report) -> str:
    faults: Sequence[Missing | Fault] = (
        report["first_missing"]
        if kind == "lost"
        else [fault for fault in report["first_faults"] if fault["kind"] == kind]
    )
    nodes = sorted({fault["leader"] for fault in faults if fault["leader"] is not None})
    of = f" of node {', '.join(map(str, nodes))}" if nodes else " of the brokers"
    return f"Next: {NEXT[kind].format(of=of)}."


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _records(count: int) -> str:
    return _number(count, "record")


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
