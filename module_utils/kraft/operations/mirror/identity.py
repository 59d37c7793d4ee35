"""Topics of the source that are no longer those whose copy began: by their ids, and by where they end. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ansible.module_utils.kraft.operations.mirror.model import Source, Target, few
from ansible.module_utils.kraft.wording import counted

REMEDY = "Exclude it, or remove it here with its positions (docs/runbooks/mirror_cluster.md, A topic was made again)"


def changed(source: Source, positions: Mapping[tuple[str, int], int], noted: Mapping[str, str]) -> dict[str, str]:
    """Return topic -> why its copy cannot go on. `positions`: next offsets; `noted`: ids when the copies began."""
    begun = {name for name, _ in positions}
    found = {name: _why(name, source, positions, noted) for name in sorted(source.topics) if name in begun}
    return {name: why for name, why in found.items() if why}


def _why(name: str, source: Source, positions: Mapping[tuple[str, int], int], noted: Mapping[str, str]) -> str:
    if name in noted and source.ids.get(name, noted[name]) != noted[name]:
        return "was deleted and made again on the source since its copy began"
    for number, (_, end) in sorted(source.topics[name].partitions.items()):
        at = positions.get((name, number), 0)
        if at > end:
            place = f"partition {number} ends at {end}, its copy is at {at}"
            return f"was truncated or made again on the source: {place}"
    return ""


def to_note(source: Source, target: Target, noted: Mapping[str, str]) -> dict[str, str]:
    """Return topic -> its id when its copy began; of a topic without a noted one, its id now."""
    kept = {name: one for name, one in noted.items() if name in target.copied}
    return {**source.ids, **kept}


def lines(source: Source, target: Target, most: int = 1) -> Iterator[str]:
    """Describe changes on the source, with a remedy if one is needed. `most`: 0 names all topics."""
    for name, why in source.changed.items():
        yield f"Topic {name} {why}. {REMEDY}"
    if source.gone:
        yield f"Gone from the source: {few(source.gone, most)}. What was copied stays"
    for name, topic in sorted(source.topics.items()):
        here = target.topics.get(name)
        if here and len(here.partitions) < len(topic.partitions):
            now, had = len(topic.partitions), counted(len(here.partitions), "partition")
            yield f"Topic {name} has grown to {now} on the source, and has {had} here. MirrorMaker adds the others"
