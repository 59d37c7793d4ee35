"""Samples in Prometheus's text format. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


@dataclasses.dataclass(frozen=True)
class Sample:
    """One value. The labels' order is kept."""

    name: str
    value: float
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)


def text(samples: Iterable[Sample], described: Mapping[str, Sequence[str]]) -> str:
    """Return the samples that are `described` (name -> type and help), and no others, grouped by name."""
    found: dict[str, list[Sample]] = {}
    for sample in samples:
        found.setdefault(sample.name, []).append(sample)
    return "".join(line for name, about in described.items() for line in lines(name, about, found.get(name, ())))


def lines(name: str, about: Sequence[str], samples: Sequence[Sample]) -> Iterator[str]:
    if samples:
        kind, meaning = about
        yield f"# HELP {name} {meaning}\n# TYPE {name} {kind}\n"
    for sample in samples:
        labels = ",".join(f'{key}="{value.translate(ESCAPED)}"' for key, value in sample.labels.items())
        yield f"{name}{'{' + labels + '}' if labels else ''} {sample.value!r}\n"
