"""The verdict: an outcome and the sentences that say why, for people who have not read the code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spark_jobs.report_schema import Counts, Missing, PartitionResult, Stream, Verdict

NOT_CHECKED = (
    "Loss by a power failure of several brokers at once: what is acknowledged is in memory, not necessarily on disk.",
    "Behaviour while a broker fails or restarts: nothing was broken on purpose during this run.",
    "Other clients than Spark's connector and the native client, and other topics than this one.",
    "Latency until a consumer holds a record: it is measured until the leading broker has appended it.",
)
NO_APPEND_TIME = (
    "Latency: the topic's timestamps are not the brokers' own (message.timestamp.type is not LogAppendTime)."
)
NOTHING_KNOWN = "What became of the cluster's records: the run did not get that far."
FATAL = ("lost", "corrupt", "out_of_order", "misplaced")


def of_run(
    counts: Counts,
    first_missing: Sequence[Missing],
    partitions: Sequence[PartitionResult],
    brokers: Mapping[int, str],
    stream: Stream,
) -> Verdict:
    """``proven`` unless something is lost, corrupt, out of order or misplaced, or the two readings differ."""
    differs = not stream["same_as_batch"]
    failed = differs or any(counts[name] for name in FATAL)  # type: ignore[literal-required]
    sentences = _failures(counts, first_missing) if failed else [_success(counts, partitions)]
    sentences.append(
        "The streaming reading did not see the same records as the batch reading."
        if differs
        else "Both readings, batch and streaming, saw the same records."
    )
    sentences += _remarks(counts, partitions, brokers)
    if failed:
        sentences.append(_next_step(first_missing))
    return Verdict(outcome="failed" if failed else "proven", sentences=sentences)


def unreachable(reason: str) -> Verdict:
    """The cluster did not answer, before or during the run."""
    return Verdict(outcome="unreachable", sentences=[f"The run could not be finished: {reason}", NOTHING_KNOWN])


def _success(counts: Counts, partitions: Sequence[PartitionResult]) -> str:
    once = "at least once" if counts["duplicated"] else "exactly once"
    return (
        f"All {_records(counts['written'])} written to {_number(len(partitions), 'partition')} were read back {once}, "
        "whole and in order."
    )


def _failures(counts: Counts, first_missing: Sequence[Missing]) -> list[str]:
    sentences = []
    if counts["lost"]:
        first = f"; the first: {describe(first_missing[0])}" if first_missing else ""
        sentences.append(f"{counts['lost']:,} of {_records(counts['written'])} acknowledged are lost{first}.")
    if counts["corrupt"]:
        sentences.append(f"{_records(counts['corrupt'])} came back with other bytes than were written.")
    if counts["out_of_order"]:
        sentences.append(f"{_records(counts['out_of_order'])} came back behind a later record of the same key.")
    if counts["misplaced"]:
        sentences.append(f"{_records(counts['misplaced'])} came back from another partition than the one written to.")
    return sentences


def describe(missing: Missing) -> str:
    """One missing record and where to look for it: partition, its leader, the offsets on both sides."""
    before, after = missing["offset_before"], missing["offset_after"]
    place = {
        (True, True): "nothing of its writer is left in that partition",
        (True, False): f"before offset {after}",
        (False, True): f"after offset {before}",
        (False, False): f"between offsets {before} and {after}",
    }[before is None, after is None]
    leader = "without a leader" if missing["leader"] is None else f"led by node {missing['leader']}"
    return f"number {missing['sequence']} (key {missing['key']}), partition {missing['partition']} {leader}, {place}"


def _remarks(counts: Counts, partitions: Sequence[PartitionResult], brokers: Mapping[int, str]) -> list[str]:
    sentences = []
    if counts["duplicated"]:
        copies = _number(counts["duplicated"], "duplicate")
        sentences.append(f"{copies}: the sink is at-least-once, so they do not fail the run.")
    leading = {result["leader"] for result in partitions} & brokers.keys()
    idle = sorted(brokers.keys() - leading)
    if idle:
        names = ", ".join(f"{node} ({brokers[node]})" for node in idle)
        sentences.append(f"No partition that took part is led by node {names}: nothing was written through it.")
    elif len(brokers) > 1:
        sentences.append(f"All {len(brokers)} brokers lead partitions that took part.")
    return sentences


def _next_step(first_missing: Sequence[Missing]) -> str:
    nodes = sorted({missing["leader"] for missing in first_missing if missing["leader"] is not None})
    where = f" of node {', '.join(map(str, nodes))}" if nodes else "s"
    return (
        f"Next: look in the log{where} for truncation and unclean elections; kafka_smoke_keep_topic keeps the topic of "
        "the next run for a look."
    )


def _records(count: int) -> str:
    return _number(count, "record")


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
