"""Diagnosis of a node that does not run, from its output: last errors, likely cause, remedy. Pure."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence

from ansible.module_utils.kraft.node.service.diagnosis_rules import RULES, Rule
from ansible.module_utils.kraft.secret_values import shown
from ansible.module_utils.kraft.wording import printable

ERROR_LINE = re.compile(
    r"^(?:\[[^\]]*\] |\S+ main )?(?:ERROR|FATAL)\b"
    r"|^(?:Error|Unrecognized|Invalid (?:maximum|initial)|Conflicting|# There is insufficient|OpenJDK .* warning: INFO)"
    r"|\b(?:Failed (?:at step|to locate|to adjust|with result)|(?:Main|Control) process exited)|^\S+: cannot \w+ '"
)
CAUSED_BY = re.compile(r"^(?:Caused by: )?(?P<text>(?:java|javax|org|kafka|scala|com)\.[\w.$]+(?:Exception|Error)\b.*)")
STAMP = re.compile(r"^\[[^\]]*\] ")
LOGGER = re.compile(r" \([\w.$]+\)$")
VARYING = re.compile(r"\d+")
#: Kafka's first own line, and systemd's first line of a start.
KAFKA_STARTS = re.compile(r"Registered `kafka:type=kafka\.Log4jController` MBean")
UNIT_STARTS = re.compile(r"^Starting .+\.\.\.$")
AUTOMATIC = re.compile(r"Scheduled restart job")
WIDTH = 300


@dataclasses.dataclass(frozen=True)
class Diagnosis:
    """A diagnosis. ``rule``, ``cause`` and ``remedy`` are empty if no rule matches.

    ``passes``: waiting may help.
    """

    errors: tuple[str, ...] = ()
    rule: str = ""
    cause: str = ""
    remedy: str = ""
    evidence: str = ""
    passes: bool = True

    def sentences(self) -> tuple[str, ...]:
        """Return the diagnosis as lines. Clients can write into logs, and so into these."""
        likely = (f"Likely cause: {self.cause}.", f"Remedy: {self.remedy}.") if self.rule else ()
        said = ("Its last errors:", *(f"  {error}" for error in self.errors)) if self.errors else ()
        return tuple(printable(line) for line in (*likely, *said))


def diagnose(lines: Iterable[str]) -> Diagnosis:
    """Diagnose one start's lines (see `last_start`), from the journal, a log file or both."""
    read = [line.rstrip() for line in lines]
    errors = last_errors(read)
    found = next(((rule, match, line) for rule in RULES for match, line in _matches(rule, read)), None)
    if found is None:
        return Diagnosis(errors)
    rule, match, line = found
    words = {name: text or "" for name, text in match.groupdict().items()}
    return Diagnosis(
        errors, rule.name, rule.cause.format(**words), rule.remedy.format(**words), _plain(line), rule.passes
    )


def _matches(rule: Rule, lines: Sequence[str]) -> Iterable[tuple[re.Match[str], str]]:
    pattern = re.compile(rule.pattern)
    for line in reversed(lines):
        match = pattern.search(line)
        if match:
            yield match, line


def last_errors(lines: Sequence[str], count: int = 6) -> tuple[str, ...]:
    """Return the last different error lines, oldest first, each with the exception below it.

    Lines that differ only in numbers (a correlation id, a time) are the same; stack frames and time stamps are dropped.
    """
    found: dict[str, str] = {}
    for index, line in enumerate(lines):
        if not ERROR_LINE.search(line):
            continue
        below = CAUSED_BY.match(lines[index + 1]) if index + 1 < len(lines) else None
        text = _plain(line) + (f": {below['text']}" if below else "")
        key = VARYING.sub("#", text)
        found.pop(key, None)
        found[key] = text[:WIDTH]
    return tuple(found.values())[-count:]


def last_start(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines since the last start, or since an earlier one if systemd repeated a start that failed."""
    starts = [index for index, line in enumerate(lines) if UNIT_STARTS.match(line)]
    if not starts:
        starts = [index for index, line in enumerate(lines) if KAFKA_STARTS.search(line)]
    first = starts[-1] if starts else 0
    for earlier, later in zip(reversed(starts[:-1]), reversed(starts)):
        if not any(AUTOMATIC.search(line) for line in lines[earlier:later]) or last_errors(lines[first:]):
            break
        first = earlier
    return tuple(lines[first:])


def _plain(line: str) -> str:
    return str(shown(LOGGER.sub("", STAMP.sub("", line)).strip()))[:WIDTH]
