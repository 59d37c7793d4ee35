"""The verdict of a proof: an outcome and the sentences with its reasons. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from spark_jobs.proof.group_positions import BAD
from spark_jobs.proof.report_schema import Fault, Position, Topic, Undecided
from spark_jobs.proof.unmatched_records import CHANGED, DUPLICATED, EXTRA, LOST_HEAD, MISSING, REORDERED
from spark_jobs.report_schema import Verdict

SAID = {
    MISSING: "missing on the target",
    EXTRA: "on the target alone",
    CHANGED: "changed",
    REORDERED: "at another place of their partition",
    DUPLICATED: "on the target once more",
    LOST_HEAD: "deleted on the target, while the source still holds them",
}
MOST_NAMED = 10
RUNBOOK = "docs/runbooks/mirror_cutover.md"
#: Rows of the runbook's table, by words of the sentences above them.
ROWS = (
    "missing on the target",
    "on the target alone",
    "changed",
    "at another place of their partition",
    "on the target once more",
    "deleted on the target",
    "the target has no committed offset",
    "the source's log does not hold this offset",
    "the target's log does not hold",
    "would skip",
    "kafka_mirror_set_offsets=true",
    "still grows on the source",
    "at its end on the source during the proof",
    "at its end on the target during the proof",
    "was written on the target during the proof",
    "was deleted on the source during the proof",
    "was deleted on the target during the proof",
    "were added during the proof",
    "moved during the proof",
    "and the source has none",
    "has an open transaction on the source",
    "has an open transaction on the target",
)
#: Excused records, by kind, with the number that bounds them.
EXEMPT = {
    "deleted_on_source": "records are on the target alone: the source has deleted them (its log start allows {:,})",
    "deleted_on_target": "records are on the source alone: the target has deleted them, as is allowed here "
    "(its log start allows {:,})",
    "compacted_on_source": "records are on the target alone: the source is compacted ({:,} offsets are missing there)",
    "compacted_on_target": "records are on the source alone: the target is compacted ({:,} offsets are missing there)",
    "timestamps_set_by_target": "timestamps were set by the target's brokers, and are not compared (LogAppendTime)",
}


GROWN, WRITTEN, DELETED, MOVED = "grown", "written", "deleted", "moved"
#: By side: the source, the target.
SHORTER = ("shorter_on_source", "shorter_on_target")
REMADE, SPLIT = ("remade_on_source", "remade_on_target"), ("split_on_source", "split_on_target")
#: Changes since the proof began, by kind: the sentence with the topic and a number of offsets, or with the group and a
#: number of partitions.
MEANWHILE = {
    GROWN: "{} still grows on the source: {:,} offsets during the proof. Stop its producers, then repeat this.",
    SHORTER[0]: "{} lost {:,} offsets at its end on the source during the proof: it was made again or truncated. "
    "Repeat this.",
    SHORTER[1]: "{} lost {:,} offsets at its end on the target during the proof: it was made again or truncated. "
    "Copy it again, then repeat this.",
    WRITTEN: "{} was written on the target during the proof: {:,} offsets. Stop the producers there, then repeat this.",
    DELETED: "{}: {:,} offsets were deleted on the target during the proof, and the source still holds their records. "
    "Repeat this.",
    REMADE[0]: "{} was deleted on the source during the proof, or made again. Restart its copy, then repeat this.",
    REMADE[1]: "{} was deleted on the target during the proof, or made again. Copy it again, then repeat this.",
    SPLIT[0]: "{} now has {:,} partitions on the source: some were added during the proof. Wait until they are copied, "
    "then repeat this.",
    SPLIT[1]: "{} now has {:,} partitions on the target: some were added during the proof. Remove the topic there and "
    "copy it again, then repeat this.",
    MOVED: "Group {} moved during the proof, in {:,} partitions. Stop its consumers, then repeat this.",
}


class Change(NamedTuple):
    """A change since the proof began: a topic of the source or a group, a kind of ``MEANWHILE``, and its number."""

    name: str
    kind: str
    number: int

    def in_words(self) -> str:
        return MEANWHILE[self.kind].format(self.name, self.number)


def verdict(
    topics: Sequence[Topic],
    groups: Sequence[Position],
    duplicates_allowed: bool,
    meanwhile: Sequence[Change] = (),
    undecided: Sequence[Undecided] = (),
) -> Verdict:
    """Return ``proven`` unless a record is missing, extra, changed, reordered, duplicated or deleted, or skipped.

    A group that would read records again fails nothing: so does every restart of a consumer that did not commit.
    `meanwhile`: changes since the proof began, if they prevent a switch.
    `undecided`: offsets behind open transactions of both sides.
    """
    allowed = {DUPLICATED} if duplicates_allowed else set()
    failed = [topic for topic in topics if any(n for kind, n in topic["faults"].items() if kind not in allowed)]
    astray = [one for one in groups if one["outcome"] in BAD]
    unset = [one for one in groups if one["outcome"] == "set"]
    sentences = _success(topics) if not failed else [_failure(topic) for topic in failed]
    sentences += [sentence for topic in topics for sentence in _exceptions(topic)]
    sentences += _remarks(groups)
    sentences += [describe_position(one) for one in astray]
    sentences += [change.in_words() for change in meanwhile]
    sentences += map(_open_transaction, undecided)
    stands_against = failed or astray or meanwhile or undecided
    if unset and not stands_against:
        offsets = "1 committed offset" if len(unset) == 1 else f"{len(unset)} committed offsets"
        sentences.append(f"{offsets} that MirrorMaker never translates: set on the target.")
        sentences += map(_set, unset)
    return Verdict(outcome="failed" if stands_against else "proven", sentences=sentences)


def switch(source: str, target: str, topics: Sequence[Topic], groups: Sequence[Position]) -> list[str]:
    """Describe the changes after a proven switch: for the producers of each topic, and for each group."""
    said = [f"Producers of {one['target']}: bootstrap.servers={target} in place of {source}." for one in topics]
    for name in dict.fromkeys(one["group"] for one in groups):
        again = [one for one in groups if one["group"] == name and one["outcome"] == "earlier"]
        more = f" It reads {counted(again)} again." if again else ""
        said.append(f"Group {name}: bootstrap.servers={target}. Its offsets are there already.{more}")
    return said


def pause(topics: Sequence[Topic], now: datetime) -> list[str]:
    """Describe the producers' pause so far; none if the source's records bear no timestamps."""
    newest = max((topic["newest"] for topic in topics if topic["newest"]), default=None)
    if newest is None:
        return []
    seconds = max(0.0, (now - datetime.fromisoformat(newest.replace("Z", "+00:00"))).total_seconds())
    return [f"Producers have paused for {timedelta(seconds=round(seconds))} so far: the newest record is of {newest}."]


def remedies(sentences: Sequence[str]) -> list[str]:
    """Name the rows of the runbook with the remedies, in a sentence; none if it has no row for them."""
    rows = [f"`{row}`" for row in ROWS if any(row in sentence for sentence in sentences)]
    return [f"What to do: {RUNBOOK}, If it fails, {', '.join(rows)}."] if rows else []


def _success(topics: Sequence[Topic]) -> list[str]:
    """Describe the success by counting pairs, and name the topics in which there was nothing to compare."""
    empty = [topic for topic in topics if not topic["source_records"] and not topic["target_records"]]
    compared = [topic for topic in topics if topic not in empty]
    names = ", ".join(topic["source"] for topic in empty)
    nothing = [f"Nothing to compare, since no side holds a visible record: {names}."] if empty else []
    return ([_compared(compared)] if compared else []) + nothing


def _compared(topics: Sequence[Topic]) -> str:
    paired = sum(topic["paired"] for topic in topics)
    source = sum(topic["source_records"] for topic in topics)
    target = sum(topic["target_records"] for topic in topics)
    counted = "1 topic" if len(topics) == 1 else f"{len(topics)} topics"
    if paired == source == target:
        return f"All {paired:,} records of {counted} are the same on both sides."
    copies = sum(topic["faults"][DUPLICATED] for topic in topics)
    more = f", {copies:,} more copies on the target" if copies else ""
    return (
        f"{paired:,} records of {counted} are the same on both sides (the source holds {source:,}, the target "
        f"{target:,}{more})."
    )


def _failure(topic: Topic) -> str:
    counts = ", ".join(f"{count:,} {SAID[kind]}" for kind, count in topic["faults"].items() if count)
    return f"{topic['source']}: {counts} ({topic['paired']:,} of {topic['source_records']:,} records are the same)."


def _exceptions(topic: Topic) -> list[str]:
    """Describe each exception with its count, and with its bound."""
    return [
        f"{topic['source']}: {one['records']:,} {EXEMPT[kind].format(one['at_most'])}."
        for kind, one in topic["excused"].items()
        if one["records"]
    ]


def _open_transaction(one: Undecided) -> str:
    place = f"{one['topic']} has an open transaction on the {one['side']}: {one['offsets']:,} offsets from there on"
    if one["side"] == "source":
        return (
            f"{place} are neither copied nor compared. Stop its producers, or end it with kafka-transactions.sh; then "
            "repeat this."
        )
    return (
        f"{place} are not compared, and consumers of committed records stop there. Stop the producer that writes "
        "there, or end it with kafka-transactions.sh; then repeat this."
    )


def _remarks(groups: Sequence[Position]) -> list[str]:
    said = []
    again = [one for one in groups if one["outcome"] == "earlier"]
    if groups and len(again) < len(groups):
        same = sum(one["outcome"] == "same" for one in groups)
        said.append(f"{same} of {len(groups)} committed offsets point at the same record.")
    if again:
        said.append(f"{len(again)} committed offsets are earlier on the target: {counted(again)} are read again.")
    return said


def without_offsets(groups: Sequence[str], positions: Sequence[Position]) -> list[str]:
    """Name groups whose offsets were not compared, since they have none in these topics; 10 at most."""
    rest = sorted({*groups} - {one["group"] for one in positions})
    more = f" and {len(rest) - MOST_NAMED} more" if len(rest) > MOST_NAMED else ""
    named = ", ".join(rest[:MOST_NAMED]) + more
    return [f"No committed offset in these topics, so nothing to compare: {named}."] if rest else []


def counted(positions: Sequence[Position]) -> str:
    """Return the number of their records, exact or "at least"."""
    records = sum(one["records"] or 0 for one in positions)
    least = "" if all(one["exact"] for one in positions) else "at least "
    return f"{least}{records:,} record{'' if records == 1 else 's'}"


def fault_text(topic: Topic, fault: Fault) -> str:
    """Describe one record: its place on both sides, and the differences."""
    sides = (("source", fault["source_offset"]), ("target", fault["target_offset"]))
    where = ", ".join(f"{side} offset {offset}" for side, offset in sides if offset is not None)
    fields = f" ({', '.join(fault['fields'])})" if fault["fields"] else ""
    return f"{topic['source']}, partition {fault['partition']}: {fault['kind']}{fields}, {where}"


def _place(one: Position) -> str:
    where = f"Group {one['group']}, {one['topic']} partition {one['partition']}"
    return where if one["source_offset"] is None else f"{where}, source offset {one['source_offset']}"


def _set(one: Position) -> str:
    return f"{_place(one)}: set to {one['set_to']} on the target."


def describe_position(one: Position) -> str:
    """Describe one group's offset that does not point at the same record."""
    place = _place(one)
    if one["set_to"] is not None:
        why = "the target has no committed offset, and MirrorMaker may never translate it"
        return f"{place}: {why}. To have it set to {one['set_to']}: -e kafka_mirror_set_offsets=true."
    if one["outcome"] == "absent":
        remedy = (
            "Wait until MirrorMaker has translated it. It never does so for a partition without records: "
            "there set the offset by hand (kafka-consumer-groups.sh --reset-offsets)."
        )
        return f"{place}: the target has no committed offset. {remedy}"
    if one["outcome"] == "outside_source":
        remedy = "Set it on the source (kafka-consumer-groups.sh --reset-offsets), and wait until it is translated."
        return f"{place}: the source's log does not hold this offset. {remedy}"
    if one["outcome"] == "outside_target":
        remedy = "Set it on the target (kafka-consumer-groups.sh --reset-offsets)."
        return f"{place}: the target's log does not hold target offset {one['target_offset']}. {remedy}"
    if one["outcome"] == "target_alone":
        return (
            f"{place}: the target has offset {one['target_offset']}, and the source has none. A group that begins at "
            f"the first record would skip {counted([one])}. Delete it on the target (kafka-consumer-groups.sh "
            "--delete-offsets), or commit one on the source."
        )
    return f"{place}: target offset {one['target_offset']} would skip {counted([one])}."
