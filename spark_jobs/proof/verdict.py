"""The verdict of a proof: an outcome and the sentences that say why. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType

from spark_jobs.proof.judgement import CHANGED, DUPLICATED, EXTRA, MISSING, REORDERED
from spark_jobs.proof.report_schema import Fault, Position, Topic
from spark_jobs.report_schema import Verdict

SAID = {
    MISSING: "missing on the target",
    EXTRA: "on the target alone",
    CHANGED: "changed",
    REORDERED: "at another place of their partition",
    DUPLICATED: "on the target once more",
}


def verdict(
    topics: Sequence[Topic],
    groups: Sequence[Position],
    duplicates_allowed: bool,
    grown: Mapping[str, int] = MappingProxyType({}),
    undecided: Mapping[str, int] = MappingProxyType({}),
) -> Verdict:
    """``proven`` unless a record is missing, extra, changed, reordered or duplicated, or a group would skip some.

    A group that would read records again fails nothing: so does every restart of a consumer that did not commit.
    `grown`: topic -> offsets that were written on the source meanwhile, where that stands against a switch.
    `undecided`: topic -> offsets of the source behind an open transaction, where that does.
    """
    allowed = {DUPLICATED} if duplicates_allowed else set()
    failed = [topic for topic in topics if any(n for kind, n in topic["faults"].items() if kind not in allowed)]
    astray = [one for one in groups if one["outcome"] in ("later", "unknown", "absent")]
    records = sum(topic["source_records"] for topic in topics)
    sentences = [_success(records, topics)] if not failed else [_failure(topic) for topic in failed]
    sentences += _remarks(topics, groups)
    sentences += [describe_position(one) for one in astray]
    sentences += [
        f"{topic} still grows on the source: {count:,} offsets during the proof. Stop its producers, then repeat this."
        for topic, count in grown.items()
    ]
    sentences += [
        f"{topic} has an open transaction on the source: {count:,} offsets from there on are neither copied nor "
        "compared. Stop its producers, or end it with kafka-transactions.sh; then repeat this."
        for topic, count in undecided.items()
    ]
    stands_against = failed or astray or grown or undecided
    return Verdict(outcome="failed" if stands_against else "proven", sentences=sentences)


def switch(source: str, target: str, topics: Sequence[Topic], groups: Sequence[Position]) -> list[str]:
    """What to change once a switch is proven, in sentences: for the producers of each topic, and for each group."""
    said = [f"Producers of {one['target']}: bootstrap.servers={target} in place of {source}." for one in topics]
    for name in dict.fromkeys(one["group"] for one in groups):
        again = sum(one["records"] or 0 for one in groups if one["group"] == name and one["outcome"] == "earlier")
        more = f" It reads {again:,} records again." if again else ""
        said.append(f"Group {name}: bootstrap.servers={target}. Its offsets are there already.{more}")
    return said


def pause(topics: Sequence[Topic], now: datetime) -> list[str]:
    """How long producers have paused by now, in a sentence; none where the source's records bear no timestamps."""
    newest = max((topic["newest"] for topic in topics if topic["newest"]), default=None)
    if newest is None:
        return []
    seconds = max(0.0, (now - datetime.fromisoformat(newest.replace("Z", "+00:00"))).total_seconds())
    return [f"Producers have paused for {timedelta(seconds=round(seconds))} so far: the newest record is of {newest}."]


def _success(records: int, topics: Sequence[Topic]) -> str:
    copies = sum(topic["faults"][DUPLICATED] for topic in topics)
    more = f", {copies:,} more copies on the target" if copies else ""
    counted = "1 topic" if len(topics) == 1 else f"{len(topics)} topics"
    return f"All records that both sides hold of {counted} are the same ({records:,} on the source{more})."


def _failure(topic: Topic) -> str:
    counts = ", ".join(f"{count:,} {SAID[kind]}" for kind, count in topic["faults"].items() if count)
    return f"{topic['source']}: {counts} (of {topic['source_records']:,} records)."


def _remarks(topics: Sequence[Topic], groups: Sequence[Position]) -> list[str]:
    told = [topic for topic in topics if topic["rules"]]
    said = [f"{len(told)} of {len(topics)} topics could not be compared in full; the rules say why."] if told else []
    again = [one for one in groups if one["outcome"] == "earlier"]
    if groups and len(again) < len(groups):
        same = sum(one["outcome"] == "same" for one in groups)
        said.append(f"{same} of {len(groups)} committed offsets point at the same record.")
    if again:
        records = sum(one["records"] or 0 for one in again)
        said.append(f"{len(again)} committed offsets are earlier on the target: {records:,} records are read again.")
    return said


def describe(topic: Topic, fault: Fault) -> str:
    """One record: where it is on both sides, and what differs."""
    sides = (("source", fault["source_offset"]), ("target", fault["target_offset"]))
    where = ", ".join(f"{side} offset {offset}" for side, offset in sides if offset is not None)
    fields = f" ({', '.join(fault['fields'])})" if fault["fields"] else ""
    return f"{topic['source']}, partition {fault['partition']}: {fault['kind']}{fields}, {where}"


def describe_position(one: Position) -> str:
    """One group's offset that does not point at the same record."""
    place = f"Group {one['group']}, {one['topic']} partition {one['partition']}, source offset {one['source_offset']}"
    if one["outcome"] == "absent":
        remedy = (
            "Wait until MirrorMaker has translated it. It never does so for a partition without records: "
            "there set the offset by hand (kafka-consumer-groups.sh --reset-offsets)."
        )
        return f"{place}: the target has no committed offset. {remedy}"
    if one["outcome"] == "unknown":
        return f"{place}: target offset {one['target_offset']} is not near the same record."
    return f"{place}: target offset {one['target_offset']} would skip {one['records']} records."
