"""The shape of a proof's ``report.json``: what the run writes and the page reads. Times are UTC in ISO 8601."""

from __future__ import annotations

from typing import Literal, TypedDict

from spark_jobs.report_schema import Spark, Verdict

SCHEMA_VERSION = 3
EXAMPLES = 10  # of each kind of fault, for each topic


class Fault(TypedDict):
    """One record: ``source_offset`` and ``target_offset`` are null if a side does not have it.

    ``kind``: missing (on the target), extra (on the target alone), changed (``fields``: the differences), reordered
    (both have it, behind other records), duplicated (the target has it once more than the source, whose offset it is),
    deleted (the target has deleted it, and the source still holds it).
    """

    kind: str
    partition: int
    source_offset: int | None
    target_offset: int | None
    fields: list[str]


class Exempt(TypedDict):
    """Records that a rule excuses, and how many the evidence allows ``at_most``."""

    records: int
    at_most: int


class Topic(TypedDict):
    """One topic: visible records of both sides, those ``paired`` in order, faults and exceptions by kind.

    ``newest``: the write time of the source's newest record, by its timestamp; null if that is no time.
    ``excused``: deleted_on_source, compacted_on_target and so on; ``rules`` give the reasons, in sentences.
    """

    source: str
    target: str
    partitions: int
    source_records: int
    target_records: int
    paired: int
    newest: str | None
    faults: dict[str, int]
    excused: dict[str, Exempt]
    rules: list[str]
    examples: list[Fault]


class Position(TypedDict):
    """A group's committed offsets in one partition; ``records`` it would read again (earlier) or skip (later).

    They include those of a head that only the source (earlier) or only the target (later) has deleted.
    ``exact``: false if it is a minimum. ``outside_source``, ``outside_target``: the log holds no such offset.
    ``set_to``: if the target has no offset, that of the record which the group reads next; null if it is unknown.
    ``set``: the target had none, and gets that one once all else is proven. ``target_alone``: the source has none.
    """

    group: str
    topic: str
    partition: int
    source_offset: int | None
    target_offset: int | None
    outcome: Literal["same", "earlier", "later", "absent", "set", "outside_source", "outside_target", "target_alone"]
    records: int | None
    exact: bool
    set_to: int | None


class Undecided(TypedDict):
    """``offsets`` of a topic on one side (source or target) behind an open transaction."""

    topic: str
    side: str
    offsets: int


class Pace(TypedDict):
    """Duration of the comparison; ``records`` are those of both sides."""

    records: int
    seconds: float
    records_per_s: float


class Report(TypedDict):
    schema: int
    run_id: str
    started: str
    finished: str
    seconds: float
    verdict: Verdict
    source: str
    target: str
    topics: list[Topic]
    groups: list[Position]
    undecided: list[Undecided]
    pace: Pace | None
    spark: Spark | None
