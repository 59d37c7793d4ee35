"""Security advisories of Kafka, as data, and which of them a release is open to."""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import yaml
from ansible.module_utils.kraft.spec.inventory.definitions import DATA

Version = tuple[int, int, int]
RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+)")
FRESH = 90  #: days for which the data counts as checked


@dataclasses.dataclass(frozen=True)
class Advisory:
    """``fixed``: the first repaired release of each line (``4.2``), the oldest line first."""

    identifier: str
    effect: str
    reach: str
    fixed: tuple[Version, ...]

    def affects(self, release: str) -> bool:
        """Check whether `release` is vulnerable: older than the repair of its line, or of a line that has none.

        Lines after the newest repaired one are repaired. A candidate (``4.4.0-rc1``) is older than its release. Text
        that is no release is not affected.
        """
        found = number(release)
        if found is None or found[:2] > self.fixed[-1][:2]:
            return False
        candidate = "-" in release
        return not any(found[:2] == one[:2] and (found, not candidate) >= (one, True) for one in self.fixed)

    @property
    def remedy(self) -> str:
        return "upgrade to " + " or ".join(".".join(map(str, one)) for one in reversed(self.fixed))


def number(release: str) -> Version | None:
    """Parse ``4.3.1`` as numbers; None for other text."""
    found = RELEASE.match(release)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


@lru_cache(maxsize=1)
def known() -> tuple[Advisory, ...]:
    """Return all advisories of the data."""
    return tuple(_advisory(identifier, **entry) for identifier, entry in _data()["advisories"].items())


def age(today: datetime.date) -> int:
    """Return the days since the data were last compared with Kafka's own list."""
    checked: datetime.date = _data()["checked"]
    return (today - checked).days


def outdated(days: int) -> str:
    """Return the message about data that is `days` old; empty if it is fresh."""
    return f"The list of Kafka's advisories was last checked {days} days ago" if days > FRESH else ""


def affecting(release: str) -> tuple[Advisory, ...]:
    """Return the advisories that affect a release."""
    return tuple(one for one in known() if one.affects(release))


def pattern(advisories: Iterable[Advisory]) -> str:
    """Return a regular expression (RE2, whole text) of the releases that any of `advisories` affects.

    A line that not all of them repair is affected as a whole; a candidate of the repaired release is, too.
    """
    repaired = [{one[:2]: one[2] for one in each.fixed} for each in advisories]
    newest = max(max(each) for each in repaired)
    found = [f"[0-{newest[0] - 1}][.].*"]
    for minor in range(newest[1] + 1):
        patches = [each.get((newest[0], minor)) for each in repaired if (newest[0], minor) <= max(each)]
        line = f"{newest[0]}[.]{minor}[.]"
        if None in patches:
            found.append(f"{line}.*")
            continue
        last = max(patch for patch in patches if patch is not None)
        older = "".join(map(str, range(last)))
        found += [f"{line}[{older}](-.*)?"] if older else []
        found.append(f"{line}{last}-.*")
    return "|".join(found)


@lru_cache(maxsize=1)
def _data() -> Any:
    return yaml.safe_load((DATA / "advisories.yml").read_text(encoding="utf-8"))


def _advisory(identifier: str, effect: str, reach: str, fixed: list[str], **_: object) -> Advisory:
    numbers = sorted(found for found in map(number, fixed) if found)
    return Advisory(identifier, effect, reach, tuple(numbers))
