"""Progress of a copy: from observations of both sides. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

from ansible.module_utils.kraft.operations.mirror import identity, topic_settings
from ansible.module_utils.kraft.operations.mirror.model import Topic
from ansible.module_utils.kraft.operations.mirror.observe import Seen
from ansible.module_utils.kraft.operations.mirror.plan import SHOWN, left_out, shortened
from ansible.module_utils.kraft.operations.mirror.side import Partition
from ansible.module_utils.kraft.wording import counted, named

NOT_MADE = "MirrorMaker has made no connector yet: read the last ERROR of `journalctl -u kafka-mirror` on each host"


def lag(seen: Seen) -> dict[str, int]:
    """Return topic -> source offsets not copied yet. Far from the end, markers of transactions count, too."""
    return {
        name: sum(
            max(0, end - max(start, seen.copied.get((name, number), 0)))
            for number, (start, end) in topic.partitions.items()
            if (name, number) not in seen.invisible
        )
        for name, topic in seen.source.topics.items()
    }


def begun(seen: Seen) -> bool:
    """Check whether it copies: every topic is here, and something was copied. Without any record, a task runs."""
    holding = {name for name, one in seen.source.topics.items() if one.holds_records}
    here = all(
        name in seen.target.topics and len(seen.target.topics[name].partitions) >= len(one.partitions)
        for name, one in seen.source.topics.items()
    )
    return here and (bool(holding & seen.target.copied) if holding else seen.works)


def copies(first: Seen, now: Seen) -> bool:
    """Check whether it is at work: it has begun, and has advanced since the first observation, or nothing is left.

    On the way back nothing may be left before it works.
    """
    return begun(now) and (not now.back or now.works) and (now.copied != first.copied or not any(lag(now).values()))


@dataclasses.dataclass(frozen=True)
class GroupLag:
    """Records that a group has not read, on each side. ``untranslated``: partitions whose offset is not here yet."""

    source: int
    target: int
    untranslated: int


def group_lags(seen: Seen) -> dict[str, GroupLag]:
    found = {}
    for group, there in seen.source.committed.items():
        here = seen.target.committed.get(group, {})
        found[group] = GroupLag(
            behind(there, seen.source.topics), behind(here, seen.target.topics), len(there.keys() - here.keys())
        )
    return found


def behind(offsets: Mapping[Partition, int], topics: Mapping[str, Topic]) -> int:
    """Return the number of offsets between committed ones and the ends."""
    ends = {(name, at): end for name, one in topics.items() for at, (_, end) in one.partitions.items()}
    return sum(max(0, ends[where] - offset) for where, offset in offsets.items() if where in ends)


def seconds_left(before: Seen, after: Seen, seconds: float) -> float | None:
    """Return the time until nothing is left, at the rate between two samples; None if the rest does not shrink."""
    left = sum(lag(after).values())
    rate = (sum(lag(before).values()) - left) / seconds
    if left == 0:
        return 0.0
    return left / rate if rate > 0 else None


def answer(seen: Seen) -> dict[str, Any]:
    """Return all of it as plain data."""
    behind_by_topic = lag(seen)
    return {
        "begun": begun(seen),
        "back": seen.back,
        "records": {"source": records(seen.source.topics), "target": records(seen.target.topics)},
        "ends": {"source": ends(seen.source.topics), "target": ends(seen.target.topics)},
        "failed": dict(seen.failed),
        "changed": changed(seen),
        "lag": behind_by_topic,
        "lag_records": sum(behind_by_topic.values()),
        "groups": {name: dataclasses.asdict(one) for name, one in group_lags(seen).items()},
        "copied": {
            name: {
                str(number): seen.copied[name, number] for number in topic.partitions if (name, number) in seen.copied
            }
            for name, topic in seen.source.topics.items()
        },
    }


def changed(seen: Seen) -> list[str]:
    """Return topics of the source whose copy cannot go on; none on the way back."""
    return [] if seen.back else sorted(seen.source.changed)


def records(topics: Mapping[str, Topic]) -> dict[str, int]:
    """Return topic -> number of offsets from the first to the end."""
    return {name: one.records for name, one in topics.items()}


def ends(topics: Mapping[str, Topic]) -> dict[str, dict[str, int]]:
    """Return topic -> partition -> its next offset."""
    return {name: {str(number): end for number, (_, end) in one.partitions.items()} for name, one in topics.items()}


def screen(seen: Seen, most: int = SHOWN) -> list[str]:
    """Describe the progress. `most`: topics and groups; 0 for all."""
    by_topic, groups = lag(seen), group_lags(seen)
    left = [f"  topic {name}: {count} records" for name, count in sorted(by_topic.items()) if count]
    read, would = ("here", "there") if seen.back else ("there", "here")
    return [
        *(["Clients have switched: new records go back to the source"] if seen.back else []),
        f"{counted(len(by_topic), 'topic')}, {sum(by_topic.values())} records are not copied yet",
        *shortened(left, "topics", most),
        f"{counted(len(groups), 'group')}; records that each has not read {read}, and would read {would}",
        *shortened([_group(name, one, read, would) for name, one in sorted(groups.items())], "groups", most),
        *([] if seen.made else [NOT_MADE]),
        *([] if seen.back else _differences(seen, most)),
        *left_out(seen.source),
        *(f"Task {name} has failed: {why}" for name, why in sorted(seen.failed.items())),
    ]


def _differences(seen: Seen, most: int) -> list[str]:
    return [
        *topic_settings.status(seen.source, seen.target, most),
        *identity.lines(seen.source, seen.target, most),
    ]


def _group(name: str, one: GroupLag, read: str, would: str) -> str:
    waiting = f", {one.untranslated} partitions are not translated yet" if one.untranslated else ""
    return f"  group {name}: {one.source} {read}, {one.target} {would}{waiting}"


def caught_up(left: float | None, changed: Collection[str] = ()) -> str:
    """Format the time to catch up. `changed`: topics whose copy cannot go on."""
    if changed:
        return f"Not caught up: the copy of {named(changed)} cannot go on"
    if left is None:
        return "The lag does not shrink: producers write as fast as the mirror copies, or nothing is copied"
    return f"Caught up in about {left:.0f} s" if left else "Caught up"
